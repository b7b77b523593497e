package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"moonio/cmd/internal/fiodiff"
)

// order is how far the operations of a job are determined, and compared.
type order int

const (
	sequence order = iota // the same operations, one after the other
	set                   // the same operations, in any order
	places                // the same places and lengths; which are read and which written is drawn
	counts                // as many of each direction, and as many bytes
	total                 // as many in all; of which direction they are is drawn
	unlogged              // what the documents say, and no more
	loose                 // not even that: time decides how many there are
)

// peerJob is a job that both programs run, and what is compared.
type peerJob struct {
	args  string // of the command line, with blanks between
	file  string // lines of jobs.fio, which args follow
	trace string // lines of trace.log, which read_iolog can name
	order order
	data  bool   // the files have the same bytes when all is over
	lay   bool   // there is a file data of 256 KiB before
	blank bool   // no I/O is done, and fio's report is not whole
	syncs *syncs // if fio counts syncs otherwise
}

// syncs are how many syncs each program counts, and why fio is wrong.
type syncs struct {
	fio, moonio int64 // anyCount: of fio's it is chance
	shorts      bool  // they are among fio's short operations
	why         string
}

const anyCount = -1

// peerRun is what a program made of a job.
type peerRun struct {
	dir      string
	out      fiodiff.Report
	raw      string
	complain string
	code     int
	err      error
}

// peerPair is what both made of it.
type peerPair struct {
	job         peerJob
	fio, moonio peerRun
	done        chan struct{}
}

// findFio skips the test where there is no fio, but not where all must be tested.
func findFio(t testing.TB) string {
	t.Helper()
	path, err := exec.LookPath("fio")
	if err != nil && os.Getenv("CI") != "" {
		t.Fatal("fio is needed to compare with: ", err)
	}
	if err != nil {
		t.Skip("NOT COMPARED WITH FIO: ", err)
	}
	return path
}

// atOnce is how many pairs of programs run at a time: most of a run is waiting.
const atOnce = 8

// startPairs begins to run all jobs in both programs.
func startPairs(t *testing.T, jobs []peerJob) []*peerPair {
	t.Helper()
	fio := findFio(t)
	moonio, err := exec.LookPath("moonio")
	if err != nil {
		t.Fatal(err)
	}
	top := t.TempDir()
	var pairs []*peerPair
	room := make(chan struct{}, atOnce)
	var all sync.WaitGroup
	for i, j := range jobs {
		p := &peerPair{job: j, done: make(chan struct{})}
		pairs = append(pairs, p)
		all.Go(func() {
			room <- struct{}{}
			defer func() { <-room; close(p.done) }()
			dir := filepath.Join(top, fmt.Sprint(i))
			p.fio = runPeer(t.Context(), filepath.Join(dir, "fio"), j, fio)
			ours := []string{moonio, "fio", "--no-progress"}
			if j.trace != "" { // which writes what was there
				ours = append(ours, "--overwrite", "data")
			}
			p.moonio = runPeer(t.Context(), filepath.Join(dir, "moonio"), j, ours...)
		})
	}
	t.Cleanup(all.Wait)
	return pairs
}

// runPeer runs a job in a directory of its own.
func runPeer(ctx context.Context, dir string, j peerJob, program ...string) peerRun {
	r := peerRun{dir: dir}
	if r.err = os.MkdirAll(dir, 0o777); r.err != nil {
		return r
	}
	if j.lay {
		if r.err = os.WriteFile(filepath.Join(dir, "data"), bytes.Repeat([]byte{0x33}, 256<<10), 0o666); r.err != nil {
			return r
		}
	}
	if j.trace != "" {
		if r.err = os.WriteFile(filepath.Join(dir, "trace.log"), []byte(j.trace), 0o666); r.err != nil {
			return r
		}
	}
	format := "--output-format=json+,normal,terse"
	if strings.Contains(j.args, "--output=") {
		format = "--output-format=json+"
	}
	args := append(program[1:], format)
	if j.order < unlogged {
		args = append(args, "--write_lat_log=log", "--log_offset=1")
	}
	if j.file != "" {
		args = append(args, "jobs.fio")
		if r.err = os.WriteFile(filepath.Join(dir, "jobs.fio"), []byte(j.file), 0o666); r.err != nil {
			return r
		}
	}
	r.run(ctx, program[0], append(args, strings.Fields(j.args)...))
	if r.err == nil && (r.code == 0 || strings.Contains(r.raw, "\n{\n")) {
		r.out, r.err = fiodiff.Split(r.raw)
	}
	return r
}

func (r *peerRun) run(ctx context.Context, program string, args []string) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = r.dir
	cmd.Env = append(os.Environ(), "TZ=UTC", "NO_COLOR=1")
	// Files, since a job's process that outlives its parent holds pipes.
	out, err1 := os.Create(r.dir + ".stdout")
	complain, err2 := os.Create(r.dir + ".stderr")
	if r.err = errors.Join(err1, err2); r.err != nil {
		return
	}
	defer out.Close()
	defer complain.Close()
	cmd.Stdout, cmd.Stderr = out, complain
	err := cmd.Run()
	raw, err1 := os.ReadFile(out.Name())
	said, err2 := os.ReadFile(complain.Name())
	r.raw, r.complain, r.code, r.err = string(raw), string(said), cmd.ProcessState.ExitCode(), errors.Join(err1, err2)
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || r.code < 0) {
		r.err = fmt.Errorf("%w\n%s%s", err, r.raw, r.complain)
	}
}

// Both programs do the same operations for the same job, leave the same files, and report
// it in the same words.
func TestSameAsFio(t *testing.T) {
	t.Parallel()
	for _, p := range startPairs(t, fewer(peerJobs, 2)) {
		t.Run(p.job.title(), func(t *testing.T) {
			<-p.done
			p.compare(t)
		})
	}
}

// fewer are one in eight of the jobs if the tests are to be short. In CI they are all, and
// elsewhere one in so many.
func fewer[T any](jobs []T, step int) (list []T) {
	switch {
	case testing.Short():
		step = 8
	case os.Getenv("CI") != "":
		step = 1
	}
	for i := 0; i < len(jobs); i += step {
		list = append(list, jobs[i])
	}
	return list
}

// title is the job in a few words.
func (j *peerJob) title() string {
	text := strings.ReplaceAll(j.args+" "+j.file, "\n", " ")
	return strings.TrimSpace(strings.ReplaceAll(text, "--name=a ", ""))
}

func (p *peerPair) compare(t *testing.T) {
	if p.fio.code != 0 && os.Getuid() != 0 && strings.Contains(p.fio.complain+p.fio.out.Text, "Operation not permitted") {
		t.Skip("NOT COMPARED WITH FIO: only root may do so")
	}
	for _, r := range []*peerRun{&p.fio, &p.moonio} {
		if r.err != nil || r.code != 0 {
			t.Fatalf("%s: exit code %d: %v\n%s%s", filepath.Base(r.dir), r.code, r.err, r.complain, r.out.Text)
		}
	}
	if p.job.order < unlogged {
		p.sameOps(t)
	}
	if !p.job.blank {
		p.sameReports(t)
	}
	p.sameFiles(t)
}
