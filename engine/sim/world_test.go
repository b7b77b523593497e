package sim

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"moonio/engine"
	"moonio/engine/memfs"
)

// appender is a worker that reads at random and appends to a file that it
// shares with the others, and notes everything that it sees.
func appender(e engine.Engine, shared *engine.File, seed uint64, length time.Duration) []string {
	_, _ = e.Wait(nil, 0, 0)
	rng := rand.New(rand.NewPCG(seed, 0))
	var log []string
	l := newLoop(e, 8, func(op *engine.Op) {
		*op = engine.Op{Code: engine.Read, File: shared, Buf: make([]byte, 512), Off: rng.Int64N(1<<20) * 512}
		if rng.IntN(3) == 0 {
			op.Code, op.Off = engine.Append, shared.Reserve(512)
		}
		if rng.IntN(10) == 0 {
			*op = engine.Op{Code: engine.Fdatasync, File: shared}
		}
	})
	l.done = func(op *engine.Op, began, ended int64) {
		log = append(log, fmt.Sprint(op.Code, op.Off, began, ended))
	}
	l.until(time.Duration(e.Now()) + length)
	return log
}

// fingerprint runs workers in two phases on one world and sums up what they saw.
func fingerprint(t *testing.T, config string, workers int) uint64 {
	w, f := newWorld(t, config)
	h := fnv.New64a()
	for phase := range 2 {
		engines := make([]engine.Engine, workers)
		for i := range engines {
			engines[i] = open(t, w, 8)
		}
		logs := make([][]string, workers)
		var wg sync.WaitGroup
		for _, i := range rand.Perm(workers) {
			wg.Go(func() {
				runtime.LockOSThread()
				time.Sleep(time.Duration(rand.IntN(200)) * time.Microsecond)
				// Each ends at another time, with operations in flight.
				logs[i] = appender(engines[i], f, uint64(i), 10*time.Millisecond+time.Duration(phase+i)*time.Millisecond)
				if err := engines[i].Close(); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		fmt.Fprint(h, w.Now(), logs)
		for _, l := range logs {
			if len(l) == 0 {
				t.Fatal("a worker saw nothing")
			}
		}
	}
	return h.Sum64()
}

func TestSameSeedSameRun(t *testing.T) {
	for _, config := range []string{"nvme", "hdd", "sata-ssd,gc-period=7ms,gc-length=1ms", "cloud-volume,iops=5k/s,burst-iops=10k/s,credits=100"} {
		for _, workers := range []int{1, 4} {
			first := fingerprint(t, config, workers)
			for range 2 {
				if again := fingerprint(t, config, workers); again != first {
					t.Errorf("%s with %d workers went another way", config, workers)
				}
			}
		}
	}
}

func TestSeedsDiffer(t *testing.T) {
	run := func(seed uint64) int64 {
		_, f := newWorld(t, "nvme")
		cfg, err := Parse("nvme")
		if err != nil {
			t.Fatal(err)
		}
		w := NewWorld(cfg, seed, memfs.New())
		l := newLoop(open(t, w, 1), 1, random(f, engine.Read, 4096))
		l.turn()
		return l.service
	}
	if run(1) == run(2) {
		t.Error("two seeds draw the same service time")
	}
}

// Of workers that could all go on, the one opened first does.
func TestTurns(t *testing.T) {
	w, _ := newWorld(t, "nvme")
	engines := make([]engine.Engine, 4)
	for i := range engines {
		engines[i] = open(t, w, 1)
	}
	var order []int
	var wg sync.WaitGroup
	for _, i := range rand.Perm(len(engines)) {
		e := engines[i]
		wg.Go(func() {
			for range 3 {
				_, _ = e.Wait(make([]engine.Completion, 1), 1, 1000)
				order = append(order, i) // only one worker runs at a time
			}
			_ = e.Close()
		})
	}
	wg.Wait()
	want := []int{0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3}
	if !slices.Equal(order, want) {
		t.Errorf("turns went %v, want %v", order, want)
	}
}

func TestClock(t *testing.T) {
	w, _ := newWorld(t, "nvme")
	e := open(t, w, 1)
	out := make([]engine.Completion, 1)
	for _, c := range []struct {
		least    int
		deadline int64
		want     int64
	}{
		{1, 1000, 1000},
		{1, 10, 1000}, // has passed
		{0, engine.NoDeadline, 1200},
		{0, 0, 1400},
		{1, int64(time.Hour), int64(time.Hour)},
	} {
		if n, err := e.Wait(out, c.least, c.deadline); n != 0 || err != nil {
			t.Fatal(n, err)
		}
		if e.Now() != c.want || w.Now() != c.want {
			t.Errorf("after Wait for %d until %d it is %d, want %d", c.least, c.deadline, e.Now(), c.want)
		}
	}
}

// A loop that polls sees its operation complete.
func TestPolling(t *testing.T) {
	w, f := newWorld(t, "hdd")
	l := newLoop(open(t, w, 1), 1, random(f, engine.Read, 4096))
	l.fill(&l.ops[0])
	if err := l.e.Submit(l.ops, l.slots); err != nil {
		t.Fatal(err)
	}
	for range 1_000_000 {
		if n, _ := l.e.Wait(l.out, 0, 0); n == 1 {
			return
		}
	}
	t.Error("a million polls saw nothing complete")
}

func TestWakeByAnotherWorker(t *testing.T) {
	w, _ := newWorld(t, "nvme")
	a, b := open(t, w, 1), open(t, w, 1)
	var woken int64
	var wg sync.WaitGroup
	wg.Go(func() {
		_, _ = a.Wait(make([]engine.Completion, 1), 1, engine.NoDeadline)
		woken = a.Now()
		_ = a.Close()
	})
	wg.Go(func() {
		_, _ = b.Wait(make([]engine.Completion, 1), 1, int64(time.Second))
		a.Wake()
		_, _ = b.Wait(make([]engine.Completion, 1), 1, int64(2*time.Second))
		_ = b.Close()
	})
	wg.Wait()
	if woken != int64(time.Second) {
		t.Errorf("woken at %v, want 1s", time.Duration(woken))
	}
	if w.Now() != int64(2*time.Second) {
		t.Errorf("the clock ends at %v, want 2s", time.Duration(w.Now()))
	}
}

// A Wake from outside ends a Wait that nothing else would.
func TestWakeFromOutside(t *testing.T) {
	for _, workers := range []int{1, 3} {
		w, _ := newWorld(t, "nvme")
		engines := make([]engine.Engine, workers)
		for i := range engines {
			engines[i] = open(t, w, 1)
		}
		var wg sync.WaitGroup
		for _, e := range engines {
			wg.Go(func() {
				_, _ = e.Wait(make([]engine.Completion, 1), 1, engine.NoDeadline)
				_ = e.Close()
			})
		}
		for _, e := range engines {
			time.Sleep(time.Millisecond) // so that it is mostly asleep by then; it counts before, too
			e.Wake()
		}
		wg.Wait()
	}
}

// A worker that never waits, and one that goes early, hold nobody up.
func TestCloseHandsOver(t *testing.T) {
	w, f := newWorld(t, "nvme")
	a, b, c := open(t, w, 4), open(t, w, 4), open(t, w, 4)
	var wg sync.WaitGroup
	wg.Go(func() { _ = a.Close() })
	wg.Go(func() {
		l := newLoop(b, 4, random(f, engine.Read, 4096))
		l.turn()
		_ = b.Close()
	})
	l := newLoop(c, 4, random(f, engine.Write, 4096))
	l.until(time.Millisecond)
	wg.Wait()
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	if w.attached.Load() != 0 {
		t.Errorf("%d workers are left", w.attached.Load())
	}
}

// What waits for a server can be withdrawn, and is not performed; what is being
// served can't. What was linked to it goes too.
func TestCancelInTheQueue(t *testing.T) {
	w, f := newWorld(t, "hdd")
	e := open(t, w, 4)
	buf := make([]byte, 4096)
	ops := []engine.Op{
		{Code: engine.Read, File: f, Buf: buf},
		{Code: engine.Write, Flags: engine.Link, File: f, Buf: buf, Off: 1 << 30},
		{Code: engine.Fsync, File: f},
		{Code: engine.Read, File: f, Buf: buf},
	}
	if err := e.Submit(ops, []uint32{0, 1, 2, 3}); err != nil {
		t.Fatal(err)
	}
	e.Cancel(3) // not yet started
	out := make([]engine.Completion, 4)
	var got []engine.Completion
	n, _ := e.Wait(out, 1, 0)
	got = append(got, out[:n]...)
	e.Cancel(0)
	e.Cancel(1)
	n, _ = e.Wait(out, 3, engine.NoDeadline)
	got = append(got, out[:n]...)
	canceled := -int64(unix.ECANCELED)
	want := []engine.Completion{{Slot: 3, Res: canceled}, {Slot: 1, Res: canceled}, {Slot: 2, Res: canceled}, {Slot: 0, Res: 4096}}
	if !slices.Equal(got, want) {
		t.Errorf("completions %v, want %v", got, want)
	}
	if size, _ := w.fs.Size(f.FD); size != 1<<30 {
		t.Errorf("size %d: the cancelled write was made", size)
	}
}

func TestCapacity(t *testing.T) {
	w, f := newWorld(t, "nvme,capacity=1025MiB") // the file has 1 GiB
	e := open(t, w, 1)
	buf := make([]byte, 512<<10)
	do := func(op engine.Op) int64 {
		t.Helper()
		out := make([]engine.Completion, 1)
		if err := e.Submit([]engine.Op{op}, []uint32{0}); err != nil {
			t.Fatal(err)
		}
		if n, err := e.Wait(out, 1, engine.NoDeadline); n != 1 || err != nil {
			t.Fatal(n, err)
		}
		return out[0].Res
	}
	write := func(off int64) int64 { return do(engine.Op{Code: engine.Append, File: f, Buf: buf, Off: off}) }
	full := -int64(unix.ENOSPC)
	for i, c := range []struct {
		what string
		got  func() int64
		want int64
	}{
		{"overwriting", func() int64 { return write(0) }, 512 << 10},
		{"the first half", func() int64 { return write(1 << 30) }, 512 << 10},
		{"too much at once", func() int64 { return do(engine.Op{Code: engine.Allocate, File: f, Off: 1 << 30, Len: 2 << 20}) }, full},
		{"the second half", func() int64 { return write(1<<30 + 512<<10) }, 512 << 10},
		{"one too many", func() int64 { return write(1<<30 + 1024<<10) }, full},
		{"shrinking", func() int64 { return do(engine.Op{Code: engine.Truncate, File: f, Len: 1 << 29}) }, 0},
		{"growing", func() int64 { return do(engine.Op{Code: engine.Allocate, File: f, Off: 0, Len: 1 << 30}) }, 0},
		{"renaming", func() int64 { return do(engine.Op{Code: engine.Rename, Meta: &engine.Meta{Path: "f", Path2: "g"}}) }, 0},
		{"a directory", func() int64 { return do(engine.Op{Code: engine.Mkdir, Meta: &engine.Meta{Path: "d"}}) }, 0},
		{"moving into it", func() int64 { return do(engine.Op{Code: engine.Rename, Meta: &engine.Meta{Path: "g", Path2: "d/g"}}) }, 0},
		{"truncating beyond", func() int64 { return do(engine.Op{Code: engine.Truncate, File: f, Len: 1 << 31}) }, full},
		{"up to the end", func() int64 { return do(engine.Op{Code: engine.Truncate, File: f, Len: 1025 << 20}) }, 0},
		{"removing", func() int64 { return do(engine.Op{Code: engine.Unlink, Meta: &engine.Meta{Path: "d/g"}}) }, 0},
		{"growing again", func() int64 { return do(engine.Op{Code: engine.Truncate, File: f, Len: 2050 << 20}) }, 0},
	} {
		if got := c.got(); got != c.want {
			t.Errorf("step %d, %s: %d, want %d", i, c.what, got, c.want)
		}
	}
}

func TestOpenRefuses(t *testing.T) {
	w, _ := newWorld(t, "nvme")
	for want, cfg := range map[string]engine.Config{
		`sim takes no option "fsync" here: write it behind the profile, as in sim:nvme,fsync=…`: {Options: map[string]string{"fsync": "1ms"}},
		`sim works on its own files in memory, not on *memfs.FS`:                                {FS: memfs.New()},
	} {
		if _, err := w.Open(cfg); err == nil || err.Error() != want {
			t.Errorf("error %v\nwant  %s", err, want)
		}
	}
	if _, err := NewWorld(Config{}, 1, memfs.New()).Open(engine.Config{}); err == nil {
		t.Error("a device without parallelism was opened")
	}
}
