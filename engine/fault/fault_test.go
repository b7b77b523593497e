package fault

import (
	"fmt"
	"math"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"moonio/engine"
	"moonio/engine/memfs"
	"moonio/engine/sim"
)

// Every operation takes 100 µs on this device, a flush 1 ms, and metadata 10 µs.
const device = "nvme,distribution=constant,read=100us,write=100us,read-bandwidth=0,write-bandwidth=0,cache=0,drain=0,fsync=1ms,meta=10us"

const (
	us = int64(time.Microsecond)
	ms = int64(time.Millisecond)
)

func rules(tb testing.TB, texts ...string) []*Rule {
	tb.Helper()
	var list []*Rule
	for _, s := range texts {
		r, err := Parse(s)
		if err != nil {
			tb.Fatal(err)
		}
		list = append(list, r)
	}
	return list
}

func world(tb testing.TB, config string) *sim.World {
	tb.Helper()
	cfg, err := sim.Parse(config)
	if err != nil {
		tb.Fatal(err)
	}
	return sim.NewWorld(cfg, 1, memfs.New())
}

// rig is a wrapped engine on a simulated device, with files of 1 GiB.
type rig struct {
	tb  testing.TB
	fs  *memfs.FS
	e   engine.Engine
	out [64]engine.Completion
	ids engine.FileIDs
}

func newRig(tb testing.TB, rs []*Rule) *rig {
	tb.Helper()
	cfg, err := sim.Parse(device)
	if err != nil {
		tb.Fatal(err)
	}
	r := &rig{tb: tb, fs: memfs.New()}
	e, err := sim.NewWorld(cfg, 1, r.fs).Open(engine.Config{Slots: 64})
	if err != nil {
		tb.Fatal(err)
	}
	r.e = Wrap(e, rs, 1)
	return r
}

func (r *rig) file(name string) *engine.File {
	r.tb.Helper()
	fd, err := r.fs.Open(name, unix.O_RDWR|unix.O_CREAT, 0o644)
	if err != nil {
		r.tb.Fatal(err)
	}
	if err := r.fs.Truncate(fd, 1<<30); err != nil {
		r.tb.Fatal(err)
	}
	return &engine.File{Node: &engine.Node{}, Name: name, FD: fd, ID: r.ids.Take()}
}

// run submits all operations at once and writes down what comes back when:
// "slot=result@µs".
func (r *rig) run(ops ...engine.Op) string {
	r.tb.Helper()
	start := r.e.Now()
	slots := make([]uint32, len(ops))
	for i := range slots {
		slots[i] = uint32(i)
	}
	if err := r.e.Submit(ops, slots); err != nil {
		r.tb.Fatal(err)
	}
	var b strings.Builder
	for got := 0; got < len(ops); {
		n, err := r.e.Wait(r.out[:], 1, engine.NoDeadline)
		if err != nil {
			r.tb.Fatal(err)
		}
		for _, c := range r.out[:n] {
			res := fmt.Sprint(c.Res)
			if c.Res < 0 {
				res = unix.ErrnoName(unix.Errno(-c.Res))
			}
			fmt.Fprintf(&b, "%d=%s@%d ", c.Slot, res, (r.e.Now()-start)/us)
		}
		got += n
	}
	return strings.TrimSpace(b.String())
}

func op(f *engine.File, code engine.OpCode, off int64, n int) engine.Op {
	return engine.Op{Code: code, File: f, Off: off, Buf: make([]byte, n)}
}

func linked(op engine.Op) engine.Op {
	op.Flags |= engine.Link
	return op
}

func TestEffects(t *testing.T) {
	for _, c := range []struct {
		rules string // separated by blanks
		ops   func(f *engine.File) []engine.Op
		want  string
	}{
		{"read:errno=EIO,nth=2", reads(3), "1=EIO@0 0=512@100 2=512@100"},
		{"read:errno=EIO,nth=2,delay=50us", reads(3), "1=EIO@50 0=512@100 2=512@100"},
		{"read:delay=30us,nth=1", reads(3), "1=512@100 2=512@100 0=512@130"},
		{"read:short=100,nth=3", reads(3), "0=512@100 1=512@100 2=100@100"},
		{"read:short=512", reads(2), "0=512@100 1=512@100"},
		{"read:stall=1ms,nth=2", reads(3), "0=512@1000 1=512@1000 2=512@1000"},
		{"*:stall=1ms,at=50us", reads(2), "0=512@1050 1=512@1050"},
		{"*:stall=1ms,at=150us", reads(2), "0=512@100 1=512@100"},
		{"*:stall=30us,at=0,period=40us", reads(1), "0=512@110"},
		{"write:stall=1ms,at=0", reads(2), "0=512@100 1=512@100"},
		// Rules that apply together.
		{"read:delay=10us read:delay=20us,nth=2", reads(2), "0=512@110 1=512@130"},
		{"read:errno=EIO,nth=1 read:errno=ENOSPC,nth=1 read:delay=1us,nth=1", reads(2), "0=EIO@1 1=512@100"},
		{"read:short=100 read:short=50", reads(1), "0=50@100"},
		{"read:stall=1ms,nth=1 read:delay=950us", reads(1), "0=512@1050"},
		// A stall holds what else would have come.
		{"read:stall=1ms,nth=1 read:errno=EIO,nth=2", reads(2), "1=EIO@1000 0=512@1000"},
	} {
		r := newRig(t, rules(t, strings.Fields(c.rules)...))
		if got := r.run(c.ops(r.file("f"))...); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.rules, got, c.want)
		}
	}
}

func reads(n int) func(*engine.File) []engine.Op {
	return func(f *engine.File) []engine.Op {
		var ops []engine.Op
		for i := range n {
			ops = append(ops, op(f, engine.Read, int64(i)*512, 512))
		}
		return ops
	}
}

func TestLinks(t *testing.T) {
	chain := func(f *engine.File) []engine.Op {
		return []engine.Op{
			linked(op(f, engine.Write, 0, 512)),
			linked(engine.Op{Code: engine.Fdatasync, File: f}),
			op(f, engine.Read, 0, 512),
			op(f, engine.Read, 512, 512), // on its own
		}
	}
	for rule, want := range map[string]string{
		"nop:errno=EIO":            "0=512@100 3=512@100 1=0@1100 2=512@1200",
		"write:delay=50us":         "3=512@100 0=512@150 1=0@1150 2=512@1250",
		"write:errno=EIO":          "0=EIO@0 1=ECANCELED@0 2=ECANCELED@0 3=512@100",
		"write:errno=EIO,delay=1s": "3=512@100 0=EIO@1000000 1=ECANCELED@1000000 2=ECANCELED@1000000",
		"write:short=100":          "3=512@100 0=100@100 1=ECANCELED@100 2=ECANCELED@100",
		"fdatasync:errno=EIO":      "3=512@100 0=512@100 1=EIO@100 2=ECANCELED@100",
		"fdatasync:delay=1ms":      "3=512@100 0=512@100 1=0@2100 2=512@2200",
		"read:errno=EIO,nth=2":     "0=512@100 3=512@100 1=0@1100 2=EIO@1100", // the chain's read starts last
	} {
		r := newRig(t, rules(t, rule))
		if got := r.run(chain(r.file("f"))...); got != want {
			t.Errorf("%s:\n got %s\nwant %s", rule, got, want)
		}
	}
}

func TestSelection(t *testing.T) {
	for rule, want := range map[string]string{
		"read:errno=EIO,nth=3":               "3",
		"read:errno=EIO,every=3":             "3 6 9 12",
		"read:errno=EIO,after=10":            "11 12",
		"read:errno=EIO,after=2,every=5":     "7 12",
		"read:errno=EIO,after=2,nth=5":       "7",
		"read:errno=EIO,times=2":             "1 2",
		"read:errno=EIO,every=2,times=3":     "2 4 6",
		"*:errno=EIO,chance=1":               "1 2 3 4 5 6 7 8 9 10 11 12",
		"read:errno=EIO,file=f":              "1 2 3 4 5 6 7 8 9 10 11 12",
		"read:errno=EIO,file=[a-e]":          "",
		"read:errno=EIO,file=g":              "",
		"read:errno=EIO,file=d/*":            "",
		"read:errno=EIO,offset=1024..2048":   "3 4",
		"read:errno=EIO,offset=1023..1025":   "2 3",
		"read:errno=EIO,offset=5k..":         "11 12",
		"read:errno=EIO,offset=..1025,nth=2": "2",
		"write|fsync|fdatasync:errno=EIO":    "",
		"read:errno=EIO,nth=2,chance=100%":   "2",
		"read|write:errno=EIO,after=11":      "12",
	} {
		rs := rules(t, rule)
		r := newRig(t, rs)
		f := r.file("f")
		var failed []string
		for i, read := range reads(12)(f) {
			if got := r.run(read); strings.HasPrefix(got, "0=EIO") {
				failed = append(failed, fmt.Sprint(i+1))
			}
		}
		if got := strings.Join(failed, " "); got != want {
			t.Errorf("%s: failed %q, want %q", rule, got, want)
		}
		if n := Fired(rs)[0]; n.Fired != int64(len(failed)) || n.Rule != rs[0].String() {
			t.Errorf("%s: counted %+v, want %d", rule, n, len(failed))
		}
	}
}

func TestFilesAndNames(t *testing.T) {
	for _, c := range []struct {
		rule string
		op   func(r *rig) engine.Op
		want string
	}{
		{"read:errno=EIO,file=data*", func(r *rig) engine.Op { return op(r.file("d/data1"), engine.Read, 0, 8) }, "0=EIO@0"},
		{"read:errno=EIO,file=d/*", func(r *rig) engine.Op { return op(r.file("d/data1"), engine.Read, 0, 8) }, "0=EIO@0"},
		{"read:errno=EIO,file=*/x", func(r *rig) engine.Op { return op(r.file("d/data1"), engine.Read, 0, 8) }, "0=8@100"},
		{"fsync:errno=EIO,file=d/*", func(r *rig) engine.Op { return engine.Op{Code: engine.Fsync, File: r.file("d/f")} }, "0=EIO@0"},
		{"create:errno=ENOSPC,file=*.log", func(r *rig) engine.Op {
			return engine.Op{Code: engine.Create, Meta: &engine.Meta{Path: "d/a.log", Flags: unix.O_CREAT | unix.O_RDWR}}
		}, "0=ENOSPC@0"},
		{"rename:errno=EIO,file=new", func(r *rig) engine.Op {
			r.file("old")
			return engine.Op{Code: engine.Rename, Meta: &engine.Meta{Path: "old", Path2: "new"}}
		}, "0=EIO@0"},
		{"unlink:errno=EIO,file=new", func(r *rig) engine.Op {
			r.file("old")
			return engine.Op{Code: engine.Unlink, Meta: &engine.Meta{Path: "old"}}
		}, "0=0@10"},
		{"trim:delay=1ms,offset=1k..2k", func(r *rig) engine.Op {
			return engine.Op{Code: engine.Trim, File: r.file("f"), Off: 1500, Len: 10}
		}, "0=0@1060"},
		{"*:delay=1ms,offset=1k..2k", func(r *rig) engine.Op { return engine.Op{Code: engine.Fdatasync, File: r.file("f")} }, "0=0@1000"},
	} {
		r := newRig(t, rules(t, c.rule))
		if err := r.fs.Mkdir("d", 0o755); err != nil {
			t.Fatal(err)
		}
		if got := r.run(c.op(r)); got != c.want {
			t.Errorf("%s: %s, want %s", c.rule, got, c.want)
		}
	}
}

// What fails is not performed, and what falls short is performed as far as it goes.
func TestWhatIsPerformed(t *testing.T) {
	for rule, want := range map[string]int64{
		"append:errno=EIO":       1 << 30,
		"append:short=1000":      1<<30 + 1000,
		"append:delay=1s":        1<<30 + 8192,
		"append:short=1":         1<<30 + 1,
		"append:short=9000":      1<<30 + 8192,
		"*:stall=1s,nth=1":       1<<30 + 8192,
		"append:errno=EIO,nth=2": 1<<30 + 8192,
	} {
		r := newRig(t, rules(t, rule))
		f := r.file("f")
		r.run(op(f, engine.Append, 1<<30, 8192))
		if size, err := r.fs.Size(f.FD); size != want || err != nil {
			t.Errorf("%s: the file has %d bytes, want %d (%v)", rule, size, want, err)
		}
	}
}

func TestShortKeepsAlignment(t *testing.T) {
	r := newRig(t, rules(t, "read:short=5000"))
	f := r.file("f")
	f.Direct, f.Align.Offset = true, 4096
	if got, want := r.run(op(f, engine.Read, 0, 16384), op(f, engine.Read, 0, 8192)), "0=8192@100 1=8192@100"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestChance(t *testing.T) {
	count := func(seed uint64) int64 {
		rs := rules(t, "read:errno=EIO,chance=10%")
		r := newRig(t, nil)
		r.e = Wrap(r.e, rs, seed)
		f := r.file("f")
		for range 500 {
			r.run(reads(20)(f)...)
		}
		n := Fired(rs)[0]
		if n.Matched != 10_000 {
			t.Errorf("%d matched, want 10000", n.Matched)
		}
		return n.Fired
	}
	a, b := count(1), count(1)
	if a != b {
		t.Errorf("one seed fired %d and %d times", a, b)
	}
	if math.Abs(float64(a)-1000) > 4*math.Sqrt(900) {
		t.Errorf("fired %d times of 10000, want about 1000", a)
	}
}

func TestInfo(t *testing.T) {
	r := newRig(t, rules(t, "read:errno=EIO,nth=3", "*:stall=1s,at=1s"))
	if got := r.e.Info().Detail; !strings.HasPrefix(got, "nvme,") || !strings.HasSuffix(got, "; injected faults: read:errno=EIO,nth=3 *:stall=1s,at=1s") {
		t.Error(got)
	}
}

// Counts are the run's, not a worker's: the third read is the third of all.
func TestWorkersShareCounts(t *testing.T) {
	for range 3 {
		w := world(t, device)
		rs := rules(t, "nop:errno=EIO,nth=6", "nop:errno=EIO,every=4")
		engines := make([]engine.Engine, 4)
		for i := range engines {
			e, err := w.Open(engine.Config{Slots: 1})
			if err != nil {
				t.Fatal(err)
			}
			engines[i] = Wrap(e, rs, uint64(i))
		}
		failed := make([]int, len(engines))
		var wg sync.WaitGroup
		for i, e := range engines {
			wg.Go(func() {
				runtime.LockOSThread()
				out := make([]engine.Completion, 1)
				_, _ = e.Wait(out, 0, 0)
				for range 5 {
					_ = e.Submit([]engine.Op{{Code: engine.Nop}}, []uint32{0})
					if n, _ := e.Wait(out, 1, engine.NoDeadline); n == 1 && out[0].Res < 0 {
						failed[i]++
					}
				}
				_ = e.Close()
			})
		}
		wg.Wait()
		if sum := failed[0] + failed[1] + failed[2] + failed[3]; sum != 6 {
			t.Errorf("failed %v, want 6 in all", failed)
		}
		if got, want := fmt.Sprint(Fired(rs)), "[{nop:errno=EIO,nth=6 20 1} {nop:errno=EIO,every=4 20 5}]"; got != want {
			t.Errorf("counts %s, want %s", got, want)
		}
	}
}
