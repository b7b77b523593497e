package run

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"moonio/engine"
	"moonio/engine/fault"
	"moonio/engine/null"
	"moonio/engine/osfs"
	"moonio/engine/pool"
	"moonio/engine/report"
)

// The first error ends the phase, and says which operation failed, where and why.
func TestFirstErrorEnds(t *testing.T) {
	each(t, func(t *testing.T, threads int) {
		s := simSession(t, steady)
		f := s.testFile(t, "f", 1<<20)
		r, err := s.Run(t.Context(), (&Phase{Duration: time.Hour, Threads: threads, Wrap: rules(t, "read:errno=EIO,nth=100"),
			Jobs: oneStream(stream4K(t, engine.Read, 4, f))}).defaults())
		var e *OpError
		if !errors.As(err, &e) || e.Errno != syscall.EIO || e.Job != "s" || !errors.Is(err, syscall.EIO) {
			t.Fatalf("%v", err)
		}
		var off int64
		if n, _ := fmt.Sscanf(e.Op, "read of 4096 bytes at offset %d in \"f\"", &off); n != 1 || off%4096 != 0 {
			t.Errorf("the operation is %s", e.Op)
		}
		op := r.Jobs[0].Ops["read"]
		if r.End != endError || op.Errors != 1 || op.ErrorsBy["EIO"] != 1 || op.Count < 99 || op.Count > 106 {
			t.Errorf("ended by %s after %d reads and %d errors", r.End, op.Count, op.Errors)
		}
		checkPhase(t, r)
	})
}

// Counted errors stand beside the rest by their names, and clients get them.
func TestErrorsCounted(t *testing.T) {
	each(t, func(t *testing.T, threads int) {
		s := simSession(t, steady)
		f := s.testFile(t, "f", 1<<20)
		var seen atomic.Int64
		r := play(t, s, &Phase{Duration: 100 * time.Millisecond, Threads: threads, Count: true,
			Wrap: rules(t, "read:errno=EIO,every=10", "read:errno=ETIMEDOUT,every=25", "write:short=512,every=4"),
			Jobs: []Job{
				{Name: "s", Stream: stream4K(t, engine.Read, 4, f)},
				{Name: "w", Stream: stream4K(t, engine.Write, 4, f)},
				{Name: "c", Clients: crewOf(4, func(c *cli) {
					if _, err := c.do(read(f, 0)); errors.Is(err, syscall.EIO) || errors.Is(err, syscall.ETIMEDOUT) {
						seen.Add(1)
					}
				})},
			}})
		by := map[string]int64{}
		var reads, errs int64
		for _, i := range []int{0, 2} {
			op := r.Jobs[i].Ops["read"]
			reads += op.Count + op.Errors
			errs += op.Errors
			for name, n := range op.ErrorsBy {
				by[name] += n
			}
		}
		// A 50th read matches both, and the first rule's errno holds.
		if by["EIO"] != reads/10 || by["ETIMEDOUT"] != reads/25-reads/50 || by["EIO"]+by["ETIMEDOUT"] != errs {
			t.Errorf("%d reads, %d errors: %v", reads, errs, by)
		}
		// The last ones may have come when their clients were not asked any more.
		if n := r.Jobs[2].Ops["read"].Errors; seen.Load() > n || seen.Load() < n-4 {
			t.Errorf("clients saw %d errors of %d", seen.Load(), n)
		}
		w := r.Jobs[1].Ops["write"]
		if w.Short != w.Count/4 || w.Bytes != w.Short*512+(w.Count-w.Short)*4096 {
			t.Errorf("%d writes, %d short, %d bytes", w.Count, w.Short, w.Bytes)
		}
	})
}

// A read past the end is an error.
func TestEOF(t *testing.T) {
	s := simSession(t, steady)
	f := s.testFile(t, "f", 10_000)
	job := oneCrew(1, func(c *cli) {
		if n, err := c.do(read(f, 8192)); n != 10_000-8192 || err != nil {
			t.Errorf("the last bytes: %d, %v", n, err)
		}
		if _, err := c.do(read(f, 12_288)); !errors.Is(err, ErrEOF) {
			t.Errorf("past the end: %v", err)
		}
		q, err := c.NewQueue(1)
		c.must(err)
		c.must(q.Submit(read(f, 1<<20)))
		c.must(q.Wait(1))
		c.settle()
		if done, failed := q.Completed(); done != 1 || failed != 1 {
			t.Errorf("%d done, %d failed", done, failed)
		}
	})
	r := play(t, s, &Phase{Iterations: 1, Count: true, Jobs: job})
	op := r.Jobs[0].Ops["read"]
	if op.Count != 1 || op.Short != 1 || op.Errors != 2 || op.ErrorsBy["EOF"] != 2 {
		t.Errorf("%+v", op)
	}
	_, err := s.Run(t.Context(), (&Phase{Iterations: 1, Jobs: oneCrew(1, func(c *cli) { _, _ = c.do(read(f, 12_288)) })}).defaults())
	const want = `job "c": read of 4096 bytes at offset 12288 in "f" failed: past the end of the file, which has 10000 bytes (10kB)`
	if !errors.Is(err, ErrEOF) || err.Error() != want {
		t.Errorf("%v\nwant %s", err, want)
	}
	if _, err := s.Do(read(f, 12_288)); !errors.Is(err, ErrEOF) {
		t.Errorf("outside a phase: %v", err)
	}
}

// An error that comes of an option says so, and how.
func TestOpErrorHints(t *testing.T) {
	for _, c := range []struct {
		err  OpError
		want string
	}{
		{OpError{Errno: syscall.EAGAIN, Features: []string{"nowait"}}, `which the engine's option nowait forbids; with on_error = "count" such operations are counted`},
		{OpError{Errno: syscall.EOPNOTSUPP, Features: []string{"uncached"}}, "with the engine's option uncached: leave the option out"},
		{OpError{Errno: syscall.EOPNOTSUPP}, "the file system or device does not offer this operation"},
		{OpError{Errno: syscall.EDQUOT}, "the quota of this file system is used up"},
		{OpError{Errno: syscall.EROFS}, "the file system cannot be written, or no longer"},
		{OpError{Errno: syscall.EFBIG}, "use a smaller"},
		{OpError{Errno: syscall.EPERM, Features: []string{"ioprio"}}, "an I/O priority of class rt needs CAP_SYS_NICE"},
		{OpError{Errno: syscall.EIO, Engine: "mmap"}, "a page could not be had: the file system is full"},
		{OpError{Errno: errEOF, Off: 4096, Size: 8192}, "the file ends before it, and had 8192 bytes (8KiB) in this run: another program made it shorter"},
	} {
		if got := c.err.Error(); !strings.Contains(got, c.want) {
			t.Errorf("%s\nwant %s", got, c.want)
		}
	}
}

// A full device ends the phase, with what was written until then.
func TestNoSpace(t *testing.T) {
	s := simSession(t, steady+",capacity=10MiB")
	f := s.testFile(t, "f", 0)
	r, err := s.Run(t.Context(), (&Phase{Duration: time.Hour, Jobs: oneStream(stream4K(t, engine.Append, 4, f))}).defaults())
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("%v", err)
	}
	if n := count(t, r, "s", "append"); n != 10<<20/4096 {
		t.Errorf("%d appends, want %d", n, 10<<20/4096)
	}
}

func goroutines(t *testing.T) func() {
	c := make(chan os.Signal, 1) // the first who asks for signals starts a goroutine that stays
	signal.Notify(c, syscall.SIGCONT)
	signal.Stop(c)
	before := runtime.NumGoroutine()
	return func() {
		t.Helper()
		for range 6000 {
			if runtime.NumGoroutine() <= before {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
		buf := make([]byte, 1<<16)
		t.Errorf("%d goroutines, %d before:\n%s", runtime.NumGoroutine(), before, buf[:runtime.Stack(buf, true)])
	}
}

// An interrupted phase waits for what is in flight, and reports what there was.
func TestInterrupt(t *testing.T) {
	defer goroutines(t)()
	each(t, func(t *testing.T, threads int) {
		s := nullSession(t)
		f := s.testFile(t, "f", 1<<20)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var n atomic.Int64
		r, err := s.Run(ctx, (&Phase{Duration: 24 * time.Hour, Threads: threads, Jobs: []Job{
			{Name: "c", Clients: crewOf(8, func(c *cli) {
				_, err := c.do(read(f, 0))
				c.must(err)
				if n.Add(1) == 1000 {
					cancel()
				}
			})},
			{Name: "sleepers", Clients: crewOf(8, func(c *cli) { c.sleep(time.Hour) })},
			{Name: "s", Stream: stream4K(t, engine.Read, 8, f)},
		}}).defaults())
		if err != nil || r.End != endInterrupted || count(t, r, "c", "read") < 1000 {
			t.Errorf("ended by %s after %d reads: %v", r.End, count(t, r, "c", "read"), err)
		}
		checkPhase(t, r)
		// One that is interrupted before it begins is one without results.
		r, err = s.Run(ctx, (&Phase{Duration: 24 * time.Hour, Threads: threads, Warmup: time.Hour, Jobs: oneStream(stream4K(t, engine.Read, 1, f))}).defaults())
		if err != nil || r.End != endInterrupted || r.DurationNS != 0 || len(r.Jobs[0].Ops) != 0 {
			t.Errorf("%+v: %v", r, err)
		}
	})
}

// hung is an engine whose operations do not complete until it is let go.
type hung struct {
	engine.Engine
	after int64 // completions that come nevertheless
	free  chan struct{}
}

func (h *hung) Wait(out []engine.Completion, least int, deadline int64) (int, error) {
	if h.after <= 0 {
		<-h.free
	}
	n, err := h.Engine.Wait(out, least, deadline)
	h.after -= int64(n)
	return n, err
}

// A phase that is abandoned is left at once, with what is known of it.
func TestAbandon(t *testing.T) {
	defer goroutines(t)()
	each(t, func(t *testing.T, threads int) {
		s := nullSession(t)
		f := s.testFile(t, "f", 1<<20)
		abandon, free := make(chan struct{}), make(chan struct{})
		s.Abandon = abandon
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var n atomic.Int64
		r, err := s.Run(ctx, (&Phase{Duration: 24 * time.Hour, Threads: threads, Interval: MinInterval,
			Wrap: func(e engine.Engine, _ uint64) engine.Engine { return &hung{Engine: e, after: 100_000, free: free} },
			Jobs: oneCrew(8, func(c *cli) {
				_, err := c.do(read(f, 0))
				c.must(err)
				if n.Add(1) == 50_000 {
					cancel()
					close(abandon)
				}
			})}).defaults())
		if err != nil || r.End != endInterrupted || r.DurationNS <= 0 {
			t.Errorf("%+v: %v", r, err)
		}
		close(free)
	})
}

// spinner is a client that computes until it is interrupted.
type spinner struct {
	stop  chan error
	spins func(*Task) bool
}

func (p *spinner) Start(*Task) error { return nil }

func (p *spinner) Resume(t *Task) (bool, error) {
	if begun, _ := t.Turn(); !begun {
		return true, nil
	}
	for p.spins(t) {
		select {
		case err := <-p.stop:
			return true, err
		default:
		}
	}
	t.Sleep(time.Millisecond)
	return false, nil
}

func (p *spinner) Interrupt(err error) {
	select {
	case p.stop <- err:
	default:
	}
}

func (p *spinner) Where(*Task) string { return "" }

func (p *spinner) Close() {}

func spinners(n int, spins func(*Task) bool) *Clients {
	return &Clients{Count: n, Program: func(*Worker) (Program, error) { return &spinner{stop: make(chan error, 1), spins: spins}, nil }}
}

// A client that never comes back is stopped when its time is up: by the phase's end, the
// job's, a limit or an interruption. It costs a warning and nothing else.
func TestRunaway(t *testing.T) {
	defer goroutines(t)()
	s := nullSession(t)
	f := s.testFile(t, "f", 1<<20)
	other := Job{Name: "s", Stream: stream4K(t, engine.Read, 1, f).rated(t, constant(t, 1000), 1)}
	always := func(*Task) bool { return true }
	for name, p := range map[string]*Phase{
		"duration": {Duration: 50 * time.Millisecond, Jobs: []Job{{Name: "c", Clients: spinners(2, always)}, other}},
		"job":      {Jobs: []Job{{Name: "c", Clients: spinners(2, always), Duration: 50 * time.Millisecond}}},
		"ops":      {Ops: 20, Threads: 2, Jobs: []Job{{Name: "c", Clients: spinners(2, func(t *Task) bool { return t.ID == 1 })}, other}},
	} {
		r, err := s.Run(t.Context(), p.defaults())
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if len(r.Warnings) != 1 || r.Warnings[0].Code != "runaway" {
			t.Errorf("%s: warnings %v", name, r.Warnings)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	r, err := s.Run(ctx, (&Phase{Ops: 1 << 40, Jobs: []Job{{Name: "c", Clients: spinners(1, func(*Task) bool { cancel(); return true })}}}).defaults())
	if err != nil || r.End != endInterrupted {
		t.Errorf("ended by %s: %v", r.End, err)
	}
}

// While virtual time stands still it is an error: nothing else would ever end it.
func TestRunawayInSimulatedTime(t *testing.T) {
	t.Parallel()
	always := func(*Task) bool { return true }
	_, err := simSession(t, steady).Run(t.Context(), (&Phase{Duration: time.Second, Jobs: []Job{{Name: "c", Clients: spinners(1, always)}}}).defaults())
	if !errors.Is(err, ErrRunaway) {
		t.Errorf("%v", err)
	}
}

// A turn without I/O or sleep ends with the job's time all the same.
func TestBusyTurns(t *testing.T) {
	s := nullSession(t)
	r := play(t, s, &Phase{Duration: 20 * time.Millisecond, Jobs: oneCrew(2, func(*cli) {})})
	if len(r.Warnings) != 0 || r.End != endDuration {
		t.Errorf("ended by %s with %v", r.End, r.Warnings)
	}
	// On a virtual clock a client that goes on and on is an error.
	_, err := simSession(t, steady).Run(t.Context(), (&Phase{Duration: time.Second, Jobs: oneCrew(2, func(c *cli) { c.sleep(0) })}).defaults())
	if err == nil || !slices.Contains([]string{
		`client 0 of job "c" went on 100000 times without waiting for I/O or for time: simulated time stands still`,
		`client 1 of job "c" went on 100000 times without waiting for I/O or for time: simulated time stands still`}, err.Error()) {
		t.Errorf("%v", err)
	}
}

// A set-up that fails half-way frees all that it made.
func TestSetupFails(t *testing.T) {
	defer goroutines(t)()
	broken := errors.New("broken")
	opened := 0
	var closed, programs atomic.Int64
	s := nullSession(t)
	f := s.testFile(t, "f", 1<<20)
	s.Engine = func(c engine.Config) (engine.Engine, error) {
		if opened == 2 {
			return (*null.Engine)(nil), broken
		}
		opened++
		e, err := null.Open(c)
		return &counted{e, &closed}, err
	}
	job := oneCrew(3, func(c *cli) {})
	job[0].Clients.Program = func(*Worker) (Program, error) { return &program{turn: func(*cli) {}, closed: &programs}, nil }
	job = append(job, Job{Name: "s", Stream: stream4K(t, engine.Read, 3, f)})
	r, err := s.Run(t.Context(), (&Phase{Duration: time.Second, Threads: 3, Jobs: job}).defaults())
	if !errors.Is(err, broken) || r != nil || opened != 2 || closed.Load() != 2 || programs.Load() != 2 {
		t.Errorf("%v; %d engines opened, %d closed; %d programs closed", err, opened, closed.Load(), programs.Load())
	}
	// A program that cannot be made.
	job[0].Clients.Program = func(*Worker) (Program, error) { return nil, broken }
	opened = 0
	closed.Store(0)
	if _, err = s.Run(t.Context(), (&Phase{Duration: time.Second, Threads: 2, Jobs: job}).defaults()); !errors.Is(err, broken) || opened != 1 || closed.Load() != 1 {
		t.Errorf("%v; %d engines opened, %d closed", err, opened, closed.Load())
	}
}

type counted struct {
	engine.Engine
	closed *atomic.Int64
}

func (c *counted) Close() error {
	c.closed.Add(1)
	return c.Engine.Close()
}

// On real files: counts, bytes and sizes, with several threads, a sync and a fault.
func TestFiles(t *testing.T) {
	dir := t.TempDir()
	fs, err := osfs.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	s := &Session{FS: fs, Engine: pool.Open, Seed: 1}
	f, log := s.testFile(t, "f", 4<<20), s.testFile(t, "log", 0)
	flush, err := fault.Parse("fdatasync:delay=1ms")
	if err != nil {
		t.Fatal(err)
	}
	st := stream4K(t, engine.Write, 4, f)
	st.Syncs = []SyncEvery{{Code: engine.Fdatasync, Writes: 100}}
	st.Ops = 1000
	r := play(t, s, &Phase{Threads: 2, Ops: 3000, Interval: 20 * time.Millisecond,
		Wrap: func(e engine.Engine, seed uint64) engine.Engine { return fault.Wrap(e, []*fault.Rule{flush}, seed) },
		Jobs: []Job{
			{Name: "s", Stream: st},
			{Name: "c", Clients: crewOf(4, func(c *cli) {
				_, err := c.do(Request{Code: engine.Append, File: log, Len: 1000})
				c.must(err)
			})},
		}})
	appends, writes, flushes := count(t, r, "c", "append"), count(t, r, "s", "write"), count(t, r, "s", "fdatasync")
	if appends+writes+flushes != 3000 || flushes > writes/100 {
		t.Errorf("%d appends, %d writes, %d syncs", appends, writes, flushes)
	}
	if size, err := fs.Size(log.FD); err != nil || size != appends*1000 || log.Size() != size {
		t.Errorf("%d appends of 1000 bytes left %d bytes, %d known: %v", appends, size, log.Size(), err)
	}
	if r.CPU == (report.CPU{}) {
		t.Error("no CPU time was used")
	}
}
