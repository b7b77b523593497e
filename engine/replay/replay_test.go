package replay

import (
	"context"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"moonio/engine"
	"moonio/engine/trace"
)

// list is a trace in memory.
type list struct {
	records []trace.Record
	log     trace.Log
	next    int
}

func (l *list) Read(r *trace.Record) error {
	if l.next == len(l.records) {
		return io.EOF
	}
	*r = l.records[l.next]
	l.next++
	return nil
}

// opened is the trace as Look and sources read it.
func (l *list) opened() *Trace {
	return &Trace{Reader: l, Log: &l.log, Close: func() error { return nil }}
}

func opener(records ...trace.Record) Opener {
	return func() (*Trace, error) {
		l := &list{records: records}
		if _, err := l.log.Files.ID([]byte("disk")); err != nil {
			return nil, err
		}
		return l.opened(), nil
	}
}

const ms = int64(time.Millisecond)

func read(t, off, n int64) trace.Record {
	return trace.Record{Time: t, Offset: off, Length: n, Latency: trace.Unknown, Op: engine.Read}
}

func write(t, off, n int64) trace.Record {
	r := read(t, off, n)
	r.Op = engine.Write
	return r
}

// play gives all steps of a replay into one target, and its source.
func play(t *testing.T, o Options, target Target, records ...trace.Record) ([]Step, *Source) {
	t.Helper()
	s, err := Look(context.Background(), opener(records...), &o)
	if err != nil {
		t.Fatal(err)
	}
	targets := make([]Target, len(s.Files))
	for i := range targets {
		targets[i] = target
		if target.Size == 0 {
			targets[i].Size = (s.Files[i].End + Block - 1) / Block * Block
		}
	}
	src := NewSource(opener(records...), o, s, targets, Share{})
	defer src.Close()
	var steps []Step
	for {
		if steps, err = src.Next(steps); errors.Is(err, io.EOF) {
			return steps, src
		} else if err != nil {
			t.Fatal(err)
		}
	}
}

// ranges are the places of steps, for comparison.
func ranges(steps []Step) [][2]int64 {
	var list [][2]int64
	for _, s := range steps {
		list = append(list, [2]int64{s.Off, s.Len})
	}
	return list
}

func dues(steps []Step) []int64 {
	var list []int64
	for _, s := range steps {
		list = append(list, s.Due/ms)
	}
	return list
}

func TestTimes(t *testing.T) {
	records := []trace.Record{read(5*ms, 0, 1), read(10*ms, 0, 1), read(9*ms, 0, 1), read(110*ms, 0, 1), read(115*ms, 0, 1)}
	for name, c := range map[string]struct {
		o    Options
		want []int64
	}{
		"captured": {Options{}, []int64{0, 5, 5, 105, 110}},
		"twice":    {Options{Speed: 2}, []int64{0, 2, 2, 52, 55}},
		"slower":   {Options{Speed: 0.5}, []int64{0, 10, 10, 210, 220}},
		"gaps":     {Options{MaxGap: 20 * time.Millisecond}, []int64{0, 5, 5, 25, 30}},
		"from":     {Options{From: 5 * time.Millisecond}, []int64{0, 100, 105}},
		"to":       {Options{To: 4 * time.Millisecond}, []int64{0}},
		"window":   {Options{From: time.Millisecond, To: 110 * time.Millisecond}, []int64{0, 0, 100}},
		"loops":    {Options{Loops: 2, To: 6 * time.Millisecond}, []int64{0, 5, 5, 7, 12, 12}},
	} {
		t.Run(name, func(t *testing.T) {
			steps, _ := play(t, c.o, Target{}, records...)
			got := dues(steps)
			if d := cmp.Diff(c.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestAddresses(t *testing.T) {
	const k = 1 << 10
	far := []trace.Record{read(0, 0, 4*k), read(0, 1000*k, 8*k), read(0, 1008*k, 4*k), read(0, 0, 4*k)}
	for name, c := range map[string]struct {
		o      Options
		target Target
		want   [][2]int64
		drops  map[string]int64
	}{
		"keep":    {Options{}, Target{}, [][2]int64{{0, 4 * k}, {1000 * k, 8 * k}, {1008 * k, 4 * k}, {0, 4 * k}}, nil},
		"base":    {Options{}, Target{Base: 64 * k}, [][2]int64{{64 * k, 4 * k}, {1064 * k, 8 * k}, {1072 * k, 4 * k}, {64 * k, 4 * k}}, nil},
		"wrap":    {Options{Address: Wrap}, Target{Size: 1004 * k}, [][2]int64{{0, 4 * k}, {1000 * k, 4 * k}, {0, 4 * k}, {4 * k, 4 * k}, {0, 4 * k}}, nil},
		"scale":   {Options{Address: Scale}, Target{Size: 508 * k}, [][2]int64{{0, 4 * k}, {500 * k, 8 * k}, {504 * k, 4 * k}, {0, 4 * k}}, nil},
		"clamp":   {Options{Address: Clamp}, Target{Size: 64 * k}, [][2]int64{{0, 4 * k}, {56 * k, 8 * k}, {60 * k, 4 * k}, {0, 4 * k}}, nil},
		"over":    {Options{Address: Clamp}, Target{Size: 4 * k}, [][2]int64{{0, 4 * k}, {0, 4 * k}, {0, 4 * k}, {0, 4 * k}, {0, 4 * k}}, nil},
		"skip":    {Options{Address: Skip}, Target{Size: 1008 * k}, [][2]int64{{0, 4 * k}, {1000 * k, 8 * k}, {0, 4 * k}}, map[string]int64{whyBeyond: 1}},
		"compact": {Options{Address: Compact, Chunk: 4 * k}, Target{Size: 16 * k}, [][2]int64{{0, 4 * k}, {4 * k, 8 * k}, {12 * k, 4 * k}, {0, 4 * k}}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			steps, src := play(t, c.o, c.target, far...)
			if d := cmp.Diff(c.want, ranges(steps)); d != "" {
				t.Error(d)
			}
			if d := cmp.Diff(c.drops, src.Drops); d != "" && len(c.drops)+len(src.Drops) > 0 {
				t.Error(d)
			}
		})
	}
}

func TestAlignment(t *testing.T) {
	for _, c := range []struct {
		align  Alignment
		off, n int64
		want   [][2]int64
		extra  int64
	}{
		{Expand, 512, 1024, [][2]int64{{0, 4096}}, 3072},
		{Expand, 4096, 8192, [][2]int64{{4096, 8192}}, 0},
		{Expand, 4000, 200, [][2]int64{{0, 8192}}, 7992},
		{Nearest, 4000, 200, [][2]int64{{4096, 4096}}, 3896},
		{Nearest, 512, 9000, [][2]int64{{0, 8192}}, -808},
		{Split, 512, 12288, [][2]int64{{0, 4096}, {4096, 8192}, {12288, 4096}}, 4096},
		{Split, 0, 4608, [][2]int64{{0, 4096}, {4096, 4096}}, 3584},
		{Split, 512, 512, [][2]int64{{0, 4096}}, 3584},
		{Split, 512, 4096, [][2]int64{{0, 4096}, {4096, 4096}}, 4096},
		{Drop, 512, 512, nil, 0},
	} {
		steps, src := play(t, Options{Align: c.align}, Target{Size: 1 << 20, Align: 4096}, write(0, c.off, c.n))
		if d := cmp.Diff(c.want, ranges(steps)); d != "" {
			t.Errorf("%v of %d+%d: %s", c.align, c.off, c.n, d)
		}
		var extra int64
		for _, s := range steps {
			extra += s.Extra
		}
		if extra != c.extra {
			t.Errorf("%v of %d+%d: %d bytes more, want %d", c.align, c.off, c.n, extra, c.extra)
		}
		if dropped := src.Drops[whyUnaligned]; (len(c.want) == 0) != (dropped == 1) {
			t.Errorf("%v of %d+%d: %d dropped", c.align, c.off, c.n, dropped)
		}
	}
}

func TestFlushes(t *testing.T) {
	r := write(0, 8192, 4096)
	r.Flags = trace.Preflush | trace.FUA
	plain := trace.Record{Op: engine.Fsync, Latency: trace.Unknown}
	steps, _ := play(t, Options{}, Target{}, r, plain)
	want := []Step{
		{Latency: -1, Op: engine.Fdatasync, Flags: engine.Link, Marks: Added},
		{Latency: -1, Op: engine.Write, Off: 8192, Len: 4096, Length: 4096, Flags: engine.DSync, Marks: Last},
		{Latency: -1, Op: engine.Fsync, Marks: Last},
	}
	if d := cmp.Diff(want, steps); d != "" {
		t.Error(d)
	}
}

func TestTrims(t *testing.T) {
	trim := func(off, n int64) trace.Record {
		return trace.Record{Op: engine.Trim, Offset: off, Length: n, Latency: trace.Unknown}
	}
	records := []trace.Record{write(0, 1<<20, 8192), trim(1<<20, 4096), trim(1<<30, 4096), trim(0, 1<<40)}
	steps, src := play(t, Options{}, Target{}, records...)
	if d := cmp.Diff([][2]int64{{1 << 20, 8192}, {1 << 20, 4096}, {0, 1<<20 + 8192}}, ranges(steps)); d != "" {
		t.Error(d)
	}
	if src.Drops[whyUnmapped] != 1 {
		t.Error(src.Drops)
	}
	steps, src = play(t, Options{Address: Compact, Chunk: 4096}, Target{Size: 8192}, records[:3]...)
	if d := cmp.Diff([][2]int64{{0, 8192}, {0, 4096}}, ranges(steps)); d != "" {
		t.Error(d)
	}
	if src.Drops[whyUnmapped] != 1 {
		t.Error(src.Drops)
	}
}

// TestNothingIsLost sees that records and bytes add up, and that all steps stay in the
// target, whatever the policies.
func TestNothingIsLost(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for round := range 300 {
		var records []trace.Record
		for range rng.IntN(50) {
			r := read(rng.Int64N(1e9), rng.Int64N(1<<22), rng.Int64N(1<<16))
			if rng.IntN(2) == 0 {
				r.Op = engine.Write
				r.Flags = trace.Flags(rng.IntN(4))
			}
			if rng.IntN(20) == 0 {
				r.Op, r.Length = engine.Trim, rng.Int64N(1<<50)
			}
			records = append(records, r)
		}
		o := Options{Address: Address(rng.IntN(6)), Align: Alignment(rng.IntN(4)), Loops: rng.IntN(3), Chunk: 4096 << rng.IntN(3)}
		target := Target{Size: (1 + rng.Int64N(1024)) * 4096, Align: 512 << rng.IntN(4)}
		if o.Address == Compact {
			target.Size = 1 << 24
		}
		steps, src := play(t, o, target, records...)
		var played, bytes, dropped int64
		for _, s := range steps {
			if s.Off < 0 || s.Off+s.Len > target.Size {
				t.Fatalf("round %d, %+v: %+v is outside of the target of %d bytes", round, o, s, target.Size)
			}
			if s.Op.Transfers() && (s.Off%target.Align != 0 || s.Len%target.Align != 0 || s.Len == 0) {
				t.Fatalf("round %d, %+v: %+v is not aligned to %d", round, o, s, target.Align)
			}
			if s.Marks&Last != 0 {
				played++
				bytes += s.Length
			}
		}
		for _, n := range src.Drops {
			dropped += n
		}
		want := int64(len(records) * max(o.Loops, 1))
		if played+dropped != want {
			t.Fatalf("round %d: %d played and %d dropped of %d", round, played, dropped, want)
		}
		var all int64
		for _, r := range records {
			if r.Op.Transfers() {
				all += r.Length
			}
		}
		if all *= int64(max(o.Loops, 1)); bytes+src.DropBytes != all {
			t.Fatalf("round %d: %d bytes played and %d dropped of %d", round, bytes, src.DropBytes, all)
		}
	}
}

func TestSurvey(t *testing.T) {
	r1, r2 := read(0, 0, 4096), write(ms, 1<<20, 8192)
	r1.Latency, r2.Latency = 2*ms, ms
	s, err := Look(context.Background(), opener(r1, r2, read(10*ms, 0, 4096)), &Options{})
	if err != nil {
		t.Fatal(err)
	}
	if s.Records != 3 || s.Counts[engine.Read] != 2 || s.Bytes[engine.Write] != 8192 || s.Span != 10*ms || s.MostDepth != 2 || s.Depth != 0.3 || s.Longest != 8192 {
		t.Errorf("%+v", s)
	}
	if f := s.Files[0]; f.Name != "disk" || f.End != 1<<20+8192 || f.Touched != 2*DefaultChunk || !f.Writes {
		t.Errorf("%+v", f)
	}
}

// TestShares sees that the shares of a trace add up to it.
func TestShares(t *testing.T) {
	var records []trace.Record
	for i := range 100 {
		r := read(int64(i)*ms, 0, 4096)
		r.Stream = trace.ID(i % 7)
		records = append(records, r)
	}
	s, err := Look(context.Background(), opener(records...), &Options{})
	if err != nil {
		t.Fatal(err)
	}
	total, most := 0, 0
	for i := range 3 {
		src := NewSource(opener(records...), Options{}, s, []Target{{Size: 4096}}, Share{Index: i, Of: 3})
		n := 0
		for ; ; n++ {
			steps, err := src.Next(nil)
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil || int(steps[0].Stream)%3 != i {
				t.Fatalf("share %d: %+v, %v", i, steps, err)
			}
		}
		src.Close()
		total, most = total+n, max(most, n)
	}
	if total != 100 || most > 50 {
		t.Errorf("%d records, %d in the largest share", total, most)
	}
}

// TestChunksAreBounded sees that many chunks become fewer, larger ones, in all files together.
func TestChunksAreBounded(t *testing.T) {
	s := &Survey{Log: &trace.Log{}}
	for i := range int64(maxChunks + 10) {
		r := read(0, i/2*8192, 1)
		r.File = trace.ID(i % 2)
		if err := s.add(&r, &Options{Chunk: 4096}); err != nil {
			t.Fatal(err)
		}
	}
	for i := range s.Files {
		c := s.Files[i].chunks
		if len(c.index) > maxChunks/2 || c.unit != 16384 {
			t.Errorf("%d chunks of %d bytes", len(c.index), c.unit)
		}
		if to, _, ok := c.find(8192 * 5); !ok || to != 8192*5 {
			t.Errorf("chunk 5 lies at %d", to)
		}
	}
	far := read(0, math.MaxInt64-4096, 4096)
	if err := s.add(&far, &Options{Chunk: 4096}); err != nil || s.numbered != len(s.Files[0].chunks.index)+len(s.Files[1].chunks.index) {
		t.Errorf("%d chunks counted, %v", s.numbered, err)
	}
}

// Small trims have their place in a target of any address policy; those of all free space don't
// make it larger.
func TestPlaceForTrims(t *testing.T) {
	trim := func(off, n int64) trace.Record {
		return trace.Record{Op: engine.Trim, Offset: off, Length: n, Latency: trace.Unknown}
	}
	records := []trace.Record{write(0, 1<<40, 4096), trim(1<<41, 8192), trim(1<<42, 1<<40)}
	steps, src := play(t, Options{Address: Compact, Chunk: 4096}, Target{Size: 12288}, records...)
	if d := cmp.Diff([][2]int64{{0, 4096}, {4096, 8192}}, ranges(steps)); d != "" || src.Drops["trims more than can be followed through the moved extents"] != 1 {
		t.Error(d, src.Drops)
	}
	steps, src = play(t, Options{}, Target{}, write(0, 0, 4096), trim(8192, 4096))
	if d := cmp.Diff([][2]int64{{0, 4096}, {8192, 4096}}, ranges(steps)); d != "" || len(src.Drops) != 0 {
		t.Error(d, src.Drops)
	}
}

// What was done through the page cache is told from what was not.
func TestCached(t *testing.T) {
	for flags, want := range map[trace.Flags]bool{0: false, trace.Direct: false, trace.Buffered: true} {
		r := read(0, 0, 4096)
		r.Flags = flags
		s, err := Look(context.Background(), opener(r, r), &Options{})
		if err != nil || s.Files[0].Cached() != want {
			t.Errorf("flags %v: %v, %v", flags, s.Files[0].Cached(), err)
		}
	}
}

// TestFarAddresses plays what reaches to the end of what numbers can say: it goes into the target, or is
// left out.
func TestFarAddresses(t *testing.T) {
	const far = math.MaxInt64
	records := []trace.Record{read(0, far-8192, 4096), read(0, far-8191, 8191), read(0, far-1, 1), read(0, far/2, 5000), read(0, 0, 512), write(0, far-1<<20, 1<<20)}
	for address := Keep; address <= Skip; address++ {
		for align := Expand; align <= Drop; align++ {
			for _, target := range []Target{{Size: 1 << 20}, {Size: 1 << 20, Align: 4096}, {Size: 4096, Align: 512}, {Size: far / Block * Block, Align: 4096}} {
				steps, src := play(t, Options{Address: address, Align: align}, target, records...)
				issued := 0
				for _, s := range steps {
					if s.Off < 0 || s.Len <= 0 || s.Off > target.Size-s.Len || target.Align > 0 && (s.Off|s.Len)%target.Align != 0 {
						t.Errorf("%v, %v, %+v: %d bytes at %d", address, align, target, s.Len, s.Off)
					}
					issued += int(s.Marks & Last)
				}
				dropped := int64(0)
				for _, n := range src.Drops {
					dropped += n
				}
				if issued+int(dropped) != len(records) {
					t.Errorf("%v, %v, %+v: %d issued, %v left out", address, align, target, issued, src.Drops)
				}
			}
		}
	}
}

// TestSums stay at what an int64 holds.
func TestSums(t *testing.T) {
	huge := write(0, 0, math.MaxInt64)
	s, err := Look(context.Background(), opener(huge, huge, write(0, 0, 512)), &Options{})
	if err != nil || s.Bytes[engine.Write] != math.MaxInt64 || s.Records != 3 {
		t.Errorf("%+v %v", s, err)
	}
	_, src := play(t, Options{}, Target{}, huge, huge, write(0, 0, 512))
	if src.DropBytes != math.MaxInt64 || src.Drops["longer than 1 GiB"] != 2 {
		t.Errorf("%d bytes, %v", src.DropBytes, src.Drops)
	}
}
