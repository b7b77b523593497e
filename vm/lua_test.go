package vm

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"moonio/vm/luaerr"
)

// output runs a script on sim and returns what it printed.
func output(t *testing.T, src string) string {
	t.Helper()
	var b bytes.Buffer
	r := newRun(t, "sim:nvme")
	r.Out, r.Err = &b, &b
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	s, err := Load("test.lua", src)
	if err != nil {
		t.Fatal(err)
	}
	if out := r.Do(ctx, s); out.Err != nil {
		return b.String() + "error: " + out.Err.Error()
	}
	return b.String()
}

func TestProtectedWaits(t *testing.T) {
	for _, c := range []struct{ name, body, want string }{
		{"pcall", `print(pcall(function(x) f:read(4096, 0) sleep("1ms") return x, 2 end, 1))`, "true\t1\t2\n"},
		{"pcall that fails", `print(pcall(function() f:read(4096, 0) error("no", 0) end))`, "false\tno\n"},
		{"nothing returned", `print(pcall(function() f:read(4096, 0) end))`, "true\n"},
		{"nested", `print(pcall(pcall, function() f:read(4096, 0) error({}) end))`, "true\tfalse\ttable"},
		{"closure after failure", `local n = 0; for i = 1, 3 do pcall(function() n = n + 1; f:read(4096, 0) error("x") end) end print(n)`, "3\n"},
		{"own coroutine", `local co = coroutine.wrap(function(a) for i = 1, 3 do f:read(4096, 0) a = a + coroutine.yield(a) end return "end" end)
			print(co(1), co(10), co(100), co(1))`, "1\t11\t111\tend\n"},
		{"yield through pcall", `local co = coroutine.create(function() print(pcall(function() f:read(4096, 0) local x = coroutine.yield("y") return x end)) end)
			print(coroutine.resume(co)) print(coroutine.status(co)) print(coroutine.resume(co, "z")) print(coroutine.status(co))`,
			"true\ty\nsuspended\ntrue\tz\ntrue\ndead\n"},
		{"iterator", `local function it(_, i) f:read(4096, 0) if i < 3 then return i + 1 end end for i in it, nil, 0 do print(i) end`, "1\n2\n3\n"},
		{"sort", `local ok, err = pcall(table.sort, {3, 1, 2}, function(a, b) f:read(4096, 0) return a < b end) print(ok, (tostring(err):gsub("^.-:%d+: ", "")))`,
			"false\tread: cannot wait inside a comparison of table.sort, which Lua cannot interrupt: do it before or after\n"},
		{"gsub", `local ok, err = pcall(string.gsub, "abc", ".", function() f:read(4096, 0) end) print(ok, (tostring(err):gsub("^.-:%d+: ", "")))`,
			"false\tread: cannot wait inside"},
		{"metamethod", `local t = setmetatable({}, { __index = function() f:read(4096, 0) end }) local ok, err = pcall(function() return t.x end) print(ok, (tostring(err):gsub("^.-:%d+: ", "")))`,
			"false\tread: cannot wait inside a metamethod (__index), which Lua cannot interrupt: do it before or after\n"},
		{"span", `print(span("s", function() f:read(4096, 0) return 1, nil end))`, "1\tnil\n"},
		{"yield outside", `print((select(2, pcall(coroutine.yield)):gsub("^.-:%d+: ", "")))`, "attempt to yield from outside a coroutine\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := output(t, `local f = open("f", { size = "1MiB" })
phase("p", { iterations = 1 }, clients("c", 1, function() `+c.body+` end))`)
			if !strings.HasPrefix(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestRunawayInPhase(t *testing.T) {
	out := do(t, newRun(t, "null"), `
local f = open("f", { size = "1MiB" })
phase("p", { duration = "200ms" }, clients("c", 1, function() while true do pcall(function() while true do end end) end end))
phase("q", { iterations = 3 }, clients("c", 1, function() f:read(4096, 0) end))`)
	if out.Err != nil {
		t.Fatal(out.Err)
	}
	if w := out.Phases[0].Warnings; len(w) != 1 || w[0].Code != "runaway" {
		t.Error(w)
	}
	if out.Phases[1].Jobs[0].Ops["read"].Count != 3 {
		t.Error("the phase after did not run")
	}
}

func TestRunawayDirector(t *testing.T) {
	r := newRun(t, "null")
	s, err := Load("test.lua", `pcall(function() while true do end end) while true do end`)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(50*time.Millisecond, cancel)
	if out := r.Do(ctx, s); !errors.Is(out.Err, context.Canceled) {
		t.Error(out.Err)
	}
}

func TestMemoryIsBounded(t *testing.T) {
	for _, src := range []string{
		`local t = {} while true do t[#t + 1] = ("x"):rep(1e6) end`,
		`local f = open("f", { size = "1MiB" }) local t = {}
		phase("p", { duration = "5m" }, clients("c", 1, function() pcall(function() while true do t[#t + 1] = ("x"):rep(1e6) end end) end))`,
	} {
		r := newRun(t, "null")
		s, err := Load("test.lua", src)
		if err != nil {
			t.Fatal(err)
		}
		d, err := newDirector(context.Background(), r, s)
		if err != nil {
			t.Fatal(err)
		}
		stop := r.watchMemory(64<<20, "test.lua")
		var fault *luaerr.Error
		if err := d.play(); !errors.As(err, &fault) || !strings.Contains(fault.Message, "64.0 MiB of memory") {
			t.Errorf("%s: %v", src, err)
		}
		stop()
		d.m.close()
	}
}
