package fiolua

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"moonio/cmd/internal/fiojob"
	"moonio/engine/backend"
	"moonio/engine/run"
	"moonio/stdlib"
	"moonio/vm"
)

var update = flag.Bool("update", false, "write the scripts anew")

// world is what there is in the tests' file system.
func world(path string) Node {
	switch path {
	case "/", "/dev", "/data", "/data/d1", "/data/d1/b", "/data/d2", "/mnt", "/mnt/x":
		return Node{Exists: true, Kind: Directory}
	case "/data/d1/a", "/data/d1/b/c", "/data/d1/small":
		return Node{Exists: true, Size: map[string]int64{"/data/d1/a": 1 << 20, "/data/d1/b/c": 70000, "/data/d1/small": 1000}[path]}
	case "/data/old":
		return Node{Exists: true, Size: 10 << 20}
	case "/dev/sdz":
		return Node{Exists: true, Kind: Device, Size: 1 << 30}
	case "/dev/none":
		return Node{Exists: true, Kind: Device}
	case "/dev/null":
		return Node{Exists: true, Kind: Other}
	}
	return Node{}
}

// parse reads fio's words, and job files by name.
func parse(args []string, files map[string]string) (*fiojob.Command, error) {
	return fiojob.Parse(args, fiojob.Sources{CPUs: 2, Page: 4096, Memory: 1 << 30, Open: func(name string) (io.ReadCloser, error) {
		text, ok := files[name]
		if !ok {
			return nil, os.ErrNotExist
		}
		return io.NopCloser(strings.NewReader(text)), nil
	}})
}

func translate(args []string, files map[string]string) (*Program, error) {
	cmd, err := parse(args, files)
	if err != nil {
		return nil, err
	}
	return Translate(cmd, Setup{Dir: "/data", Look: world, Trace: traces, List: listed, Memory: 1 << 30, Args: args})
}

// listed are the files of /data/d1.
func listed(dir string) ([]string, error) {
	if dir != "/data/d1" {
		return nil, nil
	}
	return []string{"/data/d1/small", "/data/d1/b/c", "/data/d1/a"}, nil
}

// traces are what can be played in the tests.
func traces(path string, place func(offset int64) int64) (*Captured, error) {
	c := &Captured{Named: true, Longest: 8192}
	switch path {
	case "device.log":
		c.Named, c.Files = false, []CapturedFile{{Name: "8,0", End: 1 << 20, Reads: true}}
	case "a.log", "b.log":
		c.Files = []CapturedFile{{Name: "pages", End: place(40960) + 512, Reads: true, Writes: true}, {Name: "journal", End: place(1040384) + 8192, Writes: true}}
	default:
		return nil, errors.New("there is no such trace")
	}
	return c, nil
}

// TestScripts compares scripts with those in testdata, whose first lines are the command
// line, and job files beside the script.
func TestScripts(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatal("no cases: ", err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) { golden(t, path) })
	}
}

func golden(t *testing.T, path string) {
	a, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	want := ""
	for _, f := range a.Files {
		files[f.Name] = string(f.Data)
		if f.Name == "script.lua" {
			want = string(f.Data)
		}
	}
	p, err := translate(strings.Fields(string(a.Comment)), files)
	if err != nil {
		t.Fatal(err)
	}
	got := p.Script
	for _, w := range p.Warnings {
		got += "-- WARNING " + w + "\n"
	}
	for _, r := range p.Jobs {
		got += fmt.Sprintf("-- JOB %s.%d is %q in %q\n", r.Job.Name, r.Clone, r.Name, r.Phase)
	}
	if *update {
		rewrite(t, path, a, got)
	} else if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	plan(t, p)
}

func rewrite(t *testing.T, path string, a *txtar.Archive, script string) {
	kept := a.Files[:0]
	for _, f := range a.Files {
		if f.Name != "script.lua" {
			kept = append(kept, f)
		}
	}
	a.Files = append(kept, txtar.File{Name: "script.lua", Data: []byte(script)})
	if err := os.WriteFile(path, txtar.Format(a), 0o644); err != nil {
		t.Fatal(err)
	}
}

// plan runs the script without running its phases, which finds what is wrong with its options.
func plan(t *testing.T, p *Program) {
	t.Helper()
	code := compile(t, p)
	choice, err := backend.Parse("null")
	if err != nil {
		t.Fatal(err)
	}
	b, err := backend.Open(choice, nil, 1)
	if err != nil {
		t.Fatal(err)
	}
	var devices []*vm.Device
	for _, f := range p.Files {
		if f.Device {
			devices = append(devices, &vm.Device{Path: f.Path, FD: -1, Size: world(f.Path).Size, ReadOnly: !f.Written})
		}
	}
	r := &vm.Run{
		Devices: devices,
		Session: &run.Session{FS: b.FS(), Engine: b.Engine, Fixed: "the test", Seed: 1},
		Plan:    &vm.Plan{}, Out: io.Discard, Err: io.Discard, Trace: played(t),
		Require: func(name string) (string, string, error) {
			source, _ := stdlib.Module(name)
			return source, name, nil
		},
	}
	if out := r.Do(context.Background(), code); out.Err != nil {
		t.Fatal(out.Err)
	}
	jobs := map[string]bool{}
	for _, p := range r.Plan.Phases {
		for _, j := range p.Jobs {
			jobs[p.Name+"/"+j.Name] = true
		}
	}
	for _, j := range p.Jobs {
		if len(jobs) > 0 && !jobs[j.Phase+"/"+j.Name] && !strings.Contains(p.Script, "search.depth") {
			t.Errorf("the script has no job %q in phase %q", j.Name, j.Phase)
		}
	}
}

// played writes traces down that are of the files that traces says.
func played(t *testing.T) func(string) (string, error) {
	return func(path string) (string, error) {
		log := "fio version 3 iolog\n0 pages read 40960 512\n0 journal write 1040384 8192\n"
		if path == "device.log" {
			log = "fio version 3 iolog\n0 8,0 read 0 4096\n"
		}
		path = filepath.Join(t.TempDir(), path)
		return path, os.WriteFile(path, []byte(log), 0o666)
	}
}

func compile(t *testing.T, p *Program) *vm.Script {
	t.Helper()
	code, err := vm.Load("script.lua", p.Script)
	if err != nil {
		t.Fatalf("%v\n%s", err, p.Script)
	}
	return code
}
