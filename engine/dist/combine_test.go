package dist

import (
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"
)

// Transfers of differing sizes visit each byte once in a pass, wherever the sizes come from.
func TestPermuteCoversMixedSizes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		unit := rapid.SampledFrom([]int64{512, 4096}).Draw(t, "unit")
		reg := Region{Start: rapid.SampledFrom([]int64{0, 1 << 20}).Draw(t, "start"), Unit: unit, Size: unit * rapid.Int64Range(1, 20_000).Draw(t, "blocks")}
		reg.Max = unit * rapid.Int64Range(1, min(64, reg.Size/unit)).Draw(t, "max")
		s, err := Permute{}.Compile(reg, rapid.Uint64().Draw(t, "seed"))
		if err != nil {
			t.Fatal(err)
		}
		f, ok := s.(Fitter)
		if !ok {
			return // of one size
		}
		r := NewRand(rapid.Uint64().Draw(t, "rand"))
		visits := make([]int, reg.Size/unit)
		for want := range int64(2) {
			for left := reg.Size; left > 0; {
				n := unit * int64(1+r.Uint64n(uint64(reg.Max/unit)))
				off, fits, pass := f.Fit(r, n)
				if pass != want || fits < unit || fits > n || fits%unit != 0 || (off-reg.Start)%unit != 0 {
					t.Fatalf("pass %d: %d of %d bytes at %d, in pass %d", want, fits, n, off, pass)
				}
				for b := (off - reg.Start) / unit; b < (off-reg.Start+fits)/unit; b++ {
					visits[b]++
				}
				left -= fits
			}
			for b, n := range visits {
				if int64(n) != want+1 {
					t.Fatalf("block %d was visited %d times in %d passes", b, n, want+1)
				}
			}
		}
	})
}

// A larger region costs no more memory.
func TestPermuteMemory(t *testing.T) {
	s := compile(t, Permute{}, Region{Size: 1 << 50, Unit: 4096, Max: 1 << 20}).(*cover)
	r := NewRand(1)
	if n := testing.AllocsPerRun(10_000, func() { sink64, _, _ = s.Fit(r, 8192) }); n != 0 || cap(s.open) != openPieces {
		t.Errorf("%v allocations, %d pieces open", n, cap(s.open))
	}
}

func TestEitherShare(t *testing.T) {
	s := compile(t, Either{30, Sequential{}, Hotspot{100, 1}}, Region{Size: 1 << 30, Unit: 4096})
	r, next, sequential := NewRand(1), int64(0), 0
	for range 10_000 {
		if off := s.Next(r, 4096); off == next {
			next += 4096
			sequential++
		}
	}
	if sequential < 2800 || sequential > 3200 {
		t.Errorf("%d of 10000 from the first", sequential)
	}
}

func TestZoneStrided(t *testing.T) {
	reg := Region{Start: 1000, Size: 20 * 10, Unit: 10}
	for _, c := range []struct {
		p    ZoneStrided
		n    int64
		want string
	}{
		{ZoneStrided{Bytes: 30, Skip: 50, Of: Sequential{}}, 10, "[1000 1010 1020 1080 1090 1100 1160 1170 1180 1000 1010]"},
		{ZoneStrided{Bytes: 20, Range: 40, Skip: 60, Of: Sequential{}}, 10, "[1000 1010 1100 1110 1000 1010 1100 1110 1000 1010 1100]"},
		{ZoneStrided{Bytes: 60, Range: 40, Skip: 60, Of: Sequential{}}, 20, "[1000 1020 1000 1100 1120 1100 1000 1020 1000 1100 1120]"},
		{ZoneStrided{Bytes: 20, Range: 20, Of: Reverse{}}, 10, "[1010 1000 1030 1020 1050 1040 1070 1060 1090 1080 1110]"},
	} {
		reg.Max = c.n
		if got := fmt.Sprint(steps(compile(t, c.p, reg), 11, c.n)); got != c.want {
			t.Errorf("%s: %s, want %s", c.p, got, c.want)
		}
	}
}

func TestGaussian(t *testing.T) {
	const blocks, draws = 1 << 20, 100_000
	s := compile(t, Gaussian{5, 0.3}, Region{Size: blocks * 4096, Unit: 4096})
	r, sum, squares := NewRand(1), 0.0, 0.0
	for range draws {
		x := float64(s.Next(r, 4096)/4096) / blocks
		sum, squares = sum+x, squares+x*x
	}
	mean := sum / draws
	if dev := math.Sqrt(squares/draws - mean*mean); math.Abs(mean-0.3) > 0.001 || math.Abs(dev-0.05) > 0.001 {
		t.Errorf("mean %.4f, deviation %.4f", mean, dev)
	}
}
