package workdir

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// childEnv names the directory of a run that is there to be killed. The test's own
// binary is that run.
const childEnv = "WORKDIR_TEST_CHILD"

func TestMain(m *testing.M) {
	if dir, ok := os.LookupEnv(childEnv); ok {
		if err := beKilled(dir, os.Getenv(childEnv+"_KEEP") != ""); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	os.Exit(m.Run())
}

// beKilled makes some files, says so, and waits for its end. Beneath a directory
// called parent it makes a fresh one.
func beKilled(dir string, keep bool) error {
	cfg := Config{Script: "wal", Keep: keep, Overwrite: []string{"user"}}
	open := Use
	if filepath.Base(dir) == "parent" {
		open = Create
	}
	d, err := open(dir, cfg)
	if err != nil {
		return err
	}
	g := d.Guard()
	g.end() // signs of life are given below alone, however long this takes
	make := func(name string) error {
		_, err := g.WillCreate(name)
		return errors.Join(err, os.WriteFile(filepath.Join(d.Path(), name), []byte("moonio's"), 0o644))
	}
	sub := filepath.Join(d.Path(), "sub")
	err = errors.Join(g.WillMkdir("sub"), os.Mkdir(sub, 0o755), make("sub/x"), make("a"), make("log.0"))
	g.sign()
	// Rotated, and one name that was never used.
	err = errors.Join(err, g.WillRename("log.0", "log.1"), os.Rename(filepath.Join(d.Path(), "log.0"), filepath.Join(d.Path(), "log.1")), make("log.0"))
	_, e := g.WillCreate("never")
	if err = errors.Join(err, e, make("user")); err != nil {
		return err
	}
	fmt.Println(d.Path(), d.Run())
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}

type child struct {
	cmd       *exec.Cmd
	path, run string
}

// start starts a run in dir and waits until it has made its files. The run ends with the test.
func start(t *testing.T, dir string, env ...string) *child {
	t.Helper()
	c := &child{cmd: exec.Command(os.Args[0])}
	c.cmd.Env = append(append(os.Environ(), childEnv+"="+dir), env...)
	c.cmd.Stderr = os.Stderr
	_, err := c.cmd.StdinPipe()
	noError(t, err)
	out, err := c.cmd.StdoutPipe()
	noError(t, err)
	noError(t, c.cmd.Start())
	t.Cleanup(c.kill)
	line, err := bufio.NewReader(out).ReadString('\n')
	noError(t, err)
	c.path, c.run, _ = strings.Cut(strings.TrimSpace(line), " ")
	return c
}

func (c *child) kill() {
	c.cmd.Process.Kill()
	c.cmd.Wait()
}

func killedIn(t *testing.T, dir string, env ...string) *child {
	t.Helper()
	c := start(t, dir, env...)
	c.kill()
	return c
}

const madeByChild = "a=moonio's log.0=moonio's log.1=moonio's sub sub/x=moonio's"

func TestKilledRunIsNamedAndCleaned(t *testing.T) {
	parent := filepath.Join(t.TempDir(), "parent")
	mkdir(t, parent)
	c := start(t, parent)
	if l := stale(t, parent); len(l) > 0 {
		t.Errorf("stale while it lives: %v", l)
	}
	clean(t, parent, CleanOptions{})
	has(t, c.path, madeByChild+" user=moonio's")
	c.kill()

	l := stale(t, parent)
	if len(l) != 1 || l[0].State != Killed || l[0].Dir != c.path || l[0].Run != c.run || l[0].Files != 5 || l[0].Bytes <= 0 {
		t.Fatalf("stale: %+v", l)
	}
	for _, want := range []string{c.path + ": 5 files, ", fmt.Sprintf("left by run %s (wal, pid %d, started ", c.run, c.cmd.Process.Pid), "which was killed; `moonio clean " + parent + "` removes it"} {
		if !strings.Contains(l[0].String(), want) {
			t.Errorf("%q does not say %q", l[0], want)
		}
	}
	out := clean(t, parent, CleanOptions{DryRun: true})
	if want := c.path + ": would remove 5 files, "; !strings.HasPrefix(out, want) {
		t.Errorf("dry run says %q, not %q", out, want)
	}
	has(t, c.path, madeByChild+" user=moonio's")
	out = clean(t, parent, CleanOptions{})
	if want := c.path + ": removed 5 files, "; !strings.HasPrefix(out, want) || strings.Count(out, "\n") != 1 {
		t.Errorf("clean says %q, not %q", out, want)
	}
	has(t, parent, "")
	if out := clean(t, parent, CleanOptions{}); out != parent+": nothing to clean\n" {
		t.Errorf("clean says %q", out)
	}
}

func TestKilledRunInUsersDirectory(t *testing.T) {
	dir := t.TempDir()
	write(t, "mine", dir, "user")
	write(t, "mine", dir, "other")
	killedIn(t, dir)
	has(t, dir, "a=moonio's log.0=moonio's log.1=moonio's other=mine sub sub/x=moonio's user=moonio's")
	clean(t, dir, CleanOptions{})
	// What the user let be overwritten stays the user's.
	has(t, dir, "other=mine user=moonio's")
	unmarked(t, dir)
}

func TestFilesPutInThePlaceOfAKilledRunsStay(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	needBirths(t, dir)
	write(t, "mine", dir, "older")
	c := killedIn(t, dir)
	age(t, dir, c)
	// One made anew, one moved over, one beneath a directory of the run's, one
	// under a name that the run never used, one through a link.
	remove(t, dir, "a")
	write(t, "mine", dir, "a")
	noError(t, os.Rename(filepath.Join(dir, "older"), filepath.Join(dir, "log.0")))
	remove(t, dir, "log.1")
	write(t, "mine", dir, "log.1")
	write(t, "mine", dir, "sub/mine")
	write(t, "mine", dir, "never")
	write(t, "mine", outside, "x")
	remove(t, dir, "user")
	noError(t, os.Symlink(outside+"/x", filepath.Join(dir, "user")))

	d := use(t, dir, Config{})
	for _, name := range []string{"a", "log.0", "log.1", "sub/mine", "never", "user"} {
		refused(t, d.Guard().Writable(name))
	}
	closeDir(t, d)
	out := clean(t, dir, CleanOptions{})
	has(t, dir, "a=mine log.0=mine log.1=mine never=mine sub sub/mine=mine user->"+outside+"/x")
	has(t, outside, "x=mine")
	for _, want := range []string{"/a stays: it has taken the place of what the run made\n", "/log.0 stays: it is older than the run\n", "/log.1 stays: it came after the run\n", "/never stays: it came after the run\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("clean says %s, not %q", out, want)
		}
	}
	unmarked(t, dir)
}

// age makes it seem that time has passed since a run was killed: what was there
// by then may be the run's, what is made from now on is not.
func age(t *testing.T, dir string, c *child) {
	t.Helper()
	tr, err := openTree(dir)
	noError(t, err)
	defer tr.close()
	var newest int64
	for _, name := range []string{"a", "log.0", "log.1", "sub/x"} {
		n, err := tr.look(name)
		noError(t, err)
		newest = max(newest, n.Born)
	}
	then := time.Unix(0, newest-slack)
	noError(t, os.Chtimes(filepath.Join(dir, marksDir, c.run+markExt), then, then))
	// The kernel's clock for files ticks every few milliseconds.
	for n := newest; n == newest; {
		write(t, "", dir, "tick")
		tick, err := tr.look("tick")
		noError(t, err)
		n = tick.Born
		remove(t, dir, "tick")
	}
}

func needBirths(t *testing.T, dir string) {
	t.Helper()
	n, err := stat(unix.AT_FDCWD, dir)
	noError(t, err)
	if n.Born == 0 {
		t.Skipf("NOT TESTED: the file system of %s keeps no times of birth", dir)
	}
}

// TestFileReplacedAtOnce replaces a file so soon after the run's death that only its
// identity tells: its inode number may even be the same.
func TestFileReplacedAtOnce(t *testing.T) {
	dir := t.TempDir()
	needBirths(t, dir)
	killedIn(t, dir)
	remove(t, dir, "a")
	write(t, "mine", dir, "a")
	clean(t, dir, CleanOptions{})
	has(t, dir, "a=mine")
}

func TestNextRunTakesOverFromAKilledOne(t *testing.T) {
	dir := t.TempDir()
	killedIn(t, dir)
	d := use(t, dir, Config{})
	create(t, d, "a", "log.0", "sub/x")
	noError(t, d.Guard().WillRename("log.0", "log.1"))
	noError(t, os.Rename(filepath.Join(dir, "log.0"), filepath.Join(dir, "log.1")))
	refused(t, d.Guard().WillRename("sub", "sub2"), "directory")
	closeDir(t, d)
	has(t, dir, "sub user=moonio's")
	clean(t, dir, CleanOptions{})
	has(t, dir, "")
	unmarked(t, dir)
}

func TestKilledRunThatWasToKeep(t *testing.T) {
	dir := t.TempDir()
	c := killedIn(t, dir, childEnv+"_KEEP=1")
	if l := stale(t, dir); len(l) != 1 || !strings.Contains(l[0].String(), "which was killed and was to keep it; `moonio clean --kept "+dir+"` removes it") {
		t.Errorf("stale: %v", l)
	}
	if out := clean(t, dir, CleanOptions{}); !strings.Contains(out, "left by run "+c.run) {
		t.Errorf("clean says %s", out)
	}
	// Reused by a run that keeps nothing, it stays.
	d := use(t, dir, Config{})
	create(t, d, "a")
	closeDir(t, d)
	has(t, dir, madeByChild+" user=moonio's")
	clean(t, dir, CleanOptions{Kept: true})
	has(t, dir, "")
	unmarked(t, dir)
}

func TestDirectoryMadeByAKilledRun(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	killedIn(t, dir)
	write(t, "mine", dir, "notes")
	out := clean(t, dir, CleanOptions{})
	has(t, dir, "notes=mine")
	if want := "directory " + dir + " stays: it holds notes\n"; !strings.HasSuffix(out, want) {
		t.Errorf("clean says %s, not %s", out, want)
	}
	remove(t, dir)
	killedIn(t, dir)
	clean(t, dir, CleanOptions{})
	gone(t, dir)
}

// rewrite changes the text of a killed run's mark. Its times stay.
func rewrite(t *testing.T, dir, run string, edit func(string) string) {
	t.Helper()
	path := filepath.Join(dir, marksDir, run+markExt)
	text, err := os.ReadFile(path)
	noError(t, err)
	noError(t, os.WriteFile(path, []byte(edit(string(text))), 0o644))
}

func TestAnotherHostsRun(t *testing.T) {
	dir := t.TempDir()
	c := killedIn(t, dir)
	w := here()
	rewrite(t, dir, c.run, func(s string) string {
		for old, new := range map[string]string{`"boot":"` + w.Boot: `"boot":"other`, `"machine":"` + w.Machine: `"machine":"other`, `"host":"` + w.Host: `"host":"faraway`} {
			s = strings.ReplaceAll(s, old, new)
		}
		return s
	})
	d := use(t, dir, Config{})
	_, err := d.Guard().WillCreate("never")
	refused(t, err, "on host faraway")
	refused(t, d.Guard().Writable("a"), "on host faraway")
	closeDir(t, d)
	if l := stale(t, dir); len(l) != 1 || l[0].State != Elsewhere || !strings.Contains(l[0].String(), "on host faraway, which may be at work; if it is not, `moonio clean --force "+dir+"` removes it") {
		t.Errorf("stale: %v", l)
	}
	clean(t, dir, CleanOptions{Kept: true})
	has(t, dir, madeByChild+" user=moonio's")
	clean(t, dir, CleanOptions{Force: true})
	has(t, dir, "")
	unmarked(t, dir)
}

func TestCopiedDirectory(t *testing.T) {
	dir, copied := t.TempDir(), filepath.Join(t.TempDir(), "copy")
	c := killedIn(t, dir)
	noError(t, os.CopyFS(copied, os.DirFS(dir)))
	if l := stale(t, copied); len(l) > 0 {
		t.Errorf("stale: %v", l)
	}
	out := clean(t, copied, CleanOptions{Kept: true, Force: true})
	if want := "a copied mark of run " + c.run; !strings.Contains(out, want) {
		t.Errorf("clean says %s, not %s", out, want)
	}
	has(t, copied, madeByChild+" user=moonio's")
	d := use(t, copied, Config{})
	refused(t, d.Guard().Writable("a"))
	closeDir(t, d)
}

func TestDamagedMarks(t *testing.T) {
	dir := t.TempDir()
	c := killedIn(t, dir)
	// The last line cut off, as by a full disk: the name is nobody's.
	rewrite(t, dir, c.run, func(s string) string {
		return strings.Replace(s, `{"do":"make","name":"a"}`, `{"do":"make","na`, 1) + `{"do":"make","name":"cut`
	})
	clean(t, dir, CleanOptions{})
	has(t, dir, "a=moonio's")
	unmarked(t, dir)

	c = killedIn(t, t.TempDir())
	rewrite(t, c.path, c.run, func(s string) string { return "\x00\x00" + s })
	if l := stale(t, c.path); len(l) != 1 || l[0].State != Unreadable {
		t.Errorf("stale: %v", l)
	}
	if out := clean(t, c.path, CleanOptions{Kept: true, Force: true}); !strings.Contains(out, "a mark that can't be read") {
		t.Errorf("clean says %s", out)
	}
	has(t, c.path, madeByChild+" user=moonio's")

	// Killed between making its mark and writing it.
	c = killedIn(t, t.TempDir())
	rewrite(t, c.path, c.run, func(string) string { return "" })
	clean(t, c.path, CleanOptions{})
	unmarked(t, c.path)
}

func TestFate(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"proc/sys/kernel/hostname":       "alpha\n",
		"proc/sys/kernel/random/boot_id": "boot2\n",
		"etc/machine-id":                 "m\n",
		"proc/7/stat":                    "7 (a (b) c) S 1 7 7 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 555 0 0",
		"proc/8/stat":                    "8 (zombie) Z 1 7 7 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 556 0 0",
	} {
		noError(t, os.MkdirAll(filepath.Join(root, filepath.Dir(name)), 0o755))
		write(t, text, root, name)
	}
	mkdir(t, root, "proc/self")
	mkdir(t, root, "proc/self/ns")
	noError(t, os.Symlink("pid:[1]", filepath.Join(root, "proc/self/ns/pid")))
	w := witnessAt(root)
	if w.Host != "alpha" || w.Machine == "" || w.Machine == "m" || w.PIDs != "pid:[1]" {
		t.Fatalf("witness %+v", w)
	}
	alive := owner{PID: 7, Start: 555, place: w.place, Locked: true}
	for name, c := range map[string]struct {
		change func(*owner)
		want   State
	}{
		"alive":                        {func(o *owner) {}, Live},
		"dead":                         {func(o *owner) { o.PID = 9 }, Killed},
		"zombie":                       {func(o *owner) { o.PID, o.Start = 8, 556 }, Killed},
		"pid reused":                   {func(o *owner) { o.Start = 554 }, Killed},
		"other boot":                   {func(o *owner) { o.Boot = "boot1" }, Killed},
		"other boot, host renamed":     {func(o *owner) { o.Boot, o.Host = "boot1", "beta" }, Killed},
		"other machine, same name":     {func(o *owner) { o.Boot, o.Machine = "boot1", "n" }, Elsewhere},
		"other host, no machine ID":    {func(o *owner) { o.Boot, o.Machine, o.Host = "boot1", "", "beta" }, Elsewhere},
		"same host, no machine ID":     {func(o *owner) { o.Boot, o.Machine = "boot1", "" }, Killed},
		"no boot ID":                   {func(o *owner) { o.Boot = "" }, Elsewhere},
		"container, lock released":     {func(o *owner) { o.PIDs, o.Host = "pid:[2]", "beta" }, Killed},
		"container, no locks":          {func(o *owner) { o.PIDs, o.Locked = "pid:[2]", false }, Elsewhere},
		"dead, no locks":               {func(o *owner) { o.PID, o.Locked = 9, false }, Killed},
		"alive, lock lost by the host": {func(o *owner) { o.Locked = false }, Live},
	} {
		o := alive
		c.change(&o)
		if got := w.fate(o); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

func TestLockDiesWithItsOwner(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mark")
	write(t, "", path)
	open := func() *os.File {
		f, err := os.OpenFile(path, os.O_RDWR, 0)
		noError(t, err)
		return f
	}
	a, b := open(), open()
	defer b.Close()
	noError(t, lock(a))
	if !held(b) || lock(b) != unix.EAGAIN {
		t.Error("the lock is not held")
	}
	a.Close()
	if held(b) {
		t.Error("the lock is held still")
	}
}
