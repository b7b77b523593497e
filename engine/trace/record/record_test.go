package record

import (
	"io"
	"runtime"
	"slices"
	"sync"
	"testing"

	"moonio/engine"
	"moonio/engine/memfs"
	"moonio/engine/null"
	"moonio/engine/trace"
)

// memory keeps records.
type memory struct {
	list   []trace.Record
	closed bool
	err    error
}

func (m *memory) Write(r *trace.Record) error {
	m.list = append(m.list, *r)
	return m.err
}

func (m *memory) Close() error { m.closed = true; return nil }

// stepping is an engine whose clock is set by hand and that completes what it is told to.
type stepping struct {
	now  *int64
	done []engine.Completion
}

func (s *stepping) Info() engine.Info                  { return engine.Info{} }
func (s *stepping) Submit([]engine.Op, []uint32) error { return nil }
func (s *stepping) Now() int64                         { return *s.now }
func (s *stepping) Wake()                              {}
func (s *stepping) Cancel(uint32)                      {}
func (s *stepping) Close() error                       { return nil }
func (s *stepping) Wait(out []engine.Completion, _ int, _ int64) (int, error) {
	n := copy(out, s.done)
	s.done = s.done[n:]
	return n, nil
}

func engineOf(t testing.TB, r *Recorder, e engine.Engine, slots int, jobs ...string) *Engine {
	t.Helper()
	w, err := r.Engine(e, slots, jobs)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func TestTwoWorkersAreMergedByTime(t *testing.T) {
	m, log, now := &memory{}, &trace.Log{}, int64(1000)
	r := New(m, log)
	a, b := &stepping{now: &now}, &stepping{now: &now}
	ea, eb := engineOf(t, r, a, 4, "reads", "commits"), engineOf(t, r, b, 4, "reads", "commits")
	f := &engine.File{Node: new(engine.Node), Name: "wal", ID: 3}
	g := &engine.File{Node: new(engine.Node), Name: "data", ID: 3, Direct: true} // the number was used again
	submit := func(e *Engine, at int64, slot, job, client uint32, op engine.Op) {
		t.Helper()
		now = at
		ops := make([]engine.Op, 4)
		ops[slot] = op
		e.Job(slot, job, client)
		if err := e.Submit(ops, []uint32{slot}); err != nil {
			t.Fatal(err)
		}
	}
	complete := func(e *Engine, in *stepping, at int64, slot uint32) {
		t.Helper()
		now = at
		in.done = append(in.done, engine.Completion{Slot: slot})
		if _, err := e.Wait(make([]engine.Completion, 4), 1, engine.NoDeadline); err != nil {
			t.Fatal(err)
		}
	}
	submit(ea, 1000, 0, 1, 7, engine.Op{Code: engine.Append, File: f, Buf: make([]byte, 512), Off: 4096, Flags: engine.DSync})
	submit(eb, 1100, 2, 0, 0, engine.Op{Code: engine.Read, File: g, Buf: make([]byte, 8192), Off: 1 << 40})
	complete(eb, b, 1150, 2)
	submit(eb, 1200, 2, 0, 0, engine.Op{Code: engine.Trim, File: g, Off: 7, Len: 9})
	submit(ea, 1250, 1, 1, 3, engine.Op{Code: engine.Create, File: f, Meta: &engine.Meta{Path: "new"}})
	complete(ea, a, 1300, 0)
	complete(ea, a, 1400, 1)
	for _, e := range []*Engine{ea, eb} {
		if err := e.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	want := []trace.Record{
		{Time: 0, Op: engine.Append, Offset: 4096, Length: 512, Latency: 300, Stream: 2, File: 0, Flags: trace.FUA | trace.Buffered},
		{Time: 100, Op: engine.Read, Offset: 1 << 40, Length: 8192, Latency: 50, Stream: 0, File: 1, Flags: trace.Direct},
		{Time: 200, Op: engine.Trim, Offset: 7, Length: 9, Latency: trace.Unknown, Stream: 0, File: 1},
		{Time: 250, Op: engine.Create, Latency: 150, Stream: 3, File: 2},
	}
	if !slices.Equal(m.list, want) || !m.closed {
		t.Errorf("recorded\n%+v\nwant\n%+v", m.list, want)
	}
	if log.Files.Name(0) != "wal" || log.Files.Name(1) != "data" || log.Files.Name(2) != "new" || log.Streams.Name(2) != "commits/7" || log.Streams.Name(3) != "commits/3" {
		t.Errorf("names %+v", log)
	}
}

// Workers that take their own pace, with engines that come and go: nothing is lost, and times
// do not go back.
func TestManyWorkers(t *testing.T) {
	m := &memory{}
	r := New(m, &trace.Log{})
	const workers, each = 4, 20_000
	var all sync.WaitGroup
	for w := range workers {
		all.Add(1)
		go func() {
			defer all.Done()
			for part := range 2 {
				drive(t, r, each/2, uint32(w*2+part))
			}
		}()
	}
	all.Wait()
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if len(m.list) != workers*each {
		t.Errorf("%d records, want %d", len(m.list), workers*each)
	}
	if !slices.IsSortedFunc(m.list, func(a, b trace.Record) int { return int(a.Time - b.Time) }) {
		t.Error("times go back")
	}
	for _, rec := range m.list {
		if rec.Latency < 0 {
			t.Fatalf("%+v has no latency", rec)
		}
	}
}

// drive submits and completes operations on an engine that does nothing.
func drive(t testing.TB, r *Recorder, n int, id uint32) {
	defer lock()()
	const depth = 8
	e, err := null.Open(engine.Config{Slots: depth, FS: memfs.New()})
	if err != nil {
		t.Error(err)
		return
	}
	rec := engineOf(t, r, e, depth, "job")
	ops, slots, out := work(id, depth)
	for done := 0; done < n; done += depth {
		if err := turn(rec, ops, slots, out); err != nil {
			t.Error(err)
			return
		}
	}
	if err := rec.Close(); err != nil {
		t.Error(err)
	}
}

func lock() func() {
	runtime.LockOSThread()
	return runtime.UnlockOSThread
}

func work(id uint32, depth int) (ops []engine.Op, slots []uint32, out []engine.Completion) {
	f := &engine.File{Node: new(engine.Node), Name: "f", ID: id}
	for i := range depth {
		ops = append(ops, engine.Op{Code: engine.Read, File: f, Buf: make([]byte, 512), Off: int64(i) * 512})
		slots = append(slots, uint32(i))
	}
	return ops, slots, make([]engine.Completion, depth)
}

func turn(e engine.Engine, ops []engine.Op, slots []uint32, out []engine.Completion) error {
	if err := e.Submit(ops, slots); err != nil {
		return err
	}
	for left := len(slots); left > 0; {
		n, err := e.Wait(out, left, engine.NoDeadline)
		if err != nil {
			return err
		}
		left -= n
	}
	return nil
}

func TestWriteErrors(t *testing.T) {
	m := &memory{err: io.ErrShortWrite}
	r := New(m, &trace.Log{})
	drive(t, r, 100, 0)
	if err := r.Close(); err == nil || err.Error() != "writing the record: short write" {
		t.Errorf("%v", err)
	}
	if len(m.list) != 1 {
		t.Errorf("%d records were tried", len(m.list))
	}
}

// discard takes records and keeps none.
type discard struct{}

func (discard) Write(*trace.Record) error { return nil }
func (discard) Close() error              { return nil }

func TestRecordingDoesNotAllocate(t *testing.T) {
	defer lock()()
	r := New(discard{}, &trace.Log{})
	e, err := null.Open(engine.Config{Slots: 8, FS: memfs.New()})
	if err != nil {
		t.Fatal(err)
	}
	rec := engineOf(t, r, e, 8, "job")
	ops, slots, out := work(0, 8)
	some := func() {
		if err := turn(rec, ops, slots, out); err != nil {
			t.Fatal(err)
		}
	}
	for range 10 * chunkSize {
		some()
	}
	if n := testing.AllocsPerRun(1000, some); n > 0 {
		t.Errorf("%v allocations for 8 operations", n)
	}
	if err := rec.Close(); err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
}

func BenchmarkRecord(b *testing.B) {
	defer lock()()
	bare := func(b *testing.B, e engine.Engine) {
		ops, slots, out := work(0, 8)
		b.ReportAllocs()
		for b.Loop() {
			if err := turn(e, ops, slots, out); err != nil {
				b.Fatal(err)
			}
		}
		if err := e.Close(); err != nil {
			b.Fatal(err)
		}
	}
	open := func() engine.Engine {
		e, err := null.Open(engine.Config{Slots: 8, FS: memfs.New()})
		if err != nil {
			b.Fatal(err)
		}
		return e
	}
	b.Run("off", func(b *testing.B) { bare(b, open()) })
	b.Run("on", func(b *testing.B) {
		r := New(discard{}, &trace.Log{})
		bare(b, engineOf(b, r, open(), 8, "job"))
		if err := r.Close(); err != nil {
			b.Fatal(err)
		}
	})
}
