package vm

import (
	"sync/atomic"
	"testing"
	"time"

	"moonio/engine"
	"moonio/engine/osfs"
	"moonio/engine/pool"
	"moonio/engine/run"
)

// openFS counts the descriptors that are open. An open of "slow" takes its time.
type openFS struct {
	engine.FS
	open atomic.Int64
}

func (c *openFS) Open(path string, flags int, perm uint32) (int, error) {
	if path == "slow" {
		time.Sleep(40 * time.Millisecond)
	}
	fd, err := c.FS.Open(path, flags, perm)
	if err == nil {
		c.open.Add(1)
	}
	return fd, err
}

func (c *openFS) Close(fd int) error {
	c.open.Add(-1)
	return c.FS.Close(fd)
}

// What clients leave open is closed when the phase is over, and at the end what the top level does: there would
// be no descriptors for the next phase otherwise, and on NFS a directory could not be removed.
func TestLeftOpenIsClosed(t *testing.T) {
	for name, c := range map[string]struct {
		script string
		fails  bool
	}{
		"at the top level":  {`open("f", { size = "4KiB" }) open("g")`, false},
		"by clients":        {`phase("p", { iterations = 8, threads = 2 }, clients("c", 4, function() open("f"):append("4KiB") end))`, false},
		"closed by clients": {`phase("p", { iterations = 8 }, clients("c", 4, function() local f = open("f") f:append("4KiB") f:close() end))`, false},
		"closed by another": {`local f = open("f") phase("p", { iterations = 1 }, clients("c", 1, function() f:close() end))`, false},
		"by one that fails": {`phase("p", { iterations = 1 }, clients("c", 1, function() open("f"):read("4KiB", 0) end))`, true},
		"when time is up":   {`phase("p", { duration = "20ms" }, clients("c", 4, function() open("f") sleep("1s") end))`, false},
		"opened too late": {`phase("p", { iterations = 9 }, { clients("c", 4, function() open("slow") end),
		                       clients("d", 1, function() sleep("1ms") error("over") end) })`, true},
		"opened after its job": {`phase("p", { duration = "60ms" }, clients("c", 4, { duration = "20ms" }, function() open("slow") end))`, false},
	} {
		t.Run(name, func(t *testing.T) {
			dir, err := osfs.Open(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			defer dir.Shutdown()
			fs := &openFS{FS: dir}
			r := &Run{Session: &run.Session{FS: fs, Seed: 1, Engine: func(c engine.Config) (engine.Engine, error) {
				c.FS = fs
				return pool.Open(c)
			}}}
			if out := do(t, r, c.script); (out.Err != nil) != c.fails {
				t.Fatal(out.Err)
			}
			if n := fs.open.Load(); n != 0 {
				t.Errorf("%d files are still open", n)
			}
		})
	}
}
