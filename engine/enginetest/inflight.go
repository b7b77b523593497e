package enginetest

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"moonio/engine"
)

// testManyInFlight keeps every slot in flight and checks that each submission
// completes exactly once, with its own result.
func testManyInFlight(t *testing.T, target Target) {
	const slots, total, block = 256, 4096, 512
	r := newRig(t, target, slots)
	f := r.sized("f", slots*block, 1)
	want := bytes.Clone(r.buf(slots*block, 1))
	rng := rand.New(rand.NewPCG(1, 2))
	flying := make([]bool, slots)
	ready := upTo(slots)
	for i := range r.ops {
		r.ops[i].Buf = r.buf(block, 0)
	}
	for submitted, done := 0, 0; done < total; {
		for _, s := range ready {
			// Lengths differ, so that a mixed-up completion shows.
			n := 1 + rng.IntN(block)
			r.ops[s] = engine.Op{Code: engine.Read, File: f, Buf: r.ops[s].Buf[:n], Off: int64(s) * block}
			flying[s] = true
		}
		submitted += len(ready)
		r.submit(r.ops, ready...)
		ready = ready[:0]
		for _, c := range r.wait(r.out, 1, engine.NoDeadline) {
			if int(c.Slot) >= slots || !flying[c.Slot] {
				t.Fatalf("slot %d completed and was not in flight", c.Slot)
			}
			flying[c.Slot] = false
			done++
			op := &r.ops[c.Slot]
			r.want("read", c.Res, int64(len(op.Buf)))
			if r.contents() && !bytes.Equal(op.Buf, want[op.Off:op.Off+int64(len(op.Buf))]) {
				t.Fatalf("slot %d has another's bytes", c.Slot)
			}
			if submitted+len(ready) < total {
				ready = append(ready, c.Slot)
			}
		}
	}
	if got := r.wait(r.out, 0, 0); len(got) != 0 {
		t.Errorf("%d completions too many", len(got))
	}
}

// Burst is for engines whose kernel hands a burst of completions out in parts: one wait must take all of it, since
// what is begun after a part makes two bursts of one.
func Burst(t *testing.T, target Target) {
	const burst = 100
	r := newRig(t, target, burst)
	var p [2]int
	r.must(unix.Pipe2(p[:], unix.O_CLOEXEC))
	t.Cleanup(func() {
		r.must(unix.Close(p[0]))
		r.must(unix.Close(p[1]))
	})
	for i := range r.ops {
		r.ops[i] = engine.Op{Code: engine.Read, File: r.file("pipe", p[0]), Buf: r.buf(1, 0)}
	}
	r.submit(r.ops, upTo(burst)...)
	if got := r.wait(r.out, 0, 0); len(got) > 0 {
		t.Fatalf("with nothing to read: %v", got)
	}
	if _, err := unix.Write(p[1], make([]byte, burst)); err != nil {
		t.Fatal(err)
	}
	if got := r.wait(r.out, 1, engine.NoDeadline); len(got) != burst {
		t.Errorf("%d completions, want all %d", len(got), burst)
	}
}

// testDepth opens FIFOs that nobody writes to. The opens that block can only
// end, in the reverse of their order, if all of them are under way at once.
func testDepth(t *testing.T, target Target) {
	const depth = 32
	r := newRig(t, target, slots)
	os, ok := r.fs.(interface{ Root() string })
	if !ok {
		t.Skip("needs files that block")
	}
	if n := r.e.Info().Depth; n > 0 && n < depth {
		t.Skipf("no more than %d operations are under way at once", n)
	}
	var names []string
	for i := range depth {
		name := filepath.Join(os.Root(), fmt.Sprint(i))
		if err := unix.Mkfifo(name, 0o600); err != nil {
			t.Skip(err)
		}
		names = append(names, name)
		r.ops[i] = engine.Op{Code: engine.Open, File: r.file(name, -1), Meta: &engine.Meta{Path: fmt.Sprint(i), Flags: unix.O_RDONLY}}
	}
	r.submit(r.ops, upTo(depth)...)
	early := append([]engine.Completion(nil), r.wait(r.out, 0, 0)...)
	for i := depth - 1; i >= 0; i-- {
		fd, err := openWriter(names[i])
		if err != nil {
			release(t, names)
			t.Fatalf("of %d opens that block, number %d is not under way: %v", depth, i, err)
		}
		defer unix.Close(fd)
	}
	for _, c := range append(early, r.collect(depth-len(early))...) {
		if c.Res < 0 {
			t.Errorf("open %d: %s", c.Slot, text(c.Res))
			continue
		}
		r.must(r.fs.Close(int(c.Res)))
	}
}

// openWriter waits until the FIFO has a reader. The limit is only reached
// by an engine that fails.
func openWriter(name string) (int, error) {
	for range 60_000 {
		fd, err := unix.Open(name, unix.O_WRONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
		if err != unix.ENXIO {
			return fd, err
		}
		time.Sleep(time.Millisecond)
	}
	return -1, unix.ENXIO
}

// release lets every open of the FIFOs return, until the test's end.
func release(t *testing.T, names []string) {
	for _, name := range names {
		if fd, err := unix.Open(name, unix.O_RDWR|unix.O_CLOEXEC, 0); err == nil {
			t.Cleanup(func() { unix.Close(fd) })
		}
	}
}

// testMoved moves the operations after every Submit, and spoils where they were.
func testMoved(t *testing.T, target Target) {
	r := newRig(t, target, slots)
	f := r.open("f", unix.O_RDWR|unix.O_CREAT)
	ops := make([]engine.Op, slots)
	for i := range slots {
		ops[i] = engine.Op{Code: engine.Write, File: f, Buf: r.buf(100, byte(i)), Off: int64(i) * 100}
		if i%2 == 0 && i+1 < slots {
			ops[i].Flags = engine.Link
			ops[i+1] = engine.Op{Code: engine.Fsync, File: f}
			continue
		}
		if i%2 == 1 {
			r.submit(ops, uint32(i-1), uint32(i))
			moved := make([]engine.Op, slots)
			copy(moved, ops)
			clear(ops)
			ops = moved
		}
	}
	for _, c := range r.collect(slots) {
		if c.Res < 0 {
			t.Errorf("slot %d: %s", c.Slot, text(c.Res))
		}
	}
}

func testLinks(t *testing.T, target Target) {
	r := newRig(t, target, slots)
	f := r.open("f", unix.O_RDWR|unix.O_CREAT)
	write := func(i int, flags engine.OpFlags) engine.Op {
		return engine.Op{Code: engine.Write, Flags: flags, File: f, Buf: r.buf(1000, byte(i)), Off: int64(i) * 1000}
	}
	r.submit(append(r.ops[:0], write(0, engine.Link), engine.Op{Code: engine.Fsync, File: f}), 0, 1)
	both := r.collect(2)
	if both[0] != (engine.Completion{Slot: 0, Res: 1000}) || both[1] != (engine.Completion{Slot: 1, Res: 0}) {
		t.Errorf("a write and its fsync: %v", both)
	}

	// In one call: chains whose reads see what was written just before, and operations on their own.
	var ops []engine.Op
	for i := range 16 {
		back := r.buf(1000, 0)
		ops = append(ops,
			write(1+i, engine.Link),
			engine.Op{Code: engine.Fdatasync, Flags: engine.Link, File: f},
			engine.Op{Code: engine.Read, File: f, Buf: back, Off: int64(1+i) * 1000},
			engine.Op{Code: engine.Nop})
	}
	copy(r.ops, ops)
	r.submit(r.ops, upTo(len(ops))...)
	at := make([]int, len(ops))
	for i, c := range r.collect(len(ops)) {
		at[c.Slot] = i
		r.want("linked "+ops[c.Slot].Code.String(), c.Res, int64(len(ops[c.Slot].Buf)))
	}
	for i := 0; i < len(ops); i += 4 {
		if at[i] > at[i+1] || at[i+1] > at[i+2] {
			t.Errorf("a chain's operations completed in places %v", at[i:i+3])
		}
		if r.contents() && !bytes.Equal(ops[i].Buf, ops[i+2].Buf) {
			t.Error("a linked read did not see the write before it")
		}
	}
	r.want("a link with nothing after it", r.together(write(0, engine.Link))[0], 1000)
	r.want("the next call", r.together(write(0, 0))[0], 1000)
}

func testFailedLinks(t *testing.T, target Target) {
	r := newRig(t, target, slots)
	f := r.sized("f", 1500, 1)
	reader := r.open("f", unix.O_RDONLY)
	read := func(off int64) engine.Op {
		return engine.Op{Code: engine.Read, Flags: engine.Link, File: f, Buf: r.buf(1000, 0), Off: off}
	}
	write := func(f *engine.File) engine.Op {
		return engine.Op{Code: engine.Write, Flags: engine.Link, File: f, Buf: r.buf(1000, 0), Off: 10_000}
	}
	sync := engine.Op{Code: engine.Fsync, File: f}
	canceled := errno(unix.ECANCELED)
	for _, c := range []struct {
		what string
		ops  []engine.Op
		want []int64
	}{
		{"nothing fails", []engine.Op{read(0), sync, sync}, []int64{1000, 0, 0}},
		{"a short read", []engine.Op{read(1000), write(f), sync, sync}, []int64{500, canceled, canceled, 0}},
		{"a read of nothing", []engine.Op{read(5000), sync}, []int64{0, canceled}},
		{"in the middle", []engine.Op{read(0), write(reader), sync}, []int64{1000, errno(unix.EBADF), canceled}},
		{"the first of two chains", []engine.Op{read(1500), sync, read(0), sync}, []int64{0, canceled, 1000, 0}},
	} {
		for i, res := range r.together(c.ops...) {
			r.want(fmt.Sprintf("%s, operation %d", c.what, i), res, c.want[i])
		}
	}
	size, err := r.fs.Size(f.FD)
	r.must(err)
	r.want("size, if no cancelled write was made", size, 1500)
}

// testCancel cancels operations in every state. Each completes once, as it
// would have, or with ECANCELED.
func testCancel(t *testing.T, target Target) {
	const block = 4096
	r := newRig(t, target, slots)
	f := r.sized("f", slots*block, 1)
	for round := range 50 {
		for i := range r.ops {
			r.ops[i] = engine.Op{Code: engine.Read, File: f, Buf: r.buf(block, 0), Off: int64(i) * block}
			if i%5 == 4 {
				r.ops[i] = engine.Op{Code: engine.Fdatasync, File: f}
			}
			if i%8 == 0 {
				r.ops[i].Flags = engine.Link
			}
		}
		r.submit(r.ops, upTo(slots)...)
		got := 0
		if round%2 == 0 {
			got = len(r.wait(r.out, 0, 0))
		}
		flying := make([]bool, slots)
		for i := range flying {
			flying[i] = true
		}
		for _, c := range r.out[:got] {
			flying[c.Slot] = false
		}
		for i := round % 3; i < slots; i += 3 {
			if flying[i] {
				r.e.Cancel(uint32(i))
			}
		}
		for _, c := range r.collect(slots - got) {
			if !flying[c.Slot] {
				t.Fatalf("slot %d completed twice", c.Slot)
			}
			op := &r.ops[c.Slot]
			if c.Res != errno(unix.ECANCELED) && c.Res != int64(len(op.Buf)) {
				t.Errorf("%v: %s, want %d or ECANCELED", op.Code, text(c.Res), len(op.Buf))
			}
		}
		for i := range r.ops {
			r.arena.Put(r.ops[i].Buf)
			r.ops[i].Buf = nil
		}
	}
	r.want("afterwards", r.do(engine.Op{Code: engine.Read, File: f, Buf: r.buf(block, 0)}), block)
}

// testCloseInFlight closes the engine under its operations. They are made all
// the same, and files stay open.
func testCloseInFlight(t *testing.T, target Target) {
	const block = 4096
	r := newRig(t, target, slots)
	f := r.open("f", unix.O_RDWR|unix.O_CREAT)
	var want []byte
	for i := range r.ops {
		b := r.buf(block, byte(i))
		r.ops[i] = engine.Op{Code: engine.Write, File: f, Buf: b, Off: int64(i) * block}
		want = append(want, b...)
	}
	r.submit(r.ops, upTo(slots)...)
	r.wait(r.out[:1], 0, 0)
	r.close()
	r.holds(f, want)
}

func testAllocations(t *testing.T, target Target) {
	const batch = 32
	r := newRig(t, target, slots)
	if target.Allocates {
		t.Skip("the target is excused")
	}
	f := r.sized("f", 1<<20, 1)
	for i := range batch {
		r.ops[i] = engine.Op{Code: engine.Read, File: f, Buf: r.buf(4096, 0), Off: int64(i) * 4096}
		if i%2 == 1 {
			r.ops[i].Code = engine.Write
		}
	}
	which := upTo(batch)
	turn := func() {
		if err := r.e.Submit(r.ops, which); err != nil {
			t.Fatal(err)
		}
		for got := 0; got < batch; {
			n, err := r.e.Wait(r.out, batch-got, engine.NoDeadline)
			if err != nil {
				t.Fatal(err)
			}
			got += n
		}
	}
	for range 20 {
		turn()
	}
	// The runtime's own allocations, such as for a thread that it starts, are
	// counted too, but not every time.
	var n float64
	for range 5 {
		if n = testing.AllocsPerRun(50, turn); n == 0 {
			return
		}
	}
	t.Errorf("%v allocations in %d operations", n, batch)
}
