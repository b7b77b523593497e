package workdir

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// use opens dir for a run that ends with the test, if it has not by then.
func use(t *testing.T, dir string, cfg Config) *Dir {
	t.Helper()
	if cfg.Script == "" {
		cfg.Script = "wal"
	}
	d, err := Use(dir, cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

func closeDir(t *testing.T, d *Dir) string {
	t.Helper()
	notes, err := d.Close()
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(notes, "\n")
}

func write(t *testing.T, text string, path ...string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(path...), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// create does what a script's create does: it asks, then makes.
func create(t *testing.T, d *Dir, names ...string) {
	t.Helper()
	for _, name := range names {
		if _, err := d.Guard().WillCreate(name); err != nil {
			t.Fatal(err)
		}
		write(t, "moonio's", d.Path(), name)
	}
}

func mkdir(t *testing.T, path ...string) {
	t.Helper()
	if err := os.Mkdir(filepath.Join(path...), 0o755); err != nil {
		t.Fatal(err)
	}
}

func remove(t *testing.T, path ...string) {
	t.Helper()
	if err := os.RemoveAll(filepath.Join(path...)); err != nil {
		t.Fatal(err)
	}
}

func refused(t *testing.T, err error, want ...string) {
	t.Helper()
	if !errors.Is(err, ErrRefused) {
		t.Errorf("got %v, want it refused", err)
		return
	}
	for _, w := range want {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("%q does not say %q", err, w)
		}
	}
}

func noError(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// contents is what is beneath dir: "path" for a directory, "path=text" for a
// file, "path->target" for a link. Marks are left out.
func contents(t *testing.T, dir string) string {
	t.Helper()
	var all []string
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		name := strings.TrimPrefix(path, dir+"/")
		switch {
		case e.Name() == marksDir:
			return fs.SkipDir
		case e.Type().IsRegular():
			text, err := os.ReadFile(path)
			all = append(all, name+"="+string(text))
			return err
		case e.Type()&fs.ModeSymlink != 0:
			target, err := os.Readlink(path)
			all = append(all, name+"->"+target)
			return err
		}
		all = append(all, name)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(all, " ")
}

func has(t *testing.T, dir, want string) {
	t.Helper()
	if got := contents(t, dir); got != want {
		t.Errorf("%s holds %q, want %q", dir, got, want)
	}
}

func gone(t *testing.T, path string) {
	t.Helper()
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s is still there (%v)", path, err)
	}
}

// unmarked checks that no mark is left in dir.
func unmarked(t *testing.T, dir string) {
	t.Helper()
	gone(t, filepath.Join(dir, marksDir))
}

func stale(t *testing.T, dir string) []Leftover {
	t.Helper()
	l, err := Stale(dir)
	noError(t, err)
	return l
}

func clean(t *testing.T, dir string, o CleanOptions) string {
	t.Helper()
	var out bytes.Buffer
	noError(t, Clean(&out, o, dir))
	return out.String()
}
