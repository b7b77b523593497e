package run

import (
	"runtime"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"moonio/engine"
)

// Where the device is slow, the first operations are handed over as they come.
func TestPiece(t *testing.T) {
	batch := []uint32{0, 1, 2, 3, 4, 5, 6, 7}
	const all = 8
	for _, c := range []struct {
		why    string
		gap    int64 // between completions
		call   int   // the most that the script wants in a call
		inline bool
		linked int // so many from the first are a chain
		want   []int
	}{
		{"nothing is known yet", 0, all, false, 0, []int{8}},
		{"a slow device", 60_000, all, false, 0, []int{1, 3, 4}},
		{"a disk at 100 k IOPS", 10_000, all, false, 0, []int{1, 3, 4}},
		{"half a million a second", 2000, all, false, 0, []int{3, 5}},
		{"faster than calls", 100, all, false, 0, []int{8}},
		{"a chain", 60_000, all, false, 3, []int{3, 5}},
		{"a chain of all", 60_000, 2, false, all, []int{8}},
		{"the script's own limit", 60_000, 2, false, 0, []int{1, 2, 2, 2, 1}},
		{"the script's own limit, and a fast device", 100, 3, false, 0, []int{3, 3, 2}},
		{"an engine that completes at once", 60_000, all, true, 0, []int{8}},
	} {
		w := &Worker{p: &phase{s: &Session{}}, ops: make([]engine.Op, all), gap: c.gap, call: c.call, inline: c.inline}
		for i := range max(0, c.linked-1) {
			w.ops[i].Flags = engine.Link
		}
		var got []int
		for given := 0; given < all; {
			got = append(got, w.piece(batch[given:], given))
			given += got[len(got)-1]
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %d at a time, want %d", c.why, got, c.want)
		}
	}
}

// The worker wakes before a deadline, looks again and again until then, and spends no more than a tenth of
// the time on it.
func TestApproach(t *testing.T) {
	const ms = 1_000_000
	w := &Worker{p: &phase{s: &Session{}}}
	check := func(now, deadline int64, wantLeast int, want int64) {
		t.Helper()
		w.now = now
		if least, until := w.approach(1, deadline); least != wantLeast || until != want {
			t.Errorf("at %d, %d is due: it waits for %d until %d, want %d until %d", now, deadline, least, until, wantLeast, want)
		}
	}
	check(0, 5*ms, 1, 5*ms-vigil)
	check(3*ms, 5*ms, 1, 5*ms-vigil) // something has completed meanwhile
	check(5*ms-vigil, 5*ms, 0, 5*ms-vigil)
	check(5*ms-1, 5*ms, 0, 5*ms-1)
	check(5*ms, 5*ms, 0, 5*ms)
	check(5*ms, 5*ms+50_000, 1, 5*ms+45_000)
	check(5*ms+45_001, 5*ms+50_000, 0, 5*ms+45_001)
	check(6*ms, engine.NoDeadline, 1, engine.NoDeadline)
	check(6*ms, 2*ms, 0, 6*ms) // it is late
	w.p.s.Virtual = true
	check(6*ms, 7*ms, 1, 7*ms)
}

// Turns in which the worker only looks at the clock are no work of its own: they would make the mean of those that
// are look short.
func TestLooksAreNoWork(t *testing.T) {
	w := &Worker{p: &phase{s: &Session{}}, eng: &ticking{}, watch: watch{measuring: true}}
	turn := func(queued int, want int64) {
		t.Helper()
		w.queue = make([]uint32, queued)
		if w.watch.leave(w); w.watch.loops != want {
			t.Errorf("%d turns of work, want %d", w.watch.loops, want)
		}
	}
	turn(0, 1)
	w.aim, w.early = 1000, 100
	w.now = 950
	w.approach(1, 1000)
	turn(0, 1)
	turn(1, 2)
	w.measureGap(1) // something completed meanwhile
	turn(0, 3)
}

// ticking is an engine on whose clock time passes whenever it is asked for anything.
type ticking struct {
	engine.Engine
	now   int64
	calls [][]uint32
}

func (e *ticking) Now() int64 { e.now++; return e.now }

func (e *ticking) Submit(_ []engine.Op, slots []uint32) error {
	e.calls = append(e.calls, slices.Clone(slots))
	e.now += 1000
	return nil
}

func (e *ticking) Wait([]engine.Completion, int, int64) (int, error) { e.now += 1000; return 0, nil }

// However many calls hand operations over, the service time of all begins with the first: their slots are in use
// from then on, so that depth times duration is what the operations take together.
func TestServiceBeginsWithHandingOver(t *testing.T) {
	const depth = 8
	e := &ticking{}
	w := &Worker{p: &phase{s: &Session{}}, eng: e, ops: make([]engine.Op, depth), slots: make([]slot, depth), gap: 60_000, call: depth}
	for i := range uint32(depth) {
		w.queue = append(w.queue, i)
	}
	if err := w.submit(); err != nil {
		t.Fatal(err)
	}
	if len(e.calls) != 3 || len(w.queue) != 0 || w.flying != depth {
		t.Errorf("handed over as %v; %d are left, %d in flight", e.calls, len(w.queue), w.flying)
	}
	for i := range w.slots {
		if w.slots[i].submitted != w.watch.left {
			t.Errorf("operation %d began at %d, the handing over at %d", i, w.slots[i].submitted, w.watch.left)
		}
	}
}

// What completes within a submission is timed there: it lies ready for nobody.
func TestNothingLiesReadyInline(t *testing.T) {
	s := nullSession(t)
	f := s.testFile(t, "f", 1<<20)
	r := play(t, s, (&Phase{Jobs: oneStream(stream4K(t, engine.Read, 4, f)), Ops: 10000}).defaults())
	if l := r.Load; l.BusyShare == 0 || l.ReapMeanNS != 0 || l.ReapMaxNS != 0 {
		t.Errorf("%+v", l)
	}
}

// Who waits, as for a processor of a busy machine, does not run away; who computes does.
func TestStalled(t *testing.T) {
	var v watch
	tid, left, back := make(chan int), make(chan bool), make(chan bool)
	go func() {
		runtime.LockOSThread()
		tid <- unix.Gettid()
		<-left
		for from := computed(int64(unix.Gettid())); computed(int64(unix.Gettid())) < from+20*time.Millisecond; {
		}
		back <- true
		<-left
	}()
	v.thread.Store(int64(<-tid))
	v.enter()
	v.stalled()
	for from := computed(0); computed(0) < from+20*time.Millisecond; { // another thread computes meanwhile
	}
	if d := v.stalled(); d > 10*time.Millisecond {
		t.Errorf("it has computed for %v, and did nothing", d)
	}
	left <- true
	<-back
	if d := v.stalled(); d < 20*time.Millisecond {
		t.Errorf("it has computed for %v, want 20ms", d)
	}
	v.step()
	if d := v.stalled(); d != 0 {
		t.Errorf("one that has just begun has computed for %v", d)
	}
	left <- true
}
