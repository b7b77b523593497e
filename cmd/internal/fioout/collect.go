package fioout

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"moonio/cmd/internal/fiojob"
	"moonio/engine/report"
)

// entry is one block of the report: a job, or a group of jobs under group_reporting.
type entry struct {
	name, description string
	group             int
	members           int
	shown             []fiojob.Option // of JSON's "job options"
	opt               *fiojob.Values  // all of them, for their meaning

	ways    [directions]way
	mixed   bool // unified_rw_reporting: all is in ways[reads]
	both    *way // and this holds the sum, for unified_rw_reporting=both
	syncs   times
	synced  int64
	runtime int64 // ms, of all members together
	usage   report.Usage
	depths  report.Depths
	submits report.Batches
	reaps   report.Batches

	failed  int64
	first   int // errno of the first failure
	err     int // errno that ended the job
	depth   int64
	windows windows
	steady  *report.Steady
}

// collect makes the entries. Jobs that share one under group_reporting follow each other.
func collect(r *report.Result, jobs []fiojob.Reported) ([]*entry, error) {
	var list []*entry
	for i := range jobs {
		j := &jobs[i]
		opt := fiojob.ValuesOf(&j.Job)
		if n := len(list); n == 0 || !again(jobs, i) && !list[n-1].joins(opt, j.Group) {
			list = append(list, newEntry(j, opt))
		} else { // as in fio, the last job's hold for all
			list[n-1].opt.Take(opt, "clat_percentiles", "lat_percentiles", "slat_percentiles", "percentile_list")
		}
		e := list[len(list)-1]
		if err := e.take(r, j, again(jobs, i)); err != nil {
			return nil, fmt.Errorf("job %q: %w", j.Job.Name, err)
		}
	}
	for _, e := range list {
		e.finish()
	}
	return list, nil
}

// again says whether jobs[i] is the job before it once more: what it does has several phases.
func again(jobs []fiojob.Reported, i int) bool {
	if i == 0 {
		return false
	}
	a, b := &jobs[i-1].Job, &jobs[i].Job
	return a.Name == b.Name && a.Clone == b.Clone && a.Group == b.Group && a.Stage == b.Stage && samePlace(a.Options, b.Options)
}

func samePlace(a, b []fiojob.Option) bool {
	return len(a) == len(b) && (len(a) == 0 || a[0].Pos == b[0].Pos)
}

// joins says whether a job is of the same group as the entry, and both want to be reported as one.
func (e *entry) joins(opt *fiojob.Values, group int) bool {
	return opt.On("group_reporting") && e.opt.On("group_reporting") && e.group == group
}

func newEntry(j *fiojob.Reported, opt *fiojob.Values) *entry {
	e := &entry{name: j.Job.Name, group: j.Group, opt: opt, windows: windows{}, description: opt.Text("description")}
	switch opt.Text("unified_rw_reporting") {
	case "1", "mixed":
		e.mixed = true
	case "2", "both":
		e.both = &way{}
	}
	e.depth = opt.Integer("iodepth")
	return e
}

// take adds one job's figures.
func (e *entry) take(r *report.Result, j *fiojob.Reported, again bool) error {
	e.shown = j.Options
	if !again {
		e.members++
	}
	p, job := find(r, j, func(phase string) bool { return phase == j.Phase })
	if job == nil && e.opt.Has("latency_target") { // no depth has been found
		p, job = find(r, j, func(phase string) bool { return strings.HasPrefix(phase, j.Phase+", depth ") })
	}
	if job == nil {
		return nil
	}
	if p.Steady != nil {
		e.steady = p.Steady
	}
	if e.opt.Has("latency_target") {
		e.depth = int64(job.Depth) // that the search found
	}
	ran := milliseconds(job.DurationNS)
	e.runtime += ran
	for name, op := range job.Ops {
		d, sync, ok := directionOf(name)
		if !ok {
			continue
		}
		e.failed += op.Errors
		if sync {
			if err := e.sync(op); err != nil {
				return err
			}
			continue
		}
		y := &e.ways[e.place(d)]
		if err := cmp.Or(y.take(op, ran, inline(e.opt)), y.takePrios(op, e.ranks("lat"))); err != nil {
			return err
		}
	}
	e.detail(p, job)
	e.windows.take(p, job, e.mixed)
	return nil
}

// place is where a direction's figures go.
func (e *entry) place(d direction) direction {
	if e.mixed {
		return reads
	}
	return d
}

// find is the job's place in the last of such phases; nil if it has not begun.
func find(r *report.Result, j *fiojob.Reported, such func(phase string) bool) (*report.Phase, *report.Job) {
	for _, p := range slices.Backward(r.Phases) {
		if !such(p.Name) {
			continue
		}
		for _, job := range p.Jobs {
			if job.Name == j.Name {
				return p, job
			}
		}
	}
	return nil, nil
}

// milliseconds is a run time as fio counts it. What ran at all ran for one.
func milliseconds(ns int64) int64 {
	if ns <= 0 {
		return 0
	}
	return max(ns/1e6, 1)
}

// sync adds a kind of sync, unless the job makes it up and does it at its end alone: fio does not count those.
func (e *entry) sync(op *report.Op) error {
	if !e.opt.Has("read_iolog") && e.opt.Integer("fsync") == 0 && e.opt.Integer("fdatasync") == 0 && e.opt.Text("sync_file_range") == "" {
		return nil
	}
	e.synced += op.Count
	if e.without("clat") {
		return nil
	}
	d, err := newTimes(op.Service)
	if err != nil {
		return err
	}
	e.syncs.add(&d)
	return nil
}

// detail adds what only a phase that was asked for it knows.
func (e *entry) detail(p *report.Phase, job *report.Job) {
	d := job.Detail
	if d == nil {
		e.usage.UserNS += p.CPU.UserNS
		e.usage.SystemNS += p.CPU.SystemNS
		return
	}
	e.usage.Add(d.Usage)
	for i := range d.Depths {
		e.depths[i] += d.Depths[i]
	}
	for i := range d.Submits {
		e.submits[i] += d.Submits[i]
		e.reaps[i] += d.Completions[i]
	}
	if e.first == 0 {
		e.first = d.FirstError
	}
	if p.End == "error" && e.err == 0 {
		e.err = d.FirstError
	}
}

// finish derives what depends on all of an entry's jobs.
func (e *entry) finish() {
	e.windows.fill(e)
	if e.both != nil {
		for d := range e.ways {
			e.both.add(&e.ways[d])
		}
		e.windows.fillMixed(e.both, e)
		e.leaveOut(e.both)
	}
	for d := range e.ways {
		e.leaveOut(&e.ways[d])
	}
	if e.counts() && e.err == 0 {
		e.err = e.first
	}
}

// leaveOut drops the figures that the job does not want to be taken. They cost too little here
// not to take them.
func (e *entry) leaveOut(y *way) {
	if e.without("slat") {
		y.slat = times{}
	}
	if e.without("clat") {
		y.clat = times{}
	}
	if e.without("lat") {
		y.lat = times{}
	}
	if e.without("bw_measurement") {
		y.bw, y.iops = samples{}, samples{}
	}
}

func (e *entry) without(figure string) bool { return without(e.opt, figure) }

func without(o *fiojob.Values, figure string) bool {
	return o.On("gtod_reduce") || o.On("disable_"+figure)
}

// ranks says whether percentiles of a latency are wanted.
func (e *entry) ranks(latency string) bool {
	return e.opt.On(latency+"_percentiles") && !e.without(latency)
}

// counts says whether failed operations are counted, and not the end.
func (e *entry) counts() bool {
	v := e.opt.Text("continue_on_error")
	return v != "none" && v != "0" || e.opt.Text("ignore_error") != ""
}

// ios are all operations that moved or trimmed something.
func (e *entry) ios() (n int64) {
	for d := range e.ways {
		n += e.ways[d].ios
	}
	return n
}

func (e *entry) bytes() (n int64) {
	for d := range e.ways {
		n += e.ways[d].bytes
	}
	return n
}

// group is a reporting group's part of "Run status group".
type group struct {
	number  int
	style   style
	entries []*entry
	ways    [directions]groupWay
}

type groupWay struct {
	bytes, total      int64 // total: bytes per second, all together over the longest run
	slowest, fastest  int64 // an entry's bytes per second
	shortest, longest int64 // ms
}

func groupsOf(entries []*entry) []*group {
	var list []*group
	for _, e := range entries {
		for len(list) <= e.group {
			list = append(list, &group{number: len(list)})
		}
		g := list[e.group]
		g.style = styleOf(e.opt)
		g.entries = append(g.entries, e)
		for d := range e.ways {
			g.ways[d].take(&e.ways[d])
		}
	}
	return list
}

func (g *groupWay) take(y *way) {
	if y.runtime == 0 || y.ios == 0 {
		return
	}
	bw := y.perSecond()
	if g.longest == 0 {
		g.slowest, g.shortest = bw, y.runtime
	}
	g.slowest, g.fastest = min(g.slowest, bw), max(g.fastest, bw)
	g.shortest, g.longest = min(g.shortest, y.runtime), max(g.longest, y.runtime)
	g.bytes += y.bytes
	g.total = g.bytes * 1000 / g.longest
}
