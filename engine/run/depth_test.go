package run

import (
	"slices"
	"testing"

	"moonio/engine"
	"moonio/engine/report"
)

// shallow is an engine with a depth below its slots, which holds its user to that.
type shallow struct {
	engine.Engine
	t      testing.TB
	depth  int
	flying int
}

func (e *shallow) Info() engine.Info {
	info := e.Engine.Info()
	info.Depth = e.depth
	return info
}

func (e *shallow) Submit(ops []engine.Op, slots []uint32) error {
	e.flying += len(slots)
	chained := len(slots) > 0 && ops[slots[0]].Flags&engine.Link != 0
	if e.flying > e.depth && !chained {
		e.t.Errorf("%d in flight on an engine of depth %d", e.flying, e.depth)
	}
	if chained && (len(slots) != 2 || ops[slots[1]].Flags&engine.Link != 0) {
		e.t.Errorf("a chain of 2 came as %d operations", len(slots))
	}
	return e.Engine.Submit(ops, slots)
}

func (e *shallow) Wait(out []engine.Completion, least int, deadline int64) (int, error) {
	n, err := e.Engine.Wait(out, least, deadline)
	e.flying -= n
	return n, err
}

func shallowSession(t testing.TB, depth int) *Session {
	s := nullSession(t)
	open := s.Engine
	s.Engine = func(c engine.Config) (engine.Engine, error) {
		e, err := open(c)
		return &shallow{Engine: e, t: t, depth: depth}, err
	}
	return s
}

// The worker keeps to what the engine does at once, and the result says so.
func TestEngineDepth(t *testing.T) {
	for _, c := range []struct {
		depth, asked, threads, want int
		warning                     string
	}{
		{1, 32, 1, 1, "s: depth = 32 was asked for, but engine null does 1 at a time on each thread: these are the figures of depth 1. Choose io_uring, libaio or pool for more, or ask for depth = 1."},
		{2, 32, 2, 4, "s: depth = 32 was asked for, but engine null does 2 at a time on each thread: these are the figures of depth 4. Choose io_uring, libaio or pool for more, or ask for depth = 4."},
		{1, 1, 1, 1, ""},
		{8, 3, 1, 3, ""},
	} {
		s := shallowSession(t, c.depth)
		f := s.testFile(t, "f", 1<<20)
		r := play(t, s, &Phase{Ops: 1000, Threads: c.threads, Jobs: oneStream(stream4K(t, engine.Read, c.asked, f))})
		if j := r.Jobs[0]; j.Depth != c.want || count(t, r, "s", "read") != 1000 {
			t.Errorf("depth %d, %d reads; want depth %d", j.Depth, count(t, r, "s", "read"), c.want)
		}
		i := slices.IndexFunc(r.Warnings, func(w report.Warning) bool { return w.Code == "depth" })
		switch {
		case c.warning == "" && i >= 0:
			t.Errorf("warning %q", r.Warnings[i].Text)
		case c.warning != "" && (i < 0 || r.Warnings[i].Text != c.warning):
			t.Errorf("warnings %q, want %q", r.Warnings, c.warning)
		}
	}
}

// Two streams share an engine of depth 1 and both get on.
func TestStreamsShareDepth(t *testing.T) {
	s := shallowSession(t, 1)
	f := s.testFile(t, "f", 1<<20)
	r := play(t, s, &Phase{Ops: 1000, Jobs: []Job{
		{Name: "a", Stream: stream4K(t, engine.Read, 4, f)},
		{Name: "b", Stream: stream4K(t, engine.Write, 4, f)},
	}})
	a, b := count(t, r, "a", "read"), count(t, r, "b", "write")
	if a+b != 1000 || a < 400 || b < 400 {
		t.Errorf("%d and %d operations", a, b)
	}
}

// Linked operations of clients stay together on an engine of depth 1, and all are made.
func TestChainsShareDepth(t *testing.T) {
	s := shallowSession(t, 1)
	f := s.testFile(t, "f", 1<<20)
	const turns = 100
	r := play(t, s, &Phase{Iterations: turns, Jobs: oneCrew(8, func(c *cli) {
		q, err := c.NewQueue(4)
		c.must(err)
		c.must(q.Submit(Request{Code: engine.Write, Flags: engine.Link, File: f, Len: 4096}))
		c.must(q.Submit(Request{Code: engine.Fdatasync, File: f}))
		c.must(q.Wait(-1))
		c.settle()
	})})
	for _, op := range []string{"write", "fdatasync"} {
		if n := r.Jobs[0].Ops[op].Count; n != turns {
			t.Errorf("%d of %s, want %d", n, op, turns)
		}
	}
}
