// Package scripttest runs scripts for tests, on engines that touch no storage.
package scripttest

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"moonio/engine"
	"moonio/engine/backend"
	"moonio/engine/report"
	"moonio/engine/run"
	"moonio/scripts"
	"moonio/stdlib"
	"moonio/vm"
)

// Config says how a script is run. Its zero value is on sim, with seed 1.
type Config struct {
	Engine string            // as for --engine
	Params map[string]string // as for -p
	Seed   uint64
	FS     func(engine.FS) engine.FS // put around the files; may be nil
	Check  bool                      // as `moonio check` does
}

// Result is what came of a script.
type Result struct {
	*vm.Outcome
	Printed string    // on standard output
	Logged  string    // on standard error
	Files   engine.FS // that it has left
	Plan    *vm.Plan  // of a check
}

// Run runs a script. Modules are those of stdlib.
func Run(t testing.TB, c Config, name, source string) *Result {
	t.Helper()
	if c.Seed == 0 {
		c.Seed = 1
	}
	choice, err := backend.Parse(c.engine())
	if err != nil {
		t.Fatal(err)
	}
	b, err := backend.Open(choice, nil, c.Seed)
	if err != nil {
		t.Fatal(err)
	}
	script, err := vm.Load(name+".lua", source)
	if err != nil {
		t.Fatal(err)
	}
	fs := b.FS()
	if c.FS != nil {
		fs = c.FS(fs)
	}
	var out, log bytes.Buffer
	r := &vm.Run{
		Session: &run.Session{FS: fs, Engine: b.Engine, Seed: c.Seed, Virtual: b.Virtual(), Fixed: "--engine " + c.engine()},
		Place:   vm.Place{Engine: c.engine()},
		Params:  c.Params, Require: Require, Out: &out, Err: &log,
		Trace: func(path string) (string, error) { return builtinTrace(t, path) },
	}
	if c.Check {
		r.Plan = &vm.Plan{}
	}
	o := r.Do(context.Background(), script)
	return &Result{Outcome: o, Printed: out.String(), Logged: log.String(), Files: fs, Plan: r.Plan}
}

// builtinTrace is a file with the trace in the binary that path names.
func builtinTrace(t testing.TB, path string) (string, error) {
	name, ok := strings.CutPrefix(path, "builtin:")
	if !ok {
		return "", fmt.Errorf("trace %q: only those in the binary are there", path)
	}
	b, ok := scripts.Trace(name)
	if !ok {
		return "", fmt.Errorf("no trace %q", path)
	}
	file := filepath.Join(t.TempDir(), name)
	return file, os.WriteFile(file, b, 0o600)
}

func (c *Config) engine() string {
	if c.Engine == "" {
		return "sim"
	}
	return c.Engine
}

// Require finds the modules of stdlib.
func Require(name string) (source, chunk string, err error) {
	source, ok := stdlib.Module(name)
	if !ok {
		return "", "", fmt.Errorf("no module %q", name)
	}
	return source, "stdlib/" + name + ".lua", nil
}

// Op is what a job measured of an operation. It fails the test if there is none.
func (r *Result) Op(t testing.TB, phase, job, op string) *report.Op {
	t.Helper()
	for _, p := range r.Phases {
		if p.Name != phase {
			continue
		}
		for _, j := range p.Jobs {
			if j.Name == job && j.Ops[op] != nil {
				return j.Ops[op]
			}
		}
	}
	t.Fatalf("nothing was measured as %s.%s in phase %q", job, op, phase)
	return nil
}
