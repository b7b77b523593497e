package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
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
