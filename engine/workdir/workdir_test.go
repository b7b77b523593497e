package workdir

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

func TestFreshDirectory(t *testing.T) {
	parent := t.TempDir()
	d, err := Create(parent, Config{Script: "wal"})
	noError(t, err)
	if !regexp.MustCompile(`^moonio-[a-z2-7]{6}$`).MatchString(filepath.Base(d.Path())) {
		t.Errorf("path %s", d.Path())
	}
	if want := d.Path() + " (made for this run, removed at its end)"; d.String() != want {
		t.Errorf("%s, want %s", d, want)
	}
	create(t, d, "a", "b")
	noError(t, d.Guard().WillMkdir("sub"))
	mkdir(t, d.Path(), "sub")
	create(t, d, "sub/x")
	if notes := closeDir(t, d); notes != "" {
		t.Errorf("notes: %s", notes)
	}
	has(t, parent, "")
}

func TestFreshDirectoryIsMarkedFromTheStart(t *testing.T) {
	d, err := Create(t.TempDir(), Config{Script: "wal", Version: "1.2.3"})
	noError(t, err)
	text, err := os.ReadFile(filepath.Join(d.Path(), marksDir, d.Run()+markExt))
	noError(t, err)
	for _, want := range []string{`"moonio":1`, `"run":"` + d.Run(), `"script":"wal"`, `"version":"1.2.3"`, `"pid":`, `"start":`, `"host":`, `"boot":`, `"started":`, `"locked":true`, `"made":true`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("mark %s does not hold %s", text, want)
		}
	}
	closeDir(t, d)
}

func TestUsersFileInFreshDirectoryStays(t *testing.T) {
	parent := t.TempDir()
	d, err := Create(parent, Config{})
	noError(t, err)
	create(t, d, "a")
	write(t, "mine", d.Path(), "notes.txt")
	refused(t, d.Guard().Writable("notes.txt"))
	notes := closeDir(t, d)
	if want := "directory " + d.Path() + " stays: it holds notes.txt"; notes != want {
		t.Errorf("notes %q, want %q", notes, want)
	}
	has(t, d.Path(), "notes.txt=mine")
	unmarked(t, d.Path())
}

func TestFreshDirectoryReplaced(t *testing.T) {
	d, err := Create(t.TempDir(), Config{})
	noError(t, err)
	noError(t, os.Rename(d.Path(), d.Path()+".moved"))
	mkdir(t, d.Path())
	closeDir(t, d)
	if _, err := os.Stat(d.Path()); err != nil {
		t.Errorf("a directory of somebody else's was removed: %v", err)
	}
	remove(t, d.Path())
}

func TestMissingDirectoryIsMadeAndRemoved(t *testing.T) {
	parent := t.TempDir()
	dir := filepath.Join(parent, "data")
	d := use(t, dir, Config{})
	create(t, d, "a")
	closeDir(t, d)
	gone(t, dir)

	_, err := Use(filepath.Join(dir, "deeper"), Config{})
	if want := "directory " + dir + "/deeper: " + dir + " does not exist either; make it, or mount what should be there"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
	write(t, "mine", parent, "file")
	for _, path := range []string{"file", "file/dir"} {
		if _, err := Use(filepath.Join(parent, path), Config{}); err == nil || !strings.Contains(err.Error(), "not a directory") {
			t.Errorf("--dir %s: %v", path, err)
		}
	}
	has(t, parent, "file=mine")
}

func TestReadingLeavesNoTrace(t *testing.T) {
	dir := t.TempDir()
	write(t, "mine", dir, "data")
	before, err := os.Stat(dir)
	noError(t, err)
	d := use(t, dir, Config{Keep: true})
	noError(t, d.Guard().Readable("data"))
	refused(t, d.Guard().Writable("data"))
	unmarked(t, dir)
	closeDir(t, d)
	after, err := os.Stat(dir)
	noError(t, err)
	if !after.ModTime().Equal(before.ModTime()) {
		t.Error("the directory was changed")
	}
}

func TestKeep(t *testing.T) {
	parent := t.TempDir()
	d, err := Create(parent, Config{Keep: true})
	noError(t, err)
	create(t, d, "a", "b")
	notes := closeDir(t, d)
	if want := "kept in " + d.Path() + ": 2 files, "; !strings.HasPrefix(notes, want) {
		t.Errorf("notes %q, want %q…", notes, want)
	}
	has(t, d.Path(), "a=moonio's b=moonio's")
	if l := stale(t, parent); len(l) > 0 {
		t.Errorf("stale: %v", l)
	}
	if out := clean(t, parent, CleanOptions{}); !strings.Contains(out, d.Path()+": 2 files, ") || !strings.Contains(out, ", kept by run "+d.Run()+" (") || !strings.Contains(out, "--kept") {
		t.Errorf("clean says %s", out)
	}
	has(t, d.Path(), "a=moonio's b=moonio's")

	// Nothing made, nothing kept.
	d, err = Create(parent, Config{Keep: true})
	noError(t, err)
	closeDir(t, d)
	gone(t, d.Path())
}

// kept makes a directory in which a run has kept the names.
func kept(t *testing.T, names ...string) (dir, run string) {
	t.Helper()
	dir = t.TempDir()
	d := use(t, dir, Config{Keep: true})
	noError(t, d.Guard().WillMkdir("sub"))
	mkdir(t, dir, "sub")
	create(t, d, append(names, "sub/x")...)
	closeDir(t, d)
	return dir, d.Run()
}

func TestKeptFilesAreReusedAndStay(t *testing.T) {
	dir, _ := kept(t, "a", "b", "c")
	d := use(t, dir, Config{})
	create(t, d, "a", "new", "sub/x", "sub/y")
	// One that is made anew is this run's.
	noError(t, d.Guard().WillUnlink("b"))
	remove(t, dir, "b")
	create(t, d, "b")
	closeDir(t, d)
	has(t, dir, "a=moonio's c=moonio's sub sub/x=moonio's")

	// The kept ones are known still.
	d = use(t, dir, Config{})
	noError(t, d.Guard().Writable("a"))
	noError(t, d.Guard().Writable("c"))
	noError(t, d.Guard().Writable("sub/x"))
	closeDir(t, d)
	has(t, dir, "a=moonio's c=moonio's sub sub/x=moonio's")

	clean(t, dir, CleanOptions{Kept: true})
	has(t, dir, "")
	unmarked(t, dir)
}

func TestKeptFileReplacedIsTheUsers(t *testing.T) {
	dir, _ := kept(t, "a", "b")
	needBirths(t, dir)
	write(t, "mine", dir, "a.new")
	noError(t, os.Rename(filepath.Join(dir, "a.new"), filepath.Join(dir, "a")))
	remove(t, dir, "b")
	write(t, "mine", dir, "b")
	write(t, "mine", dir, "sub/y")
	d := use(t, dir, Config{})
	for _, name := range []string{"a", "b", "sub/y"} {
		refused(t, d.Guard().Writable(name), "moonio did not make it")
	}
	closeDir(t, d)
	out := clean(t, dir, CleanOptions{Kept: true})
	has(t, dir, "a=mine b=mine sub sub/y=mine")
	for _, want := range []string{"a stays: it has taken the place of what the run kept", "sub/y stays: the run did not make it"} {
		if !strings.Contains(out, want) {
			t.Errorf("clean says %s, not %q", out, want)
		}
	}
}

// TestKeptFilesRotate renames kept files in a run that keeps nothing: they are
// kept all the same, and known by their new names.
func TestKeptFilesRotate(t *testing.T) {
	dir, run := kept(t, "log.0", "log.1")
	d := use(t, dir, Config{})
	for _, r := range [][2]string{{"log.1", "log.2"}, {"log.0", "log.1"}} {
		noError(t, d.Guard().WillRename(r[0], r[1]))
		noError(t, os.Rename(filepath.Join(dir, r[0]), filepath.Join(dir, r[1])))
	}
	create(t, d, "log.0")
	closeDir(t, d)
	has(t, dir, "log.1=moonio's log.2=moonio's sub sub/x=moonio's")

	remove(t, dir, "sub")
	d = use(t, dir, Config{})
	noError(t, d.Guard().Writable("log.1"))
	noError(t, d.Guard().Writable("log.2"))
	closeDir(t, d)
	// The first mark vouches for nothing any more.
	gone(t, filepath.Join(dir, marksDir, run+markExt))
	clean(t, dir, CleanOptions{Kept: true})
	has(t, dir, "")
	unmarked(t, dir)
}

func TestKeepingAgainAddsNoMark(t *testing.T) {
	dir, _ := kept(t, "a")
	for range 3 {
		d := use(t, dir, Config{Keep: true})
		create(t, d, "a")
		closeDir(t, d)
	}
	marks, err := os.ReadDir(filepath.Join(dir, marksDir))
	noError(t, err)
	if len(marks) != 1 {
		t.Errorf("%d marks", len(marks))
	}
}

func TestWhatCannotBeRemovedIsReported(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("NOT TESTED: root can remove anything")
	}
	dir := t.TempDir()
	d := use(t, dir, Config{})
	noError(t, d.Guard().WillMkdir("sub"))
	mkdir(t, dir, "sub")
	create(t, d, "sub/x", "a")
	noError(t, os.Chmod(filepath.Join(dir, "sub"), 0o555))
	defer os.Chmod(filepath.Join(dir, "sub"), 0o755)
	if _, err := d.Close(); !errors.Is(err, unix.EACCES) || !strings.Contains(err.Error(), "moonio clean") {
		t.Errorf("got %v", err)
	}
	has(t, dir, "sub sub/x=moonio's")
	noError(t, os.Chmod(filepath.Join(dir, "sub"), 0o755))
}

func TestNilDir(t *testing.T) {
	var d *Dir
	g := d.Guard()
	fresh, err := g.WillCreate("a/b")
	if fresh || err != nil {
		t.Errorf("fresh %v, error %v", fresh, err)
	}
	noError(t, errors.Join(g.Readable("a"), g.Writable("a"), g.WillRename("a", "b"), g.WillUnlink("b"), g.WillMkdir("c")))
	if notes, err := d.Close(); notes != nil || err != nil {
		t.Errorf("Close: %v, %v", notes, err)
	}
}

func TestHidden(t *testing.T) {
	for name, want := range map[string]bool{".moonio": true, ".moonio/x": true, ".moonio2": false, "a/.moonio": false} {
		if Hidden(name) != want {
			t.Errorf("Hidden(%q) = %v", name, !want)
		}
	}
}

// What is removed under the run's feet is nothing that a run should pass over.
func TestRemovedDirectory(t *testing.T) {
	named := t.TempDir()
	fresh, err := Create(t.TempDir(), Config{})
	noError(t, err)
	for _, d := range []*Dir{fresh, use(t, named, Config{})} {
		create(t, d, "a")
		remove(t, d.Path())
		_, err := d.Close()
		if want := "directory " + d.Path() + " was removed while the run worked in it"; err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}
