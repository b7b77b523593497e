package workdir

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"
)

func TestExistingFileIsOnlyRead(t *testing.T) {
	dir := t.TempDir()
	write(t, "mine", dir, "data.bin")
	mkdir(t, dir, "sub")
	write(t, "mine", dir, "sub/x")
	d := use(t, dir, Config{})
	g := d.Guard()
	create(t, d, "own")

	_, err := g.WillCreate("data.bin")
	want := fmt.Sprintf("refused: data.bin in %s is not written: it exists and moonio did not make it; allow it with --overwrite data.bin, or use another --dir", dir)
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	refused(t, g.Writable("data.bin"), "not written")
	refused(t, g.Writable("./sub//x"), "--overwrite sub/x")
	refused(t, g.WillUnlink("data.bin"), "not removed")
	refused(t, g.WillRename("data.bin", "old.bin"), "data.bin", "not renamed")
	refused(t, g.WillRename("own", "data.bin"), "data.bin", "not replaced")
	refused(t, g.WillRename("sub", "sub2"), "sub", "it is a directory that this run did not make")
	refused(t, g.WillUnlink("sub"), "it is a directory")
	refused(t, g.WillUnlink("."), "it is the run's directory")
	for _, name := range []string{"data.bin", "sub", "sub/x", ".", "missing", "missing/too"} {
		noError(t, g.Readable(name))
		noError(t, g.Readable(name))
	}
	// Nothing there: the kernel answers.
	noError(t, g.Writable("missing"))
	noError(t, g.WillUnlink("missing"))
	noError(t, g.WillRename("missing", "else"))
	noError(t, g.WillMkdir("sub"))

	closeDir(t, d)
	has(t, dir, "data.bin=mine sub sub/x=mine")
	unmarked(t, dir)
}

func TestOverwrite(t *testing.T) {
	dir := t.TempDir()
	write(t, "mine", dir, "data.bin")
	write(t, "mine", dir, "old.bin")
	write(t, "mine", dir, "other")
	d := use(t, dir, Config{Overwrite: []string{"./data.bin", "old.bin", "absent"}})
	g := d.Guard()

	create(t, d, "data.bin", "absent")
	noError(t, g.Writable("data.bin"))
	refused(t, g.Writable("other"))
	// The user's file stays the user's under another name, and one made in its place is not.
	noError(t, g.WillRename("old.bin", "moved"))
	noError(t, os.Rename(filepath.Join(dir, "old.bin"), filepath.Join(dir, "moved")))
	create(t, d, "old.bin")

	notes := closeDir(t, d)
	has(t, dir, "data.bin=moonio's moved=mine other=mine")
	if want := dir + "/moved stays: it is your old.bin, renamed"; notes != want {
		t.Errorf("notes %q, want %q", notes, want)
	}
	unmarked(t, dir)
}

func TestOverwriteTakesNamesInTheDirectory(t *testing.T) {
	for _, name := range []string{"/etc/passwd", "../x", "a/../../x", "", ".moonio/x"} {
		if d, err := Use(t.TempDir(), Config{Overwrite: []string{name}}); err == nil || !strings.Contains(err.Error(), "--overwrite takes names of files in") {
			t.Errorf("--overwrite %q: %v, %v", name, d, err)
		}
	}
}

func TestCheckName(t *testing.T) {
	long := strings.Repeat("a", 200)
	for name, want := range map[string]error{
		"":                                 unix.ENOENT,
		"/a":                               unix.EXDEV,
		"..":                               unix.EXDEV,
		"a/../b":                           unix.EXDEV,
		"a\x00":                            unix.EINVAL,
		"a\xff":                            unix.EINVAL,
		strings.Repeat("x", 256):           unix.ENAMETOOLONG,
		strings.Repeat(long+"/", 21):       unix.ENAMETOOLONG,
		".moonio":                          ErrRefused,
		"./.moonio/aaaaaa.jsonl":           ErrRefused,
		".moonio2":                         nil,
		"sub/.moonio":                      nil,
		"a//b/.":                           nil,
		strings.Repeat(long+"/", 20) + "x": nil,
	} {
		// What is no name is none for any engine.
		for _, g := range []*Guard{nil, use(t, t.TempDir(), Config{}).Guard()} {
			_, err := g.CheckName(name)
			_, createErr := g.WillCreate(name)
			for _, err := range []error{err, createErr, g.Readable(name), g.Writable(name), g.WillUnlink(name), g.WillMkdir(name), g.WillRename(name, "x"), g.WillRename("x", name)} {
				if !errors.Is(err, want) || want == nil && err != nil {
					t.Errorf("%.20q: %v, want %v", name, err, want)
				}
			}
		}
	}
	if got, _ := (*Guard)(nil).CheckName("./a//b/"); got != "a/b" {
		t.Errorf("shortest form %q", got)
	}
}

func TestLinksAreNotFollowed(t *testing.T) {
	outside, dir := t.TempDir(), t.TempDir()
	write(t, "mine", outside, "x")
	noError(t, os.Symlink(outside, filepath.Join(dir, "out")))
	noError(t, os.Symlink(outside+"/x", filepath.Join(dir, "x")))
	noError(t, os.Symlink("nowhere", filepath.Join(dir, "dangling")))
	d := use(t, dir, Config{Overwrite: []string{"x", "out/x", "dangling"}})
	g := d.Guard()
	for _, name := range []string{"x", "out/x", "dangling", "out/new"} {
		refused(t, g.Readable(name), "symbolic link")
		refused(t, g.Writable(name), "symbolic link")
		_, err := g.WillCreate(name)
		refused(t, err, "symbolic link")
		refused(t, g.WillUnlink(name), "symbolic link")
		refused(t, g.WillRename(name, "y"), "symbolic link")
	}
	refused(t, g.WillMkdir("out/dir"), "out is a symbolic link")

	// A link in the place of what the run made is not followed at the end either.
	create(t, d, "own")
	noError(t, g.WillMkdir("sub"))
	mkdir(t, dir, "sub")
	create(t, d, "sub/x")
	remove(t, dir, "own")
	remove(t, dir, "sub")
	noError(t, os.Symlink(outside+"/x", filepath.Join(dir, "own")))
	noError(t, os.Symlink(outside, filepath.Join(dir, "sub")))
	notes := closeDir(t, d)
	has(t, outside, "x=mine")
	has(t, dir, "dangling->nowhere out->"+outside+" own->"+outside+"/x sub->"+outside+" x->"+outside+"/x")
	if want := "own stays: it is a symbolic link, and moonio makes none"; !strings.Contains(notes, want) {
		t.Errorf("notes %q don't say %q", notes, want)
	}
}

func TestSpecialFilesAreNotOpened(t *testing.T) {
	dir := t.TempDir()
	noError(t, unix.Mkfifo(filepath.Join(dir, "pipe"), 0o600))
	d := use(t, dir, Config{Overwrite: []string{"pipe", "disk"}})
	refused(t, d.Guard().Readable("pipe"), "it is a named pipe")
	refused(t, d.Guard().Writable("pipe"), "it is a named pipe")
	if err := unix.Mknod(filepath.Join(dir, "disk"), unix.S_IFBLK|0o600, int(unix.Mkdev(7, 200))); err != nil {
		t.Logf("NOT TESTED: a block device in the directory: making one: %v", err)
		return
	}
	refused(t, d.Guard().Readable("disk"), "it is a block device", "--device")
	refused(t, d.Guard().Writable("disk"), "it is a block device", "--device")
}

// lines counts the lines of the run's mark.
func lines(t *testing.T, d *Dir) int {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(d.Path(), d.Guard().mark.Load().file))
	noError(t, err)
	return strings.Count(string(text), "\n")
}

// withoutSigns ends the signs of life, so that a mark's lines can be counted.
func withoutSigns(d *Dir) *Dir {
	d.guard.end()
	d.guard.stop = make(chan struct{})
	return d
}

func TestNameIsRecordedBeforeItIsMade(t *testing.T) {
	d := use(t, t.TempDir(), Config{})
	fresh, err := d.Guard().WillCreate("logs.0")
	if !fresh || err != nil {
		t.Errorf("fresh %v, error %v", fresh, err)
	}
	text, err := os.ReadFile(filepath.Join(d.Path(), d.Guard().mark.Load().file))
	noError(t, err)
	if want := `{"do":"make","name":"logs.0"}` + "\n"; !strings.HasSuffix(string(text), want) {
		t.Errorf("mark %s does not end in %s", text, want)
	}
	if fresh, err := d.Guard().WillCreate("logs.0"); fresh || err != nil {
		t.Errorf("the second time: fresh %v, error %v", fresh, err)
	}
}

// TestRotationWritesNamesOnce rotates a log as its script would.
func TestRotationWritesNamesOnce(t *testing.T) {
	dir := t.TempDir()
	d := use(t, dir, Config{})
	g := d.Guard()
	rotate := func() {
		noError(t, g.WillUnlink("app.3"))
		os.Remove(filepath.Join(dir, "app.3"))
		for i := 2; i >= 0; i-- {
			from, to := fmt.Sprint("app.", i), fmt.Sprint("app.", i+1)
			noError(t, g.WillRename(from, to))
			os.Rename(filepath.Join(dir, from), filepath.Join(dir, to))
		}
		create(t, d, "app.0")
	}
	for range 10 {
		rotate()
	}
	withoutSigns(d)
	before := lines(t, d)
	for range 100 {
		rotate()
	}
	if after := lines(t, d); after != before {
		t.Errorf("the mark grew from %d to %d lines", before, after)
	}
	closeDir(t, d)
	has(t, dir, "")
	unmarked(t, dir)
}

func TestDirectoryCoversWhatIsBeneath(t *testing.T) {
	dir := t.TempDir()
	d := use(t, dir, Config{})
	g := d.Guard()
	noError(t, g.WillMkdir("a"))
	mkdir(t, dir, "a")
	withoutSigns(d)
	before := lines(t, d)
	for i := range 20 {
		create(t, d, fmt.Sprint("a/", i))
	}
	noError(t, g.WillMkdir("a/b"))
	mkdir(t, dir, "a/b")
	create(t, d, "a/b/x")
	noError(t, g.WillUnlink("a/3"))
	if after := lines(t, d); after != before {
		t.Errorf("the mark grew from %d to %d lines", before, after)
	}
	noError(t, g.WillRename("a", "c"))
	noError(t, os.Rename(filepath.Join(dir, "a"), filepath.Join(dir, "c")))
	create(t, d, "c/b/y")
	closeDir(t, d)
	has(t, dir, "")
}

func TestMarkThatCannotBeWritten(t *testing.T) {
	d := use(t, t.TempDir(), Config{})
	create(t, d, "a")
	d.Guard().mark.Load().f.Close()
	_, err := d.Guard().WillCreate("b")
	if err == nil || !strings.Contains(err.Error(), "marking what the run makes in") {
		t.Errorf("a name that could not be recorded: %v", err)
	}
	if _, err := d.Guard().WillCreate("b"); err == nil {
		t.Error("the name passes the second time")
	}
}

func TestMarksInTheWay(t *testing.T) {
	dir := t.TempDir()
	write(t, "mine", dir, ".moonio")
	d := use(t, dir, Config{})
	if _, err := d.Guard().WillCreate("a"); err == nil || !strings.Contains(err.Error(), ".moonio, where marks are kept, is a file") {
		t.Errorf("got %v", err)
	}
	closeDir(t, d)
	if text, err := os.ReadFile(filepath.Join(dir, ".moonio")); string(text) != "mine" {
		t.Errorf("the file is %q (%v)", text, err)
	}
}

func TestTwoRunsInOneDirectory(t *testing.T) {
	dir := t.TempDir()
	write(t, "mine", dir, "shared")
	first := use(t, dir, Config{Script: "oltp", Overwrite: []string{"shared"}})
	second := use(t, dir, Config{Overwrite: []string{"a", "shared"}})
	create(t, first, "a", "shared")
	create(t, second, "b")
	noError(t, first.Guard().WillMkdir("sub"))
	mkdir(t, dir, "sub")
	// Not there at the moment, but the first run's all the same.
	create(t, first, "rotated")
	remove(t, dir, "rotated")

	why := []string{"it belongs to run " + first.Run() + " (oltp, pid " + fmt.Sprint(os.Getpid()) + ", started ", "at work"}
	g := second.Guard()
	for _, name := range []string{"a", "sub/x", "rotated", "shared"} {
		_, err := g.WillCreate(name)
		refused(t, err, why...)
	}
	refused(t, g.Writable("a"), why...)
	refused(t, g.WillUnlink("a"), why...)
	refused(t, g.WillRename("a", "c"), why...)
	refused(t, g.WillRename("b", "a"), why...)
	refused(t, first.Guard().WillRename("a", "b"), second.Run())
	noError(t, g.Readable("a"))

	if l := stale(t, dir); len(l) > 0 {
		t.Errorf("stale: %v", l)
	}
	out := clean(t, dir, CleanOptions{Kept: true, Force: true})
	for _, d := range []*Dir{first, second} {
		if want := ", in use by run " + d.Run(); !strings.Contains(out, want) {
			t.Errorf("clean says %q, not %q", out, want)
		}
	}
	closeDir(t, second)
	has(t, dir, "a=moonio's shared=moonio's sub")
	closeDir(t, first)
	has(t, dir, "shared=moonio's")
	unmarked(t, dir)
}

func TestConcurrentUse(t *testing.T) {
	dir := t.TempDir()
	d := use(t, dir, Config{})
	var wg sync.WaitGroup
	for w := range 4 {
		wg.Go(func() {
			for i := range 50 {
				name, next := fmt.Sprint("f", i%10), fmt.Sprint("g", w, i%5)
				if _, err := d.Guard().WillCreate(name); err != nil {
					t.Error(err)
				}
				if f, err := os.Create(filepath.Join(dir, name)); err == nil {
					f.Close()
				}
				if err := d.Guard().WillRename(name, next); err != nil {
					t.Error(err)
				}
				os.Rename(filepath.Join(dir, name), filepath.Join(dir, next))
				d.Guard().sign()
			}
		})
	}
	wg.Wait()
	if notes := closeDir(t, d); notes != "" {
		t.Errorf("notes: %s", notes)
	}
	has(t, dir, "")
}

// known is a guard with names of its own: some at the top, some covered.
func known(tb testing.TB) *Guard {
	d, err := Use(tb.TempDir(), Config{})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { d.Close() })
	for _, name := range []string{"app.0", "app.1", "sub"} {
		if _, err := d.Guard().WillCreate(name); err != nil {
			tb.Fatal(err)
		}
	}
	if err := turn(d.Guard()); err != nil {
		tb.Fatal(err)
	}
	return d.Guard()
}

// turn is what a rotating script asks in one turn.
func turn(g *Guard) error {
	_, err := g.WillCreate("sub/segment/00001")
	return errors.Join(err, g.Writable("app.0"), g.Readable("app.1"), g.WillRename("app.0", "app.1"), g.WillUnlink("app.1"), g.WillMkdir("sub/dir"))
}

func TestOwnNamesAllocateNothing(t *testing.T) {
	g := known(t)
	if n := testing.AllocsPerRun(100, func() {
		if err := turn(g); err != nil {
			t.Error(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkOwnName(b *testing.B) {
	g := known(b)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := g.WillCreate("app.0"); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkNewName(b *testing.B) {
	d, err := Use(b.TempDir(), Config{})
	if err != nil {
		b.Fatal(err)
	}
	defer d.Close()
	names := make([]string, 0, 1000)
	for i := range 1000 {
		names = append(names, fmt.Sprint("f", i))
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if _, err := d.Guard().WillCreate(names[i%1000] + fmt.Sprint(i/1000)); err != nil {
			b.Fatal(err)
		}
	}
}
