package run

import (
	"syscall"

	"golang.org/x/sys/unix"

	"moonio/engine"
	"moonio/engine/hist"
	"moonio/engine/report"
)

// gathered is the collector's side of the detail.
type gathered struct {
	p     *phase
	jobs  []string
	began []int64        // by job, since the run's start
	usage []report.Usage // by worker
}

// gather makes the collector gather the detail, if it is wanted.
func (p *phase) gather() {
	if p.s.Detail == nil {
		return
	}
	a := &gathered{p: p, usage: make([]report.Usage, p.threads())}
	for i := range p.plan.Jobs {
		a.jobs = append(a.jobs, p.plan.Jobs[i].Name)
	}
	p.col.detail = a
}

// take takes what is not merged by interval.
func (a *gathered) take(f *frame) {
	a.usage[f.worker].Add(f.detail.usage)
	if list := f.detail.samples; len(list) > 0 {
		a.p.s.Detail.Samples(&Samples{Phase: a.p.plan.Name, Jobs: a.jobs, Began: a.begun(), List: list})
	}
	f.detail.usage, f.detail.samples = report.Usage{}, f.detail.samples[:0]
}

// begun is when the jobs began. The phase's times are set before the first frame comes, and those of jobs that wait for
// others before the first of theirs.
func (a *gathered) begun() []int64 {
	if a.began == nil {
		a.began = make([]int64, len(a.jobs))
	}
	for i := range a.jobs {
		begin, _ := a.p.window(i)
		a.began[i] = begin - a.p.s.origin
	}
	return a.began
}

// settle closes an interval.
func (a *gathered) settle(c *collector, f *frame) {
	for j := range f.detail.jobs {
		c.jobs[j].detail.add(&f.detail.jobs[j])
		if a.p.s.Detail.Window != nil {
			a.window(c, j, f.jobs[j])
		}
	}
}

func (a *gathered) window(c *collector, job int, cells []cell) {
	step := int64(a.p.plan.Interval)
	from := a.p.from - a.p.s.origin + c.next*step
	w := &Window{Phase: a.p.plan.Name, Job: a.jobs[job], Began: a.begun()[job], From: from, Until: from + step}
	if a.p.closed.Load() { // then the last interval may have been cut short
		w.Until = min(w.Until, a.p.lastSeen()-a.p.s.origin)
	}
	g := a.p.groupOf(job)
	for k := range min(len(cells), int(keyIteration)) {
		if x := &cells[k]; x.count > 0 {
			submission, completion := g.parts(x)
			w.Ops = append(w.Ops, WindowOp{
				Code: engine.OpCode(k), Count: x.count, Bytes: x.bytes,
				Submission: submission, Completion: completion, Service: x.service,
			})
		}
	}
	a.p.s.Detail.Window(w)
}

// parts are the parts of a kind of operation's service times; nil where they are not known. An engine that
// has one operation under way is not given it before it performs it; one that completes within a
// submission leaves nothing to do after that.
func (g *group) parts(c *cell) (submission, completion *hist.Histogram) {
	switch {
	case c.service == nil:
		return nil, nil
	case g.info.Depth == 1:
		return nil, c.service
	case g.info.Inline:
		completion = hist.New()
		completion.RecordN(0, c.service.Count())
		return c.service, completion
	}
	return c.submission, c.completion
}

// reportDetail adds the detail to a job's result.
func (p *phase) reportDetail(i int, r *report.Job) {
	a := p.col.detail
	if a == nil {
		return
	}
	d := &p.col.jobs[i].detail
	r.Detail = &report.Detail{Depths: d.depths, Submits: d.submits, Completions: d.completions, FirstError: d.errno()}
	r.Detail.Usage, r.Detail.Own = a.used(p.groupOf(i))
}

// used is what a job's threads have used, if nothing else runs on them: their own, and their
// share of what is not of any worker, such as the kernel's threads that perform operations. For
// others it is what the process has used.
func (a *gathered) used(g *group) (u report.Usage, own bool) {
	all := a.p.processUsed()
	if len(g.jobs) > 1 {
		return all, false
	}
	rest := all
	for i := range a.usage {
		rest = rest.Since(a.usage[i])
		if i >= g.first && i < g.first+g.threads.Count {
			u.Add(a.usage[i])
		}
	}
	if !a.p.closed.Load() {
		return u, true // of the intervals that are over; what the rest is of is not known
	}
	share := float64(g.threads.Count) / float64(len(a.usage))
	u.UserNS += int64(share * float64(max(rest.UserNS, 0)))
	u.SystemNS += int64(share * float64(max(rest.SystemNS, 0)))
	return u, true
}

// processUsed is what the process has used since measuring began.
func (p *phase) processUsed() report.Usage {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.s.Virtual || p.usage == (report.Usage{}) {
		return report.Usage{}
	}
	if p.closed.Load() {
		return p.used.Since(p.usage)
	}
	return usage(unix.RUSAGE_SELF).Since(p.usage)
}

// stopUsing notes what the process has used by the time that the workers have finished.
func (p *phase) stopUsing() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.s.Virtual && p.usage != (report.Usage{}) {
		p.used = usage(unix.RUSAGE_SELF)
	}
}

// errno is that of the first failure, for those that have none of the kernel's too: what took too long
// has timed out, and behind a file's end is no data.
func (d *jobDetail) errno() int {
	switch d.first {
	case errLate:
		return int(syscall.ETIMEDOUT)
	case errEOF:
		return int(syscall.ENODATA)
	}
	return int(d.first)
}
