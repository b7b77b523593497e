package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"moonio/cmd/internal/fiodiff"
)

// logs are the operations of each job, by the names of their logs.
func (r *peerRun) logs(t *testing.T) map[string][]fiodiff.Op {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(r.dir, "log_*.log"))
	if err != nil {
		t.Fatal(err)
	}
	logs := map[string][]fiodiff.Op{}
	for _, path := range paths {
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		ops, err := fiodiff.Log(f)
		f.Close()
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		logs[filepath.Base(path)] = ops
	}
	return logs
}

// sameOps compares what was done, as the latency logs have it.
func (p *peerPair) sameOps(t *testing.T) {
	t.Helper()
	theirs, ours := p.fio.logs(t), p.moonio.logs(t)
	if len(theirs) == 0 {
		t.Error("fio has written no log")
	}
	if diff := gocmp.Diff(slices.Sorted(maps.Keys(theirs)), slices.Sorted(maps.Keys(ours))); diff != "" {
		t.Errorf("logs (-fio's +ours):\n%s", diff)
	}
	if diff := gocmp.Diff(digest(theirs, p.job.order), digest(ours, p.job.order)); diff != "" {
		t.Errorf("operations (-fio's +ours):\n%s", diff)
	}
}

// digest is what is to be the same of jobs' operations. fio counts the clones of numjobs from
// the last one, and so it is left open which log is whose.
func digest(logs map[string][]fiodiff.Op, o order) (list [][]string) {
	for _, ops := range logs {
		list = append(list, digestOf(slices.Clone(ops), o))
	}
	slices.SortFunc(list, slices.Compare)
	return list
}

func digestOf(ops []fiodiff.Op, o order) (lines []string) {
	if o == counts || o == total {
		return sums(ops, o)
	}
	if o == places {
		for i := range ops {
			ops[i].Dir = 0
		}
	}
	if o != sequence {
		slices.SortFunc(ops, func(a, b fiodiff.Op) int {
			return cmp.Or(a.Dir-b.Dir, cmp.Compare(a.Offset, b.Offset), cmp.Compare(a.Length, b.Length))
		})
	}
	for _, op := range ops {
		lines = append(lines, fmt.Sprint(op))
	}
	return lines
}

func sums(ops []fiodiff.Op, o order) (lines []string) {
	var n, bytes [3]int64
	for _, op := range ops {
		dir := op.Dir
		if o == total {
			dir = 0
		}
		n[dir]++
		bytes[dir] += op.Length
	}
	return []string{fmt.Sprint(n), fmt.Sprint(bytes)}
}

// sameReports compares what the programs print.
func (p *peerPair) sameReports(t *testing.T) {
	t.Helper()
	theirs, err := fiodiff.Decode(p.fio.out.JSON)
	if err != nil {
		t.Fatal("fio: ", err)
	}
	ours, err := fiodiff.Decode(p.moonio.out.JSON)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ what, diff string }{
		{"keys and types of JSON", fiodiff.Shape(theirs, ours)},
		{"what the job determines", gocmp.Diff(p.job.determined(theirs), p.job.determined(ours))},
		{"lines", fiodiff.Text(p.fio.out.Text, p.moonio.out.Text)},
		{"terse fields", fiodiff.Terse(p.fio.out.Terse, p.moonio.out.Terse)},
	} {
		if c.diff != "" {
			t.Errorf("%s (-fio's +ours):\n%s", c.what, c.diff)
		}
	}
	p.sameSyncs(t, theirs, ours)
}

// determined are the values that do not depend on the machine.
func (j *peerJob) determined(doc map[string]any) any {
	var out []any
	for _, v := range doc["jobs"].([]any) {
		job := v.(map[string]any)
		kept := map[string]any{}
		for _, k := range []string{"jobname", "groupid", "error", "job options", "desc", "latency_depth", "latency_target", "latency_percentile", "latency_window", "total_err", "first_error"} {
			kept[k] = job[k]
		}
		j.amounts(job, kept)
		out = append(out, kept)
	}
	return map[string]any{"global options": doc["global options"], "fio version": doc["fio version"], "jobs": out}
}

// amounts are how much was done in each direction, or in all if those are drawn.
func (j *peerJob) amounts(job, kept map[string]any) {
	var sum [6]int64
	for _, d := range []string{"read", "write", "trim", "mixed"} {
		way, ok := job[d].(map[string]any)
		if !ok || j.order == loose {
			continue
		}
		n := [6]int64{whole(way["io_bytes"]), whole(way["io_kbytes"]), whole(way["total_ios"]), whole(way["short_ios"]), whole(way["drop_ios"]), whole(way["clat_ns"].(map[string]any)["N"])}
		if j.syncs != nil && j.syncs.shorts {
			n[3] = 0
		}
		for i := range n {
			sum[i] += n[i]
		}
		if j.order != places && j.order != total {
			kept[d] = n
		}
	}
	kept["all"] = sum
}

func whole(v any) int64 {
	n, ok := v.(json.Number)
	if !ok {
		return 0
	}
	i, err := n.Int64()
	if err != nil {
		return -1
	}
	return i
}

// sameSyncs compares how many syncs there were.
func (p *peerPair) sameSyncs(t *testing.T, theirs, ours map[string]any) {
	t.Helper()
	fio, moonio := syncsOf(theirs), syncsOf(ours)
	if known := p.job.syncs; known != nil {
		if (fio == known.fio || known.fio == anyCount) && moonio == known.moonio {
			return
		}
		t.Errorf("%d syncs, where fio counts %d: want %d and %d, since %s", moonio, fio, known.moonio, known.fio, known.why)
	} else if fio != moonio && p.job.order < loose {
		t.Errorf("%d syncs, where fio counts %d", moonio, fio)
	}
}

func syncsOf(doc map[string]any) (n int64) {
	for _, v := range doc["jobs"].([]any) {
		if s, ok := v.(map[string]any)["sync"].(map[string]any); ok {
			n += whole(s["total_ios"])
		}
	}
	return n
}

// sameFiles compares what is left behind: names and sizes, and the bytes where the job
// determines them.
func (p *peerPair) sameFiles(t *testing.T) {
	t.Helper()
	theirs, ours := p.fio.files(t), p.moonio.files(t)
	for name := range ours {
		if _, ok := theirs[name]; !ok {
			t.Errorf("a file %s, which fio has not made", name)
		}
	}
	for name, a := range theirs {
		switch b, ok := ours[name]; {
		case !ok:
			t.Errorf("no file %s, which fio has made", name)
		case len(a) != len(b):
			t.Errorf("%s has %d bytes, and fio's %d", name, len(b), len(a))
		case p.job.data && !bytes.Equal(a, b):
			t.Errorf("%s has other bytes from %d on", name, firstDifference(a, b))
		}
	}
}

func firstDifference(a, b []byte) int {
	for i := range a {
		if a[i] != b[i] {
			return i
		}
	}
	return -1
}

// files are those of the jobs, by name. What each program notes for a later verification is its own.
func (r *peerRun) files(t *testing.T) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	err := filepath.WalkDir(r.dir, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.Name() == ".moonio":
			return fs.SkipDir
		case e.IsDir() || e.Name() == "jobs.fio" || notes.MatchString(e.Name()):
			return nil
		}
		name, err := filepath.Rel(r.dir, path)
		if err == nil {
			files[name], err = os.ReadFile(path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

var notes = regexp.MustCompile(`\.log$|\.verify$|-verify\.state$`)
