package fioout

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"moonio/cmd/internal/fiodiff"
	"moonio/cmd/internal/fiojob"
	"moonio/engine"
	"moonio/engine/backend"
	"moonio/engine/dist"
	"moonio/engine/environ"
	"moonio/engine/osfs"
	"moonio/engine/run"
)

// peerJobs are command lines that both programs carry out. The blocks are 4 KiB, and the file has 64 of them.
var peerJobs = map[string][]string{
	"read":   {"--name=a", "--rw=read", "--ioengine=psync", "--description=a read"},
	"randrw": {"--name=b", "--rw=randrw", "--ioengine=libaio", "--iodepth=4", "--lat_percentiles=1", "--slat_percentiles=1", "--percentile_list=99.9:50"},
	"fsync":  {"--name=c", "--rw=randwrite", "--ioengine=psync", "--fsync=1"},
	"trim":   {"--name=d", "--rw=randtrim", "--ioengine=null"},
	"group":  {"--group_reporting", "--name=e", "--rw=randread", "--ioengine=psync", "--numjobs=4"},
	"jobs":   {"--thread", "--name=f", "--rw=randwrite", "--ioengine=psync", "--name=g", "--stonewall", "--rw=randread", "--ioengine=psync", "--clat_percentiles=0"},
	"mixed":  {"--name=h", "--rw=randrw", "--ioengine=psync", "--unified_rw_reporting=mixed", "--continue_on_error=all"},
	"both":   {"--name=i", "--rw=randrw", "--ioengine=psync", "--unified_rw_reporting=both", "--latency_target=10s", "--latency_window=1s", "--latency_percentile=99"},
	"steady": {"--name=j", "--rw=randread", "--ioengine=null", "--time_based", "--runtime=1600ms", "--steadystate=iops:0.0001%", "--steadystate_duration=1"},
	"bits":   {"--name=l", "--rw=randwrite", "--ioengine=psync", "--unit_base=1", "--kb_base=1000", "--significant_figures=6"},
}

const peerSize = 64 * 4096

// peer runs fio on a file in dir.
func peer(t *testing.T, dir, format string, args []string) string {
	t.Helper()
	fio, err := exec.LookPath("fio")
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip("NOT TESTED against fio: ", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, fio, append([]string{"--output-format=" + format}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "TZ=UTC")
	var out, complaints bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaints
	if err := cmd.Run(); err != nil {
		t.Fatalf("fio: %v\n%s", err, complaints.String())
	}
	return out.String()
}

// ours runs the same jobs here.
func ours(t *testing.T, dir string, args []string) (*played, Settings) {
	t.Helper()
	command, err := fiojob.Parse(args, fiojob.Sources{})
	if err != nil {
		t.Fatal(err)
	}
	p := &played{}
	for stage := 0; ; stage++ {
		var jobs []fiojob.Job
		for _, j := range command.Jobs {
			if j.Stage == stage {
				jobs = append(jobs, j)
			}
		}
		if len(jobs) == 0 {
			break
		}
		p.stage(t, dir, fmt.Sprint("stage ", stage), jobs)
	}
	last := p.result.Phases[len(p.result.Phases)-1]
	p.result.DurationNS = last.StartNS + last.DurationNS
	return p, Settings{Global: command.Global}
}

// stage plays jobs side by side.
func (p *played) stage(t *testing.T, dir, name string, jobs []fiojob.Job) {
	t.Helper()
	o := fiojob.ValuesOf(&jobs[0])
	fs, err := osfs.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	b, err := backend.Open(backend.Choice{Name: o.Text("ioengine")}, fs, 1)
	if err != nil {
		t.Skip("NOT TESTED: ", err)
	}
	defer fs.Shutdown()
	s := &run.Session{FS: b.FS(), Engine: b.Engine, Seed: 1, Detail: &run.Detail{}, Disk: diskOf(dir, b.FS().Memory())}
	f := peerFile(t, s)
	plan := &run.Phase{Name: name, Threads: 1, Interval: 500 * time.Millisecond, Duration: o.Time("runtime")}
	for i, j := range jobs {
		st := peerStream(t, fiojob.ValuesOf(&j), f)
		plan.Jobs = append(plan.Jobs, run.Job{Name: fmt.Sprint(j.Name, i), Own: &run.Threads{Count: 1}, Stream: st})
		p.jobs = append(p.jobs, fiojob.Reported{Job: j, Phase: name, Name: fmt.Sprint(j.Name, i)})
	}
	r, err := s.Run(t.Context(), plan)
	if err != nil {
		t.Fatal(err)
	}
	p.result.Phases = append(p.result.Phases, r)
}

func diskOf(dir string, memory bool) string {
	e := environ.Machine{}.Environment(dir)
	if memory || e.Storage == nil || e.Storage.Device == nil {
		return ""
	}
	return e.Storage.Device.Name
}

func peerFile(t *testing.T, s *run.Session) *engine.File {
	t.Helper()
	if err := s.Layout(t.Context(), "data", 0, peerSize); err != nil {
		t.Fatal(err)
	}
	fd, err := s.FS.Open("data", syscall.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	f, err := s.Opened("data", fd, syscall.O_RDWR)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// peerStream does what such a job does.
func peerStream(t *testing.T, o *fiojob.Values, f *engine.File) *run.Stream {
	t.Helper()
	size, err := dist.OneSize(4096)
	if err != nil {
		t.Fatal(err)
	}
	a := run.Access{At: dist.Permute{}, Block: size}
	s := &run.Stream{Files: []*engine.File{f}, Read: a, Write: a, Depth: int(o.Integer("iodepth")), Ops: peerSize / 4096}
	if o.On("time_based") {
		s.Ops = 0
	}
	for d, code := range []engine.OpCode{engine.Read, engine.Write, engine.Trim} {
		if moves(o.Text("rw"))[d] {
			s.Mix = append(s.Mix, dist.Share{Op: code, Weight: 1})
		}
	}
	if n := o.Integer("fsync"); n > 0 {
		s.Syncs = []run.SyncEvery{{Code: engine.Fsync, Writes: n}}
	}
	return s
}

func decoded(t *testing.T, doc string) map[string]any {
	t.Helper()
	v, err := fiodiff.Decode(doc)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// What both programs say of the same job has the same keys with values of the same types, the same
// lines and the same fields.
func TestSameAsFio(t *testing.T) {
	for name, args := range peerJobs {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			args := peerArgs(args)
			theirs, err := fiodiff.Split(peer(t, dir, "terse,json+,normal", args))
			if err != nil {
				t.Fatal(err)
			}
			p, set := ours(t, dir, args)
			var head bytes.Buffer
			if err := Header(&head, p.jobs); err != nil {
				t.Fatal(err)
			}
			sameJSON(t, theirs.JSON, p.write(t, "json+", set))
			sameText(t, theirs.Text, head.String()+p.write(t, "normal", set))
			sameTerse(t, theirs.Terse, p.write(t, "terse", set))
		})
	}
}

func TestTerseVersionsOfFio(t *testing.T) {
	for _, version := range []int{2, 4, 5} {
		t.Run(fmt.Sprint(version), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			args := peerArgs(peerJobs["both"])
			theirs := peer(t, dir, "terse", append(slices.Clone(args), fmt.Sprint("--terse-version=", version)))
			p, set := ours(t, dir, args)
			set.Terse = version
			sameTerse(t, theirs, p.write(t, "terse", set))
		})
	}
}

func sameJSON(t *testing.T, a, b string) {
	t.Helper()
	theirs, mine := decoded(t, a), decoded(t, b)
	if diff := fiodiff.Shape(theirs, mine); diff != "" {
		t.Errorf("keys (-fio's +ours):\n%s", diff)
	}
	if diff := cmp.Diff(determined(theirs), determined(mine)); diff != "" {
		t.Errorf("what the job determines (-fio's +ours):\n%s", diff)
	}
}

func sameText(t *testing.T, theirs, mine string) {
	t.Helper()
	if diff := fiodiff.Text(theirs, mine); diff != "" {
		t.Errorf("lines (-fio's +ours):\n%s", diff)
	}
}

func sameTerse(t *testing.T, theirs, mine string) {
	t.Helper()
	if diff := fiodiff.Terse(theirs, mine); diff != "" {
		t.Errorf("terse fields (-fio's +ours):\n%s", diff)
	}
}

// peerArgs gives every job what they have in common.
func peerArgs(args []string) []string {
	return append([]string{"--filename=data", "--size=256k", "--allow_file_create=1", "--fallocate=none"}, args...)
}

// determined are the values that do not depend on the machine. A job that ends by time determines few.
func determined(doc map[string]any) any {
	var out []any
	for _, j := range doc["jobs"].([]any) {
		job := j.(map[string]any)
		kept := map[string]any{}
		for _, k := range []string{"jobname", "groupid", "error", "job options", "desc", "latency_depth", "latency_target", "latency_percentile", "latency_window", "total_err", "first_error"} {
			kept[k] = job[k]
		}
		options := job["job options"].(map[string]any)
		timed := options["runtime"] != nil
		for _, d := range []string{"read", "write", "trim", "mixed"} {
			way, ok := job[d].(map[string]any)
			if !ok || timed {
				continue
			}
			// Which of a mix come is drawn.
			if rw := options["rw"]; rw == "randrw" && d != "mixed" {
				continue
			}
			kept[d] = []any{way["io_bytes"], way["io_kbytes"], way["total_ios"], way["short_ios"], way["drop_ios"], way["clat_ns"].(map[string]any)["N"]}
		}
		if s, ok := job["sync"].(map[string]any); ok && options["fsync"] == nil { // fio leaves the last one out
			kept["sync"] = s["total_ios"]
		}
		out = append(out, kept)
	}
	return map[string]any{"global options": doc["global options"], "fio version": doc["fio version"], "jobs": out}
}
