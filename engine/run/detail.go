package run

import (
	"syscall"

	"golang.org/x/sys/unix"

	"moonio/engine"
	"moonio/engine/hist"
	"moonio/engine/report"
)

// Detail asks for more than phases measure by themselves: the parts of the service time, depths and
// batches, and what each job's threads used. It costs one reading of the clock a submission, and
// two more histograms. The functions may be nil. They are called from one goroutine that
// belongs to the phase, may keep nothing of what they are given, and must not call the session.
type Detail struct {
	Window  func(*Window) // what a job did in an interval that is over
	Samples func(*Samples)
}

// Window is what a job did in one interval. Times are in nanoseconds since the run's start.
type Window struct {
	Phase, Job  string
	Began       int64 // when the job did, in the warm-up if it takes part in that
	From, Until int64
	Ops         []WindowOp
}

// WindowOp is one kind of operation in a window. The histograms are nil where nothing is known.
type WindowOp struct {
	Code                            engine.OpCode
	Count, Bytes                    int64
	Submission, Completion, Service *hist.Histogram
}

// Samples are single operations of one worker that completed without an error, in the order
// of their completion.
type Samples struct {
	Phase string
	Jobs  []string
	Began []int64 // by job, as Window's
	List  []Sample
}

// Sample is one operation.
type Sample struct {
	At         int64 // when it completed, since the run's start
	Service    int64
	Submission int64 // the part of Service until the engine had taken it; below 0 if that performs it
	Off, Bytes int64
	Job        int32 // of Samples.Jobs
	Prio       uint16
	Code       engine.OpCode
}

// jobDetail is what is counted of a job beside its operations.
type jobDetail struct {
	depths               report.Depths
	submits, completions report.Batches
	first                syscall.Errno // of the first failure
	firstAt              int64
}

func (d *jobDetail) add(o *jobDetail) {
	for i, n := range o.depths {
		d.depths[i] += n
	}
	for i, n := range o.submits {
		d.submits[i] += n
	}
	for i, n := range o.completions {
		d.completions[i] += n
	}
	if o.first != 0 && (d.first == 0 || o.firstAt < d.firstAt) {
		d.first, d.firstAt = o.first, o.firstAt
	}
}

// frameDetail is a frame's part of the detail.
type frameDetail struct {
	jobs    []jobDetail
	usage   report.Usage
	samples []Sample
}

func (d *frameDetail) reset() {
	if d == nil {
		return
	}
	clear(d.jobs)
	d.usage = report.Usage{}
	d.samples = d.samples[:0]
}

// detail is a worker's side of it.
type detail struct {
	ask    *Detail
	origin int64 // of the run
	flying []int // per job: in flight on this worker
	batch  []int // per job: of the present batch
	used   report.Usage
	rounds rounds
}

// rounds are turns of a worker's loop that were alike: each submitted so many operations of one job, which
// completed at once.
type rounds struct {
	job, size int
	count     int64
}

func newDetail(w *Worker) *detail {
	if w.p.s.Detail == nil {
		return nil
	}
	n := len(w.p.plan.Jobs)
	return &detail{ask: w.p.s.Detail, origin: w.p.s.origin, flying: make([]int, n), batch: make([]int, n)}
}

// begin begins what is measured.
func (d *detail) begin(w *Worker) {
	if !w.p.s.Virtual {
		d.used = usage(unix.RUSAGE_THREAD)
	}
}

// use notes what the thread has used since the last time.
func (d *detail) use(w *Worker) {
	d.settle(w)
	if w.p.s.Virtual || !w.watch.measuring {
		return
	}
	now := usage(unix.RUSAGE_THREAD)
	w.rec.frame.detail.usage.Add(now.Since(d.used))
	d.used = now
}

// round takes note of operations of one job that completed as they were submitted.
func (d *detail) round(w *Worker, job, n int) {
	r := &d.rounds
	if r.size != n || r.job != job {
		d.settle(w)
		r.job, r.size = job, n
	}
	if w.watch.measuring {
		r.count++
	}
}

// settle counts the rounds.
func (d *detail) settle(w *Worker) {
	r := &d.rounds
	if r.count == 0 {
		return
	}
	j := &w.rec.frame.detail.jobs[r.job]
	j.depths.Add(r.size, int64(r.size)*r.count)
	j.submits.Add(r.size, r.count)
	j.completions.Add(r.size, r.count)
	r.count = 0
}

// submitted takes note of a batch that the engine has taken.
func (d *detail) submitted(w *Worker, batch []uint32) {
	if len(batch) == 1 {
		s := &w.slots[batch[0]]
		s.taken = w.took
		d.sent(w, int(s.job), 1)
		return
	}
	for _, i := range batch {
		s := &w.slots[i]
		s.taken = w.took
		d.batch[s.job]++
	}
	for job, n := range d.batch {
		if n > 0 {
			d.batch[job] = 0
			d.sent(w, job, n)
		}
	}
}

func (d *detail) sent(w *Worker, job, n int) {
	d.flying[job] += n
	if w.watch.measuring {
		j := &w.rec.frame.detail.jobs[job]
		j.depths.Add(d.flying[job], int64(n))
		j.submits.Add(n, 1)
	}
}

// reaped takes note of completions before they are dealt with.
func (d *detail) reaped(w *Worker, done []engine.Completion) {
	if len(done) == 1 {
		d.back(w, int(w.slots[done[0].Slot].job), 1)
		return
	}
	for i := range done {
		d.batch[w.slots[done[i].Slot].job]++
	}
	for job, n := range d.batch {
		if n > 0 {
			d.batch[job] = 0
			d.back(w, job, n)
		}
	}
}

func (d *detail) back(w *Worker, job, n int) {
	d.flying[job] -= n
	if w.watch.measuring {
		w.rec.frame.detail.jobs[job].completions.Add(n, 1)
	}
}

// completed records what complete does not.
func (d *detail) completed(w *Worker, s *slot, op *engine.Op, res int64) {
	f := w.rec.frame
	if res < 0 {
		if j := &f.detail.jobs[s.job]; j.first == 0 {
			j.first, j.firstAt = syscall.Errno(-res), w.now
		}
		return
	}
	if !w.inline && w.depth != 1 {
		f.cell(int(s.job), key(op.Code)).split(s.taken-s.submitted, w.now-s.taken)
	}
	if d.ask.Samples != nil {
		d.sample(w, s, op, res)
	}
}

// split records the parts of a service time.
func (c *cell) split(submission, completion int64) {
	if c.completion == nil {
		c.submission, c.completion = hist.New(), hist.New()
	}
	c.submission.Record(submission)
	c.completion.Record(completion)
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

// maxSamples is how many a worker gathers before it hands them over.
const maxSamples = 1 << 14

func (d *detail) sample(w *Worker, s *slot, op *engine.Op, res int64) {
	x := Sample{
		At: w.now - d.origin, Service: w.now - s.submitted, Submission: s.taken - s.submitted,
		Off: op.Off, Bytes: res, Job: s.job, Prio: op.Prio, Code: op.Code,
	}
	switch {
	case w.depth == 1:
		x.Submission = -1
	case w.inline:
		x.Submission = x.Service
	}
	if !op.Code.Transfers() {
		x.Bytes = op.Len
	}
	f := w.rec.frame.detail
	f.samples = append(f.samples, x)
	if len(f.samples) >= maxSamples {
		w.rec.part()
	}
}

// part hands over the frame as it is; the interval goes on in the next.
func (r *recorder) part() {
	index := r.frame.index
	r.frame.part = true
	r.frame = r.out.swap(r.frame)
	r.frame.index = index
}

// asked is the collector's side of the detail.
type asked struct {
	p     *phase
	jobs  []string
	began []int64        // by job, since the run's start
	usage []report.Usage // by worker
}

// ask makes the collector gather the detail, if it is wanted.
func (p *phase) ask() {
	if p.s.Detail == nil {
		return
	}
	a := &asked{p: p, usage: make([]report.Usage, p.threads())}
	for i := range p.plan.Jobs {
		a.jobs = append(a.jobs, p.plan.Jobs[i].Name)
	}
	p.col.ask = a
}

// take takes what is not merged by interval.
func (a *asked) take(f *frame) {
	a.usage[f.worker].Add(f.detail.usage)
	if list := f.detail.samples; len(list) > 0 {
		a.p.s.Detail.Samples(&Samples{Phase: a.p.plan.Name, Jobs: a.jobs, Began: a.begun(), List: list})
	}
	f.detail.usage, f.detail.samples = report.Usage{}, f.detail.samples[:0]
}

// begun is when the jobs began. The phase's times are set before the first frame comes.
func (a *asked) begun() []int64 {
	for i := len(a.began); i < len(a.jobs); i++ {
		begin, _ := a.p.window(i)
		a.began = append(a.began, begin-a.p.s.origin)
	}
	return a.began
}

// settle closes an interval.
func (a *asked) settle(c *collector, f *frame) {
	for j := range f.detail.jobs {
		c.jobs[j].detail.add(&f.detail.jobs[j])
		if a.p.s.Detail.Window != nil {
			a.window(c, j, f.jobs[j])
		}
	}
}

func (a *asked) window(c *collector, job int, cells []cell) {
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

// reportDetail adds the detail to a job's result.
func (p *phase) reportDetail(i int, r *report.Job) {
	a := p.col.ask
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
func (a *asked) used(g *group) (u report.Usage, own bool) {
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
