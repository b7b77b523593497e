package enginetest

import (
	"bytes"
	"errors"
	"math"
	"testing"

	"golang.org/x/sys/unix"

	"moonio/engine"
	"moonio/engine/osfs"
)

func testInfo(t *testing.T, target Target) {
	r := newRig(t, target, slots)
	info := r.e.Info()
	if info.Name == "" {
		t.Error("the engine has no name")
	}
	if info.Memory != r.fs.Memory() {
		t.Errorf("Memory is %v on a namespace where it is %v", info.Memory, r.fs.Memory())
	}
	before := r.e.Now()
	r.want("nop", r.do(engine.Op{Code: engine.Nop}), 0)
	if after := r.e.Now(); after < before {
		t.Errorf("the clock went back from %d to %d", before, after)
	}
}

// holds says what is wrong with a file's size and, on storage, with its contents.
func (r *rig) holds(f *engine.File, want []byte) {
	r.t.Helper()
	size, err := r.fs.Size(f.FD)
	r.must(err)
	r.want("size", size, int64(len(want)))
	if r.contents() && !bytes.Equal(r.onDisk(f), want) {
		r.t.Error("the file does not hold what was written")
	}
}

// onDisk reads a whole file past the engine.
func (r *rig) onDisk(f *engine.File) []byte {
	r.t.Helper()
	fd, err := r.fs.Open(f.Name, unix.O_RDONLY, 0)
	if err != nil {
		r.t.Fatal(err)
	}
	defer func() { r.must(r.fs.Close(fd)) }()
	n, err := r.fs.Size(fd)
	if err != nil {
		r.t.Fatal(err)
	}
	b := make([]byte, n)
	if got, err := unix.Pread(fd, b, 0); err != nil || int64(got) != n {
		r.t.Fatalf("reading %s: %d of %d bytes, %v", f.Name, got, n, err)
	}
	return b
}

func testRead(t *testing.T, target Target) {
	r := newRig(t, target, slots)
	f := r.sized("f", 64<<10, 7)
	want := bytes.Clone(r.buf(64<<10, 7))
	for _, c := range []struct{ off, n int }{{0, 64 << 10}, {0, 1}, {4096, 4096}, {12345, 333}, {64<<10 - 1, 1}} {
		b := r.buf(c.n, 0)
		clear(b)
		r.want("read", r.do(engine.Op{Code: engine.Read, File: f, Buf: b, Off: int64(c.off)}), int64(c.n))
		if r.contents() && !bytes.Equal(b, want[c.off:c.off+c.n]) {
			t.Errorf("%d bytes at %d are not what was written", c.n, c.off)
		}
	}
}

func testWrite(t *testing.T, target Target) {
	r := newRig(t, target, slots)
	f := r.open("f", unix.O_RDWR|unix.O_CREAT)
	want := make([]byte, 20_000)
	for i, c := range []struct {
		off, n int
		flags  engine.OpFlags
	}{{0, 100, 0}, {50, 100, 0}, {10_000, 10_000, 0}, {4096, 4096, engine.DSync}, {19_999, 1, engine.DSync}} {
		b := r.buf(c.n, byte(i))
		copy(want[c.off:], b)
		r.want("write", r.do(engine.Op{Code: engine.Write, Flags: c.flags, File: f, Buf: b, Off: int64(c.off)}), int64(c.n))
	}
	r.holds(f, want)
}

func testAppend(t *testing.T, target Target) {
	r := newRig(t, target, slots)
	f := r.open("f", unix.O_WRONLY|unix.O_CREAT)
	var want []byte
	for range 4 {
		var ops []engine.Op
		for i := range 16 {
			b := r.buf(100+i, byte(i))
			ops = append(ops, engine.Op{Code: engine.Append, File: f, Buf: b, Off: f.Reserve(int64(len(b)))})
			want = append(want, b...)
		}
		for i, res := range r.together(ops...) {
			r.want("append", res, int64(len(ops[i].Buf)))
		}
	}
	r.holds(f, want)
}

func testEnd(t *testing.T, target Target) {
	r := newRig(t, target, slots)
	f := r.sized("f", 10_000, 1)
	for _, c := range []struct {
		off  int64
		n    int
		want int64
	}{{0, 10_000, 10_000}, {0, 20_000, 10_000}, {9_000, 4096, 1_000}, {9_999, 2, 1}, {10_000, 1, 0}, {1 << 40, 4096, 0}} {
		r.want("read", r.do(engine.Op{Code: engine.Read, File: f, Buf: r.buf(c.n, 0), Off: c.off}), c.want)
	}
	b := r.buf(4096, 0)
	r.want("read that would end past the largest offset", r.do(engine.Op{Code: engine.Read, File: f, Buf: b, Off: math.MaxInt64 - 100}), errno(unix.EINVAL))
	r.want("write that would", r.do(engine.Op{Code: engine.Write, File: f, Buf: b, Off: math.MaxInt64 - 100}), errno(unix.EINVAL))
	for range 2 { // the second finds what the first has left
		r.want("read before the start", r.do(engine.Op{Code: engine.Read, File: f, Buf: b, Off: -1}), errno(unix.EINVAL))
		r.want("write before the start", r.do(engine.Op{Code: engine.Write, File: f, Buf: b, Off: -1}), errno(unix.EINVAL))
	}
	empty := r.open("empty", unix.O_RDWR|unix.O_CREAT)
	r.want("read of an empty file", r.do(engine.Op{Code: engine.Read, File: empty, Buf: r.buf(1, 0)}), 0)
}

func testSync(t *testing.T, target Target) {
	r := newRig(t, target, slots)
	f := r.sized("f", 64<<10, 1)
	for _, code := range []engine.OpCode{engine.Fsync, engine.Fdatasync} {
		r.want(code.String(), r.do(engine.Op{Code: code, File: f}), 0)
	}
	r.want("sync_range", r.do(engine.Op{Code: engine.SyncRange, File: f, Off: 4096, Len: 8192}), 0)
	r.want("sync_range to the end", r.do(engine.Op{Code: engine.SyncRange, File: f}), 0)
	reader := r.open("f", unix.O_RDONLY)
	r.want("fsync of a file open for reading", r.do(engine.Op{Code: engine.Fsync, File: reader}), 0)
	dir := r.open(".", unix.O_RDONLY)
	r.want("fsync of a directory", r.do(engine.Op{Code: engine.Fsync, File: dir}), 0)
	dsync := r.open("f", unix.O_WRONLY|unix.O_DSYNC)
	r.want("write to an O_DSYNC file", r.do(engine.Op{Code: engine.Write, File: dsync, Buf: r.buf(512, 2)}), 512)
}

func testRanges(t *testing.T, target Target) {
	r := newRig(t, target, slots)
	f := r.sized("f", 64<<10, 1)
	size := func(what string, want int64) {
		t.Helper()
		got, err := r.fs.Size(f.FD)
		r.must(err)
		r.want("size after "+what, got, want)
	}
	r.want("allocate", r.do(engine.Op{Code: engine.Allocate, File: f, Off: 64 << 10, Len: 64 << 10}), 0)
	size("allocate", 128<<10)
	trimmed := r.do(engine.Op{Code: engine.Trim, File: f, Off: 0, Len: 4096})
	if trimmed != errno(unix.EOPNOTSUPP) {
		r.want("trim", trimmed, 0)
	}
	size("trim", 128<<10)
	if b := r.buf(4097, 1); r.contents() && trimmed == 0 {
		r.want("read", r.do(engine.Op{Code: engine.Read, File: f, Buf: b}), 4097)
		if !bytes.Equal(b[:4096], make([]byte, 4096)) || b[4096] == 0 {
			t.Error("the trimmed range, and no more, must read as zeros")
		}
	}
	r.want("truncate", r.do(engine.Op{Code: engine.Truncate, File: f, Len: 1000}), 0)
	size("truncate", 1000)
	r.want("truncate up", r.do(engine.Op{Code: engine.Truncate, File: f, Len: 5000}), 0)
	size("truncate up", 5000)

	r.want("truncate below zero", r.do(engine.Op{Code: engine.Truncate, File: f, Len: -1}), errno(unix.EINVAL))
	r.want("allocate nothing", r.do(engine.Op{Code: engine.Allocate, File: f}), errno(unix.EINVAL))
	reader := r.open("f", unix.O_RDONLY)
	r.want("truncate of a file open for reading", r.do(engine.Op{Code: engine.Truncate, File: reader}), errno(unix.EINVAL))
	r.want("allocate of a file open for reading", r.do(engine.Op{Code: engine.Allocate, File: reader, Len: 1}), errno(unix.EBADF))
}

func testDirect(t *testing.T, target Target) {
	r := newRig(t, target, slots)
	r.needContents()
	if target.NoDirect {
		t.Skip("the engine refuses direct files")
	}
	r.sized("f", 64<<10, 3)
	fd, err := r.fs.Open("f", unix.O_RDWR|unix.O_DIRECT, 0)
	if errors.Is(err, unix.EINVAL) {
		t.Skip(err)
	}
	r.must(err)
	defer func() { r.must(r.fs.Close(fd)) }()
	f := r.file("f", fd)
	f.Direct = true
	f.Align, err = r.fs.Alignment(fd)
	r.must(err)

	b := r.buf(4096, 9)
	r.want("write", r.do(engine.Op{Code: engine.Write, File: f, Buf: b, Off: 8192}), 4096)
	got := r.buf(4096, 0)
	r.want("read", r.do(engine.Op{Code: engine.Read, File: f, Buf: got, Off: 8192}), 4096)
	if !bytes.Equal(got, b) {
		t.Error("a direct read does not return what was written")
	}
	if err := f.Align.Check(100, 4096); err == nil {
		t.Skip("any offset is aligned")
	}
	if _, err := unix.Pread(fd, got, 100); err != unix.EINVAL {
		t.Skip("the file system takes unaligned operations")
	}
	r.want("read at an unaligned offset", r.do(engine.Op{Code: engine.Read, File: f, Buf: got, Off: 100}), errno(unix.EINVAL))
	r.want("write of an unaligned length", r.do(engine.Op{Code: engine.Write, File: f, Buf: b[:100]}), errno(unix.EINVAL))
}

func testNoSpace(t *testing.T, target Target) {
	r := newRig(t, target, slots)
	os, ok := r.fs.(*osfs.FS)
	if !ok {
		t.Skip("needs a device that is full")
	}
	fd, err := os.OpenPath("/dev/full", unix.O_RDWR)
	if err != nil {
		t.Skip(err)
	}
	defer func() { r.must(r.fs.Close(fd)) }()
	f := r.file("/dev/full", fd)
	r.want("write", r.do(engine.Op{Code: engine.Write, File: f, Buf: r.buf(4096, 0)}), errno(unix.ENOSPC))
	r.want("read", r.do(engine.Op{Code: engine.Read, File: f, Buf: r.buf(4096, 0)}), 4096)
}

func testErrors(t *testing.T, target Target) {
	r := newRig(t, target, slots)
	r.sized("f", 4096, 1)
	reader, writer, dir := r.open("f", unix.O_RDONLY), r.open("f", unix.O_WRONLY), r.open(".", unix.O_RDONLY)
	b := r.buf(4096, 0)
	r.want("write to a file open for reading", r.do(engine.Op{Code: engine.Write, File: reader, Buf: b}), errno(unix.EBADF))
	r.want("read of a file open for writing", r.do(engine.Op{Code: engine.Read, File: writer, Buf: b}), errno(unix.EBADF))
	r.want("read of a directory", r.do(engine.Op{Code: engine.Read, File: dir, Buf: b}), errno(unix.EISDIR))

	closed := r.open("f", unix.O_RDWR)
	r.want("close", r.do(engine.Op{Code: engine.Close, File: closed}), 0)
	for _, code := range []engine.OpCode{
		engine.Read, engine.Write, engine.Append, engine.Fsync, engine.Fdatasync, engine.SyncRange,
		engine.Trim, engine.Allocate, engine.Truncate, engine.Close,
	} {
		r.want(code.String()+" of a closed file", r.do(engine.Op{Code: code, File: closed, Buf: b, Len: 4096}), errno(unix.EBADF))
	}
	closed.FD = -1
}
