package sim

import (
	"math/rand/v2"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"moonio/engine"
	"moonio/engine/memfs"
)

// newWorld is a world of the given configuration, and a file of 1 GiB in it.
func newWorld(tb testing.TB, config string) (*World, *engine.File) {
	tb.Helper()
	cfg, err := Parse(config)
	if err != nil {
		tb.Fatal(err)
	}
	fs := memfs.New()
	fd, err := fs.Open("f", unix.O_RDWR|unix.O_CREAT, 0o644)
	if err != nil {
		tb.Fatal(err)
	}
	if err := fs.Truncate(fd, 1<<30); err != nil {
		tb.Fatal(err)
	}
	return NewWorld(cfg, 1, fs), &engine.File{Node: &engine.Node{}, Name: "f", FD: fd}
}

func open(tb testing.TB, w *World, slots int) engine.Engine {
	tb.Helper()
	e, err := w.Open(engine.Config{Slots: slots})
	if err != nil {
		tb.Fatal(err)
	}
	return e
}

// loop keeps a number of operations in flight and adds up what comes back.
type loop struct {
	e     engine.Engine
	ops   []engine.Op
	out   []engine.Completion
	slots []uint32 // to be submitted
	began []int64  // by slot
	fill  func(*engine.Op)

	done    func(op *engine.Op, began, ended int64) // per completion; may be nil
	count   int64
	service int64 // sum, ns
}

func newLoop(e engine.Engine, depth int, fill func(*engine.Op)) *loop {
	l := &loop{e: e, fill: fill, ops: make([]engine.Op, depth), out: make([]engine.Completion, depth), began: make([]int64, depth)}
	for i := range l.ops {
		l.slots = append(l.slots, uint32(i))
	}
	return l
}

// turn submits what is free and waits for one completion at least.
func (l *loop) turn() int {
	now := l.e.Now()
	for _, s := range l.slots {
		l.fill(&l.ops[s])
		l.began[s] = now
	}
	_ = l.e.Submit(l.ops, l.slots)
	n, _ := l.e.Wait(l.out, 1, engine.NoDeadline)
	now = l.e.Now()
	l.slots = l.slots[:0]
	for _, c := range l.out[:n] {
		l.slots = append(l.slots, c.Slot)
		l.count++
		l.service += now - l.began[c.Slot]
		if l.done != nil {
			l.done(&l.ops[c.Slot], l.began[c.Slot], now)
		}
	}
	return n
}

// until runs up to a time.
func (l *loop) until(at time.Duration) {
	for l.e.Now() < int64(at) {
		l.turn()
	}
}

// The patterns, of one block size on one file.

func random(f *engine.File, code engine.OpCode, block int) func(*engine.Op) {
	rng := rand.New(rand.NewPCG(7, 7))
	buf := make([]byte, block)
	blocks := int64(1<<30) / int64(block)
	return func(op *engine.Op) {
		*op = engine.Op{Code: code, File: f, Buf: buf, Off: rng.Int64N(blocks) * int64(block)}
	}
}

func sequential(f *engine.File, code engine.OpCode, block int) func(*engine.Op) {
	buf := make([]byte, block)
	next := int64(0)
	return func(op *engine.Op) {
		*op = engine.Op{Code: code, File: f, Buf: buf, Off: next}
		next = (next + int64(block)) % (1 << 30)
	}
}

// iops is the rate at which a closed loop on a fresh device runs.
func iops(t *testing.T, config string, depth int, length time.Duration, pattern func(*engine.File, engine.OpCode, int) func(*engine.Op), code engine.OpCode, block int) float64 {
	t.Helper()
	w, f := newWorld(t, config)
	l := newLoop(open(t, w, depth), depth, pattern(f, code, block))
	l.until(length)
	return float64(l.count) / (time.Duration(w.Now()).Seconds())
}

// near checks a figure to within a share of what is expected.
func near(t *testing.T, what string, got, want, share float64) {
	t.Helper()
	if got < want*(1-share) || got > want*(1+share) {
		t.Errorf("%s: %.6g, want %.6g ± %g %%", what, got, want, share*100)
	}
}
