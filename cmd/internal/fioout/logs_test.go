package fioout

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"moonio/cmd/internal/fiojob"
	"moonio/engine"
	"moonio/engine/run"
)

// shelf keeps logs in memory.
type shelf map[string]*bytes.Buffer

func (s shelf) create(name string) (io.WriteCloser, error) {
	s[name] = &bytes.Buffer{}
	return closer{s[name]}, nil
}

type closer struct{ io.Writer }

func (closer) Close() error { return nil }

// logged plays the loads with their logs.
func logged(t *testing.T, p run.Phase, loads ...load) (*played, shelf) {
	t.Helper()
	var jobs []fiojob.Reported
	for _, l := range loads {
		jobs = append(jobs, fiojob.Reported{Job: l.job, Phase: "fio", Name: l.job.Name})
	}
	s, kept := simulated(t), shelf{}
	logs, err := NewLogs(jobs, LogSettings{Create: kept.create, Wall: func(ns int64) time.Time { return time.Unix(1000, ns) }})
	if err != nil {
		t.Fatal(err)
	}
	s.Detail = logs.Detail()
	r := play(t, s, p, loads...)
	if err := logs.Close(); err != nil {
		t.Fatal(err)
	}
	return r, kept
}

// table reads a log.
func table(t *testing.T, b *bytes.Buffer) (rows [][]int64) {
	t.Helper()
	for _, line := range strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n") {
		var row []int64
		for _, s := range strings.Split(line, ", ") {
			n, err := strconv.ParseInt(s, 0, 64)
			if err != nil {
				t.Fatal(err)
			}
			row = append(row, n)
		}
		rows = append(rows, row)
	}
	return rows
}

func TestLogsOfSingleOperations(t *testing.T) {
	job := jobOf("j", 0, "rw", "randrw", "ioengine", "libaio", "write_bw_log", "a", "write_lat_log", "b", "log_offset", "1")
	job.All = append(job.All, fiojob.Option{Name: "write_iops_log"})
	r, kept := logged(t, run.Phase{}, load{job, stream4K(t, 4, 500, engine.Read, engine.Write)})
	names := slices.Sorted(maps.Keys(kept))
	if want := []string{"a_bw.1.log", "b_clat.1.log", "b_lat.1.log", "b_slat.1.log", "j_iops.1.log"}; !cmp.Equal(names, want) {
		t.Fatalf("logs %q, want %q", names, want)
	}
	lat, clat, slat := table(t, kept["b_lat.1.log"]), table(t, kept["b_clat.1.log"]), table(t, kept["b_slat.1.log"])
	bw, ones := table(t, kept["a_bw.1.log"]), table(t, kept["j_iops.1.log"])
	var sum [2]int64
	for i, row := range lat {
		if len(row) != 6 || row[3] != 4096 || row[4]%4096 != 0 || row[5] != 0 || i > 0 && row[0] < lat[i-1][0] {
			t.Fatalf("line %d of the latencies: %v", i, row)
		}
		if clat[i][1]+slat[i][1] != row[1] || ones[i][1] != 1 || bw[i][1] != 4096*1e6/clat[i][1] {
			t.Fatalf("line %d: %v, %v and %v with %v and %v", i, row, clat[i], slat[i], bw[i], ones[i])
		}
		sum[row[2]] += row[1]
	}
	for d, name := range []string{"read", "write"} {
		if op := r.result.Phases[0].Jobs[0].Ops[name]; float64(sum[d]) != float64(op.Count)*op.Service.MeanNS && !near(float64(sum[d]), float64(op.Count)*op.Service.MeanNS) {
			t.Errorf("%s: latencies of %d ns in all, want %v", name, sum[d], float64(op.Count)*op.Service.MeanNS)
		}
	}
}

func near(a, b float64) bool { return a-b < 1e-9*b && b-a < 1e-9*b }

// Windows are at multiples of their length, and those in which nothing completed are there.
func TestLogsOfWindows(t *testing.T) {
	job := jobOf("j", 0, "rw", "randread", "write_bw_log", "a", "write_lat_log", "a", "write_iops_log", "a", "log_avg_msec", "200", "per_job_logs", "0")
	st := stream4K(t, 4, 0, engine.Read)
	late := jobOf("late", 0, "rw", "randread", "write_iops_log", "b", "log_avg_msec", "200")
	r, kept := logged(t, run.Phase{Duration: 900 * time.Millisecond}, load{job, st}, load{late, stream4K(t, 1, 10, engine.Read)})
	var times []int64
	var ops float64
	for i, row := range table(t, kept["a_iops.log"]) {
		times = append(times, row[0])
		length := row[0]
		if i > 0 {
			length -= times[i-1]
		}
		ops += float64(row[1]) * float64(length) / 1000
		if row[2] != 0 || row[3] != 0 || row[4] != 0 {
			t.Errorf("line %v", row)
		}
	}
	if want := []int64{200, 400, 600, 800, 900}; !cmp.Equal(times, want) {
		t.Errorf("windows at %v, want %v", times, want)
	}
	if n := float64(r.result.Phases[0].Jobs[0].Ops["read"].Count); ops < n-5 || ops > n+5 {
		t.Errorf("%v operations in the windows, want %v", ops, n)
	}
	if got := table(t, kept["b_iops.2.log"]); len(got) != 5 || got[0][1] != 50 || got[1][1] != 0 || got[4][1] != 0 {
		t.Errorf("windows of a job of 10 operations: %v", got)
	}
	if got := table(t, kept["a_lat.log"]); len(got) != 5 || got[0][1] < 50_000 || got[0][1] > 500_000 {
		t.Errorf("latencies %v", got)
	}
}

func TestLogsOfHistograms(t *testing.T) {
	job := jobOf("j", 0, "rw", "randread", "write_hist_log", "h", "log_hist_msec", "250", "log_hist_coarseness", "3", "log_unix_epoch", "1")
	r, kept := logged(t, run.Phase{Duration: time.Second}, load{job, stream4K(t, 4, 0, engine.Read)})
	rows := table(t, kept["h_clat_hist.1.log"])
	var n int64
	for i, row := range rows {
		if len(row) != 3+numBins/8 || row[1] != 0 || row[2] != 4096 {
			t.Fatalf("%d fields in line %d", len(row), i)
		}
		for _, c := range row[3:] {
			n += c
		}
	}
	if want := r.result.Phases[0].Jobs[0].Ops["read"].Count; len(rows) != 5 || n != want {
		t.Errorf("%d windows of %d operations, want 5 of %d", len(rows), n, want)
	}
	if rows[0][0] < 1_000_250 || rows[0][0] > 1_001_000 {
		t.Errorf("a window at %d ms since 1970", rows[0][0])
	}
}

// stubborn takes no data.
type stubborn struct{}

func (stubborn) Write([]byte) (int, error) { return 0, errors.New("no space") }
func (stubborn) Close() error              { return nil }

func TestLogsThatFail(t *testing.T) {
	jobs := []fiojob.Reported{{Job: jobOf("j", 0, "write_lat_log", "x"), Phase: "fio", Name: "j"}}
	_, err := NewLogs(jobs, LogSettings{Create: func(name string) (io.WriteCloser, error) { return nil, fmt.Errorf("%s: denied", name) }})
	if want := `write_lat_log of job "j": x_lat.1.log: denied`; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
	l, err := NewLogs(jobs, LogSettings{Create: func(string) (io.WriteCloser, error) { return stubborn{}, nil }})
	if err != nil {
		t.Fatal(err)
	}
	l.samples(&run.Samples{Phase: "fio", Jobs: []string{"j"}, Began: []int64{0}, List: []run.Sample{{Service: 1, Code: engine.Read}}})
	if err := l.Close(); err == nil || !strings.Contains(err.Error(), "writing logs: ") {
		t.Errorf("error %v, want one of writing", err)
	}
}

func TestInterval(t *testing.T) {
	for _, c := range []struct {
		options []string
		want    time.Duration
	}{
		{nil, 500 * time.Millisecond},
		{[]string{"log_avg_msec", "1000"}, 500 * time.Millisecond},
		{[]string{"log_avg_msec", "200"}, 100 * time.Millisecond},
		{[]string{"log_hist_msec", "7"}, run.MinInterval},
	} {
		if got := Interval([]fiojob.Reported{{Job: jobOf("j", 0, c.options...)}}, 0); got != c.want {
			t.Errorf("%v: %v, want %v", c.options, got, c.want)
		}
	}
}
