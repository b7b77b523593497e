package dist

import (
	"math"
	"testing"
)

// The reference implementation's first outputs from the state 1, 2, 3, 4.
func TestRandReference(t *testing.T) {
	r := &Rand{1, 2, 3, 4}
	for i, want := range []uint64{41943041, 58720359, 3588806011781223, 3591011842654386} {
		if got := r.Uint64(); got != want {
			t.Errorf("output %d is %d, want %d", i, got, want)
		}
	}
}

func TestRandUniform(t *testing.T) {
	r := NewRand(7)
	for _, n := range []uint64{1, 2, 3, 10, 97} {
		counts := make([]float64, n)
		const draws = 100_000
		for range draws {
			counts[r.Uint64n(n)]++
		}
		checkChi(t, "Uint64n", counts, func(int) float64 { return draws / float64(n) })
	}
	if got := r.Uint64n(0); got != 0 {
		t.Errorf("Uint64n(0) = %d", got)
	}
	counts := make([]float64, 64)
	for range 200_000 {
		f := r.Float64()
		if !(f >= 0 && f < 1) {
			t.Fatalf("Float64 = %v", f)
		}
		counts[int(f*64)]++
	}
	checkChi(t, "Float64", counts, func(int) float64 { return 200_000.0 / 64 })
}

// A bias of Uint64n would show for bounds that are no small part of 2^64.
func TestUint64nLargeBound(t *testing.T) {
	const n = 3 << 62
	r := NewRand(3)
	counts := make([]float64, 3)
	for range 100_000 {
		counts[r.Uint64n(n)>>62]++
	}
	checkChi(t, "Uint64n", counts, func(int) float64 { return 100_000.0 / 3 })
}

func TestRandMoments(t *testing.T) {
	r := NewRand(11)
	const n = 400_000
	var exp, exp2, norm, norm2 float64
	for range n {
		e, x := r.ExpFloat64(), r.NormFloat64()
		exp, exp2, norm, norm2 = exp+e, exp2+e*e, norm+x, norm2+x*x
	}
	for _, c := range []struct {
		name           string
		got, want, tol float64
	}{
		{"mean of exponentials", exp / n, 1, 0.005},
		{"mean square of exponentials", exp2 / n, 2, 0.02},
		{"mean of normals", norm / n, 0, 0.005},
		{"variance of normals", norm2 / n, 1, 0.01},
	} {
		if math.Abs(c.got-c.want) > c.tol {
			t.Errorf("%s: %v, want %v ± %v", c.name, c.got, c.want, c.tol)
		}
	}
}

// Seeds for neighbouring labels, for another order of labels, and for prefixes of a path all differ,
// and their streams do not correlate.
func TestDerive(t *testing.T) {
	seen := map[uint64][]uint64{}
	add := func(labels ...uint64) {
		s := Derive(42, labels...)
		if old, ok := seen[s]; ok {
			t.Fatalf("%v and %v give one seed", old, labels)
		}
		seen[s] = labels
	}
	add()
	for i := range uint64(100) {
		add(i)
		for j := range uint64(100) {
			add(i, j)
		}
	}
	add(0, 0, 0)
	if Derive(1, 2) == Derive(2, 1) || Label("reads") == Label("read") || Label("a") == Label("b") {
		t.Error("different paths give one seed")
	}
	ones := make([]float64, 64)
	const streams = 10_000
	for i := range uint64(streams) {
		for b, x := 0, NewRand(Derive(1, i)).Uint64(); b < 64; b++ {
			ones[b] += float64(x >> b & 1)
		}
	}
	for b, n := range ones {
		if math.Abs(n-streams/2) > 5*math.Sqrt(streams)/2 {
			t.Errorf("bit %d of the first output is set in %v of %d streams", b, n, streams)
		}
	}
}

func TestSeedRepeats(t *testing.T) {
	a, b := NewRand(5), NewRand(6)
	b.Seed(5)
	for range 100 {
		if x, y := a.Uint64(), b.Uint64(); x != y {
			t.Fatalf("%d and %d from one seed", x, y)
		}
	}
}

// checkChi compares counts with what is expected of them by chi², allowing five standard
// deviations. Classes of which too little is expected are put together.
func checkChi(t *testing.T, what string, counts []float64, expected func(i int) float64) {
	t.Helper()
	const enough = 10
	type class struct{ count, expected float64 }
	classes := []class{{}}
	for i, c := range counts {
		last := &classes[len(classes)-1]
		last.count, last.expected = last.count+c, last.expected+expected(i)
		if last.expected >= enough {
			classes = append(classes, class{})
		}
	}
	// What is left over goes to the class before it.
	if n := len(classes); n > 1 {
		classes[n-2].count += classes[n-1].count
		classes[n-2].expected += classes[n-1].expected
		classes = classes[:n-1]
	}
	chi, df := 0.0, float64(len(classes)-1)
	for _, c := range classes {
		chi += (c.count - c.expected) * (c.count - c.expected) / c.expected
	}
	if limit := df + 5*math.Sqrt(2*df); chi > limit+1e-6 {
		t.Errorf("%s: chi² is %.1f, above %.1f for %v degrees of freedom", what, chi, limit, df)
	}
}
