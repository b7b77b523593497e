package profile

import (
	"encoding/json"
	"io"
	"math"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"moonio/engine"
	"moonio/engine/trace"
	"moonio/engine/trace/tracetest"
)

// mssql reads the first 2000 I/Os of a production MSSQL load; t_ns, op, offset, length.
func mssql(t testing.TB) []trace.Record {
	t.Helper()
	list := tracetest.Canonical(t)
	for i := range list {
		list[i].Latency = trace.Unknown
	}
	return list
}

func profiled(list []trace.Record) *Result {
	p := New()
	for i := range list {
		p.Add(&list[i])
	}
	return p.Result(nil)
}

func near(t *testing.T, what string, got, want, within float64) {
	t.Helper()
	if math.Abs(got-want) > within {
		t.Errorf("%s is %v, want %v ± %v", what, got, want, within)
	}
}

func TestKnownTrace(t *testing.T) {
	r := profiled(mssql(t))
	for _, c := range []struct {
		what      string
		got, want int64
	}{
		{"I/Os", r.IOs, 2000}, {"reads", r.Reads, 664}, {"bytes", r.Bytes, 21_980_160}, {"footprint", r.Footprint, 4_239_360},
		{"highest end", r.MaxEnd, 25_288_437_248}, {"span", r.SpanNS, 1_223_110_898_807},
		{"hottest: accesses", r.Space.Accesses, 6442},
	} {
		if c.got != c.want {
			t.Errorf("%s: %d, want %d", c.what, c.got, c.want)
		}
	}
	near(t, "read share", r.ReadShare, 0.332, 1e-9)
	near(t, "sequential share", r.Sequential, 0.4285, 1e-9)
	near(t, "unaligned share", r.Unaligned4K, 0.7075, 1e-9)
	near(t, "coefficient of variation", r.CV, 4.401012149855937, 1e-9)
	near(t, "peak to mean", r.PeakToMean1s, 44.6435478064555, 1e-9)
	if r.Completions != nil || len(r.Estimates) > 0 {
		t.Errorf("completions %+v, estimates %v", r.Completions, r.Estimates)
	}
}

// block4k is one of many I/Os of 4 KiB, so many blocks into a file.
func block4k(i int, block uint64) trace.Record {
	return trace.Record{Time: int64(i) * 1000, Op: engine.Read, Offset: int64(block) * 4096, Length: 4096, Latency: trace.Unknown}
}

func TestFootprintBeyondTheTable(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	b := blocks{limit: maxRegions / 64}
	exact := map[uint64]bool{}
	for range 200_000 {
		n := r.Uint64N(1 << 30)
		exact[n>>3], exact[n>>3+1] = true, true
		b.add(3, int(n&1), n>>3, n>>3+1)
	}
	read, written, either := b.unique()
	if b.sketch == nil {
		t.Fatal("the table was large enough")
	}
	near(t, "either", float64(either), float64(len(exact)), 0.03*float64(len(exact)))
	near(t, "read and written", float64(read+written), float64(len(exact)), 0.05*float64(len(exact)))
}

// Zipf-distributed accesses to far more blocks than are followed.
func TestSampling(t *testing.T) {
	const n = 200_000
	z := rand.NewZipf(rand.New(rand.NewPCG(1, 2)), 1.2, 1, n-1)
	p := New()
	counts := make([]int64, n)
	for i := range 1_000_000 {
		k := z.Uint64()
		counts[k]++
		rec := block4k(i, k)
		p.Add(&rec)
	}
	r := p.Result(nil)
	if len(r.Estimates) != 1 || p.places.sample.halvings == 0 {
		t.Errorf("estimates %v", r.Estimates)
	}
	touched, hot := 0, int64(0)
	for _, c := range counts {
		if c > 0 {
			touched++
		}
	}
	for _, c := range counts[:touched/10] {
		hot += c
	}
	near(t, "hottest tenth", r.Space.Hot10, float64(hot)/1e6, 0.02)
	near(t, "theta", r.Space.Zipf, 1.2, 0.15)
	if r.Footprint != int64(touched)*4096 {
		t.Errorf("footprint %d, want %d", r.Footprint, touched*4096)
	}
}

// A loop over n blocks has distance n-1 throughout, sampled or not.
func TestReuseDistance(t *testing.T) {
	for _, n := range []uint64{10, 100_000} {
		p := New()
		for i := range 3 * int(n) {
			rec := block4k(i, uint64(i)%n)
			p.Add(&rec)
		}
		s := p.Result(nil).Space
		last := s.Cache[len(s.Cache)-1]
		if last.Bytes < int64(n-1)*4096*9/10 {
			t.Errorf("%d blocks: served by a cache of %d bytes", n, last.Bytes)
		}
		near(t, "share served", last.Share, 2.0/3, 0.02)
		if n == 10 && (len(s.Reuse) != 1 || s.Reuse[0] != (Bucket{8 * 4096, 20})) {
			t.Errorf("distances %v", s.Reuse)
		}
	}
}

func TestRuns(t *testing.T) {
	var list []trace.Record
	for i := range 30 {
		list = append(list, block4k(i, uint64(i/10)*1000+uint64(i%10))) // 3 runs of 10
		other := block4k(i, 7)
		other.Stream = 1 // beside them, another stream
		list = append(list, other)
	}
	r := profiled(list)
	if got := r.Read.Runs; got.Count != 33 || got.Alone != 30 || got.Longest != 10 {
		t.Errorf("runs %+v", got)
	}
	near(t, "sequential share", r.Sequential, 27.0/60, 1e-9)
}

// A log that two clients append to by turns is written in order, though neither of them does so.
func TestStreamsThatShareAFile(t *testing.T) {
	var list []trace.Record
	for i := range 10 {
		r := block4k(i, uint64(i))
		r.Stream = trace.ID(i % 2)
		list = append(list, r)
	}
	r := profiled(list)
	if r.Sequential != 0 || r.Continuing != 0.9 {
		t.Errorf("sequential %v, continuing %v", r.Sequential, r.Continuing)
	}
}

func TestFlushesAndAppends(t *testing.T) {
	w := trace.Record{Op: engine.Append, Offset: trace.AtEnd, Length: 100, Latency: 50}
	s := trace.Record{Op: engine.Fsync, Latency: trace.Unknown}
	pre := w
	pre.Flags = trace.Preflush
	r := profiled([]trace.Record{w, w, s, w, pre, s, s})
	f := r.Flush
	if f.Count != 4 || f.Preflush != 1 || f.Empty != 1 || f.MostWrites != 2 || math.Abs(f.Writes-4.0/3) > 1e-9 {
		t.Errorf("flushes %+v", f)
	}
	if r.MaxEnd != 400 || r.Footprint != 4096 || r.Sequential != 0.75 {
		t.Errorf("end %d, footprint %d, sequential %v", r.MaxEnd, r.Footprint, r.Sequential)
	}
	if c := r.Completions; c == nil || c.Share != 1 || c.DepthMax != 4 {
		t.Errorf("completions %+v", r.Completions)
	}
}

// TestAppendsAfterTruncation has a log that is emptied: what is appended then goes to its beginning.
func TestAppendsAfterTruncation(t *testing.T) {
	w := trace.Record{Op: engine.Append, Offset: trace.AtEnd, Length: 4096}
	r := profiled([]trace.Record{w, w, {Op: engine.Truncate}, w, w})
	if r.MaxEnd != 8192 || r.Footprint != 8192 {
		t.Errorf("end %d, footprint %d", r.MaxEnd, r.Footprint)
	}
}

func TestHostileRecords(t *testing.T) {
	p := New()
	for _, r := range []trace.Record{
		{Op: engine.Read, Offset: math.MaxInt64, Length: 1},
		{Op: engine.Read, Offset: 1, Length: math.MaxInt64},
		{Op: engine.Write, Offset: -7, Length: 1},
		{Op: 250},
		{Op: engine.Read, Offset: 1 << 59, Length: 1 << 43, Latency: math.MaxInt64},
		{Op: engine.Append, Offset: trace.AtEnd, Length: 1 << 44},
		{Op: engine.Read, Time: math.MaxInt64, Offset: 0, Length: 0},
		{Op: engine.Read, Time: math.MinInt64 / 4},
	} {
		p.Add(&r)
	}
	r := p.Result(nil)
	if r.Input.Odd != 4 || r.IOs != 4 || len(r.Estimates) == 0 {
		t.Errorf("%+v", r.Input)
	}
	if e := profiled(nil); e.IOs != 0 || e.CV != 0 || e.PeakToMean1s != 0 {
		t.Errorf("of nothing: %+v", e)
	}
}

// Whatever the records are, there is a profile of them, as a text and as JSON.
func TestAnyRecords(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		edge := rapid.SampledFrom([]int64{-2, -1, 0, 1, 511, 512, 4096, 1 << 30, 1 << 44, 1 << 60, 1<<60 + 1, math.MaxInt64})
		any64 := rapid.OneOf(edge, rapid.Int64())
		p := New()
		for range rapid.IntRange(0, 40).Draw(t, "records") {
			p.Add(&trace.Record{
				Time:   rapid.OneOf(rapid.Int64Range(-1<<62, 1<<62), rapid.Int64Range(0, 1e10)).Draw(t, "time"),
				Offset: any64.Draw(t, "offset"), Length: any64.Draw(t, "length"), Latency: any64.Draw(t, "latency"),
				File: trace.ID(rapid.Uint32Range(0, 70000).Draw(t, "file")), Stream: trace.ID(rapid.Uint32Range(0, 3).Draw(t, "stream")),
				Op: engine.OpCode(rapid.Uint8Range(0, 20).Draw(t, "op")), Flags: trace.Flags(rapid.Uint8().Draw(t, "flags")),
			})
		}
		r := p.Result(nil)
		if _, err := json.Marshal(r); err != nil {
			t.Fatal(err)
		}
		if err := WriteText(io.Discard, r, "any"); err != nil {
			t.Fatal(err)
		}
	})
}

// Twenty million records take no more than these do: by then every table is full.
func TestMemoryIsBounded(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(20)) // what is garbage hardly counts
	var before, after runtime.MemStats
	runtime.GC()
	runtime.GC() // some of what other tests left goes only now
	runtime.ReadMemStats(&before)
	p := New()
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 1_100_000 {
		rec := block4k(i, r.Uint64N(1<<23)*64)
		rec.Offset += 63*4096 + 2048 // half in one region, half in the next
		if i < 1<<17 {
			rec.Length = int64(i) // as many sizes as can be
		}
		rec.Stream = trace.ID(r.Uint32N(trace.MaxNames))
		rec.Latency = 1e6
		p.Add(&rec)
	}
	if p.places.all.sketch == nil || p.moves.forgotten == 0 {
		t.Error("some table was not full")
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if n := int64(after.HeapAlloc - before.HeapAlloc); n > 64<<20 {
		t.Errorf("a profile takes %d MiB", n>>20)
	}
	if n := after.Sys - before.Sys; n > 180<<20 {
		t.Errorf("making it took %d MiB", n>>20)
	}
	if got := p.Result(nil); got.IOs != 1_100_000 || len(got.Estimates) < 4 {
		t.Errorf("%d I/Os, estimates %q", got.IOs, got.Estimates)
	}
}

// However long names are, what is about a trace fits on a screen of 100 columns.
func TestTextIsNarrow(t *testing.T) {
	r := profiled(mssql(t))
	r.Input.Notes = []string{strings.Repeat("a note ", 40)}
	var b strings.Builder
	if err := WriteText(&b, r, "x"); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(b.String()) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > 100 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
}

func TestAddDoesNotAllocate(t *testing.T) {
	list := mssql(t)
	p := New()
	for i := range list {
		p.Add(&list[i])
	}
	i := 0
	if n := testing.AllocsPerRun(1000, func() { p.Add(&list[i%len(list)]); i++ }); n > 0 {
		t.Errorf("%v allocations a record", n)
	}
}

func BenchmarkAdd(b *testing.B) {
	z := rand.NewZipf(rand.New(rand.NewPCG(1, 2)), 1.1, 1, 1<<24)
	list := make([]trace.Record, 1<<16)
	for i := range list {
		list[i] = block4k(i*50, z.Uint64())
		list[i].Op = engine.Read + engine.OpCode(i&1)
		list[i].Stream = trace.ID(i % 7)
	}
	b.Run("zipf", func(b *testing.B) { add(b, list) })
	for i := range list {
		list[i].Offset = int64(i) * 4096
	}
	b.Run("sequential", func(b *testing.B) { add(b, list) })
	list = mssql(b)
	b.Run("mssql", func(b *testing.B) { add(b, list) })
}

func add(b *testing.B, list []trace.Record) {
	b.ReportAllocs()
	p := New()
	i := 0
	for b.Loop() {
		r := list[i%len(list)]
		r.Time += int64(i/len(list)) * list[len(list)-1].Time
		p.Add(&r)
		i++
	}
	b.ReportMetric(float64(i)/b.Elapsed().Seconds()/1e6, "Mrec/s")
}

// TestFarTimes are as far from each other as numbers allow, and further.
func TestFarTimes(t *testing.T) {
	for _, times := range [][2]int64{{-1 << 62, 1 << 62}, {math.MinInt64, math.MaxInt64}, {-1, math.MaxInt64}, {0, math.MaxInt64}} {
		p := New()
		for _, at := range times {
			p.Add(&trace.Record{Time: at, Op: engine.Read, Length: 4096, Latency: trace.Unknown})
		}
		if r := p.Result(&trace.Log{}); r.IOs != 2 || r.SpanNS < 1<<62 {
			t.Errorf("%v: %d I/Os in %d ns", times, r.IOs, r.SpanNS)
		}
	}
}

// TestHugeOperations cannot make a profile take long: of garbage lengths only so much is walked through.
func TestHugeOperations(t *testing.T) {
	p := New()
	var walked int64
	for i := range int64(100_000) {
		walked += p.walk(largest)
		if i == 0 && walked != longest {
			t.Fatalf("%d bytes of the first", walked)
		}
	}
	if most := patience + longest + 100_000*brief; walked > most || p.long != 100_000 {
		t.Errorf("%d bytes walked, %d cut", walked, p.long)
	}
	if n := p.walk(huge); n != huge || p.long != 100_000 {
		t.Errorf("an ordinary one has %d", n)
	}
}
