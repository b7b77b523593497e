package run

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"syscall"
	"time"

	"moonio/engine"
	"moonio/engine/dist"
	"moonio/engine/report"
	"moonio/engine/verify"
)

// Session is one run of the program: the storage, the seed and the files that
// its phases share. Its fields are set before the first phase and then left
// alone. Run, Do and Layout are for one goroutine; the rest is safe for
// concurrent use.
type Session struct {
	FS     engine.FS
	Engine func(engine.Config) (engine.Engine, error) // one per worker
	// Named finds the engine that a job or a phase names for its threads, "psync" or
	// "io_uring:sqpoll". Nil: there is only Engine.
	Named func(spec string) (open func(engine.Config) (engine.Engine, error), err error)
	// Check says what is wrong with such a name without opening the engine; it may be nil.
	Check func(spec string) error
	// Fixed is what keeps jobs from choosing their engines, "--engine sim" say. The result
	// then names it wherever one would have.
	Fixed    string
	Seed     uint64
	Virtual  bool            // the engines' clock is virtual
	Disk     string          // the block device whose traffic stands in the report, as in environ.Device.Name; "": none
	Abandon  <-chan struct{} // when closed, a phase is left without waiting for what is in flight
	Progress func(Progress)  // called a few times a second while a phase runs; may be nil
	Detail   *Detail         // what is measured beyond the usual; nil: nothing
	// Glimpse is called a few times a second while a phase runs, with what gives the results so
	// far: those of the intervals that are over. It may be nil.
	Glimpse func(take func() (*report.Phase, error))
	// Starting is called with each phase's name before it begins, and its error is the phase's. It may be nil.
	Starting func(phase string) error
	// Finished is called with each phase's result. It may be nil.
	Finished func(*report.Phase)
	// Tap goes around the engine of each worker of a phase, outside of everything else: slots are as
	// in engine.Config, jobs the names that Job refers to. Nil: there is none.
	Tap func(e engine.Engine, slots int, jobs []string) (Tap, error)

	// State opens the file of that name for reading and writing in which what is known of a
	// verified file outlives the run; without create, one that is not there is ENOENT. Nil: nothing is kept.
	State func(name string, create bool) (fd int, err error)
	// Keep makes, or empties, a file for a block that mismatches. Nil: none is kept.
	Keep func(name string) (fd int, err error)

	phases uint64
	loans  uint64 // engines lent outside phases
	origin int64
	begun  bool
	ids    engine.FileIDs
	checks checks

	mu    sync.Mutex
	nodes map[string]*engine.Node
	users map[*engine.Node]int  // files that are open
	anew  map[*engine.Node]bool // were emptied when they were opened: of what earlier runs wrote, nothing is left
}

// Run plays a phase and reports it. A phase that failed or was interrupted is
// reported as far as it got, beside the error; what ctx says is in the report alone.
func (s *Session) Run(ctx context.Context, plan *Phase) (*report.Phase, error) {
	if err := plan.validate(); err != nil {
		return nil, fmt.Errorf("%w %q: %w", ErrPlan, plan.Name, err)
	}
	if s.Starting != nil {
		if err := s.Starting(plan.Name); err != nil {
			return nil, fmt.Errorf("phase %q: %w", plan.Name, err)
		}
	}
	p := &phase{plan: plan, s: s, seed: dist.Derive(s.Seed, s.phases)}
	s.phases++
	p.users = sync.OnceValue(plan.users)
	p.divide()
	p.col = newCollector(len(plan.Jobs), p.threads())
	p.gather()
	if err := errors.Join(p.compile(), p.equip()); err != nil {
		p.col.close()
		return nil, fmt.Errorf("%w %q: %w", ErrPlan, plan.Name, err)
	}
	p.stuck = newStuck(p.threads())
	p.settling = newSettling(plan.Steady, p.threads())
	if err := p.run(ctx, s.Abandon); err != nil {
		p.col.close()
		return nil, fmt.Errorf("phase %q: %w", plan.Name, err)
	}
	s.start(p.start)
	r, err := p.report()
	if err != nil {
		return nil, fmt.Errorf("phase %q: %w", plan.Name, err)
	}
	if s.Finished != nil {
		s.Finished(r)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return r, p.err
}

// start notes when the session's time began.
func (s *Session) start(at int64) {
	if !s.begun {
		s.begun, s.origin = true, at
	}
}

// now is the time as well as it is known outside the workers.
func (s *Session) now(p *phase, live *liveRow) int64 {
	if !s.Virtual {
		return engine.Monotonic()
	}
	if live == nil {
		return p.start
	}
	return p.from + (live.index+1)*int64(p.plan.Interval)
}

// Do performs one operation outside a phase and waits for it.
func (s *Session) Do(r Request) (int64, error) {
	if err := r.check(); err != nil {
		return 0, err
	}
	var res int64
	err := s.with(1, func(e engine.Engine, a *engine.Arena, stamp uint64) error {
		op := engine.Op{Code: r.Code, Flags: r.Flags, File: r.File, Off: r.Off, Len: r.Len, Meta: r.Meta}
		if r.Code == engine.Append {
			op.Off = r.File.Reserve(r.Len)
		}
		if r.Code.Transfers() {
			var err error
			if op.Buf, err = a.Get(int(r.Len)); err != nil {
				return err
			}
			stampBlocks(op.Buf, stamp)
		}
		var err error
		res, err = s.checked(e, op)
		return err
	})
	return res, err
}

// checked performs a single operation, on a file that may be verified.
func (s *Session) checked(e engine.Engine, op engine.Op) (int64, error) {
	c := checking{check: s.checkOf(op.File)}
	if c.check == nil {
		return one(e, op)
	}
	if err := c.begin(&op); err != nil {
		return 0, err
	}
	res, err := one(e, op)
	if err != nil {
		res = -1
	}
	var t verify.Tally
	if n := c.end(&op, res, &t); n > 0 {
		err = &verify.Failure{Mismatches: n, First: t.First[0]}
	}
	return res, err
}

// one performs a single operation.
func one(e engine.Engine, op engine.Op) (int64, error) {
	if err := e.Submit([]engine.Op{op}, []uint32{0}); err != nil {
		return 0, fmt.Errorf("submitting: %w", err)
	}
	out := make([]engine.Completion, 1)
	for {
		n, err := e.Wait(out, 1, engine.NoDeadline)
		if err != nil {
			return 0, fmt.Errorf("waiting for an operation: %w", err)
		}
		if n == 0 {
			continue
		}
		res := out[0].Res
		if res == 0 && op.Code == engine.Read {
			res = -int64(errEOF)
		}
		if res < 0 {
			return 0, &OpError{Op: opText(&op), Errno: syscall.Errno(-res), Off: op.Off, Size: fileSize(&op)}
		}
		if op.File != nil {
			updateNode(&op, res)
		}
		return res, nil
	}
}

// Now is the engines' clock.
func (s *Session) Now() (now int64, err error) {
	if !s.Virtual {
		return engine.Monotonic(), nil
	}
	err = s.with(1, func(e engine.Engine, _ *engine.Arena, _ uint64) error {
		now = e.Now()
		return nil
	})
	return now, err
}

// with lends an engine, buffers of random data and a number for stampBlocks to f, on a
// thread of their own.
func (s *Session) with(slots int, f func(engine.Engine, *engine.Arena, uint64) error) error {
	defer lockThread()()
	s.loans++
	rng := dist.NewRand(dist.Derive(s.Seed, s.loans, 0x1a7))
	a, err := engine.NewArena(0, func(b []byte) { fillRandom(b, rng) })
	if err != nil {
		return err
	}
	defer a.Close()
	e, err := s.Engine(engine.Config{Slots: slots, FS: s.FS, Arena: a, Plain: true})
	if err != nil {
		return err
	}
	s.start(e.Now())
	err = f(e, a, rng.Uint64())
	if cerr := e.Close(); err == nil && cerr != nil {
		err = fmt.Errorf("closing the engine: %w", cerr)
	}
	return err
}

// Sleep lets time pass between phases.
func (s *Session) Sleep(ctx context.Context, d time.Duration) error {
	return s.with(1, func(e engine.Engine, _ *engine.Arena, _ uint64) error {
		defer context.AfterFunc(ctx, e.Wake)()
		until := e.Now() + int64(d)
		for e.Now() < until && ctx.Err() == nil {
			if _, err := e.Wait(make([]engine.Completion, 1), 1, until); err != nil {
				return err
			}
		}
		return ctx.Err()
	})
}
