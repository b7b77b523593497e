package fault

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"moonio/engine"
)

// Deadlines and polls work while completions are held.
func TestWait(t *testing.T) {
	r := newRig(t, rules(t, "read:delay=10ms,nth=1", "read:delay=20ms,nth=2", "read:delay=30ms,nth=3"))
	f := r.file("f")
	if err := r.e.Submit(reads(4)(f), []uint32{0, 1, 2, 3}); err != nil {
		t.Fatal(err)
	}
	for i, c := range []struct {
		least    int
		deadline int64
		n        int
		now      int64
	}{
		{2, 5 * ms, 1, 5 * ms},
		{1, 5 * ms, 0, 5 * ms},
		{0, engine.NoDeadline, 0, 5*ms + 200},
		{1, engine.NoDeadline, 1, 10*ms + 100*us},
		{3, 25 * ms, 1, 25 * ms},
		{64, int64(time.Hour), 1, int64(time.Hour)}, // more than there are
	} {
		n, err := r.e.Wait(r.out[:], c.least, c.deadline)
		if n != c.n || err != nil || r.e.Now() != c.now {
			t.Errorf("wait %d: %d at %d, want %d at %d (%v)", i, n, r.e.Now(), c.n, c.now, err)
		}
	}
}

// Room for one completion at a time neither loses nor repeats any.
func TestLittleRoom(t *testing.T) {
	r := newRig(t, rules(t, "read:errno=EIO,every=2", "read:delay=1ms,every=3"))
	f := r.file("f")
	if err := r.e.Submit(reads(12)(f), []uint32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}); err != nil {
		t.Fatal(err)
	}
	seen := map[uint32]bool{}
	for len(seen) < 12 {
		n, err := r.e.Wait(r.out[:1], 1, engine.NoDeadline)
		if n != 1 || err != nil || seen[r.out[0].Slot] {
			t.Fatal(n, err, r.out[0], seen)
		}
		seen[r.out[0].Slot] = true
	}
}

// refusing is an engine that fails when it is given an fsync.
type refusing struct{ engine.Engine }

var errRefused = errors.New("not with this file")

func (e refusing) Submit(ops []engine.Op, slots []uint32) error {
	for _, s := range slots {
		if ops[s].Code == engine.Fsync {
			return errRefused
		}
	}
	return e.Engine.Submit(ops, slots)
}

// An engine that has failed can be closed, with the operation that it failed at first in its chain or second.
func TestRefused(t *testing.T) {
	for first := range 2 {
		r := newRig(t, nil)
		e := Wrap(refusing{r.e}, rules(t, "*:delay=1ms"), 1)
		ops := reads(3)(r.file("f"))
		ops[0].Flags, ops[1].Flags = engine.Link, engine.Link
		ops[first].Code = engine.Fsync
		err := e.Submit(ops, []uint32{0, 1, 2})
		if err == nil {
			_, err = e.Wait(r.out[:], 3, engine.NoDeadline)
		}
		if err != errRefused {
			t.Errorf("error %v", err)
		}
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestCancel(t *testing.T) {
	r := newRig(t, rules(t, "read:delay=1h", "fsync:errno=EIO,delay=1h"))
	f := r.file("f")
	ops := []engine.Op{
		op(f, engine.Read, 0, 512), // held when it is cancelled
		{Code: engine.Fsync, File: f},
		op(f, engine.Read, 0, 512),         // beneath
		linked(op(f, engine.Read, 0, 512)), // waited for
		op(f, engine.Write, 1<<30, 512),    // waiting
	}
	if err := r.e.Submit(ops, []uint32{0, 1, 3, 4}); err != nil {
		t.Fatal(err)
	}
	if n, err := r.e.Wait(r.out[:], 1, ms); n != 0 || err != nil {
		t.Fatal(n, err)
	}
	if err := r.e.Submit(ops, []uint32{2}); err != nil {
		t.Fatal(err)
	}
	for s := range uint32(5) {
		r.e.Cancel(s)
	}
	got := map[uint32]int64{}
	for len(got) < 5 {
		n, err := r.e.Wait(r.out[:], 1, 2*ms)
		if n == 0 || err != nil {
			t.Fatal(n, err, got)
		}
		for _, c := range r.out[:n] {
			got[c.Slot] = c.Res
		}
	}
	canceled := -int64(unix.ECANCELED)
	want := map[uint32]int64{0: 512, 1: -int64(unix.EIO), 2: canceled, 3: 512, 4: canceled}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("results %v, want %v", got, want)
	}
}

// Close does not wait for what is only held back, but performs what was submitted.
func TestClose(t *testing.T) {
	r := newRig(t, rules(t, "*:delay=1h"))
	f := r.file("f")
	if err := r.e.Submit([]engine.Op{linked(op(f, engine.Read, 0, 8)), op(f, engine.Append, 1<<30, 8), op(f, engine.Read, 0, 8)}, []uint32{0, 1, 2}); err != nil {
		t.Fatal(err)
	}
	if err := r.e.Close(); err != nil {
		t.Fatal(err)
	}
	if now := r.e.Now(); now > ms {
		t.Errorf("closing took %v", time.Duration(now))
	}
	if size, _ := r.fs.Size(f.FD); size != 1<<30+8 {
		t.Errorf("the file has %d bytes, want %d", size, 1<<30+8)
	}
}

// TestNothingIsLost plays a long seeded mixture of everything against rules that
// do everything, and checks that each submission completes once.
func TestNothingIsLost(t *testing.T) {
	texts := []string{
		"*:delay=300us,chance=0.1", "*:errno=EIO,chance=0.05", "*:short=100,chance=0.1",
		"write:stall=2ms,every=500", "*:stall=1ms,at=1ms,period=20ms", "read:errno=EAGAIN,every=7,delay=10us",
	}
	for mask := 1; mask < 1<<len(texts); mask += 5 {
		var chosen []string
		for i, s := range texts {
			if mask>>i&1 != 0 {
				chosen = append(chosen, s)
			}
		}
		play(t, newRig(t, rules(t, chosen...)), 5000, uint64(mask))
	}
}

func play(t *testing.T, r *rig, total int, seed uint64) {
	t.Helper()
	const depth = 64
	rng := rand.New(rand.NewPCG(seed, 1))
	f := r.file("f")
	ops := make([]engine.Op, depth)
	flying := make([]bool, depth)
	free := make([]uint32, depth)
	for i := range free {
		free[i] = uint32(i)
	}
	for submitted, done := 0, 0; done < total; {
		batch := free[:min(rng.IntN(len(free)+1), total-submitted)]
		for _, s := range batch {
			ops[s] = op(f, []engine.OpCode{engine.Read, engine.Write, engine.Fdatasync, engine.Nop}[rng.IntN(4)], rng.Int64N(1<<20), 512)
			if rng.IntN(4) == 0 {
				ops[s].Flags = engine.Link
			}
			flying[s] = true
		}
		if err := r.e.Submit(ops, batch); err != nil {
			t.Fatal(err)
		}
		submitted += len(batch)
		free = append([]uint32(nil), free[len(batch):]...)
		if s := uint32(rng.IntN(depth)); rng.IntN(10) == 0 && flying[s] {
			r.e.Cancel(s)
		}
		if rng.IntN(20) == 0 {
			r.e.Wake()
		}
		room := 1 + rng.IntN(depth)
		least := rng.IntN(3)
		deadline := r.e.Now() + rng.Int64N(ms)
		n, err := r.e.Wait(r.out[:room], least, deadline)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range r.out[:n] {
			if !flying[c.Slot] {
				t.Fatalf("slot %d completed and was not in flight", c.Slot)
			}
			flying[c.Slot] = false
			free = append(free, c.Slot)
			done++
		}
	}
	if n, err := r.e.Wait(r.out[:], 1, r.e.Now()+int64(time.Hour)); n != 0 || err != nil {
		t.Fatal(n, err)
	}
	if err := r.e.Close(); err != nil {
		t.Fatal(err)
	}
}
