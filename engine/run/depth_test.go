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
	if e.flying > e.depth {
		e.t.Errorf("%d in flight on an engine of depth %d", e.flying, e.depth)
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
