package mmap

import (
	"bytes"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"moonio/engine"
	"moonio/engine/enginetest"
	"moonio/engine/osfs"
)

func TestConformance(t *testing.T) {
	enginetest.Run(t, enginetest.Target{FS: enginetest.Dir, Open: Open, NoDirect: true})
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// fixture is an engine on an empty directory, with a buffer.
type fixture struct {
	testing.TB
	*Engine
	fs  *osfs.FS
	buf []byte
	ids engine.FileIDs
}

func newFixture(t testing.TB, options map[string]string) *fixture {
	t.Helper()
	fs, err := osfs.Open(t.TempDir())
	check(t, err)
	t.Cleanup(func() { check(t, fs.Shutdown()) })
	arena, err := engine.NewArena(1<<16, nil)
	check(t, err)
	t.Cleanup(func() { check(t, arena.Close()) })
	buf, err := arena.Get(1 << 16)
	check(t, err)
	e, err := Open(engine.Config{Slots: 4, FS: fs, Arena: arena, Options: options})
	check(t, err)
	t.Cleanup(func() { check(t, e.Close()) })
	return &fixture{TB: t, Engine: e.(*Engine), fs: fs, buf: buf}
}

// file makes a file of n bytes, each of them tag.
func (x *fixture) file(name string, n int, tag byte, flags int) *engine.File {
	x.Helper()
	fd, err := x.fs.Open(name, flags|unix.O_CREAT, 0o644)
	check(x, err)
	x.Cleanup(func() { check(x, x.fs.Close(fd)) })
	rw, err := x.fs.Open(name, unix.O_RDWR, 0)
	check(x, err)
	_, err = unix.Pwrite(rw, bytes.Repeat([]byte{tag}, n), 0)
	check(x, errors.Join(err, x.fs.Close(rw)))
	return &engine.File{Node: &engine.Node{}, Name: name, FD: fd, ID: x.ids.Take()}
}

func (x *fixture) do(op engine.Op) int64 {
	x.Helper()
	return enginetest.Do(x, x, op)
}

func (x *fixture) want(what string, op engine.Op, want int64) {
	x.Helper()
	if got := x.do(op); got != want {
		x.Errorf("%s: %d, want %d", what, got, want)
	}
}

// A file that is made shorter beneath its mapping ends where it ends, and is
// made longer again by a write.
func TestTruncatedBeneath(t *testing.T) {
	x := newFixture(t, nil)
	f := x.file("f", 1<<16, 1, unix.O_RDWR)
	read := engine.Op{Code: engine.Read, File: f, Buf: x.buf}
	x.want("read", read, 1<<16)
	check(t, unix.Ftruncate(f.FD, 5000))
	x.want("read of what is left", read, 5000)
	read.Off = 8192
	x.want("read past the end", read, 0)
	x.want("write past the end", engine.Op{Code: engine.Write, File: f, Buf: x.buf[:100], Off: 20_000}, 100)
	check(t, unix.Ftruncate(f.FD, 0))
	x.want("write that finds no page", engine.Op{Code: engine.Write, File: f, Buf: x.buf[:100], Off: 16_000}, 100)
	if n, err := x.fs.Size(f.FD); n != 16_100 || err != nil {
		t.Errorf("size %d, %v", n, err)
	}
}

// One engine makes a file shorter and longer while another loads and stores:
// every operation ends, and none with anything but bytes or an error.
func TestTruncatedMeanwhile(t *testing.T) {
	const size, turns = 64 << 10, 3000
	x := newFixture(t, nil)
	f := x.file("f", size, 1, unix.O_RDWR)
	var done sync.WaitGroup
	done.Go(func() {
		for i := range turns {
			_ = unix.Ftruncate(f.FD, int64(i%17)*4000)
		}
	})
	for i := range turns {
		op := engine.Op{Code: engine.Read, File: f, Buf: x.buf[:8192], Off: int64(i%8) * 8192}
		if i%2 == 1 {
			op.Code = engine.Write
		}
		if res := x.do(op); res < 0 && res != -int64(unix.EIO) || res > 8192 {
			t.Fatalf("%v at %d: %d", op.Code, op.Off, res)
		}
	}
	done.Wait()
}

// A page that is not there is EIO, and any other panic is none of the engine's.
func TestFault(t *testing.T) {
	x := newFixture(t, nil)
	f := x.file("f", 100, 1, unix.O_RDWR)
	x.want("read", engine.Op{Code: engine.Read, File: f, Buf: x.buf[:100]}, 100)
	mem := x.handles[f.ID].node.mem
	x.perform = func(*engine.Op) (int64, error) { return moved(x.buf, mem[1<<20:]), nil }
	x.want("load", engine.Op{}, -int64(unix.EIO))
	x.perform = func(*engine.Op) (int64, error) { return moved(mem[1<<20:], x.buf), nil }
	x.want("store", engine.Op{}, -int64(unix.EIO))
	// Afterwards, faults are the program's own again.
	defer func() {
		if p := recover(); p == nil {
			t.Error("a nil pointer did not panic")
		}
	}()
	var nothing *int
	*nothing = 1
}

// Several handles of a file have one mapping, which is made anew when it has to be
// written through.
func TestSharedMapping(t *testing.T) {
	x := newFixture(t, nil)
	reader := x.file("f", 1000, 1, unix.O_RDONLY)
	writer := x.file("f", 1000, 2, unix.O_WRONLY)
	x.want("read", engine.Op{Code: engine.Read, File: reader, Buf: x.buf}, 1000)
	for i := range x.buf {
		x.buf[i] = 3
	}
	x.want("write", engine.Op{Code: engine.Write, File: writer, Buf: x.buf[:500], Flags: engine.DSync}, 500)
	x.want("read", engine.Op{Code: engine.Read, File: reader, Buf: x.buf[1000:3000]}, 1000)
	if got := x.buf[1000:2000]; got[499] != 3 || got[500] != 2 || len(x.mapped) != 1 {
		t.Errorf("bytes %d and %d, %d mappings", got[499], got[500], len(x.mapped))
	}
	x.want("fdatasync", engine.Op{Code: engine.Fdatasync, File: writer}, 0)
	x.want("read of a file open for writing", engine.Op{Code: engine.Read, File: writer, Buf: x.buf}, -int64(unix.EBADF))
	x.forget(&x.handles[writer.ID])
	if len(x.mapped) != 1 {
		t.Error("the mapping went with the first handle")
	}
	x.forget(&x.handles[reader.ID])
	if len(x.mapped) != 0 || len(x.nodes) != 0 {
		t.Errorf("%d mappings and %d files are left", len(x.mapped), len(x.nodes))
	}
}

// No more files are mapped at a time than may be.
func TestManyFiles(t *testing.T) {
	x := newFixture(t, map[string]string{"advise": "random", "populate": "1"})
	x.most = 3
	var files []*engine.File
	for i := range 7 {
		files = append(files, x.file(fmt.Sprint(i), 10, byte(i), unix.O_RDWR))
	}
	for range 3 {
		for i, f := range files {
			x.want("read", engine.Op{Code: engine.Read, File: f, Buf: x.buf}, 10)
			if x.buf[0] != byte(i) {
				t.Errorf("file %d holds %d", i, x.buf[0])
			}
			if len(x.mapped) > 3 {
				t.Fatalf("%d files are mapped", len(x.mapped))
			}
		}
	}
}

func TestRefusesDirect(t *testing.T) {
	x := newFixture(t, nil)
	f := x.file("f", 4096, 1, unix.O_RDWR)
	f.Direct = true
	err := x.Submit([]engine.Op{{Code: engine.Read, File: f, Buf: x.buf}}, []uint32{0})
	const want = `mmap: file "f" is open for direct I/O, and a mapping is of the page cache: open it without, or choose another engine`
	if err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

func TestOpenErrors(t *testing.T) {
	fs := enginetest.Dir(t)
	for want, cfg := range map[string]engine.Config{
		"mmap: files must be on storage, and not in memory":                      {Slots: 1, FS: enginetest.Memory(t)},
		`mmap has no option "window"; it has advise, populate`:                   {Slots: 1, FS: fs, Options: map[string]string{"window": "1"}},
		`mmap: advise=soon: want normal, random, sequential, willneed, hugepage`: {Slots: 1, FS: fs, Options: map[string]string{"advise": "soon"}},
	} {
		if _, err := Open(cfg); err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

func BenchmarkTransfer(b *testing.B) {
	for _, code := range []engine.OpCode{engine.Read, engine.Write} {
		b.Run(code.String(), func(b *testing.B) {
			const size = 16 << 20
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			x := newFixture(b, nil)
			ops := []engine.Op{{Code: code, File: x.file("f", size, 1, unix.O_RDWR), Buf: x.buf[:4096]}}
			slots := []uint32{0}
			out := make([]engine.Completion, 1)
			b.ReportAllocs()
			for b.Loop() {
				ops[0].Off = (ops[0].Off + 5*4096) % size
				_ = x.Submit(ops, slots)
				if n, _ := x.Wait(out, 1, engine.NoDeadline); n != 1 || out[0].Res != 4096 {
					b.Fatal(n, out[0])
				}
			}
		})
	}
}
