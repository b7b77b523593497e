package hist

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/hex"
	"flag"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	hdr "github.com/HdrHistogram/hdrhistogram-go"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

var update = flag.Bool("update", false, "rewrite the goldens")

var percentiles = []float64{0, 1, 50, 90, 95, 99, 99.9, 99.99, 100}

// durations draws latencies of every magnitude, from nothing to beyond the range.
func durations(min int) *rapid.Generator[[]int64] {
	one := rapid.Custom(func(t *rapid.T) int64 {
		return rapid.Int64Range(0, 1<<rapid.IntRange(0, 43).Draw(t, "bits")).Draw(t, "ns")
	})
	return rapid.SliceOfN(one, min, 300)
}

func of(values ...int64) *Histogram {
	h := New()
	for _, v := range values {
		h.Record(v)
	}
	return h
}

func same(t interface{ Fatalf(string, ...any) }, got, want *Histogram) {
	if *got != *want {
		t.Fatalf("histograms differ: n %d, sum %v, [%d, %d]; want n %d, sum %v, [%d, %d]",
			got.n, got.sum, got.min, got.max, want.n, want.sum, want.min, want.max)
	}
}

func TestEmpty(t *testing.T) {
	var h Histogram
	if h.Count() != 0 || h.Sum() != 0 || h.Min() != 0 || h.Max() != 0 || h.Mean() != 0 || h.StdDev() != 0 || h.Percentile(99) != 0 {
		t.Errorf("an empty histogram has figures: %d %g %d %d %g %g %d", h.Count(), h.Sum(), h.Min(), h.Max(), h.Mean(), h.StdDev(), h.Percentile(99))
	}
}

func TestExactFigures(t *testing.T) {
	h := of(3, 1, 2_000_000_001, -5, 2*Highest)
	if got, want := h.Count(), int64(5); got != want {
		t.Errorf("count %d, want %d", got, want)
	}
	const sum = 3 + 1 + 2_000_000_001 + 2*Highest
	if h.Sum() != sum || h.Mean() != sum/5.0 {
		t.Errorf("sum %g and mean %g, want %d and %g", h.Sum(), h.Mean(), int64(sum), sum/5.0)
	}
	if h.Min() != 0 || h.Max() != 2*Highest {
		t.Errorf("extremes [%d, %d], want [0, %d]", h.Min(), h.Max(), int64(2*Highest))
	}
	if got := h.Percentile(100); got != 2*Highest {
		t.Errorf("p100 %d, want the exact maximum %d", got, int64(2*Highest))
	}
}

// What waits an hour and more behind a schedule, as often as a fast device completes it in a few minutes.
func TestSumBeyond64Bits(t *testing.T) {
	const ns, n = 2 * Highest, 50_000_000
	h, once := New(), New()
	h.RecordN(ns, n)
	once.RecordN(ns, n-1)
	once.Record(ns)
	same(t, once, h)
	sum := New()
	sum.Merge(h)
	sum.Merge(h)
	if got := sum.Mean(); got != ns {
		t.Errorf("the mean of equal values is %g, want %d", got, int64(ns))
	}
	if got, want := sum.Sum(), float64(ns)*2*n; got != want {
		t.Errorf("sum %g, want %g", got, want)
	}
}

// Of what is beyond the range only the maximum is known: no percentile there claims less than the truth.
func TestPercentilesBeyondTheRange(t *testing.T) {
	h := of(1000, 2*Highest, 3*Highest, 4*Highest)
	for p, want := range map[float64]int64{25: 1000, 50: 4 * Highest, 75: 4 * Highest, 100: 4 * Highest} {
		if got := h.Percentile(p); got != want {
			t.Errorf("p%v is %d, want %d", p, got, want)
		}
	}
}

func TestStdDev(t *testing.T) {
	if got := of(100_001, 100_001, 100_001).StdDev(); got != 0 {
		t.Errorf("equal values deviate by %g, want 0", got)
	}
	if got := of(2, 4, 4, 4, 5, 5, 7, 9).StdDev(); got != 2 {
		t.Errorf("deviation %g, want 2", got)
	}
}

// A thousand values: p99.9 is the 999th, whatever binary fractions make of 99.9.
func TestRankOfWholeProducts(t *testing.T) {
	h := New()
	for v := range int64(1000) {
		h.Record(v + 1)
	}
	for p, want := range map[float64]int64{0: 1, 0.1: 1, 50: 500, 90: 900, 95: 950, 99: 990, 99.9: 999, 99.99: 1000, 100: 1000} {
		if got := h.Percentile(p); got != want {
			t.Errorf("p%v is %d, want %d", p, got, want)
		}
	}
}

func TestPercentilesAgainstSortedValues(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := durations(1).Draw(t, "values")
		h := of(values...)
		slices.Sort(values)
		last := int64(0)
		for _, p := range percentiles {
			got := h.Percentile(p)
			truth := values[rank(p, int64(len(values)))-1]
			if beyond := values[len(values)-1]; bucketOf(truth) == bucketOf(Highest) && got == beyond {
				continue // the last bucket goes up to the maximum
			}
			if got < truth || float64(got-truth) > float64(truth)/1000 {
				t.Fatalf("p%v is %d, but the values say %d", p, got, truth)
			}
			if got < last || got < h.Min() || got > h.Max() {
				t.Fatalf("p%v is %d: below the one before, %d, or outside [%d, %d]", p, got, last, h.Min(), h.Max())
			}
			last = got
		}
	})
}

func TestMergeEqualsRecordingAll(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := durations(0).Draw(t, "a"), durations(0).Draw(t, "b")
		h := of(a...)
		h.Merge(of(b...))
		same(t, h, of(append(slices.Clone(a), b...)...))
	})
}

func TestResetEmpties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := of(durations(0).Draw(t, "values")...)
		h.Reset()
		same(t, h, New())
	})
}

// Our buckets are the library's: what it reads of our counts agrees with us.
func TestBucketsAreHdrHistograms(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.Int64Range(0, Highest).Draw(t, "v")
		d := hdr.New(Lowest, Highest, digits)
		if err := d.RecordValue(v); err != nil {
			t.Fatal(err)
		}
		counts := d.Export().Counts
		if len(counts) != numBuckets || counts[bucketOf(v)] != 1 {
			t.Fatalf("the library has %d buckets and %d in ours of %d, want %d and 1", len(counts), counts[bucketOf(v)], v, numBuckets)
		}
		if got := highest(bucketOf(v)); got != d.Max() {
			t.Fatalf("the highest value beside %d is %d, want %d", v, got, d.Max())
		}
		if got, _ := lowest(bucketOf(v)); v > 0 && got != d.Min() {
			t.Fatalf("the lowest value beside %d is %d, want %d", v, got, d.Min())
		}
	})
}

// recoded is a histogram that was encoded and decoded.
func recoded(t *rapid.T, h *Histogram) *Histogram {
	s, err := h.Encode()
	if err != nil {
		t.Fatal(err)
	}
	got, err := Decode(s)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestEncodeKeepsEveryCount(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := of(durations(0).Draw(t, "values")...)
		got := recoded(t, h)
		if got.counts != h.counts || got.n != h.n {
			t.Fatalf("decoded %d values, want %d in the same buckets", got.n, h.n)
		}
		if h.n > 0 && (bucketOf(got.Min()) != bucketOf(h.Min()) || bucketOf(got.Max()) != bucketOf(h.Max())) {
			t.Fatalf("extremes [%d, %d], want those of the buckets of [%d, %d]", got.Min(), got.Max(), h.Min(), h.Max())
		}
		if d := math.Abs(got.Mean() - h.Mean()); h.Max() < Highest && d > h.Mean()/1000 {
			t.Fatalf("mean %g, want %g to a thousandth", got.Mean(), h.Mean())
		}
	})
}

func TestDecodeRefuses(t *testing.T) {
	other, err := hdr.New(1, 1000, 2).Encode(hdr.V2CompressedEncodingCookieBase)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ in, want string }{
		"no base64":      {"?", "decoding a histogram: illegal base64"},
		"too short":      {"AAAA", "decoding a histogram: encoded histogram too short"},
		"other geometry": {string(other), "decoding a histogram: it has 2 digits from 1 to 1000, and not 3 from 1 to 3600000000000"},
	} {
		if _, err := Decode(c.in); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", name, err, c.want)
		}
	}
}

// The golden is the form before compression: what a compressor makes of it may
// change with the compiler's version, what every HdrHistogram reads may not.
func TestEncodingGolden(t *testing.T) {
	s, err := of(0, 1, 1, 2047, 2048, 100_000, 100_000, 5_000_000, Highest, 2*Highest).Encode()
	if err != nil {
		t.Fatal(err)
	}
	b, err := base64.StdEncoding.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	z, err := zlib.NewReader(bytes.NewReader(b[8:]))
	if err != nil {
		t.Fatal(err)
	}
	payload, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	// The cookie stands before the compressed part; its length follows and may change.
	got := hex.Dump(append(b[:4:4], payload...))
	golden := filepath.Join("testdata", "encoding.golden")
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("encoding (-want +got):\n%s", d)
	}
}

func TestHotPathAllocatesNothing(t *testing.T) {
	h, o := New(), of(5, 1_000_000)
	if n := testing.AllocsPerRun(100, func() {
		h.Record(123_456)
		h.Merge(o)
		_ = h.Percentile(99)
		h.Reset()
	}); n != 0 {
		t.Errorf("%v allocations, want none", n)
	}
}

// spread is a hundred thousand latencies from 50 µs to 750 µs.
func spread() *Histogram {
	h := New()
	for i := range int64(100_000) {
		h.Record(50_000 + 7*i)
	}
	return h
}

func BenchmarkRecord(b *testing.B) {
	h := New()
	b.ReportAllocs()
	x := uint64(1)
	for b.Loop() {
		x = x*2862933555777941757 + 3037000493
		h.Record(int64(x >> 44))
	}
}

func BenchmarkMerge(b *testing.B) {
	h, o := New(), spread()
	b.ReportAllocs()
	for b.Loop() {
		h.Merge(o)
	}
}

func BenchmarkPercentile(b *testing.B) {
	h := spread()
	b.ReportAllocs()
	for b.Loop() {
		h.Percentile(99)
	}
}

func BenchmarkReset(b *testing.B) {
	h := New()
	b.ReportAllocs()
	for b.Loop() {
		h.Record(50_000)
		h.Record(750_000)
		h.Reset()
	}
}

func BenchmarkEncode(b *testing.B) {
	h := spread()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := h.Encode(); err != nil {
			b.Fatal(err)
		}
	}
}

// With what a result holds beside the counts, a decoded histogram is the one that was encoded.
func TestRefine(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := of(durations(0).Draw(t, "values")...)
		back := recoded(t, h)
		back.Refine(h.Min(), h.Max(), h.Mean())
		same(t, back, h)
	})
	long := New()
	long.RecordN(4*Highest, 1<<40)
	back := New()
	back.RecordN(Highest, 1<<40)
	back.Refine(long.Min(), long.Max(), long.Mean())
	same(t, back, long)
}
