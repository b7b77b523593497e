package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestFlags(t *testing.T) {
	parse := func(args ...string) (*runFlags, []string) {
		t.Helper()
		fs := newFlagSet("run")
		o := &runFlags{}
		o.define(fs)
		if err := fs.Parse(args); err != nil {
			t.Fatal(err)
		}
		return o, fs.Args()
	}
	o, args := parse("--seed", "7", "wal", "-p", "a=1", "--param=b=x=y", "-pa=2", "--interval=100ms", "--fault", "read:errno=EIO", "--fault", "write:errno=EIO")
	if len(args) != 1 || args[0] != "wal" {
		t.Errorf("arguments %q", args)
	}
	if o.seed != 7 || o.interval != 100*time.Millisecond || o.params["a"] != "2" || o.params["b"] != "x=y" || len(o.faults) != 2 {
		t.Errorf("flags %+v", o)
	}
	a, _ := parse("wal")
	b, _ := parse("wal")
	if a.seed == b.seed || a.seed >= 1<<32 {
		t.Errorf("seeds %d and %d were drawn", a.seed, b.seed)
	}
	if a.engine != "auto" || a.format != "text" || a.interval != 0 || a.dir != "" {
		t.Errorf("defaults %+v", a)
	}
}

type brokenWriter struct{ err error }

func (w brokenWriter) Write([]byte) (int, error) { return 0, w.err }

func TestOutputThatFails(t *testing.T) {
	for _, c := range []struct {
		err  error
		says string
	}{
		{syscall.EPIPE, ""},
		{syscall.ENOSPC, "moonio: writing to standard output: no space left on device\n"},
	} {
		var stderr bytes.Buffer
		if code := Main([]string{"list"}, nil, brokenWriter{c.err}, &stderr); code != exitFailed || stderr.String() != c.says {
			t.Errorf("%v: exit code %d, %q", c.err, code, stderr.String())
		}
	}
}

func TestExitErrors(t *testing.T) {
	var e *exitError
	if err := usage("bad %s: %w", "flag", syscall.EINVAL); !errors.As(err, &e) || e.code != exitUsage || !errors.Is(err, syscall.EINVAL) {
		t.Errorf("usage error %v", err)
	}
	var stderr bytes.Buffer
	if code := Main([]string{"help", "run"}, strings.NewReader(""), &bytes.Buffer{}, &stderr); code != exitDone || stderr.Len() > 0 {
		t.Errorf("exit code %d, %q", code, stderr.String())
	}
}

// A second signal may end the program when all that is left is what somebody must read: the file that
// --out names is whole by then, and a pipe has still to find its reader.
func TestLastStep(t *testing.T) {
	dir := t.TempDir()
	file, pipe := filepath.Join(dir, "r.json"), filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	reader, err := os.OpenFile(pipe, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	for _, out := range []*resultFile{{path: file}, {path: pipe, stream: true}} {
		var stdout bytes.Buffer
		r := running{program: &program{stdout: newOutput(&stdout)}, flags: &runFlags{format: "json"}, out: out}
		var steps []bool
		err := r.write(func() {
			_, err := os.Stat(file)
			n, _ := reader.Read(make([]byte, 1))
			steps = append(steps, err == nil && n <= 0 && stdout.Len() == 0)
		})
		if err != nil || len(steps) == 0 || !steps[0] {
			t.Errorf("%s: %v, %v", out.path, steps, err)
		}
	}
}

// An interrupt does not wait for a script that takes long to compile.
func TestInterruptedLoad(t *testing.T) {
	var b strings.Builder
	for i := range 4000 {
		fmt.Fprintf(&b, "x%d = %d\n", i, i)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r := running{script: &script{chunk: "long.lua", source: b.String()}, signals: &interrupts{ctx: ctx}}
	if _, err := r.load(); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}
