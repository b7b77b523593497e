package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
)

const loggedJob = "--name=job --filename=data --size=1m --rw=randrw --time_based --runtime=800ms --rate_iops=200 --write_bw_log=job --write_iops_log=job --write_lat_log=job --output=r.json"

var logJobs = []peerJob{
	{args: loggedJob + " --log_avg_msec=100", order: loose},
	{args: loggedJob + " --write_hist_log=job --log_hist_msec=200 --log_hist_coarseness=2", order: loose},
	{args: loggedJob + " --log_offset=1 --log_prio=1 --numjobs=2", order: loose},
	{args: loggedJob + " --log_avg_msec=200 --log_max_value=1 --per_job_logs=0 --group_reporting --numjobs=2", order: loose},
}

// What fio logs is logged in files of the same names, with as many columns.
func TestLogsAsFio(t *testing.T) {
	t.Parallel()
	for _, p := range startPairs(t, fewer(logJobs, 1)) {
		t.Run(strings.TrimPrefix(p.job.args, loggedJob), func(t *testing.T) {
			<-p.done
			if p.fio.code != 0 || p.moonio.code != 0 {
				t.Fatalf("exit codes %d and %d:\n%s%s", p.fio.code, p.moonio.code, p.fio.complain, p.moonio.complain)
			}
			if diff := gocmp.Diff(p.fio.columns(t), p.moonio.columns(t)); diff != "" {
				t.Errorf("columns of logs (-fio's +ours):\n%s", diff)
			}
			t.Run("fio2gnuplot", p.gnuplot)
			t.Run("fio_jsonplus_clat2csv", p.tables)
		})
	}
}

// columns are how many columns the lines of each log have, and in which notation.
func (r *peerRun) columns(t *testing.T) map[string][]string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(r.dir, "*.log"))
	if err != nil {
		t.Fatal(err)
	}
	if len(paths) < 3 {
		t.Errorf("%s: hardly a log: %q", filepath.Base(r.dir), paths)
	}
	out := map[string][]string{}
	for _, path := range paths {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var shapes []string
		for l := range strings.Lines(string(b)) {
			shapes = append(shapes, digits.ReplaceAllString(l, "#"))
		}
		slices.Sort(shapes)
		out[filepath.Base(path)] = slices.Compact(shapes)
	}
	return out
}

var digits = regexp.MustCompile(`[0-9]+(\.[0-9]+)?`)

// tool runs a program that comes with fio, where its output is.
func (r *peerRun) tool(t *testing.T, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir = r.dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%s in %s: %v\n%s", name, filepath.Base(r.dir), err, out)
	}
	return string(out)
}

func needTool(t *testing.T, name string) {
	t.Helper()
	if _, err := exec.LookPath(name); err != nil {
		t.Skip("NOT TESTED: ", err)
	}
}

// gnuplot has fio2gnuplot read the logs of rates: what it says and makes is the same but for numbers.
func (p *peerPair) gnuplot(t *testing.T) {
	needTool(t, "fio2gnuplot")
	for _, what := range []string{"-b", "-i"} {
		var made [2]map[string]string
		for i, r := range []*peerRun{&p.fio, &p.moonio} {
			dir := "plots" + what
			if err := os.Mkdir(filepath.Join(r.dir, dir), 0o777); err != nil {
				t.Fatal(err)
			}
			made[i] = map[string]string{"output": r.tool(t, "fio2gnuplot", what, "-d", dir)}
			r.plots(t, dir, made[i])
		}
		if diff := gocmp.Diff(made[0], made[1]); diff != "" {
			t.Errorf("fio2gnuplot %s (-fio's +ours):\n%s", what, diff)
		}
	}
}

// plots are what was made in a directory, without the numbers. The files of samples are as long as
// the run.
func (r *peerRun) plots(t *testing.T, dir string, made map[string]string) {
	t.Helper()
	list, err := os.ReadDir(filepath.Join(r.dir, dir))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		b, err := os.ReadFile(filepath.Join(r.dir, dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		made[e.Name()] = digits.ReplaceAllString(string(b), "#")
		if e.Name() == "result" || strings.HasPrefix(e.Name(), "gnuplot_temp") {
			made[e.Name()], _, _ = strings.Cut(made[e.Name()], "#Temporary")
		}
	}
}

// tables has fio_jsonplus_clat2csv read the bins of JSON.
func (p *peerPair) tables(t *testing.T) {
	needTool(t, "fio_jsonplus_clat2csv")
	var heads [2]string
	for i, r := range []*peerRun{&p.fio, &p.moonio} {
		r.tool(t, "fio_jsonplus_clat2csv", "r.json", "r.csv")
		b, err := os.ReadFile(filepath.Join(r.dir, "r_job0.csv"))
		if err != nil {
			t.Fatal(err)
		}
		head, rows, _ := strings.Cut(string(b), "\n")
		if heads[i] = head; strings.Count(rows, "\n") < 10 {
			t.Errorf("%s: hardly a row in\n%s", filepath.Base(r.dir), b)
		}
	}
	if heads[0] != heads[1] {
		t.Errorf("columns\n%s\nwhere fio's are\n%s", heads[1], heads[0])
	}
}
