package dist

import (
	"math"
	"strings"
	"testing"

	"moonio/engine"
	"pgregory.net/rapid"
)

func TestChoiceHasItsWeights(t *testing.T) {
	for _, weights := range [][]float64{{1}, {70, 30}, {1, 0, 3}, {0, 0, 5}, {0.001, 1000}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}} {
		c, err := NewChoice(weights...)
		if err != nil {
			t.Fatal(err)
		}
		sum := 0.0
		for _, w := range weights {
			sum += w
		}
		const draws = 50_000
		counts := make([]float64, len(weights))
		r := NewRand(2)
		for range draws {
			counts[c.Next(r)]++
		}
		for i, w := range weights {
			if w == 0 && counts[i] > 0 {
				t.Errorf("%v: alternative %d came %v times", weights, i, counts[i])
			}
		}
		checkChi(t, "choice", counts, func(i int) float64 { return draws * weights[i] / sum })
	}
}

// The columns hand out exactly the weights, whatever they are.
func TestChoiceColumnsAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		weights := rapid.SliceOfN(rapid.Float64Range(0, 1e6), 1, 40).Draw(t, "weights")
		c, err := NewChoice(weights...)
		if err != nil {
			return
		}
		sum := 0.0
		for _, w := range weights {
			sum += w
		}
		share := make([]float64, len(weights))
		for i, col := range c.columns {
			keep := float64(col.keep) / 0x1p64
			share[i] += keep
			share[col.other] += 1 - keep
		}
		for i, w := range weights {
			if got := share[i] / float64(len(weights)); math.Abs(got-w/sum) > 1e-9 || w == 0 && got > 1e-15 {
				t.Fatalf("alternative %d of %v has %v, want %v", i, weights, got, w/sum)
			}
		}
	})
}

func TestMix(t *testing.T) {
	m := Mix{{engine.Read, 70}, {engine.Write, 30}}
	if got, want := m.String(), "{ read = 70, write = 30 }"; got != want {
		t.Errorf("mix is %s, want %s", got, want)
	}
	ops, err := m.Compile()
	if err != nil {
		t.Fatal(err)
	}
	counts := make([]float64, 2)
	r := NewRand(1)
	for range 100_000 {
		counts[ops.Next(r)-engine.Read]++
	}
	checkChi(t, "mix", counts, func(i int) float64 { return 1000 * m[i].Weight })
	one, err := Mix{{engine.Fsync, 1}}.Compile()
	if err != nil || one.Next(nil) != engine.Fsync {
		t.Errorf("a mix of one: %v, %v", one, err)
	}
	for _, c := range []struct {
		m    Mix
		want string
	}{
		{nil, "nothing to choose from"},
		{Mix{{engine.Read, 0}, {engine.Write, 0}}, "all weights are 0"},
		{Mix{{engine.Read, -1}, {engine.Write, 2}}, "weight -1 is negative"},
		{Mix{{engine.Read, math.NaN()}}, "not a finite number"},
		{Mix{{engine.Read, 1}, {engine.Read, 2}}, "mix { read = 1, read = 2 }: read is there twice"},
		{Mix{{engine.Read, math.MaxFloat64}, {engine.Write, math.MaxFloat64}}, "weights are too large"},
	} {
		if _, err := c.m.Compile(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.m, err, c.want)
		}
	}
}

func TestSizes(t *testing.T) {
	for _, c := range []struct {
		text, prints string
		min, max     int64
		sizes        map[int64]float64 // shares of draws
	}{
		{"4k", "4KiB", 4096, 4096, map[int64]float64{4096: 1}},
		{"4096", "4KiB", 4096, 4096, map[int64]float64{4096: 1}},
		{"4k/100", "4KiB", 4096, 4096, map[int64]float64{4096: 1}},
		{"4k-16k", "4KiB-16KiB", 4096, 16384, map[int64]float64{4096: .25, 8192: .25, 12288: .25, 16384: .25}},
		{"4k/60:64k/40", "4KiB/60:64KiB/40", 4096, 65536, map[int64]float64{4096: .6, 65536: .4}},
		{"4k/1:64k/3", "4KiB/1:64KiB/3", 4096, 65536, map[int64]float64{4096: .25, 65536: .75}},
		{"4k:64k", "4KiB/50:64KiB/50", 4096, 65536, map[int64]float64{4096: .5, 65536: .5}},
		{"4k/50:1k/:32k/", "4KiB/50:1KiB/25:32KiB/25", 1024, 32768, map[int64]float64{4096: .5, 1024: .25, 32768: .25}},
		{"1k-2k/50 : 8k/50", "1KiB-2KiB/50:8KiB/50", 1024, 8192, map[int64]float64{1024: .25, 2048: .25, 8192: .5}},
	} {
		s, err := ParseSizes(c.text, 0)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		if s.String() != c.prints || s.Min() != c.min || s.Max() != c.max || s.IsZero() {
			t.Errorf("%s is %s from %d to %d; want %s from %d to %d", c.text, s, s.Min(), s.Max(), c.prints, c.min, c.max)
		}
		if back, err := ParseSizes(s.String(), 0); err != nil || back.String() != c.prints {
			t.Errorf("%s comes back as %s, %v", c.prints, back, err)
		}
		checkSizes(t, c.text, s, c.sizes)
	}
	var none Sizes
	if !none.IsZero() || none.Next(nil) != 0 || none.Min() != 0 || none.Max() != 0 {
		t.Error("the zero value has sizes")
	}
}

func checkSizes(t *testing.T, text string, s Sizes, want map[int64]float64) {
	t.Helper()
	const draws = 20_000
	got := map[int64]float64{}
	r := NewRand(1)
	for range draws {
		got[s.Next(r)] += 1.0 / draws
	}
	for n, share := range got {
		if math.Abs(share-want[n]) > 0.02 {
			t.Errorf("%s: %d has %.3f of the draws, want %.3f", text, n, share, want[n])
		}
	}
	if len(got) != len(want) {
		t.Errorf("%s: %d sizes came, want %d", text, len(got), len(want))
	}
}

func TestSizesErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                `size "" is empty`,
		"4q":              `size "4q": unknown unit "q"`,
		"0":               "a size of 0 bytes: it must be above 0",
		"-4k":             `size "-4k" is negative`,
		"8k-4k":           `block sizes "8k-4k": sizes 8KiB-4KiB: the second is below the first`,
		"4k-6k":           "multiples of the first, so the second must be one",
		"4k/60:64k/x":     `block sizes "4k/60:64k/x": percentage "x" does not begin with a number`,
		"4k/60:64k/50:8k": "the weights leave nothing of 100 for the sizes without one",
		"4k/0:8k/0":       "all weights are 0",
		"4k/50:":          `size "" is empty`,
	} {
		if _, err := ParseSizes(text, 0); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}
