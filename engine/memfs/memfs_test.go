package memfs

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"golang.org/x/sys/unix"
)

func create(t testing.TB, fs *FS, name string) int {
	t.Helper()
	fd, err := fs.Open(name, unix.O_RDWR|unix.O_CREAT, 0o644)
	if err != nil {
		t.Fatalf("creating %s: %v", name, err)
	}
	return fd
}

func TestOpen(t *testing.T) {
	fs := New()
	must(t, fs.Mkdir("d", 0o755))
	create(t, fs, "f")
	for _, c := range []struct {
		name  string
		flags int
		want  error
	}{
		{"f", unix.O_RDONLY, nil},
		{"f", unix.O_RDWR | unix.O_DIRECT | unix.O_DSYNC, nil},
		{"./f", unix.O_WRONLY, nil},
		{"d", unix.O_RDONLY, nil},
		{".", unix.O_RDONLY | unix.O_DIRECTORY, nil},
		{"d/new", unix.O_WRONLY | unix.O_CREAT | unix.O_EXCL, nil},
		{"f", unix.O_RDWR | unix.O_CREAT | unix.O_EXCL, unix.EEXIST},
		{"d", unix.O_RDONLY | unix.O_CREAT | unix.O_EXCL, unix.EEXIST},
		{"d", unix.O_RDONLY | unix.O_CREAT, unix.EISDIR},
		{"d", unix.O_RDWR, unix.EISDIR},
		{"d", unix.O_RDONLY | unix.O_TRUNC, unix.EISDIR},
		{"f", unix.O_RDONLY | unix.O_DIRECTORY, unix.ENOTDIR},
		{"f/x", unix.O_RDONLY, unix.ENOTDIR},
		{"f/x", unix.O_RDWR | unix.O_CREAT, unix.ENOTDIR},
		{"none", unix.O_RDONLY, unix.ENOENT},
		{"none/x", unix.O_RDWR | unix.O_CREAT, unix.ENOENT},
		{"none", unix.O_CREAT | unix.O_DIRECTORY, unix.EINVAL},
		{"f", unix.O_ACCMODE, unix.EINVAL},
		{".", unix.O_TMPFILE | unix.O_RDWR, unix.EOPNOTSUPP},
		{"../f", unix.O_RDONLY, unix.EXDEV},
		{"/f", unix.O_RDONLY, unix.EXDEV},
		{"", unix.O_RDONLY, unix.ENOENT},
	} {
		if _, err := fs.Open(c.name, c.flags, 0o644); !errors.Is(err, c.want) {
			t.Errorf("Open(%q, %#x): %v, want %v", c.name, c.flags, err, c.want)
		}
	}
}

func TestTransfers(t *testing.T) {
	fs := New()
	rw := create(t, fs, "f")
	r, _ := fs.Open("f", unix.O_RDONLY, 0)
	w, _ := fs.Open("f", unix.O_WRONLY|unix.O_APPEND, 0)
	d, _ := fs.Open(".", unix.O_RDONLY, 0)
	for _, c := range []struct {
		what      string
		got, want int64
	}{
		{"write", fs.WriteAt(rw, 10, 90), 90},
		{"append", fs.WriteAt(w, 0, 100), 100},
		{"empty write", fs.WriteAt(rw, 1000, 0), 0},
		{"write below the end", fs.WriteAt(rw, 0, 10), 10},
		{"read", fs.ReadAt(r, 0, 50), 50},
		{"short read", fs.ReadAt(r, 150, 100), 50},
		{"read at the end", fs.ReadAt(r, 200, 1), 0},
		{"read beyond the end", fs.ReadAt(r, 5000, 1), 0},
		{"read of a directory", fs.ReadAt(d, 0, 1), -int64(unix.EISDIR)},
		{"read of a write-only file", fs.ReadAt(w, 0, 1), -int64(unix.EBADF)},
		{"write to a read-only file", fs.WriteAt(r, 0, 1), -int64(unix.EBADF)},
		{"negative offset", fs.ReadAt(r, -1, 1), -int64(unix.EINVAL)},
		{"read too far", fs.ReadAt(r, 1<<63-1, 2), -int64(unix.EINVAL)},
		{"write too far", fs.WriteAt(rw, 1<<63-1, 2), -int64(unix.EINVAL)},
		{"unset descriptor", fs.ReadAt(0, 0, 1), -int64(unix.EBADF)},
		{"far descriptor", fs.WriteAt(1<<40, 0, 1), -int64(unix.EBADF)},
		{"negative descriptor", fs.Sync(-1), -int64(unix.EBADF)},
		{"sync", fs.Sync(r), 0},
	} {
		if c.got != c.want {
			t.Errorf("%s: %d, want %d", c.what, c.got, c.want)
		}
	}
	if n, err := fs.Size(r); n != 200 || err != nil {
		t.Errorf("size %d, %v, want 200", n, err)
	}
}

func TestRanges(t *testing.T) {
	fs := New()
	fd := create(t, fs, "f")
	r, _ := fs.Open("f", unix.O_RDONLY, 0)
	steps := []struct {
		what string
		err  error
		want error
	}{
		{"allocate", fs.Allocate(fd, 100, 100), nil},
		{"allocate within", fs.Allocate(fd, 0, 10), nil},
		{"allocate nothing", fs.Allocate(fd, 0, 0), unix.EINVAL},
		{"allocate read-only", fs.Allocate(r, 0, 1), unix.EBADF},
		{"allocate too far", fs.Allocate(fd, 1<<62, 1<<62), unix.EFBIG},
		{"trim", fs.Trim(fd, 0, 1000), nil},
		{"truncate read-only", fs.Truncate(r, 0), unix.EINVAL},
		{"truncate below zero", fs.Truncate(fd, -1), unix.EINVAL},
	}
	for _, s := range steps {
		if s.err != s.want {
			t.Errorf("%s: %v, want %v", s.what, s.err, s.want)
		}
	}
	if n, _ := fs.Size(fd); n != 200 {
		t.Errorf("size %d, want 200", n)
	}
	must(t, fs.Truncate(fd, 50))
	if n, _, _ := fs.Stat("f"); n != 50 {
		t.Errorf("size after truncate %d, want 50", n)
	}
	if _, err := fs.Open("f", unix.O_WRONLY|unix.O_TRUNC, 0); err != nil {
		t.Fatal(err)
	}
	if n, _, _ := fs.Stat("f"); n != 0 {
		t.Errorf("size after O_TRUNC %d, want 0", n)
	}
}

func TestRename(t *testing.T) {
	fs := New()
	for _, d := range []string{"d", "d/sub", "empty", "full"} {
		must(t, fs.Mkdir(d, 0o755))
	}
	for _, f := range []string{"a", "b", "full/x", "d/sub/y"} {
		create(t, fs, f)
	}
	for _, c := range []struct {
		from, to string
		want     error
	}{
		{"none", "a", unix.ENOENT},
		{"a", "none/a", unix.ENOENT},
		{"a", "b/x", unix.ENOTDIR},
		{"a", "empty", unix.EISDIR},
		{"empty", "a", unix.ENOTDIR},
		{"empty", "full", unix.ENOTEMPTY},
		{"d", "d/sub/z", unix.EINVAL},
		{"d/sub/y", "d", unix.ENOTEMPTY},
		{"a", ".", unix.EBUSY},
		{".", "z", unix.EBUSY},
		{"a", "../a", unix.EXDEV},
		{"a", "a", nil},
		{"a", "b", nil},
		{"d", "empty", nil},
		{"empty/sub/y", "full/x", nil},
	} {
		if err := fs.Rename(c.from, c.to); !errors.Is(err, c.want) {
			t.Errorf("Rename(%q, %q): %v, want %v", c.from, c.to, err, c.want)
		}
	}
	for dir, want := range map[string][]string{".": {"b", "empty", "full"}, "empty/sub": {}, "full": {"x"}} {
		if got, err := fs.List(dir); err != nil || !slices.Equal(got, want) {
			t.Errorf("List(%q) = %q, %v, want %q", dir, got, err, want)
		}
	}
}

func TestUnlinkWhileOpen(t *testing.T) {
	fs := New()
	fd := create(t, fs, "f")
	fs.WriteAt(fd, 0, 100)
	must(t, fs.Unlink("f"))
	if _, _, err := fs.Stat("f"); err != unix.ENOENT {
		t.Errorf("stat after unlink: %v", err)
	}
	other := create(t, fs, "f")
	if n := fs.ReadAt(fd, 0, 1000); n != 100 {
		t.Errorf("read through the old descriptor: %d, want 100", n)
	}
	if n := fs.ReadAt(other, 0, 1000); n != 0 {
		t.Errorf("read of the new file: %d, want 0", n)
	}
	must(t, fs.Close(fd))
	if err := fs.Close(fd); err != unix.EBADF {
		t.Errorf("second close: %v", err)
	}
	must(t, fs.Mkdir("d", 0o755))
	for name, want := range map[string]error{"d": unix.EISDIR, ".": unix.EISDIR, "none": unix.ENOENT, "f/x": unix.ENOTDIR} {
		if err := fs.Unlink(name); err != want {
			t.Errorf("Unlink(%q): %v, want %v", name, err, want)
		}
	}
}

func TestManyDescriptors(t *testing.T) {
	fs := New()
	seen := map[int]bool{}
	for i := range 1000 {
		fd := create(t, fs, fmt.Sprint(i))
		if seen[fd] {
			t.Fatalf("descriptor %d given twice", fd)
		}
		seen[fd] = true
		fs.WriteAt(fd, 0, int64(i))
	}
	for fd := range seen {
		must(t, fs.Close(fd))
	}
	if fd := create(t, fs, "again"); !seen[fd] {
		t.Errorf("descriptor %d was not reused", fd)
	}
}

func TestConcurrent(t *testing.T) {
	fs := New()
	shared := create(t, fs, "shared")
	tail, err := fs.Open("shared", unix.O_WRONLY|unix.O_APPEND, 0)
	must(t, err)
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			for i := range 500 {
				name := fmt.Sprintf("%d-%d", g, i)
				fd := create(t, fs, name)
				fs.WriteAt(fd, 0, 10)
				fs.WriteAt(tail, 0, 1)
				fs.ReadAt(shared, 0, 10)
				if err := errors.Join(fs.Rename(name, name+"x"), fs.Unlink(name+"x"), fs.Close(fd)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if n, _ := fs.Size(shared); n != 2000 {
		t.Errorf("size after 2000 appends of 1 byte: %d", n)
	}
	if names, _ := fs.List("."); len(names) != 1 {
		t.Errorf("files left: %q", names)
	}
}

func TestTransfersAllocateNothing(t *testing.T) {
	fs := New()
	fd := create(t, fs, "f")
	if n := testing.AllocsPerRun(100, func() {
		fs.WriteAt(fd, 0, 4096)
		fs.ReadAt(fd, 0, 4096)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkReadAt(b *testing.B) {
	fs := New()
	fd := create(b, fs, "f")
	fs.WriteAt(fd, 0, 1<<30)
	b.ReportAllocs()
	var total int64
	for i := range b.N {
		total += fs.ReadAt(fd, int64(i)&0xffff, 4096)
	}
	if total != int64(b.N)*4096 {
		b.Fatal(total)
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
