package vm

import (
	"strings"
	"testing"

	"moonio/engine"
)

// places counts where an engine's operations go.
type places struct {
	engine.Engine
	seen map[int64]int
}

func (p *places) Submit(ops []engine.Op, slots []uint32) error {
	for _, i := range slots {
		p.seen[ops[i].Off]++
	}
	return p.Engine.Submit(ops, slots)
}

// A skewed pattern that is made anew in each turn has the same hot blocks in all of them.
func TestPatternsInTurns(t *testing.T) {
	for _, expr := range []string{"zipf(1.5)", "pareto(0.05)", "normal(10)"} {
		r := newRun(t, "sim:nvme")
		make, seen := r.Session.Engine, map[int64]int{}
		r.Session.Engine = func(c engine.Config) (engine.Engine, error) {
			e, err := make(c)
			return &places{e, seen}, err
		}
		out := do(t, r, `local f = open("f", { size = "64MiB", layout = "sparse" })
phase("p", { iterations = 4000 }, clients("c", 4, function() f:read(4096, `+expr+`) end))`)
		if out.Err != nil {
			t.Fatal(out.Err)
		}
		// At random, 3500 of the 16384 blocks would be read.
		if n := len(seen); n < 50 || n > 3000 {
			t.Errorf("%s: %d different blocks", expr, n)
		}
	}
}

func TestPatternsInTurnsAreBounded(t *testing.T) {
	got := output(t, `local f = open("f", { size = "1MiB" })
phase("p", { iterations = 200 }, clients("c", 1, function(id)
  local a, b = zipf(1 + rand(1000) / 1000), random()
  f:read(4096, a)
  assert(rawequal(b, random()) and not rawequal(sequential(), sequential()))
end))`)
	if got != "" {
		t.Error(got)
	}
}

func TestPatternsArrive(t *testing.T) {
	got := output(t, `
print(either(30, sequential(), zipf(1.1)))
print(gaussian(10), gaussian(10, 0.25))
print(zone_strided{ size = "1MiB", range = "2MiB", skip = 4096, of = permute() }, zone_strided{ size = 512 })
print(zoned{ {60, "1MiB"}, {30, 20} })
local f = open("f", { size = "1MiB" })
local r = phase("p", {}, stream("s", { file = f, op = "write", block = "4k/50:16k/50", at = permute(), passes = 2 }))
print(r.s.write.bytes)`)
	const want = `either(30, sequential(), zipf(1.1))
gaussian(10, 0.5)	gaussian(10, 0.25)
zone_strided{ size = "1MiB", range = "2MiB", skip = "4KiB", of = permute() }	zone_strided{ size = "512B", of = random() }
zoned{ {60, "1MiB"}, {30, 20} }
2097152
`
	if got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

func TestPatternsRefused(t *testing.T) {
	for expr, want := range map[string]string{
		`either(1, 2, 3)`:                             `either: 2 is not a pattern such as random()`,
		`either("x", random(), random())`:             `either: the per cent of the first must be a number, and is "x"`,
		`zone_strided{}`:                              `zone_strided: option size: how many bytes are moved in a zone before the next?`,
		`zone_strided{ size = 1, of = 1 }`:            `zone_strided: option of: 1 is not a pattern`,
		`zone_strided{ sizes = 1 }`:                   `unknown option "sizes" (did you mean "size"?)`,
		`zoned{ {60, true} }`:                         `zoned: zone 1 does not hold per cent of the accesses`,
		`zoned{ {60, "1x"} }`:                         `zoned: zone 1: `,
		`gaussian("a")`:                               `gaussian: deviation must be a number, and is "a"`,
		`stream("s", { file = f, at = gaussian(0) })`: `gaussian(0, 0.5): the deviation must be above 0`,
		`stream("s", { file = f, at = permute(), block = "4k/50:6k/50" })`: `permute() in "f": to visit each byte once, the block sizes`,
	} {
		got := output(t, `local f = open("f", { size = "1MiB" }) local x = `+expr+` phase("p", { ops = 1 }, x)`)
		if !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %q", expr, got, want)
		}
	}
}
