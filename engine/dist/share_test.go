package dist

import (
	"math"
	"slices"
	"testing"
)

// fioShares are the per cent of a million reads that went to the hottest 1, 10 and 50 per cent of
// 65536 blocks with fio 3.33: --ioengine=null --rw=randread --bs=4k --size=256m --number_ios=1000000.
var fioShares = []struct {
	fio    string
	ours   Pattern
	shares [3]float64
}{
	{"zipf:1.1", Zipf{Theta: 1.1}, [3]float64{74.48, 88.95, 98.14}},
	{"zipf:0.6", Zipf{Theta: 0.6}, [3]float64{15.23, 39.83, 78.13}},
	{"zipf:1.2:0.5", Zipf{Theta: 1.2, Centre: At(0.5)}, [3]float64{84.55, 94.27, 99.45}},
	{"pareto:0.2", Pareto{H: 0.2}, [3]float64{52.81, 73.05, 92.50}},
	{"pareto:0.2:0.3", Pareto{H: 0.2, Centre: At(0.3)}, [3]float64{52.81, 73.05, 92.50}},
	{"normal:0", Normal{Dev: 0}, [3]float64{5.53, 45.73, 99.96}},
	{"normal:10", Normal{Dev: 10}, [3]float64{5.27, 43.72, 99.79}},
	{"normal:20:0.5", Normal{Dev: 20, Centre: At(0.5)}, [3]float64{4.62, 38.54, 99.13}},
	{"normal:25:0.2", Normal{Dev: 25, Centre: At(0.2)}, [3]float64{4.25, 35.49, 98.38}},
	{"normal:50", Normal{Dev: 50}, [3]float64{2.78, 23.51, 87.33}},
	{"zoned:60/10:30/20:8/30:2/40", Zoned{{Accesses: 60, Space: 10}, {Accesses: 30, Space: 20}, {Accesses: 8, Space: 30}, {Accesses: 2, Space: 40}}, [3]float64{7.15, 60.01, 96.69}},
}

// Skewed patterns send as much to the hottest blocks as fio's do at the same parameters.
func TestSharesAreFio(t *testing.T) {
	const blocks, draws = 65536, 1_000_000
	for _, c := range fioShares {
		s, err := c.ours.Compile(Region{Size: blocks * 4096, Unit: 4096}, 1)
		if err != nil {
			t.Fatal(err)
		}
		counts := make([]int, blocks)
		r := NewRand(1)
		for range draws {
			counts[s.Next(r, 4096)/4096]++
		}
		slices.SortFunc(counts, func(a, b int) int { return b - a })
		for i, share := range []float64{0.01, 0.1, 0.5} {
			sum := 0
			for _, n := range counts[:int(math.Round(share*blocks))] {
				sum += n
			}
			got := 100 * float64(sum) / draws
			if want := c.shares[i]; math.Abs(got-want) > 0.02*want {
				t.Errorf("%s: the hottest %v per cent get %.2f, and %.2f with fio", c.fio, 100*share, got, want)
			}
		}
	}
}
