package vm

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"moonio/engine"
	"moonio/engine/osfs"
	"moonio/engine/pool"
	"moonio/engine/workdir"
)

// overtaken is a file system in which something happens just before a file is made.
type overtaken struct {
	engine.FS
	by func(name string) error
}

func (o overtaken) Open(path string, flags int, perm uint32) (int, error) {
	if flags&unix.O_EXCL != 0 {
		if err := o.by(path); err != nil {
			return -1, err
		}
	}
	return o.FS.Open(path, flags, perm)
}

// Of two runs that make the same file and share it either may be the faster. Another program may not.
func TestOvertaken(t *testing.T) {
	for _, share := range []bool{true, false} {
		dir := t.TempDir()
		guard := func() *workdir.Guard {
			d, err := workdir.Use(dir, workdir.Config{Keep: true, Share: true})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { d.Close() })
			return d.Guard()
		}
		other := guard()
		fs, err := osfs.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer fs.Shutdown()
		r := newRun(t, "null")
		r.Guard = guard()
		r.Session.Engine = pool.Open
		r.Session.FS = overtaken{fs, func(name string) (err error) {
			if share {
				_, err = other.WillCreate(name)
			}
			return errors.Join(err, os.WriteFile(filepath.Join(dir, name), nil, 0o644))
		}}
		out := do(t, r, `open("f", { size = "4KiB" })`)
		if made := out.Err == nil; made != share {
			t.Errorf("sharing: %v, error: %v", share, out.Err)
		}
	}
}
