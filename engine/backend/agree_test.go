package backend

import (
	"errors"
	"testing"

	"moonio/engine"
	"moonio/engine/enginetest"
)

// target is an engine by its name, each on a world of its own.
func target(t *testing.T, spec string) enginetest.Target {
	t.Helper()
	c, err := Parse(spec)
	if err != nil {
		t.Fatal(err)
	}
	opened := map[engine.FS]*Backend{}
	files := func(t testing.TB) engine.FS {
		var fs engine.FS
		if !c.Memory() {
			fs = enginetest.Dir(t)
		}
		b, err := Open(c, fs, 1)
		if errors.Is(err, engine.ErrUnavailable) {
			t.Skip(err)
		}
		if err != nil {
			t.Fatal(err)
		}
		opened[b.FS()] = b
		return b.FS()
	}
	return enginetest.Target{FS: files, Open: func(cfg engine.Config) (engine.Engine, error) { return opened[cfg.FS].Engine(cfg) }}
}

// The same operations have the same results on every engine.
func TestEnginesAgree(t *testing.T) {
	for i, other := range []string{"io_uring", "io_uring:sqpoll,sqpoll_idle=1", "io_uring:force_async,fixedbufs=0", "giouring", "libaio", "psync", "sync", "pvsync2", "mmap", "null", "sim", "sim:hdd"} {
		t.Run(other, func(t *testing.T) {
			enginetest.Compare(t, target(t, "pool"), target(t, other), uint64(1000+i), 500)
		})
	}
}
