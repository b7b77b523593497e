package dist

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

// zeta is the sum of k^-theta for k from 1 to n, by Euler and Maclaurin beyond the first terms.
func zeta(n, theta float64) float64 {
	const exact = 100
	sum := 0.0
	k := 1.0
	for ; k <= min(n, exact); k++ {
		sum += math.Pow(k, -theta)
	}
	if n <= exact {
		return sum
	}
	m := float64(exact)
	f := func(x float64) float64 { return math.Pow(x, -theta) }
	if theta == 1 {
		sum += math.Log(n / m)
	} else {
		sum += (n*f(n) - m*f(m)) / (1 - theta)
	}
	return sum + (f(n)-f(m))/2 - theta*(f(n)/n-f(m)/m)/12
}

func TestZipfIsExact(t *testing.T) {
	const draws = 300_000
	for _, n := range []uint64{1000, tabled, tabled + 1, 3000} {
		for _, theta := range []float64{0.2, 0.5, 0.8, 0.99, 1 - 1e-7, 1, 1 + 1e-12, 1.1, 1.5, 2, 4, 10} {
			z, r := newZipfRank(theta, n), NewRand(3)
			counts := make([]float64, n)
			for range draws {
				counts[z.next(r)]++
			}
			all := zeta(float64(n), theta)
			checkChi(t, fmt.Sprint("theta ", theta, " over ", n), counts, func(i int) float64 {
				return draws * math.Pow(float64(i+1), -theta) / all
			})
		}
	}
}

// A region of 2^40 blocks keeps its shape.
func TestZipfOnHugeRegions(t *testing.T) {
	const n, draws = 1 << 40, 50_000
	for _, theta := range []float64{0.5, 0.9, 1, 1.1, 1.5} {
		z, r := newZipfRank(theta, n), NewRand(4)
		bounds := []float64{1, 10, 1e3, 1e6, 1e9, 1e11, n}
		counts := make([]float64, len(bounds))
		for range draws {
			rank := z.next(r)
			if rank >= n {
				t.Fatalf("theta %v: rank %d", theta, rank)
			}
			i, _ := slices.BinarySearch(bounds, float64(rank+1))
			counts[i]++
		}
		all := zeta(n, theta)
		checkChi(t, fmt.Sprint("theta ", theta), counts, func(i int) float64 {
			below := 0.0
			if i > 0 {
				below = zeta(bounds[i-1], theta)
			}
			return draws * (zeta(bounds[i], theta) - below) / all
		})
	}
	for _, blocks := range []uint64{1, 2, 3} {
		z, r := newZipfRank(1.1, blocks), NewRand(4)
		for range 1000 {
			if rank := z.next(r); rank >= blocks {
				t.Fatalf("rank %d of %d", rank, blocks)
			}
		}
	}
}

// hottest is the share of the accesses that go to the hottest 1, 10 and 50 per
// cent of the blocks. What is known of a pattern's shares, they have.
func hottest(t *testing.T, p Pattern, blocks, draws int) [3]float64 {
	s := compile(t, p, Region{Size: int64(blocks) * 4096, Unit: 4096})
	r := NewRand(5)
	counts := make([]int, blocks)
	for range draws {
		counts[s.Next(r, 4096)/4096]++
	}
	slices.SortFunc(counts, func(a, b int) int { return b - a })
	var shares [3]float64
	sum := 0
	for i, c := range counts {
		sum += c
		for j, part := range []float64{0.01, 0.1, 0.5} {
			if i+1 == int(part*float64(blocks)) {
				shares[j] = 100 * float64(sum) / float64(draws)
			}
		}
	}
	return shares
}

func TestSharesOfTheHottest(t *testing.T) {
	const blocks, draws = 200, 300_000
	zipfShares := func(theta float64) [3]float64 {
		all := zeta(blocks, theta) / 100
		return [3]float64{zeta(blocks/100, theta) / all, zeta(blocks/10, theta) / all, zeta(blocks/2, theta) / all}
	}
	paretoShares := func(h float64) [3]float64 {
		p := math.Log(1-h) / math.Log(h)
		return [3]float64{100 * math.Pow(0.01, p), 100 * math.Pow(0.1, p), 100 * math.Pow(0.5, p)}
	}
	for _, c := range []struct {
		p    Pattern
		want [3]float64
	}{
		{Zipf{Theta: 0.8}, zipfShares(0.8)},
		{Zipf{Theta: 1.2}, zipfShares(1.2)},
		{Zipf{1.2, At(0.1)}, zipfShares(1.2)},
		{Pareto{H: 0.2}, paretoShares(0.2)},
		{Pareto{0.3, At(0.9)}, paretoShares(0.3)},
		{Normal{}, [3]float64{erf(0.005), erf(0.05), erf(0.25)}},
		{Normal{20, At(0.5)}, [3]float64{smeared(0.005, 0.2), smeared(0.05, 0.2), smeared(0.25, 0.2)}},
		{Normal{Dev: 50}, [3]float64{smeared(0.005, 0.5), smeared(0.05, 0.5), smeared(0.25, 0.5)}},
		{Normal{Dev: 80}, [3]float64{smeared(0.005, 0.5), smeared(0.05, 0.5), smeared(0.25, 0.5)}},
		{Zoned{{60, 10, 0}, {30, 20, 0}, {8, 30, 0}, {2, 40, 0}}, [3]float64{6, 60, 95.33}},
		{Zoned{{80, 0, 20 * 4096}}, [3]float64{8, 80, 80 + 20*4/9.0}},
		{Hotspot{90, 10}, [3]float64{9, 90, 90 + 10*4/9.0}},
	} {
		got := hottest(t, c.p, blocks, draws)
		for i := range got {
			// Sorting counts favours the hottest a little: chance looks like heat.
			if math.Abs(got[i]-c.want[i]) > 1 {
				t.Errorf("%s: the hottest 1, 10, 50 %% have %.2f, want %.2f", c.p, got, c.want)
				break
			}
		}
	}
}

// erf is the share of a bell of standard deviation 1/12 within d of its centre, in per cent.
func erf(d float64) float64 { return 100 * math.Erf(d*12/math.Sqrt2) }

// smeared is the same for the sum of the bell and a uniform shift of that width.
func smeared(d, width float64) float64 {
	const steps = 1000
	phi := func(x float64) float64 { return 0.5 * (1 + math.Erf(x*12/math.Sqrt2)) }
	sum, whole := 0.0, 0.0
	for i := range steps {
		u := width * ((float64(i)+0.5)/steps - 0.5)
		sum += phi(d-u) - phi(-d-u)
		whole += phi(0.5-u) - phi(-0.5-u)
	}
	return 100 * sum / whole
}

// With a centre the hot blocks lie around it and wrap; without one they do not
// stand together.
func TestCentre(t *testing.T) {
	const blocks = 1000
	reg := Region{Size: blocks * 512, Unit: 512}
	for _, c := range []struct {
		at     float64
		centre int64
	}{{0, 0}, {0.25, 250}, {0.999, 999}, {1, 999}} {
		place, err := At(c.at).place(reg, 1)
		if err != nil {
			t.Fatal(err)
		}
		seen := map[uint64]bool{}
		for rank := range uint64(blocks) {
			b := place.block(rank)
			d := (int64(b) - c.centre + blocks) % blocks
			if d = min(d, blocks-d); d != int64(rank+1)/2 {
				t.Fatalf("centre %v: rank %d is %d blocks away", c.at, rank, d)
			}
			if seen[b] {
				t.Fatalf("centre %v: block %d has two ranks", c.at, b)
			}
			seen[b] = true
		}
	}
	place, err := Centre{}.place(reg, 1)
	if err != nil {
		t.Fatal(err)
	}
	hot := make([]float64, 10)
	for rank := range uint64(100) {
		hot[place.block(rank)/100]++
	}
	checkChi(t, "scattered ranks", hot, func(int) float64 { return 10 })
}
