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
	want   *Detail
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
	return &detail{want: w.p.s.Detail, origin: w.p.s.origin, flying: make([]int, n), batch: make([]int, n)}
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
	if d.want.Samples != nil {
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
