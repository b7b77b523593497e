package vm

import (
	"fmt"
	"sync"

	lua "github.com/yuin/gopher-lua"

	"moonio/engine"
	"moonio/engine/dist"
)

// pattern is a pattern as a script holds it. Where clients use it, it is compiled
// once for each file and block size and shared by all workers, so that a
// sequence stays one sequence.
type pattern struct {
	dist.Pattern
	seed uint64

	mu       sync.Mutex
	compiled map[placeKey]placed
}

type placeKey struct {
	node *engine.Node
	n    int64
}

// placed is a pattern compiled for a file of a size.
type placed struct {
	dist.Sampler
	size int64
}

// good says whether the compiled form still fits a file that may have grown or shrunk.
func (p placed) good(size int64) bool {
	return p.Sampler != nil && size >= p.size && size-p.size <= p.size/8
}

func (p *pattern) sampler(f *engine.File, n int64) (placed, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	k := placeKey{f.Node, n}
	size := f.Size()
	if c := p.compiled[k]; c.good(size) {
		return c, nil
	}
	if size < n {
		return placed{}, fmt.Errorf("%s draws offsets inside the file, and %q has %d bytes: open it with a size, or write it first", p, f.Name, size)
	}
	s, err := p.Compile(dist.Region{Size: size, Unit: n}, p.seed)
	if err != nil {
		return placed{}, err
	}
	if p.compiled == nil {
		p.compiled = map[placeKey]placed{}
	}
	c := placed{s, size}
	p.compiled[k] = c
	return c, nil
}

// patternUse is one state's handle on a pattern, with the last place it was used for.
type patternUse struct {
	*pattern
	key  placeKey
	last placed
}

func (u *patternUse) offset(r *dist.Rand, f *engine.File, n int64) (int64, error) {
	if k := (placeKey{f.Node, n}); u.key != k || !u.last.good(f.Size()) {
		c, err := u.sampler(f, n)
		if err != nil {
			return 0, err
		}
		u.key, u.last = k, c
	}
	return u.last.Next(r, n), nil
}

func (m *machine) pushPattern(L *lua.LState, p dist.Pattern) int {
	if m.task != nil && memoryless(p) {
		L.Push(m.inTurns(p))
		return 1
	}
	m.patternCount++
	seed := dist.Derive(m.run.Session.Seed, m.worker, m.patternCount, 0x9a77)
	L.Push(m.wrap(&patternUse{pattern: &pattern{Pattern: p, seed: seed}}))
	return 1
}

// memoryless says whether a pattern's places do not depend on those before.
func memoryless(p dist.Pattern) bool {
	switch p.(type) {
	case dist.Uniform, dist.Zipf, dist.Pareto, dist.Normal, dist.Gaussian, dist.Hotspot:
		return true
	}
	return false
}

// mostInTurns bounds how many patterns are kept that clients make.
const mostInTurns = 64

// inTurns is a memoryless pattern that a client makes. It is the same in every turn and for all clients,
// as its hot blocks would be others each time, and none of them hot.
func (m *machine) inTurns(p dist.Pattern) *lua.LUserData {
	if u, ok := m.turnPatterns[p]; ok {
		return u
	}
	seed := dist.Derive(m.run.Session.Seed, dist.Label(fmt.Sprint(p)), 0x9a77)
	u := m.wrap(&patternUse{pattern: &pattern{Pattern: p, seed: seed}})
	if m.turnPatterns == nil {
		m.turnPatterns = map[dist.Pattern]*lua.LUserData{}
	}
	if len(m.turnPatterns) < mostInTurns {
		m.turnPatterns[p] = u
	}
	return u
}

// patterns are the functions that make patterns.
func (m *machine) patterns() map[string]lua.LGFunction {
	return map[string]lua.LGFunction{
		"random": func(L *lua.LState) int { return m.pushPattern(L, dist.Uniform{}) },
		"sequential": func(L *lua.LState) int {
			o := optionsAt(L, 1, "sequential")
			gap := o.size("gap", 0)
			o.done()
			return m.pushPattern(L, dist.Sequential{Gap: gap})
		},
		"reverse": func(L *lua.LState) int { return m.pushPattern(L, dist.Reverse{}) },
		"permute": func(L *lua.LState) int { return m.pushPattern(L, dist.Permute{}) },
		"strided": func(L *lua.LState) int {
			return m.pushPattern(L, dist.Strided{Stride: m.sizeArg(L, 1, "strided", "step")})
		},
		"zipf": func(L *lua.LState) int {
			return m.pushPattern(L, dist.Zipf{Theta: number(L, 1, "zipf", "theta"), Centre: centre(L, "zipf")})
		},
		"pareto": func(L *lua.LState) int {
			return m.pushPattern(L, dist.Pareto{H: number(L, 1, "pareto", "h"), Centre: centre(L, "pareto")})
		},
		"normal": func(L *lua.LState) int {
			return m.pushPattern(L, dist.Normal{Dev: number(L, 1, "normal", "deviation"), Centre: centre(L, "normal")})
		},
		"runs": m.runsOf,
		"hotspot": func(L *lua.LState) int {
			return m.pushPattern(L, dist.Hotspot{Accesses: number(L, 1, "hotspot", "accesses"), Space: number(L, 2, "hotspot", "space")})
		},
		"zoned": m.zoned,
		"either": func(L *lua.LState) int {
			return m.pushPattern(L, dist.Either{Percent: number(L, 1, "either", "the per cent of the first"), A: patternArg(L, 2, "either"), B: patternArg(L, 3, "either")})
		},
		"zone_strided": m.zoneStrided,
		"gaussian": func(L *lua.LState) int {
			p := dist.Gaussian{Dev: number(L, 1, "gaussian", "deviation"), Centre: 0.5}
			if L.Get(2) != lua.LNil {
				p.Centre = number(L, 2, "gaussian", "centre")
			}
			return m.pushPattern(L, p)
		},
	}
}

// centre takes a pattern's second argument, where its hottest block is.
func centre(L *lua.LState, call string) dist.Centre {
	if L.Get(2) == lua.LNil {
		return dist.Centre{}
	}
	return dist.At(number(L, 2, call, "centre"))
}

// patternArg takes an argument that is a pattern.
func patternArg(L *lua.LState, n int, call string) dist.Pattern {
	if u, ok := L.Get(n).(*lua.LUserData); ok {
		if p, ok := u.Value.(*patternUse); ok {
			return p.Pattern
		}
	}
	L.RaiseError("%s: %s is not a pattern such as random()", call, show(L.Get(n)))
	return nil
}

func (m *machine) zoneStrided(L *lua.LState) int {
	o := optionsAt(L, 1, "zone_strided")
	p := dist.ZoneStrided{Bytes: o.size("size", 0), Range: o.size("range", 0), Skip: o.size("skip", 0), Of: o.pattern("of", dist.Uniform{})}
	o.done()
	if p.Bytes == 0 {
		o.fail("size", "how many bytes are moved in a zone before the next? It must be above 0")
	}
	return m.pushPattern(L, p)
}

func (m *machine) runsOf(L *lua.LState) int {
	p := dist.Runs{Of: patternArg(L, 1, "runs"), Length: int(count(L, 2, 1, "runs"))}
	switch v := L.Get(3); v {
	case lua.LNil:
	case lua.LString("same"):
		p.Same = true
	default:
		L.RaiseError("runs: the third argument can only be \"same\", and is %s", show(v))
	}
	return m.pushPattern(L, p)
}

func (m *machine) zoned(L *lua.LState) int {
	t, ok := L.Get(1).(*lua.LTable)
	if !ok || t.Len() == 0 {
		L.RaiseError("zoned: zones are pairs of per cent of accesses and of space: zoned{ {60, 10}, {30, 20}, {10, 70} }")
	}
	zones, err := list(t)
	if err != nil {
		L.RaiseError("zoned: %v", err)
	}
	var z dist.Zoned
	for i, v := range zones {
		pair, ok := v.(*lua.LTable)
		if !ok || pair.Len() != 2 {
			L.RaiseError("zoned: zone %d is %s, and not a pair such as {60, 10}", i+1, show(v))
		}
		z = append(z, zone(L, i+1, pair))
	}
	return m.pushPattern(L, z)
}

// zone reads {60, 10}, or {60, "1GiB"}.
func zone(L *lua.LState, i int, pair *lua.LTable) dist.Zone {
	a, ok := pair.RawGetInt(1).(lua.LNumber)
	z := dist.Zone{Accesses: float64(a)}
	switch s := pair.RawGetInt(2).(type) {
	case lua.LNumber:
		z.Space = float64(s)
	case lua.LString:
		var err error
		if z.Bytes, err = toSize(s); err != nil {
			L.RaiseError("zoned: zone %d: %v", i, err)
		}
	default:
		ok = false
	}
	if !ok {
		L.RaiseError("zoned: zone %d does not hold per cent of the accesses, and per cent of the region or a size", i)
	}
	return z
}

// number takes a numeric argument.
func number(L *lua.LState, n int, call, what string) float64 {
	v, ok := L.Get(n).(lua.LNumber)
	if !ok {
		L.RaiseError("%s: %s must be a number, and is %s", call, what, show(L.Get(n)))
	}
	return float64(v)
}
