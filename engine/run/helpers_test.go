package run

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"moonio/engine"
	"moonio/engine/dist"
	"moonio/engine/memfs"
	"moonio/engine/null"
	"moonio/engine/pace"
	"moonio/engine/report"
	"moonio/engine/sim"
	"moonio/engine/units"
)

func nullSession(t testing.TB) *Session {
	t.Helper()
	return &Session{FS: memfs.New(), Engine: null.Open, Seed: 1}
}

// steady is a simulated device that serves 4 operations at a time in 100 µs each,
// without anything else that would make times differ.
const steady = "nvme,distribution=constant,spread=0,parallelism=4,read=100us,write=100us,fsync=100us,read-bandwidth=0,write-bandwidth=0,cache=0,drain=0"

func simSession(t testing.TB, device string) *Session {
	t.Helper()
	cfg, err := sim.Parse(device)
	if err != nil {
		t.Fatal(err)
	}
	fs := memfs.New()
	return &Session{FS: fs, Engine: sim.NewWorld(cfg, 1, fs).Open, Seed: 1, Virtual: true}
}

func (s *Session) testFile(t testing.TB, name string, size int64) *engine.File {
	t.Helper()
	if size > 0 {
		if err := s.Layout(context.Background(), name, 0, size); err != nil {
			t.Fatal(err)
		}
	}
	const flags = syscall.O_RDWR | syscall.O_CREAT
	fd, err := s.FS.Open(name, flags, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	f, err := s.Opened(name, fd, flags)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func sizes(t testing.TB, n int64) dist.Sizes {
	t.Helper()
	s, err := dist.OneSize(n)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func stream4K(t testing.TB, op engine.OpCode, depth int, files ...*engine.File) *Stream {
	a := Access{At: dist.Uniform{}, Block: sizes(t, 4096)}
	return &Stream{Mix: dist.Mix{{Op: op, Weight: 1}}, Files: files, Read: a, Write: a, Depth: depth}
}

func (s *Stream) at(p dist.Pattern) *Stream {
	s.Read.At, s.Write.At = p, p
	return s
}

func (s *Stream) rated(t testing.TB, r pace.Rate, a pace.Arrival) *Stream {
	s.Rate, s.Arrival = &r, a
	return s
}

func perSecond(t testing.TB, n float64) units.Rate { return units.Rate{PerSecond: n} }

func constant(t testing.TB, n float64) pace.Rate {
	t.Helper()
	r, err := pace.Constant(perSecond(t, n))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func (p *Phase) defaults() *Phase {
	if p.Name == "" {
		p.Name = "p"
	}
	if p.Threads == 0 {
		p.Threads = 1
	}
	if p.Interval == 0 {
		p.Interval = DefaultInterval
	}
	return p
}

// play plays a phase that must go well, and checks what must hold of every result.
func play(t testing.TB, s *Session, p *Phase) *report.Phase {
	t.Helper()
	r, err := s.Run(context.Background(), p.defaults())
	if err != nil {
		t.Fatal(err)
	}
	checkPhase(t, r)
	return r
}

func oneStream(s *Stream) []Job { return []Job{{Name: "s", Stream: s}} }

func checkPhase(t testing.TB, r *report.Phase) {
	t.Helper()
	for _, j := range r.Jobs {
		if j.DurationNS == 0 {
			continue
		}
		for name, op := range j.Ops {
			checkOp(t, j, name, op)
			checkSeries(t, r, j, name, op)
		}
	}
}

func checkOp(t testing.TB, j *report.Job, name string, op *report.Op) {
	t.Helper()
	what := j.Name + "." + name
	seconds := float64(j.DurationNS) / 1e9
	if math.Abs(op.IOPS*seconds-float64(op.Count)) > 1e-6*float64(op.Count) {
		t.Errorf("%s: %v IOPS for %v s are not %d operations", what, op.IOPS, seconds, op.Count)
	}
	if op.BlockMin == op.BlockMax && op.Short == 0 && op.Bytes != op.Count*op.BlockMin && op.BlockMin > 0 {
		t.Errorf("%s: %d operations of %d bytes, and %d bytes", what, op.Count, op.BlockMin, op.Bytes)
	}
	for _, l := range []*report.Latency{op.Service, op.Response} {
		if l == nil {
			continue
		}
		last := l.MinNS
		for _, p := range []int64{l.P50NS, l.P90NS, l.P95NS, l.P99NS, l.P999NS, l.P9999NS, l.MaxNS} {
			if p < last {
				t.Errorf("%s: percentiles fall: %+v", what, l)
			}
			last = p
		}
	}
	if s, q := op.Service, op.Response; s != nil && q != nil {
		if s.MinNS > q.MinNS || s.MeanNS > q.MeanNS || s.P50NS > q.P50NS || s.P99NS > q.P99NS || s.MaxNS > q.MaxNS {
			t.Errorf("%s: service %+v is longer than response %+v", what, s, q)
		}
	}
}

// checkSeries holds the rows of a series to the totals, and to the job's time.
func checkSeries(t testing.TB, r *report.Phase, j *report.Job, name string, op *report.Op) {
	t.Helper()
	var count, bytes float64
	last, most := int64(-1), int64(0)
	for _, iv := range j.Intervals {
		o, ok := iv.Ops[name]
		if !ok {
			t.Fatalf("%s.%s is missing at %d", j.Name, name, iv.TNS)
		}
		if last >= 0 && iv.TNS != last+r.IntervalNS || iv.TNS%r.IntervalNS != 0 {
			t.Errorf("%s: a row at %d after one at %d", j.Name, iv.TNS, last)
		}
		if iv.TNS+r.IntervalNS <= j.StartNS || iv.TNS >= j.StartNS+j.DurationNS {
			t.Errorf("%s: a row at %d, outside the job's time from %d for %d", j.Name, iv.TNS, j.StartNS, j.DurationNS)
		}
		if o.P50NS > o.P99NS || o.P99NS > o.MaxNS {
			t.Errorf("%s.%s: percentiles fall: %+v", j.Name, name, o)
		}
		last, most = iv.TNS, max(most, o.MaxNS)
		count += o.IOPS * float64(iv.DurationNS) / 1e9
		bytes += o.Bandwidth * float64(iv.DurationNS) / 1e9
	}
	if math.Abs(count-float64(op.Count)) > 0.01 || math.Abs(bytes-float64(op.Bytes)) > 1 {
		t.Errorf("%s.%s: rows add up to %.2f operations and %.0f bytes, the whole is %d and %d", j.Name, name, count, bytes, op.Count, op.Bytes)
	}
	if op.Service != nil && most != op.Service.MaxNS {
		t.Errorf("%s.%s: the highest row is %d, the whole's maximum %d", j.Name, name, most, op.Service.MaxNS)
	}
}

func count(t testing.TB, r *report.Phase, job, op string) int64 {
	t.Helper()
	for _, j := range r.Jobs {
		if o := j.Ops[op]; j.Name == job && o != nil {
			return o.Count
		}
	}
	return 0
}

// within says whether got is that share of want away at most.
func within(got, want, share float64) bool { return math.Abs(got-want) <= share*math.Abs(want) }

// event is a submission or a completion, on its way through a tape.
type event struct {
	worker int
	done   bool
	op     engine.Op
	slot   uint32
	batch  int // of the submission, counted per worker
	res    int64
	at     int64
}

// tape records what passes between workers and their engines.
type tape struct {
	mu      sync.Mutex
	events  []event
	workers int
}

func (a *tape) wrap(e engine.Engine, _ uint64) engine.Engine {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.workers++
	return &taped{Engine: e, tape: a, worker: a.workers - 1, ops: map[uint32]engine.Op{}}
}

type taped struct {
	engine.Engine
	tape   *tape
	worker int
	batch  int
	ops    map[uint32]engine.Op
}

func (e *taped) Submit(ops []engine.Op, slots []uint32) error {
	e.tape.mu.Lock()
	e.batch++
	for _, s := range slots {
		e.ops[s] = ops[s]
		e.tape.events = append(e.tape.events, event{worker: e.worker, op: ops[s], slot: s, batch: e.batch, at: e.Now()})
	}
	e.tape.mu.Unlock()
	return e.Engine.Submit(ops, slots)
}

func (e *taped) Wait(out []engine.Completion, least int, deadline int64) (int, error) {
	n, err := e.Engine.Wait(out, least, deadline)
	e.tape.mu.Lock()
	defer e.tape.mu.Unlock()
	for _, c := range out[:n] {
		e.tape.events = append(e.tape.events, event{worker: e.worker, done: true, op: e.ops[c.Slot], slot: c.Slot, res: c.Res, at: e.Now()})
	}
	return n, err
}

// submitted are the submissions of an operation.
func (a *tape) submitted(c engine.OpCode) []event {
	var list []event
	for _, e := range a.events {
		if !e.done && e.op.Code == c {
			list = append(list, e)
		}
	}
	return list
}

// cli is a client whose turns are a Go function.
type cli struct {
	*Task
	yield func(struct{}) bool
	next  func() (struct{}, bool)
	stop  func()
	err   error
}

var errStopped = errors.New("the client was stopped")

// wait gives the worker back until the client is resumed.
func (c *cli) wait() {
	if !c.yield(struct{}{}) {
		panic(errStopped)
	}
}

// turn ends a turn and begins the next, when it is due.
func (c *cli) turn() bool {
	begun, waits := c.Turn()
	for waits {
		c.wait()
		begun, waits = c.Turn()
	}
	return begun
}

// settle waits if there is something to wait for.
func (c *cli) settle() {
	if c.Waiting() {
		c.wait()
	}
}

func (c *cli) do(r Request) (int64, error) {
	if err := c.Do(r); err != nil {
		c.err = err
		panic(errStopped)
	}
	c.wait()
	return c.Result()
}

func (c *cli) sleep(d time.Duration) { c.Sleep(d); c.wait() }

func (c *cli) must(err error) {
	if err != nil {
		c.err = err
		panic(errStopped)
	}
}

// program runs clients that are coroutines.
type program struct {
	turn    func(c *cli)
	clients []*cli
	closed  *atomic.Int64 // counts closed programs; may be nil
}

func (p *program) Start(t *Task) error {
	c := &cli{Task: t}
	t.Data = c
	p.clients = append(p.clients, c)
	c.next, c.stop = iter.Pull(func(yield func(struct{}) bool) {
		defer func() {
			if r := recover(); r != nil && r != errStopped {
				panic(r)
			}
		}()
		c.yield = yield
		for c.turn() {
			p.turn(c)
		}
	})
	return nil
}

func (p *program) Resume(t *Task) (bool, error) {
	c := t.Data.(*cli)
	_, more := c.next()
	return !more, c.err
}

func (p *program) Interrupt(error) {}

func (p *program) Where(t *Task) string { return fmt.Sprintf("client %d", t.ID) }

func (p *program) Close() {
	for _, c := range p.clients {
		c.stop()
	}
	if p.closed != nil {
		p.closed.Add(1)
	}
}

// crewOf is n clients that make turns of a function.
func crewOf(n int, turn func(c *cli)) *Clients {
	return &Clients{Count: n, Program: func(*Worker) (Program, error) { return &program{turn: turn}, nil }}
}

func oneCrew(n int, turn func(c *cli)) []Job { return []Job{{Name: "c", Clients: crewOf(n, turn)}} }

func read(f *engine.File, off int64) Request {
	return Request{Code: engine.Read, File: f, Off: off, Len: 4096}
}

// each runs a test with 1 and with 4 workers.
func each(t *testing.T, f func(t *testing.T, threads int)) {
	for _, n := range []int{1, 4} {
		t.Run(fmt.Sprint("threads ", n), func(t *testing.T) { f(t, n) })
	}
}

func diff(a, b *report.Phase) string { return cmp.Diff(a, b) }
