package osfs

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"moonio/engine"
)

func open(t testing.TB) *FS {
	t.Helper()
	fs, err := Open(t.TempDir())
	must(t, err)
	t.Cleanup(func() { must(t, fs.Shutdown()) })
	return fs
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// put makes a file that holds text.
func put(t testing.TB, fs *FS, name, text string) {
	t.Helper()
	fd, err := fs.Open(name, unix.O_WRONLY|unix.O_CREAT, 0o644)
	must(t, err)
	if _, err := unix.Pwrite(fd, []byte(text), 0); err != nil {
		t.Fatal(err)
	}
	must(t, fs.Close(fd))
}

func TestNothingEscapes(t *testing.T) {
	fs := open(t)
	outside := t.TempDir()
	must(t, os.WriteFile(filepath.Join(outside, "secret"), []byte("secret"), 0o600))
	must(t, fs.Mkdir("d", 0o755))
	put(t, fs, "d/f", "inside")
	for name, target := range map[string]string{
		"file": filepath.Join(outside, "secret"), "dir": outside, "d/up": "../..", "within": "d", "d/g": "f", "dangling": filepath.Join(outside, "new"),
	} {
		must(t, os.Symlink(target, filepath.Join(fs.Root(), name)))
	}
	for name, want := range map[string]error{
		"../x":              unix.EXDEV,
		"d/../../x":         unix.EXDEV,
		outside + "/secret": unix.EXDEV,
		"file":              unix.ELOOP,
		"dir/secret":        unix.ELOOP,
		"d/up/x":            unix.ELOOP,
		"within/f":          unix.ELOOP,
		"d/g":               unix.ELOOP,
		"dangling":          unix.ELOOP,
		"":                  unix.ENOENT,
		"d/f/x":             unix.ENOTDIR,
	} {
		if _, err := fs.Open(name, unix.O_RDWR|unix.O_CREAT, 0o644); !errors.Is(err, want) {
			t.Errorf("Open(%q): %v, want %v", name, err, want)
		}
	}
	for what, err := range map[string]error{
		"mkdir":       fs.Mkdir("dir/x", 0o755),
		"unlink":      fs.Unlink("dir/secret"),
		"rename":      fs.Rename("d/f", "dir/f"),
		"rename from": fs.Rename("dir/secret", "s"),
	} {
		if !errors.Is(err, unix.ELOOP) {
			t.Errorf("%s through a link: %v, want ELOOP", what, err)
		}
	}
	if _, err := fs.List("dir"); err == nil {
		t.Error("a link to a directory was listed")
	}
	if got, err := os.ReadDir(outside); err != nil || len(got) != 1 {
		t.Errorf("outside: %v, %v", got, err)
	}
	must(t, fs.Unlink("dir"))
	if _, err := os.Stat(outside); err != nil {
		t.Error("unlink followed a link")
	}
}

func TestNames(t *testing.T) {
	fs := open(t)
	must(t, fs.Mkdir("d", 0o755))
	must(t, fs.Mkdir("d/e", 0o755))
	put(t, fs, "d/e/f", "12345")
	if n, dir, err := fs.Stat("d/e/f"); n != 5 || dir || err != nil {
		t.Errorf("stat of a file: %d, %v, %v", n, dir, err)
	}
	if _, dir, err := fs.Stat("d/e/"); !dir || err != nil {
		t.Errorf("stat of a directory: %v, %v", dir, err)
	}
	put(t, fs, "a", "")
	if names, err := fs.List("."); err != nil || !slices.Equal(names, []string{"a", "d"}) {
		t.Errorf("list: %q, %v", names, err)
	}
	if names, err := fs.List("d/e"); err != nil || !slices.Equal(names, []string{"f"}) {
		t.Errorf("list: %q, %v", names, err)
	}
	for what, c := range map[string]struct{ err, want error }{
		"mkdir of what is there":        {fs.Mkdir("d", 0o755), unix.EEXIST},
		"mkdir of the root":             {fs.Mkdir(".", 0o755), unix.EEXIST},
		"mkdir beneath nothing":         {fs.Mkdir("none/d", 0o755), unix.ENOENT},
		"unlink of a directory":         {fs.Unlink("d"), unix.EISDIR},
		"unlink of the root":            {fs.Unlink("."), unix.EISDIR},
		"unlink of nothing":             {fs.Unlink("none"), unix.ENOENT},
		"rename of nothing":             {fs.Rename("none", "a"), unix.ENOENT},
		"rename of the root":            {fs.Rename(".", "x"), unix.EBUSY},
		"rename into itself":            {fs.Rename("d", "d/e/x"), unix.EINVAL},
		"rename of a file over a dir":   {fs.Rename("a", "d"), unix.EISDIR},
		"rename of a dir over a file":   {fs.Rename("d", "a"), unix.ENOTDIR},
		"rename over its own directory": {fs.Rename("d/e", "d"), unix.ENOTEMPTY},
	} {
		if !errors.Is(c.err, c.want) {
			t.Errorf("%s: %v, want %v", what, c.err, c.want)
		}
	}
	must(t, fs.Unlink("a"))
}

func TestDescriptorsCloseOnExec(t *testing.T) {
	fs := open(t)
	must(t, fs.Mkdir("d", 0o755))
	put(t, fs, "d/f", "")
	fd, err := fs.Open("d/f", unix.O_RDONLY, 0)
	must(t, err)
	dirfd, _, err := fs.Resolve("d/f")
	must(t, err)
	for _, fd := range []int{fd, dirfd, fs.dirs.root} {
		if flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); err != nil || flags&unix.FD_CLOEXEC == 0 {
			t.Errorf("descriptor %d: flags %#x, %v", fd, flags, err)
		}
	}
	must(t, fs.Close(fd))
	if err := fs.Close(fd); err != unix.EBADF {
		t.Errorf("second close: %v", err)
	}
}

// A name must lead to the directory that has it now, whatever had it before.
func TestResolveAfterChanges(t *testing.T) {
	fs := open(t)
	for _, d := range []string{"a", "a/sub", "b"} {
		must(t, fs.Mkdir(d, 0o755))
	}
	put(t, fs, "a/sub/f", "first")
	put(t, fs, "b/f", "") // so that b is known
	must(t, fs.Unlink("b/f"))
	before, _, err := fs.Resolve("a/sub/f")
	must(t, err)

	must(t, fs.Rename("a", "b"))
	if _, _, err := fs.Resolve("a/sub/f"); err != unix.ENOENT {
		t.Errorf("the old name resolves: %v", err)
	}
	after, _, err := fs.Resolve("b/sub/f")
	must(t, err)
	if after != before {
		t.Errorf("the directory that moved has descriptor %d, had %d", after, before)
	}
	if n, _, err := fs.Stat("b/sub/f"); n != 5 || err != nil {
		t.Errorf("stat by the new name: %d, %v", n, err)
	}
	must(t, fs.Mkdir("a", 0o755))
	put(t, fs, "a/f", "second")
	if names, err := fs.List("a"); err != nil || !slices.Equal(names, []string{"f"}) {
		t.Errorf("list of the new directory: %q, %v", names, err)
	}

	// Removed and made anew behind the FS's back.
	must(t, os.RemoveAll(filepath.Join(fs.Root(), "b")))
	if _, err := fs.Open("b/sub/x", unix.O_CREAT|unix.O_RDWR, 0o644); err != unix.ENOENT {
		t.Errorf("open beneath a removed directory: %v", err)
	}
	must(t, os.MkdirAll(filepath.Join(fs.Root(), "b/sub"), 0o755))
	put(t, fs, "b/sub/x", "")
}

// Renamed may come after another directory was made, and used, at the old name.
func TestRenamedComesLate(t *testing.T) {
	fs := open(t)
	must(t, fs.Mkdir("a", 0o755))
	put(t, fs, "a/old", "")
	must(t, os.Rename(filepath.Join(fs.Root(), "a"), filepath.Join(fs.Root(), "b")))
	must(t, os.Mkdir(filepath.Join(fs.Root(), "a"), 0o755))
	fs.dirs.drop("a")
	put(t, fs, "a/new", "")
	fs.Renamed("a", "b")
	if names, err := fs.List("b"); err != nil || !slices.Equal(names, []string{"old"}) {
		t.Errorf("list of b: %q, %v", names, err)
	}
	put(t, fs, "b/more", "")
	if names, err := fs.List("b"); err != nil || !slices.Equal(names, []string{"more", "old"}) {
		t.Errorf("list of b: %q, %v", names, err)
	}
}

func TestConcurrent(t *testing.T) {
	fs := open(t)
	var wg sync.WaitGroup
	for _, name := range []string{"a", "b", "c"} {
		wg.Go(func() {
			for range 50 {
				err := errors.Join(fs.Mkdir(name, 0o755), fs.Mkdir(name+"/sub", 0o755))
				fd, err2 := fs.Open(name+"/sub/f", unix.O_CREAT|unix.O_RDWR, 0o644)
				err = errors.Join(err, err2, fs.Close(fd), fs.Rename(name, name+"x"), fs.Unlink(name+"x/sub/f"))
				if err != nil {
					t.Error(err)
				}
				if err := os.RemoveAll(filepath.Join(fs.Root(), name+"x")); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
}

func TestRanges(t *testing.T) {
	fs := open(t)
	fd, err := fs.Open("f", unix.O_RDWR|unix.O_CREAT, 0o644)
	must(t, err)
	defer fs.Close(fd)
	data := []byte(strings.Repeat("x", 64<<10))
	if _, err := unix.Pwrite(fd, data, 0); err != nil {
		t.Fatal(err)
	}
	if err := fs.Trim(fd, 0, 32<<10); errors.Is(err, unix.EOPNOTSUPP) {
		t.Log("the file system punches no holes")
	} else {
		must(t, err)
		buf := make([]byte, 1)
		if _, err := unix.Pread(fd, buf, 100); err != nil || buf[0] != 0 {
			t.Errorf("in the hole: %q, %v", buf, err)
		}
	}
	must(t, fs.Allocate(fd, 64<<10, 4096))
	if n, err := fs.Size(fd); n != 68<<10 || err != nil {
		t.Errorf("size after allocate: %d, %v", n, err)
	}
	must(t, fs.Truncate(fd, 10))
	if n, err := fs.Size(fd); n != 10 || err != nil {
		t.Errorf("size after truncate: %d, %v", n, err)
	}
}

func TestAlignment(t *testing.T) {
	fs := open(t)
	put(t, fs, "f", "")
	fd, err := fs.Open("f", unix.O_RDONLY, 0)
	must(t, err)
	if a, err := fs.Alignment(fd); a != (engine.Align{}) || err != nil {
		t.Errorf("of a buffered file: %+v, %v", a, err)
	}
	if n, err := blockSize(fd); err != nil || n < 512 || n&(n-1) != 0 {
		t.Errorf("block size %d, %v", n, err)
	}
	must(t, fs.Close(fd))
	fd, err = fs.Open("f", unix.O_RDWR|unix.O_DIRECT, 0)
	if errors.Is(err, unix.EINVAL) {
		t.Skip(err)
	}
	must(t, err)
	a, err := fs.Alignment(fd)
	must(t, err)
	if a.Mem < 1 || a.Offset < 1 || a.Offset&(a.Offset-1) != 0 {
		t.Errorf("of a direct file: %+v", a)
	}
	must(t, fs.Close(fd))
}

func TestOpenPath(t *testing.T) {
	fs := open(t)
	path := filepath.Join(t.TempDir(), "f")
	must(t, os.WriteFile(path, []byte("123"), 0o644))
	link := filepath.Join(t.TempDir(), "link")
	must(t, os.Symlink(path, link))
	fd, err := fs.OpenPath(link, unix.O_RDONLY)
	must(t, err)
	if n, err := fs.Size(fd); n != 3 || err != nil {
		t.Errorf("size %d, %v", n, err)
	}
	must(t, fs.Close(fd))
	_, err = fs.OpenPath(path+"x", unix.O_RDONLY)
	if want := "opening " + path + "x: no such file or directory"; err == nil || err.Error() != want {
		t.Errorf("error %q, want %q", err, want)
	}
	if _, err := Open(path); !errors.Is(err, unix.ENOTDIR) {
		t.Errorf("Open of a file: %v", err)
	}
}

func TestBlockDevice(t *testing.T) {
	fs := open(t)
	if os.Getuid() != 0 {
		t.Skip("needs root")
	}
	dev := loop(t, 1<<20)
	fd, err := fs.OpenPath(dev, unix.O_RDWR|unix.O_DIRECT|unix.O_EXCL)
	must(t, err)
	defer fs.Close(fd)
	if n, err := fs.Size(fd); n != 1<<20 || err != nil {
		t.Errorf("size %d, %v", n, err)
	}
	if a, err := fs.Alignment(fd); a.Offset != 512 || err != nil {
		t.Errorf("alignment %+v, %v", a, err)
	}
	if n, err := blockSize(fd); n != 512 || err != nil {
		t.Errorf("logical sector %d, %v", n, err)
	}
	if err := fs.Trim(fd, 0, 4096); err != nil && err != unix.EOPNOTSUPP {
		t.Errorf("discard: %v", err)
	}
	if _, err := fs.OpenPath(dev, unix.O_RDWR|unix.O_EXCL); !errors.Is(err, unix.EBUSY) || !strings.Contains(err.Error(), "held by something else") {
		t.Errorf("second exclusive open: %v", err)
	}
}

// loop makes a block device of size bytes.
func loop(t *testing.T, size int64) string {
	ctl, err := os.OpenFile("/dev/loop-control", os.O_RDWR, 0)
	if err != nil {
		t.Skip(err)
	}
	defer ctl.Close()
	n, err := unix.IoctlRetInt(int(ctl.Fd()), unix.LOOP_CTL_GET_FREE)
	if err != nil {
		t.Skip("finding a loop device: ", err)
	}
	back, err := os.Create(filepath.Join(t.TempDir(), "disk"))
	must(t, err)
	defer back.Close()
	must(t, back.Truncate(size))
	path := fmt.Sprintf("/dev/loop%d", n)
	dev, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Skip(err)
	}
	defer dev.Close()
	cfg := unix.LoopConfig{Fd: uint32(back.Fd()), Info: unix.LoopInfo64{Flags: unix.LO_FLAGS_AUTOCLEAR}}
	if err := unix.IoctlLoopConfigure(int(dev.Fd()), &cfg); err != nil {
		t.Skip("setting a loop device up: ", err)
	}
	hold, err := os.OpenFile(path, os.O_RDONLY, 0)
	must(t, err)
	t.Cleanup(func() { hold.Close() })
	return path
}

func BenchmarkResolve(b *testing.B) {
	fs := open(b)
	must(b, fs.Mkdir("d", 0o755))
	for _, name := range []string{"f", "d/f"} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, _, err := fs.Resolve(name); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
