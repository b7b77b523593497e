package vm

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"moonio/engine/report"
)

// What is wrong with data and verify is said at the line that says it.
func TestDataAndVerifyRefused(t *testing.T) {
	for options, want := range map[string]string{
		`data = "text"`:                             `option data: "text" is not "random", "zero" or a table`,
		`data = { kind = "patern" }`:                `is not one of random, zero, pattern (did you mean "pattern"?)`,
		`data = { kind = "pattern" }`:               `needs a pattern`,
		`data = { pattern = "0xg" }`:                `no hexadecimal digits behind 0x`,
		`data = { compress = 120 }`:                 `compress = 120`,
		`data = { compress = 1.5 }`:                 `option compress: 1.5 is not a whole number of per cent`,
		`data = { compres = 50 }`:                   `unknown option "compres"`,
		`data = { pool = 3 }`:                       `give dedupe too`,
		`data = { pattern = "'../x'" }`:             `../x`,
		`verify = "crc32d"`:                         `"crc32d" is not one of crc32c`,
		`verify = true`:                             `true is neither a method such as "crc32c" nor a table`,
		`verify = { metod = "md5" }`:                `unknown option "metod"`,
		`verify = { method = "pattern" }`:           `needs a pattern`,
		`verify = { pattern = "a" }, data = "zero"`: `both say what writes carry`,
		`verify = "md5", data = { dedupe = 20 }`:    `so that none repeats`,
		`verify = { backlog = 0 }`:                  `0 is below 1`,
		`verify = { interval = "3000" }`:            `interval = 3kB`,
		`verify = { state = "../x" }`:               `../x`,
	} {
		var log bytes.Buffer
		r := newRun(t, "null")
		r.Err = &log
		out := do(t, r, `local f = open("f", { size = "1MiB" })
phase("p", {}, stream("s", { file = f, op = "write", ops = 10, `+options+` }))`)
		if out.Err == nil || !strings.Contains(out.Err.Error(), want) || !strings.Contains(out.Err.Error(), "test.lua:2") {
			t.Errorf("%s: %v, want %q", options, out.Err, want)
		}
	}
}

// A job that was to verify, and had nothing to, says so.
func TestNothingVerified(t *testing.T) {
	out := do(t, newRun(t, "null"), `local f = open("f", { size = "64KiB" })
phase("p", {}, verify{ file = f })`)
	if w := out.Phases[0].Warnings; !slices.ContainsFunc(w, func(w report.Warning) bool {
		return w.Code == "unverified" && w.Text == "verify: nothing was verified: of none of the 16 blocks that it read it is known what they must hold"
	}) {
		t.Errorf("%v, %v", out.Err, w)
	}
}

// A script can use it all where there is no storage, and in a check.
func TestVerifyInMemory(t *testing.T) {
	const script = `
local f = open("f", { size = "1MiB", verify = "xxhash" })
f:write("8KiB", 0)
assert(f:read("8KiB", 0) == 8192)
local o = { file = f, op = { read = 1, write = 1 }, block = "4k/50:8k/50", align = "4KiB", depth = 4, ops = 100, fsync = 10,
	verify = { method = "xxhash", interval = "4KiB", backlog = 8, state = "known" } }
local r = phase("p", { threads = 2, duration = "DURATION" }, stream("s", o), clients("c", 2, function() f:read("4KiB", random()); sleep(1) end), verify("only", o))
assert(r.s.verify.mismatches == 0 and r.only.verify.checked == 0 and r.s.verify.bytes == 0)
assert(not pcall(function() return r.s.verify.missmatches end))
local g = open("g", { size = "1MiB" })
local compressible = { file = g, op = "write", ops = 10, data = { compress = 50, chunk = "1KiB" }, verify = "crc32c" }
phase("compressible", {}, stream("s", compressible), verify(compressible))
local h = open("h", { size = "1MiB" })
for _, data in ipairs { "random", "zero", { kind = "pattern", pattern = '0xff%o"c"' }, { dedupe = 30, pool = 4 } } do
	phase("data", {}, stream("s", { file = h, op = "write", ops = 10, data = data }))
end
`
	for spec, duration := range map[string]string{"null": "50ms", "sim:nvme": "1s"} {
		if out := do(t, newRun(t, spec), strings.Replace(script, "DURATION", duration, 1)); out.Err != nil {
			t.Errorf("%s: %v", spec, out.Err)
		}
	}
	r := newRun(t, "sim:nvme")
	r.Plan = &Plan{}
	if out := do(t, r, strings.Replace(script, "DURATION", "1s", 1)); out.Err != nil {
		t.Errorf("check: %v", out.Err)
	}
}
