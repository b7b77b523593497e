package fioout

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"moonio/cmd/internal/fiojob"
	"moonio/engine"
	"moonio/engine/run"
)

// LogSettings say where logs go.
type LogSettings struct {
	// Create makes the file of a log, "name_bw.1.log".
	Create func(name string) (io.WriteCloser, error)
	// Wall gives the time of day of an instant in nanoseconds since the run's start, for log_unix_epoch.
	Wall func(ns int64) time.Time
}

// Logs writes the logs that jobs ask for, as their operations complete.
type Logs struct {
	set   LogSettings
	jobs  map[place]*jobLog
	list  []*jobLog
	files []*logFile
	err   error // the first
}

// place is where a job's figures are.
type place struct{ phase, job string }

// logFile is a log under its name.
type logFile struct {
	name string
	file io.WriteCloser
	w    *bufio.Writer
}

// NewLogs makes the files of the logs that the jobs ask for.
func NewLogs(jobs []fiojob.Reported, set LogSettings) (*Logs, error) {
	l := &Logs{set: set, jobs: map[place]*jobLog{}}
	number := 0
	for i := range jobs {
		j := &jobs[i]
		if again(jobs, i) {
			l.jobs[place{j.Phase, j.Name}] = l.jobs[place{jobs[i-1].Phase, jobs[i-1].Name}]
			continue
		}
		number++
		log, err := l.newJob(&j.Job, number)
		if err != nil {
			return nil, errors.Join(err, l.Close())
		}
		l.jobs[place{j.Phase, j.Name}] = log
		l.list = append(l.list, log)
	}
	return l, nil
}

// jobLog is one job's logs. Those that it does not ask for are nil.
type jobLog struct {
	logs                      *Logs
	bw, iops, lat, slat, clat *logFile
	hist                      *logFile
	does                      [directions]bool
	average, bins             gather // of log_avg_msec, log_hist_msec
	most, offset, prio        bool   // log_max_value, log_offset, log_prio
	wall                      bool
	inline                    bool // there are no submission times
	stride                    int  // of bins in the histogram log
}

func (l *Logs) newJob(j *fiojob.Job, number int) (*jobLog, error) {
	o := fiojob.ValuesOf(j)
	g := &jobLog{logs: l, most: o.On("log_max_value"), offset: o.On("log_offset"), prio: o.On("log_prio"), wall: o.On("log_unix_epoch"), stride: 1 << o.Integer("log_hist_coarseness")}
	g.average.length = o.Integer("log_avg_msec") * 1e6
	g.bins.length = o.Integer("log_hist_msec") * 1e6
	g.does = moves(o.Text("rw"))
	g.inline = inline(o)
	for _, f := range []struct {
		option, kind string
		to           **logFile
	}{
		{"write_bw_log", "bw", &g.bw}, {"write_iops_log", "iops", &g.iops},
		{"write_lat_log", "lat", &g.lat}, {"write_lat_log", "slat", &g.slat}, {"write_lat_log", "clat", &g.clat},
		{"write_hist_log", "clat_hist", &g.hist},
	} {
		if !o.Has(f.option) || f.to == &g.hist && g.bins.length == 0 || f.option == "write_lat_log" && without(o, f.kind) {
			continue
		}
		prefix := o.Text(f.option)
		if prefix == "" {
			prefix = j.Name
		}
		name := fmt.Sprintf("%s_%s.%d.log", prefix, f.kind, number)
		if !o.On("per_job_logs") {
			name = fmt.Sprintf("%s_%s.log", prefix, f.kind)
		}
		var err error
		if *f.to, err = l.open(name); err != nil {
			return nil, fmt.Errorf("%s of job %q: %w", f.option, j.Name, err)
		}
	}
	return g, nil
}

// moves says in which directions a value of rw does.
func moves(rw string) (d [directions]bool) {
	d[reads] = strings.Contains(rw, "read") || strings.Contains(rw, "rw")
	d[writes] = strings.Contains(rw, "write") || strings.Contains(rw, "rw")
	d[trims] = strings.Contains(rw, "trim")
	return d
}

// open makes a file, unless another job has.
func (l *Logs) open(name string) (*logFile, error) {
	if i := slices.IndexFunc(l.files, func(f *logFile) bool { return f.name == name }); i >= 0 {
		return l.files[i], nil
	}
	w, err := l.set.Create(name)
	if err != nil {
		return nil, err
	}
	f := &logFile{name, w, bufio.NewWriter(w)}
	l.files = append(l.files, f)
	return f, nil
}

// Detail is what a session has to measure for the report and for the logs.
func (l *Logs) Detail() *run.Detail {
	d := &run.Detail{}
	for _, g := range l.list {
		if g.single() {
			d.Samples = l.samples
		}
		if g.hist != nil || g.any() && !g.single() {
			d.Window = l.window
		}
	}
	return d
}

// any says whether there are logs beside the histograms', and single whether they hold single operations.
func (g *jobLog) any() bool {
	return slices.ContainsFunc([]*logFile{g.bw, g.iops, g.lat, g.slat, g.clat}, func(f *logFile) bool { return f != nil })
}
func (g *jobLog) single() bool { return g.any() && g.average.length == 0 }

// Close writes what is left. It says what went wrong from the beginning.
func (l *Logs) Close() error {
	for _, g := range l.list {
		g.finish()
	}
	errs := []error{l.err}
	for _, f := range l.files {
		errs = append(errs, f.w.Flush(), f.file.Close())
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("writing logs: %w", err)
	}
	return nil
}

// Interval is how long the intervals of the jobs' phases must be for their windows to be made of whole ones, and
// so that there are new figures every so long (0: whenever).
func Interval(jobs []fiojob.Reported, every time.Duration) time.Duration {
	ms := every.Milliseconds()
	for i := range jobs {
		o := fiojob.ValuesOf(&jobs[i].Job)
		for _, name := range []string{"bwavgtime", "iopsavgtime", "log_avg_msec", "log_hist_msec"} {
			ms = common(ms, o.Integer(name))
		}
	}
	if ms == 0 {
		ms = 500
	}
	return max(time.Duration(ms)*time.Millisecond, run.MinInterval)
}

// common is the greatest common divisor.
func common(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// samples logs single operations.
func (l *Logs) samples(s *run.Samples) {
	for i := range s.List {
		x := &s.List[i]
		d, sync, ok := directionOf(x.Code.String())
		if g := l.jobs[place{s.Phase, s.Jobs[x.Job]}]; g != nil && ok && !sync && g.single() {
			g.sample(x, d, s.Began[x.Job])
		}
	}
}

func (g *jobLog) sample(x *run.Sample, d direction, began int64) {
	at := g.stamp(x.At, began)
	submission := x.Submission
	if g.inline {
		submission = -1
	}
	clat := x.Service - max(submission, 0)
	if clat > 0 {
		g.line(g.bw, at, x.Bytes*1e6/clat, d, x)
	}
	g.line(g.iops, at, 1, d, x)
	g.line(g.lat, at, x.Service, d, x)
	g.line(g.clat, at, clat, d, x)
	if submission >= 0 {
		g.line(g.slat, at, submission, d, x)
	}
}

// stamp is a line's time in milliseconds.
func (g *jobLog) stamp(at, began int64) int64 {
	if g.wall && g.logs.set.Wall != nil {
		return g.logs.set.Wall(at).UnixMilli()
	}
	return (at - began) / 1e6
}

// line writes one line; x is nil for an average.
func (g *jobLog) line(f *logFile, at, value int64, d direction, x *run.Sample) {
	if f == nil {
		return
	}
	if x == nil {
		x = &run.Sample{}
	}
	b := numbers(f.w.AvailableBuffer(), at, value, int64(d), x.Bytes)
	if g.offset {
		b = strconv.AppendInt(append(b, ", "...), x.Off, 10)
	}
	if g.prio {
		b = fmt.Appendf(b, ", 0x%04x\n", x.Prio)
	} else {
		b = append(strconv.AppendInt(append(b, ", "...), realtime(x.Prio), 10), '\n')
	}
	g.logs.put(f, b)
}

// numbers appends a list of them.
func numbers(b []byte, list ...int64) []byte {
	for i, n := range list {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = strconv.AppendInt(b, n, 10)
	}
	return b
}

// realtime is 1 for a priority of that class.
func realtime(prio uint16) int64 {
	if class, _ := engine.SplitPrio(prio); class == 1 {
		return 1
	}
	return 0
}

func (l *Logs) put(f *logFile, b []byte) {
	if _, err := f.w.Write(b); err != nil && l.err == nil {
		l.err = fmt.Errorf("%s: %w", f.name, err)
	}
}

// window logs what a job did in an interval.
func (l *Logs) window(w *run.Window) {
	g := l.jobs[place{w.Phase, w.Job}]
	if g == nil || w.Until <= w.From {
		return
	}
	if g.any() && !g.single() {
		g.average.add(w, g.writeAverage)
	}
	if g.hist != nil {
		g.bins.add(w, g.writeBins)
	}
}

func (g *jobLog) finish() {
	g.average.flush(g.writeAverage)
	g.bins.flush(g.writeBins)
}
