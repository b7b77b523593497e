package run

import (
	"context"
	"errors"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"moonio/engine"
	"moonio/engine/dist"
	"moonio/engine/replay"
	"moonio/engine/report"
	"moonio/engine/trace"
)

// listed is a trace in memory.
type listed struct {
	records []trace.Record
	log     trace.Log
	next    int
}

func (l *listed) Read(r *trace.Record) error {
	if l.next == len(l.records) {
		return io.EOF
	}
	*r = l.records[l.next]
	l.next++
	return nil
}

// opened is the trace as Look and sources read it.
func (l *listed) opened() *replay.Trace {
	return &replay.Trace{Reader: l, Log: &l.log, Close: func() error { return nil }}
}

const usec = int64(time.Microsecond)

// rec is a record whose completion was not captured.
func rec(t int64, op engine.OpCode, off, n int64) trace.Record {
	return trace.Record{Time: t, Op: op, Offset: off, Length: n, Latency: trace.Unknown}
}

// replayOf makes the job of a replay into a file that is large enough.
func (s *Session) replayOf(t testing.TB, o replay.Options, records ...trace.Record) *Replay {
	t.Helper()
	open := func() (*replay.Trace, error) { return (&listed{records: records}).opened(), nil }
	survey, err := replay.Look(context.Background(), open, &o)
	if err != nil {
		t.Fatal(err)
	}
	size := max((survey.Files[0].End+4095)/4096*4096, 4096)
	f := s.testFile(t, "target", size)
	targets := []replay.Target{{Size: size}}
	var bytes int64
	for _, n := range survey.Bytes {
		bytes += n
	}
	return &Replay{
		Source: func(h replay.Share) *replay.Source { return replay.NewSource(open, o, survey, targets, h) },
		Files:  []*engine.File{f}, Depth: 64, Speed: 1,
		Records: survey.Records, Bytes: bytes,
		Captured: Captured{Depth: survey.Depth, MostDepth: survey.MostDepth},
	}
}

func oneReplay(r *Replay) []Job { return []Job{{Name: "r", Replay: r}} }

func replayed(t testing.TB, r *report.Phase) (*report.Job, *report.Replay) {
	t.Helper()
	j := r.Jobs[0]
	c := j.Replay
	if c.Issued+c.DroppedRecords+c.NotReached != c.Records || c.IssuedBytes+c.DroppedBytes+c.NotReachedBytes != c.Bytes || c.NotReached < 0 {
		t.Errorf("records or bytes don't add up: %+v", c)
	}
	return j, c
}

// TestReplayKeepsTime plays 400 reads 5 ms apart: they take 399 × 5 ms and one
// read, whatever the depth.
func TestReplayKeepsTime(t *testing.T) {
	var records []trace.Record
	for i := range int64(400) {
		records = append(records, rec(i*5000*usec, engine.Read, i*4096, 4096))
	}
	for _, depth := range []int{1, 2, 8, 64} {
		s := simSession(t, steady)
		r := s.replayOf(t, replay.Options{}, records...)
		r.Depth = depth
		j, c := replayed(t, play(t, s, &Phase{Jobs: oneReplay(r)}))
		if want := 399*5000*usec + 100*usec; j.DurationNS < want || j.DurationNS > want+10*usec {
			t.Errorf("depth %d: took %d ns, want %d", depth, j.DurationNS, want)
		}
		if c.Issued != 400 || j.Lateness.P99NS > 200_000 || c.Late != 0 {
			t.Errorf("depth %d: %+v, %+v", depth, c, j.Lateness)
		}
	}
}

// TestReplayDoesNotDrift plays ten minutes of irregular times.
func TestReplayDoesNotDrift(t *testing.T) {
	var records []trace.Record
	at := int64(0)
	for i := range int64(20000) {
		records = append(records, rec(at, engine.Read, i%64*4096, 4096))
		at += (i*7919%60 + 1) * 1000 * usec
	}
	span := records[len(records)-1].Time
	s := simSession(t, steady)
	j, c := replayed(t, play(t, s, &Phase{Jobs: oneReplay(s.replayOf(t, replay.Options{}, records...))}))
	if d := j.DurationNS - span; d < 0 || d > 200*usec || span < int64(10*time.Minute) {
		t.Errorf("took %d ns longer than the trace's %d", d, span)
	}
	if c.Issued != 20000 || c.SlipNS > 200*usec {
		t.Errorf("%+v", c)
	}
}

func TestReplayAsFastAsPossible(t *testing.T) {
	var records []trace.Record
	for i := range int64(1000) {
		records = append(records, rec(i*int64(time.Hour), engine.Read, i*4096, 4096))
	}
	s := simSession(t, steady)
	r := s.replayOf(t, replay.Options{}, records...)
	r.Timing, r.Depth = AsFast, 4
	j, c := replayed(t, play(t, s, &Phase{Jobs: oneReplay(r)}))
	if j.DurationNS < 25_000*usec || j.DurationNS > 25_100*usec || c.Issued != 1000 || j.Lateness != nil || j.Ops["read"].Response != nil {
		t.Errorf("took %d ns: %+v", j.DurationNS, c)
	}
	if c.ReplayedMostDepth != 4 || c.ReplayedDepth < 3.9 || c.ReplayedDepth > 4.1 {
		t.Errorf("depth %d, mean %v", c.ReplayedMostDepth, c.ReplayedDepth)
	}
}

// TestReplayByDependency plays a chain whose operations took 10 ms with 1 ms between them on
// a device that takes 100 µs.
func TestReplayByDependency(t *testing.T) {
	var records []trace.Record
	for i := range int64(10) {
		r := rec(i*11_000*usec, engine.Read, i*4096, 4096)
		r.Latency = 10_000 * usec
		records = append(records, r)
	}
	for _, timing := range []Timing{Dependent, PerStream} {
		s := simSession(t, steady)
		r := s.replayOf(t, replay.Options{}, records...)
		r.Timing = timing
		j, c := replayed(t, play(t, s, &Phase{Jobs: oneReplay(r)}))
		if want := 9*1100*usec + 100*usec; j.DurationNS < want || j.DurationNS > want+50*usec || c.Issued != 10 {
			t.Errorf("%v took %d ns, want %d: %+v", timing, j.DurationNS, want, c)
		}
	}
}

// TestReplayStreams plays two streams, of which one is slow to think: they don't wait
// for each other.
func TestReplayStreams(t *testing.T) {
	var records []trace.Record
	for i := range int64(100) {
		for stream := range trace.ID(2) {
			r := rec(i*1000*usec+int64(stream), engine.Read, i*4096, 4096)
			r.Stream, r.Latency = stream, 900*usec
			records = append(records, r)
		}
	}
	s := simSession(t, steady)
	r := s.replayOf(t, replay.Options{}, records...)
	r.Timing = PerStream
	j, c := replayed(t, play(t, s, &Phase{Jobs: oneReplay(r)}))
	if want := 100 * 200 * usec; j.DurationNS < want-100*usec || j.DurationNS > want+100*usec || c.Issued != 200 {
		t.Errorf("took %d ns, want about %d: %+v", j.DurationNS, want, c)
	}
}

func TestReplayLate(t *testing.T) {
	// Ten at once on one channel of 100 µs each, and one much later.
	var records []trace.Record
	for i := range int64(10) {
		records = append(records, rec(0, engine.Read, i*4096, 4096))
	}
	records = append(records, rec(10_000*usec, engine.Read, 0, 4096))
	for late, want := range map[Late]struct{ issued, end int64 }{
		LateCatchUp: {11, 10_100 * usec},
		LateShift:   {11, 10_100*usec + 900*usec},
		LateDrop:    {4, 10_100 * usec},
	} {
		s := simSession(t, strings.Replace(steady, "parallelism=4", "parallelism=1", 1))
		r := s.replayOf(t, replay.Options{}, records...)
		r.Depth, r.Late = 1, late
		if late == LateDrop {
			r.Limit = 250 * time.Microsecond
		}
		j, c := replayed(t, play(t, s, &Phase{Jobs: oneReplay(r)}))
		if c.Issued != want.issued || j.DurationNS < want.end || j.DurationNS > want.end+50*usec {
			t.Errorf("%s: took %d ns, want %d: %+v", LateNames()[late], j.DurationNS, want.end, c)
		}
	}
	s := simSession(t, strings.Replace(steady, "parallelism=4", "parallelism=1", 1))
	r := s.replayOf(t, replay.Options{}, records...)
	r.Depth, r.Late, r.Limit = 1, LateAbort, 250*time.Microsecond
	p, err := s.Run(context.Background(), (&Phase{Jobs: oneReplay(r)}).defaults())
	if err == nil || p == nil {
		t.Fatal("a replay that is too late goes on")
	}
	if _, c := replayed(t, p); c.Issued >= 11 {
		t.Errorf("%+v", c)
	}
}

func TestReplayOverlaps(t *testing.T) {
	records := []trace.Record{
		rec(0, engine.Write, 0, 8192), rec(0, engine.Write, 4096, 4096), rec(0, engine.Read, 65536, 4096), rec(0, engine.Read, 65536, 4096),
	}
	for overlap, want := range []struct{ issued, end int64 }{{4, 100 * usec}, {4, 200 * usec}, {3, 100 * usec}} {
		s := simSession(t, steady)
		r := s.replayOf(t, replay.Options{}, records...)
		r.Overlap = Overlap(overlap)
		j, c := replayed(t, play(t, s, &Phase{Jobs: oneReplay(r)}))
		if c.Issued != want.issued || j.DurationNS < want.end || j.DurationNS > want.end+50*usec {
			t.Errorf("%s: took %d ns, want %d: %+v", OverlapNames()[overlap], j.DurationNS, want.end, c)
		}
	}
}

// TestReplayFlushes sees a write that carries a flush become a flush, then the write.
func TestReplayFlushes(t *testing.T) {
	w := rec(0, engine.Write, 0, 4096)
	w.Flags = trace.Preflush | trace.FUA
	s := simSession(t, steady)
	r := s.replayOf(t, replay.Options{}, w)
	r.Depth = 1
	p := &Phase{Jobs: oneReplay(r)}
	var seen []string
	p.Wrap = func(e engine.Engine, _ uint64) engine.Engine { return &spy{Engine: e, seen: &seen} }
	j, c := replayed(t, play(t, s, p))
	if c.Flushes != 1 || j.Ops["fdatasync"].Count != 1 || j.Ops["write"].Count != 1 {
		t.Errorf("%+v, %+v", c, j.Ops)
	}
	if want := []string{"fdatasync link", "write dsync"}; !slices.Equal(seen, want) {
		t.Errorf("submitted %v, want %v", seen, want)
	}
}

// spy notes what is submitted.
type spy struct {
	engine.Engine
	seen *[]string
}

func (s *spy) Submit(ops []engine.Op, slots []uint32) error {
	for _, i := range slots {
		text := ops[i].Code.String()
		if ops[i].Flags&engine.Link != 0 {
			text += " link"
		}
		if ops[i].Flags&engine.DSync != 0 {
			text += " dsync"
		}
		*s.seen = append(*s.seen, text)
	}
	return s.Engine.Submit(ops, slots)
}

// TestReplayOfLargeRecords plays records of more steps than there are slots.
func TestReplayOfLargeRecords(t *testing.T) {
	w := rec(0, engine.Write, 0, 1<<30)
	w.Flags = trace.Preflush
	for _, records := range [][]trace.Record{{rec(0, engine.Read, 0, 1<<30), rec(0, engine.Read, 0, 4096)}, {w, w}} {
		s := nullSession(t)
		var most int64
		s.Engine = weighing(s.Engine, &most)
		r := s.replayOf(t, replay.Options{}, records...)
		r.Depth = 1
		j, c := replayed(t, play(t, s, &Phase{Jobs: oneReplay(r)}))
		if c.Issued != 2 || c.Split == 0 {
			t.Errorf("%+v", c)
		}
		op := j.Ops[records[0].Op.String()]
		if op.Bytes != records[0].Length+records[1].Length {
			t.Errorf("%d bytes", op.Bytes)
		}
		if most > maxFlying {
			t.Errorf("%d bytes of buffers at once", most)
		}
	}
}

// weighing notes the most bytes that an engine's operations have in flight.
func weighing(open func(engine.Config) (engine.Engine, error), most *int64) func(engine.Config) (engine.Engine, error) {
	return func(c engine.Config) (engine.Engine, error) {
		e, err := open(c)
		return &scales{Engine: e, bytes: make([]int64, c.Slots), most: most}, err
	}
}

type scales struct {
	engine.Engine
	bytes []int64 // by slot
	now   int64
	most  *int64
}

func (s *scales) Submit(ops []engine.Op, slots []uint32) error {
	for _, i := range slots {
		s.bytes[i] = int64(len(ops[i].Buf))
		s.now += s.bytes[i]
	}
	*s.most = max(*s.most, s.now)
	return s.Engine.Submit(ops, slots)
}

func (s *scales) Wait(out []engine.Completion, min int, deadline int64) (int, error) {
	n, err := s.Engine.Wait(out, min, deadline)
	for _, c := range out[:n] {
		s.now -= s.bytes[c.Slot]
	}
	return n, err
}

// A trace that makes its file shorter may read where it ended: that falls short, and ends nothing.
func TestReplayOfTruncates(t *testing.T) {
	records := []trace.Record{rec(0, engine.Read, 4096, 4096), rec(usec, engine.Truncate, 0, 0), rec(2*usec, engine.Read, 4096, 4096)}
	s := diskSession(t, t.TempDir())
	r := s.replayOf(t, replay.Options{}, records...)
	r.Depth, r.Timing, r.Resizes = 1, AsFast, true
	j, c := replayed(t, play(t, s, &Phase{Jobs: oneReplay(r)}))
	if op := j.Ops["read"]; c.Issued != 3 || op.Count != 2 || op.Short != 1 || op.Errors != 0 {
		t.Errorf("%+v, %+v", c, op)
	}
}

// TestReplayEnds sees that what a phase's limits leave out is counted.
func TestReplayEnds(t *testing.T) {
	var records []trace.Record
	for i := range int64(5000) {
		records = append(records, rec(i*1000*usec, engine.Write, i*4096, 4096))
	}
	for name, p := range map[string]*Phase{
		"ops":      {Ops: 77},
		"bytes":    {Bytes: 77 * 4096},
		"duration": {Duration: 76*time.Millisecond + 500*time.Microsecond},
	} {
		s := simSession(t, steady)
		p.Jobs = oneReplay(s.replayOf(t, replay.Options{}, records...))
		if _, c := replayed(t, play(t, s, p)); c.Issued != 77 {
			t.Errorf("%s: %+v", name, c)
		}
	}
}

// TestReplayOnThreads sees that threads share a trace, and that the result is always
// the same.
func TestReplayOnThreads(t *testing.T) {
	var records []trace.Record
	for i := range int64(5000) {
		r := rec(i*20*usec, engine.Read, i*4096, 4096)
		r.Stream = trace.ID(i % 5)
		records = append(records, r)
	}
	var first *report.Job
	for range 3 {
		s := simSession(t, steady)
		j, c := replayed(t, play(t, s, &Phase{Threads: 3, Jobs: oneReplay(s.replayOf(t, replay.Options{}, records...))}))
		if c.Issued != 5000 {
			t.Errorf("%+v", c)
		}
		if first == nil {
			first = j
		}
		if j.DurationNS != first.DurationNS || j.Ops["read"].Service.HDR != first.Ops["read"].Service.HDR {
			t.Error("two runs differ")
		}
	}
}

// TestReplayOfBrokenTrace sees that an error in the middle of the trace ends the phase.
func TestReplayOfBrokenTrace(t *testing.T) {
	s := simSession(t, steady)
	r := s.replayOf(t, replay.Options{}, rec(0, engine.Read, 0, 4096))
	broken := errors.New("broken")
	r.Source = func(h replay.Share) *replay.Source {
		return replay.NewSource(func() (*replay.Trace, error) { return nil, broken }, replay.Options{}, &replay.Survey{}, nil, h)
	}
	if _, err := s.Run(context.Background(), (&Phase{Jobs: oneReplay(r)}).defaults()); !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
}

// endlessTrace repeats one record.
type endlessTrace struct {
	left int
}

func (l *endlessTrace) Read(r *trace.Record) error {
	if l.left--; l.left < 0 {
		return io.EOF
	}
	*r = rec(0, engine.Read, int64(l.left%1024)*4096, 4096)
	return nil
}

// manyTrace is n records at random places of a large device, from many streams.
type manyTrace struct {
	n, left int
	rng     *dist.Rand
}

func newManyTrace(n int) *replay.Trace {
	return &replay.Trace{Reader: &manyTrace{n, n, dist.NewRand(1)}, Log: &trace.Log{}, Close: func() error { return nil }}
}

func (l *manyTrace) Read(r *trace.Record) error {
	if l.left == 0 {
		return io.EOF
	}
	l.left--
	*r = rec(int64(l.n-l.left)*usec, engine.Read, int64(l.rng.Uint64n(1<<21))*4096, 4096)
	r.Latency, r.Stream = 500*usec, trace.ID(l.left%1000)
	return nil
}

// TestReplayOfManyRecords plays more records than there would be memory for.
func TestReplayOfManyRecords(t *testing.T) {
	n := 1_200_000
	if testing.Short() {
		n /= 10
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	o := replay.Options{Address: replay.Compact}
	open := func() (*replay.Trace, error) { return newManyTrace(n), nil }
	survey, err := replay.Look(context.Background(), open, &o)
	if err != nil {
		t.Fatal(err)
	}
	s := nullSession(t)
	size := survey.Files[0].Touched
	r := &Replay{
		Source: func(h replay.Share) *replay.Source {
			return replay.NewSource(open, o, survey, []replay.Target{{Size: size}}, h)
		},
		Files: []*engine.File{s.testFile(t, "target", size)}, Depth: 64, Speed: 1, Timing: AsFast,
		Records: survey.Records, Bytes: survey.Bytes[engine.Read],
	}
	_, c := replayed(t, play(t, s, &Phase{Jobs: oneReplay(r)}))
	runtime.ReadMemStats(&after)
	if c.Issued != int64(n) {
		t.Errorf("%+v", c)
	}
	if grown := after.Sys - before.Sys; grown > 40<<20 {
		t.Errorf("%d MiB more memory than before", grown>>20)
	}
}

func BenchmarkReplay(b *testing.B) {
	s := nullSession(b)
	r := s.replayOf(b, replay.Options{}, rec(0, engine.Read, 1023*4096, 4096))
	survey := &replay.Survey{Files: []replay.File{{}}}
	r.Source = func(h replay.Share) *replay.Source {
		return replay.NewSource(func() (*replay.Trace, error) {
			return &replay.Trace{Reader: &endlessTrace{left: b.N}, Log: &trace.Log{}, Close: func() error { return nil }}, nil
		}, replay.Options{}, survey, []replay.Target{{Size: 1 << 22}}, h)
	}
	r.Timing, r.Records, r.Depth = AsFast, int64(b.N), 32
	b.ReportAllocs()
	b.ResetTimer()
	if _, err := s.Run(context.Background(), (&Phase{Jobs: oneReplay(r)}).defaults()); err != nil {
		b.Fatal(err)
	}
}
