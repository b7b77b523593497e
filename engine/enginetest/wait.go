package enginetest

import (
	"sync"
	"testing"
	"time"

	"moonio/engine"
)

// reads fills n slots with reads of f and submits them.
func (r *rig) reads(f *engine.File, n int) {
	r.t.Helper()
	for i := range n {
		r.ops[i] = engine.Op{Code: engine.Read, File: f, Buf: r.buf(512, 0), Off: int64(i) * 512}
	}
	r.submit(r.ops, upTo(n)...)
}

func testWait(t *testing.T, target Target) {
	r := newRig(t, target, slots)
	f := r.sized("f", slots*512, 1)

	r.reads(f, 10)
	if got := r.wait(r.out, 10, engine.NoDeadline); len(got) != 10 {
		t.Errorf("all of 10 asked for: %d", len(got))
	}

	// No more than out has room for; the rest stays.
	r.reads(f, 10)
	for _, want := range []int{4, 4, 2} {
		if got := r.wait(r.out[:4], min(want, 4), engine.NoDeadline); len(got) != want {
			t.Errorf("with room for 4: %d, want %d", len(got), want)
		}
	}
	r.reads(f, 10)
	if got := r.wait(r.out[:4], 10, engine.NoDeadline); len(got) != 4 {
		t.Errorf("with room for 4 and 10 asked for: %d", len(got))
	}
	r.collect(6)

	// At least min, and what is left can be had later.
	r.reads(f, 10)
	got := len(r.wait(r.out, 3, engine.NoDeadline))
	if got < 3 {
		t.Errorf("at least 3 asked for: %d", got)
	}
	r.collect(10 - got)

	// Nothing asked for.
	if got := r.wait(r.out, 0, engine.NoDeadline); len(got) != 0 {
		t.Errorf("with nothing in flight: %d", len(got))
	}
	r.reads(f, 10)
	got = len(r.wait(r.out, 0, engine.NoDeadline))
	r.collect(10 - got)
	if err := r.e.Submit(r.ops, nil); err != nil {
		t.Error("submitting nothing: ", err)
	}
}

func testDeadline(t *testing.T, target Target) {
	r := newRig(t, target, slots)
	f := r.sized("f", slots*512, 1)
	const ms = int64(time.Millisecond)

	deadline := r.e.Now() + 2*ms
	if got := r.wait(r.out, 1, deadline); len(got) != 0 {
		t.Errorf("with nothing in flight: %d", len(got))
	}
	if now := r.e.Now(); now < deadline {
		t.Errorf("back %d ns before the deadline", deadline-now)
	}

	// More asked for than is in flight: everything there is, at the deadline.
	r.reads(f, 3)
	deadline = r.e.Now() + 2*ms
	got := r.wait(r.out, 5, deadline)
	if now := r.e.Now(); now < deadline {
		t.Errorf("back %d ns before the deadline with %d of 5", deadline-now, len(got))
	}
	r.collect(3 - len(got))

	// A deadline that has passed collects what there is and does not wait.
	if got := r.wait(r.out, 1, r.e.Now()); len(got) != 0 {
		t.Errorf("with nothing in flight: %d", len(got))
	}
	if got := r.wait(r.out, 1, 0); len(got) != 0 {
		t.Errorf("with nothing in flight: %d", len(got))
	}
	r.reads(f, 3)
	got = r.wait(r.out, 3, 0)
	r.collect(3 - len(got))

	// One that is far off is not waited for.
	r.reads(f, 3)
	deadline = r.e.Now() + 3_600_000*ms
	if got := r.wait(r.out, 3, deadline); len(got) != 3 {
		t.Errorf("before a far deadline: %d of 3", len(got))
	}
	if now := r.e.Now(); now >= deadline {
		t.Errorf("the deadline was waited for with everything done")
	}
}

func testWake(t *testing.T, target Target) {
	r := newRig(t, target, slots)
	f := r.sized("f", slots*512, 1)

	// Before Wait. It counts once, however often it is called.
	r.e.Wake()
	r.e.Wake()
	if got := r.wait(r.out, 1, engine.NoDeadline); len(got) != 0 {
		t.Errorf("woken with nothing in flight: %d", len(got))
	}
	deadline := r.e.Now() + int64(time.Millisecond)
	r.wait(r.out, 1, deadline)
	if now := r.e.Now(); now < deadline {
		t.Errorf("woken a second time, %d ns before the deadline", deadline-now)
	}

	// During Wait.
	for range 5 {
		go func() {
			time.Sleep(time.Millisecond)
			r.e.Wake()
		}()
		if got := r.wait(r.out, 1, engine.NoDeadline); len(got) != 0 {
			t.Errorf("woken with nothing in flight: %d", len(got))
		}
	}

	// With operations in flight, and more asked for than there are.
	r.reads(f, 3)
	r.e.Wake()
	got := len(r.wait(r.out, 5, engine.NoDeadline))
	r.collect(3 - got)
}

// testWakeUnderLoad wakes all the time, from two goroutines, while operations come and go.
func testWakeUnderLoad(t *testing.T, target Target) {
	r := newRig(t, target, slots)
	f := r.sized("f", slots*512, 1)
	stop := make(chan struct{})
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					r.e.Wake()
					time.Sleep(20 * time.Microsecond)
				}
			}
		})
	}
	defer wg.Wait()
	defer close(stop)
	for range 200 {
		r.reads(f, 16)
		for _, c := range r.collect(16) {
			r.want("read", c.Res, 512)
		}
		for i := range 16 {
			r.arena.Put(r.ops[i].Buf)
		}
	}
}
