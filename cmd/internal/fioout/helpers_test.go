package fioout

import (
	"bytes"
	"context"
	"flag"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"moonio/cmd/internal/fiojob"
	"moonio/engine"
	"moonio/engine/dist"
	"moonio/engine/memfs"
	"moonio/engine/report"
	"moonio/engine/run"
	"moonio/engine/sim"
)

var update = flag.Bool("update", false, "write what is found as what is wanted")

// device serves four operations at a time in 100 µs each, give or take.
const device = "nvme,parallelism=4,read=100us,write=120us,fsync=300us,read-bandwidth=0,write-bandwidth=0,cache=0,drain=0"

// load is a stream of a test, and the fio job that it stands for.
type load struct {
	job    fiojob.Job
	stream run.Stream
}

// played is a result and where the jobs' figures are in it.
type played struct {
	result report.Result
	jobs   []fiojob.Reported
}

func simulated(t testing.TB) *run.Session {
	t.Helper()
	cfg, err := sim.Parse(device)
	if err != nil {
		t.Fatal(err)
	}
	fs := memfs.New()
	return &run.Session{FS: fs, Engine: sim.NewWorld(cfg, 1, fs).Open, Seed: 1, Virtual: true, Detail: &run.Detail{}}
}

// play runs the loads side by side.
func play(t testing.TB, s *run.Session, p run.Phase, loads ...load) *played {
	t.Helper()
	f := open(t, s)
	p.Name, p.Threads = "fio", 1
	out := &played{}
	for _, l := range loads {
		st := l.stream
		st.Files = []*engine.File{f}
		p.Jobs = append(p.Jobs, run.Job{Name: l.job.Name, Stream: &st})
		out.jobs = append(out.jobs, fiojob.Reported{Job: l.job, Phase: "fio", Name: l.job.Name})
	}
	if p.Interval == 0 {
		p.Interval = Interval(out.jobs, 0)
	}
	phase, err := s.Run(context.Background(), &p)
	if phase == nil {
		t.Fatal(err)
	}
	out.result = report.Result{Phases: []*report.Phase{phase}, DurationNS: phase.StartNS + phase.DurationNS}
	return out
}

func open(t testing.TB, s *run.Session) *engine.File {
	t.Helper()
	if err := s.Layout(context.Background(), "data", 0, 1<<20); err != nil {
		t.Fatal(err)
	}
	const flags = syscall.O_RDWR
	fd, err := s.FS.Open("data", flags, 0)
	if err != nil {
		t.Fatal(err)
	}
	f, err := s.Opened("data", fd, flags)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// stream4K is a stream of 4 KiB blocks at random places.
func stream4K(t testing.TB, depth int, ops int64, mix ...engine.OpCode) run.Stream {
	t.Helper()
	size, err := dist.OneSize(4096)
	if err != nil {
		t.Fatal(err)
	}
	a := run.Access{At: dist.Uniform{}, Block: size}
	s := run.Stream{Read: a, Write: a, Depth: depth, Ops: ops}
	for _, c := range mix {
		s.Mix = append(s.Mix, dist.Share{Op: c, Weight: 1})
	}
	return s
}

// given are options with values, "name=value".
func given(pairs ...string) (list []fiojob.Option) {
	for i := 0; i < len(pairs); i += 2 {
		list = append(list, fiojob.Option{Name: pairs[i], Value: pairs[i+1], Given: true})
	}
	return list
}

func jobOf(name string, group int, opts ...string) fiojob.Job {
	o := given(opts...)
	return fiojob.Job{Name: name, Group: group, Options: o, All: o}
}

// at is when the documents of tests are written.
var at = time.Date(2026, 3, 1, 9, 8, 7, 6e6, time.UTC)

func (p *played) write(t testing.TB, formats string, s Settings) string {
	t.Helper()
	f, err := ParseFormats(formats)
	if err != nil {
		t.Fatal(err)
	}
	s.Now, s.PID = at, 4711
	var b bytes.Buffer
	if err := Write(&b, f, &p.result, p.jobs, s); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// golden compares with a file of testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}
