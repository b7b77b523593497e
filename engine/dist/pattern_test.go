package dist

import (
	"math"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

func compile(t testing.TB, p Pattern, r Region) Sampler {
	t.Helper()
	s, err := p.Compile(r, 1)
	if err != nil {
		t.Fatalf("%s: %v", p, err)
	}
	return s
}

// Whatever the region and the sizes, offsets are on the grid and transfers inside.
func TestEveryPatternStaysInside(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		unit := rapid.SampledFrom([]int64{1, 512, 4096, 5000, 1 << 20}).Draw(t, "unit")
		reg := Region{
			Start: rapid.SampledFrom([]int64{0, 1, 4096, 1 << 40}).Draw(t, "start"),
			Unit:  unit,
			Size:  unit*rapid.Int64Range(1, 3000).Draw(t, "blocks") + rapid.Int64Range(0, unit-1).Draw(t, "rest"),
		}
		reg.Max = rapid.Int64Range(1, min(reg.Size, 8*unit)).Draw(t, "max")
		p := rapid.SampledFrom(everyPattern).Draw(t, "pattern")
		s, err := p.Compile(reg, rapid.Uint64().Draw(t, "seed"))
		if err != nil {
			return // this pattern needs a larger region; which, TestErrors says
		}
		r := NewRand(rapid.Uint64().Draw(t, "rand"))
		for range 100 {
			n := rapid.Int64Range(1, reg.Max).Draw(t, "n")
			off := s.Next(r, n)
			if off < reg.Start || off+n > reg.Start+reg.Size || (off-reg.Start)%unit != 0 {
				t.Fatalf("%s in %+v: %d bytes at %d", p, reg, n, off)
			}
		}
	})
}

func TestPatternString(t *testing.T) {
	for _, c := range []struct {
		p    Pattern
		want string
	}{
		{Uniform{}, `random()`}, {Sequential{}, `sequential()`}, {Sequential{Gap: 4096}, `sequential{ gap = "4KiB" }`},
		{Strided{1 << 20}, `strided("1MiB")`}, {Reverse{}, `reverse()`}, {Permute{}, `permute()`},
		{Zipf{Theta: 1.1}, `zipf(1.1)`}, {Zipf{1.1, At(0.25)}, `zipf(1.1, 0.25)`}, {Pareto{0.2, At(0)}, `pareto(0.2, 0)`}, {Normal{Dev: 10}, `normal(10)`},
		{Zoned{{60, 10, 0}, {40, 0, 1 << 20}}, `zoned{ {60, 10}, {40, "1MiB"} }`}, {Hotspot{90, 10}, `hotspot(90, 10)`},
		{Runs{Of: Uniform{}, Length: 8}, `runs(random(), 8)`}, {Runs{Zipf{Theta: 2}, 4, true}, `runs(zipf(2), 4, "same")`},
		{Either{30, Sequential{}, Uniform{}}, `either(30, sequential(), random())`}, {Gaussian{10, 0.25}, `gaussian(10, 0.25)`},
		{ZoneStrided{1 << 20, 2 << 20, 4096, Uniform{}}, `zone_strided{ size = "1MiB", range = "2MiB", skip = "4KiB", of = random() }`},
	} {
		if got := c.p.String(); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
}

func TestErrors(t *testing.T) {
	gib := Region{Size: 1 << 30, Unit: 4096}
	for _, c := range []struct {
		p    Pattern
		r    Region
		want string
	}{
		{Uniform{}, Region{Size: 1 << 20, Unit: 4096, Max: 2 << 20}, "transfers of 2MiB do not fit into a region of 1MiB"},
		{Uniform{}, Region{Size: 100, Unit: 4096}, "transfers of 4KiB do not fit into a region of 100B"},
		{Uniform{}, Region{Size: 0, Unit: 4096}, "sizes must be above 0"},
		{Uniform{}, Region{Start: math.MaxInt64 - 1, Size: 4096, Unit: 1}, "beyond the largest offset"},
		{Sequential{Gap: -1}, gib, `sequential{ gap = "-1B" }: the gap must be between 0 and the region's 1GiB`},
		{Strided{}, gib, `strided("0B"): the stride must be above 0`},
		{Strided{5000}, gib, `strided("5kB"): the stride must be a multiple of the 4KiB that offsets are`},
		{Permute{}, Region{Size: 100, Unit: 4096, Max: 10}, "permute(): a region of 100B holds no block of 4KiB"},
		{Zipf{}, gib, "zipf(0): theta must be above 0 and at most 10"},
		{Zipf{Theta: math.NaN()}, gib, "theta must be above 0"},
		{Zipf{1.1, At(1.5)}, gib, "zipf(1.1, 1.5): the centre is 1.5: it must be from 0, the region's start, to 1, its end"},
		{Pareto{H: 1}, gib, "pareto(1): the share must be above 0 and below 1"},
		{Normal{Dev: 101}, gib, "normal(101): the deviation must be from 0 to 100"},
		{Zoned{}, gib, "zoned{} has no zones"},
		{Zoned{{60, 10, 0}, {60, 10, 0}}, gib, "the zones have 120 per cent of the accesses"},
		{Zoned{{60, 90, 0}, {40, 20, 0}}, gib, "the zones are larger than the region"},
		{Zoned{{60, 90, 0}, {20, 10, 0}}, gib, "the zones fill the region but have only 80 per cent of the accesses"},
		{Zoned{{60, 1e-6, 0}, {40, 10, 0}}, gib, "zone 1 is smaller than a block"},
		{Zoned{{100, 0, 0}}, gib, "zone 1: the accesses may not be negative, and the space must be above 0"},
		{Hotspot{90, 100}, gib, "hotspot(90, 100): accesses must be from 0 to 100 per cent, the space between 0 and 100"},
		{Runs{Of: Uniform{}}, gib, "runs(random(), 0): a run has at least 1 transfer"},
		{Runs{Of: Zipf{}, Length: 2}, gib, "zipf(0): theta"},
		{Either{101, Uniform{}, Uniform{}}, gib, "either(101, random(), random()): the share of the first must be from 0 to 100"},
		{Either{50, Uniform{}, Zipf{}}, gib, "zipf(0): theta"},
		{Gaussian{0, 0.5}, gib, "gaussian(0, 0.5): the deviation must be above 0 and at most 100"},
		{Gaussian{10, 2}, gib, "gaussian(10, 2): the centre must be from 0"},
		{ZoneStrided{Of: Uniform{}}, gib, `zone_strided{ size = "0B", of = random() }: sizes must be above 0`},
		{ZoneStrided{Bytes: 4096, Range: 2 << 30, Of: Uniform{}}, gib, "a zone of 2GiB does not fit into a region of 1GiB"},
		{ZoneStrided{Bytes: 4096, Skip: 100, Of: Uniform{}}, gib, "must be multiples of 4KiB, the step between offsets"},
	} {
		_, err := c.p.Compile(c.r, 1)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s in %+v: %v; want %s", c.p, c.r, err, c.want)
		}
	}
}

func TestNothingAllocates(t *testing.T) {
	r := NewRand(1)
	for _, p := range everyPattern {
		s := compile(t, p, Region{Size: 1 << 30, Unit: 4096})
		if n := testing.AllocsPerRun(1000, func() { sink64 = s.Next(r, 4096) }); n != 0 {
			t.Errorf("%s: %v allocations", p, n)
		}
	}
	if n := testing.AllocsPerRun(1000, func() { sinkF = r.ExpFloat64() + r.NormFloat64() }); n != 0 {
		t.Errorf("generator: %v allocations", n)
	}
}

// steps draws k transfers of n bytes.
func steps(s Sampler, k int, n int64) (offs []int64) {
	for range k {
		offs = append(offs, s.Next(nil, n))
	}
	return offs
}

func checkSteps(t *testing.T, what string, got []int64, want ...int64) {
	t.Helper()
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("%s: %v, want %v", what, got, want)
			return
		}
	}
}

func TestOrders(t *testing.T) {
	reg := Region{Start: 100, Size: 45, Unit: 10, Max: 45}
	for _, c := range []struct {
		p    Pattern
		n    int64
		want []int64
	}{
		{Sequential{}, 10, []int64{100, 110, 120, 130, 100, 110}},
		{Sequential{}, 5, []int64{100, 110, 120, 130, 140, 100}},
		{Sequential{}, 15, []int64{100, 120, 100}},
		{Sequential{}, 45, []int64{100, 100}},
		{Sequential{Gap: 10}, 10, []int64{100, 120, 100}},
		{Strided{20}, 10, []int64{100, 120, 100}},
		{Strided{20}, 5, []int64{100, 120, 140, 100}},
		{Reverse{}, 10, []int64{130, 120, 110, 100, 130}},
		{Reverse{}, 15, []int64{130, 110, 130}},
		{Runs{Of: Sequential{}, Length: 2}, 10, []int64{100, 110, 110, 120, 120, 130, 130, 100}},
		{Runs{Of: Sequential{}, Length: 2, Same: true}, 10, []int64{100, 100, 110, 110, 120}},
	} {
		checkSteps(t, c.p.String(), steps(compile(t, c.p, reg), len(c.want), c.n), c.want...)
	}
}

func TestPassesAreCounted(t *testing.T) {
	reg := Region{Start: 4096, Size: 10*4096 + 100, Unit: 4096}
	for _, p := range []Pattern{Sequential{}, Sequential{Gap: 4096}, Strided{8192}, Reverse{}, Permute{}} {
		s := compile(t, p, reg).(Passer)
		per := 10
		if p != (Sequential{}) && p != (Reverse{}) && p != (Permute{}) {
			per = 5
		}
		for i := range 5 * per {
			off, pass := s.NextPass(nil, 4096)
			if pass != int64(i/per) {
				t.Fatalf("%s: transfer %d at %d is in pass %d, want %d", p, i, off, pass, i/per)
			}
		}
	}
}

// A walk with transfers of differing lengths goes over every unit once in each pass.
func TestSequentialFits(t *testing.T) {
	const blocks = 37
	s := compile(t, Sequential{}, Region{Start: 512, Size: blocks*512 + 100, Unit: 512, Max: 4 * 512}).(Fitter)
	r := NewRand(1)
	for pass := range int64(5) {
		for next := int64(0); next < blocks; {
			off, n, p := s.Fit(r, 512*(1+int64(r.Uint64n(4))))
			if p != pass || off != 512+512*next || n <= 0 || n%512 != 0 {
				t.Fatalf("%d bytes at %d in pass %d, where block %d of pass %d is due", n, off, p, next, pass)
			}
			next += n / 512
			if next > blocks {
				t.Fatalf("pass %d goes %d blocks too far", pass, next-blocks)
			}
		}
	}
}

// Many goroutines that share a sampler visit each block exactly once a pass.
func TestSharedSequence(t *testing.T) {
	const blocks, workers, passes = 1000, 4, 3
	for _, p := range []Pattern{Sequential{}, Reverse{}, Permute{}} {
		s := compile(t, p, Region{Size: blocks * 512, Unit: 512}).(Passer)
		var mu sync.Mutex
		var seen [passes][blocks]int
		var wg sync.WaitGroup
		for range workers {
			wg.Go(func() {
				for {
					off, pass := s.NextPass(nil, 512)
					if pass == passes {
						return
					}
					mu.Lock()
					seen[pass][off/512]++
					mu.Unlock()
				}
			})
		}
		wg.Wait()
		for pass := range seen {
			for b, n := range seen[pass] {
				if n != 1 {
					t.Fatalf("%s: block %d was visited %d times in pass %d", p, b, n, pass)
				}
			}
		}
	}
}

func TestPermuteCoversEveryBlockOnce(t *testing.T) {
	for _, blocks := range []int64{1, 2, 3, 4, 5, 7, 8, 9, 100, 1023, 1024, 1025, 65536, 100_003} {
		s := compile(t, Permute{}, Region{Size: blocks*512 + 511, Unit: 512}).(Passer)
		var first []int64
		for pass := range int64(2) {
			seen := make([]bool, blocks)
			for i := range blocks {
				off, p := s.NextPass(nil, 512)
				if p != pass || seen[off/512] {
					t.Fatalf("%d blocks: visit %d of pass %d went to block %d in pass %d, seen %v", blocks, i, pass, off/512, p, seen[off/512])
				}
				seen[off/512] = true
				if pass == 0 {
					first = append(first, off)
				} else if blocks > 100 && i == blocks-1 && off == first[i] && first[0] == off {
					t.Errorf("%d blocks: both passes have one order", blocks)
				}
			}
		}
	}
}

// An order is random enough: places are uniform over orders, and neighbours in the
// sequence are neither neighbours on the disk nor at a constant distance.
func TestPermuteLooksRandom(t *testing.T) {
	const blocks, orders = 24, 20_000
	perm := newPermutation(blocks)
	place := make([]float64, blocks)
	pairs := make([]float64, blocks*blocks)
	for i := range uint64(orders) {
		o := newOrder(mix(i))
		a, b := perm.apply(&o, 0), perm.apply(&o, 1)
		place[a]++
		pairs[a*blocks+b]++
	}
	checkChi(t, "image of 0", place, func(int) float64 { return orders / blocks })
	for a := range blocks {
		if n := pairs[a*blocks+a]; n != 0 {
			t.Errorf("0 and 1 have one image %v times", n)
		}
	}
	const large = 1 << 20
	perm, o := newPermutation(large), newOrder(99)
	var distance float64
	gaps := map[uint64]int{}
	for i := range uint64(100_000) {
		a, b := perm.apply(&o, i), perm.apply(&o, i+1)
		distance += math.Abs(float64(a) - float64(b))
		gaps[(b-a)%large]++
	}
	if d := distance / 100_000 / large; math.Abs(d-1.0/3) > 0.02 {
		t.Errorf("mean distance of neighbours is %v of the region, want 1/3", d)
	}
	for g, n := range gaps {
		if n > 100 {
			t.Errorf("neighbours are %d blocks apart %d times in 100,000", g, n)
		}
	}
}

func TestSameSeedSamePlaces(t *testing.T) {
	reg := Region{Size: 1 << 30, Unit: 4096}
	for _, p := range everyPattern {
		a, _ := p.Compile(reg, 1)
		b, _ := p.Compile(reg, 1)
		ra, rb := NewRand(2), NewRand(2)
		for range 100 {
			if x, y := a.Next(ra, 4096), b.Next(rb, 4096); x != y {
				t.Fatalf("%s: %d and %d from one seed", p, x, y)
			}
		}
	}
	a := steps(compile(t, Permute{}, reg), 100, 4096)
	s, _ := Permute{}.Compile(reg, 2)
	if b := steps(s, 100, 4096); a[0] == b[0] && a[1] == b[1] && a[2] == b[2] {
		t.Error("two seeds give one order")
	}
}
