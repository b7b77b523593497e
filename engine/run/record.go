package run

import (
	"syscall"

	"moonio/engine"
	"moonio/engine/hist"
)

// A key says under what name something is timed within a job: an operation's
// code, a client's turn, or one of the job's spans.
type key int

const (
	keyIteration = key(engine.NumOpCodes)
	keySpans     = keyIteration + 1 // spans follow, in the order of their first use
)

// cell is what one worker saw of one key of one job during one interval.
type cell struct {
	count, bytes, errors, short int64
	least, most                 int64           // bytes that one operation asked for
	service, response           *hist.Histogram // nil until the first is recorded
	submission, completion      *hist.Histogram // likewise, in detail: the parts of service
	errnos                      map[syscall.Errno]int64
	ranks                       []rank // by priority, of a stream that gives some
}

func (c *cell) fail(e syscall.Errno) {
	c.errors++
	if c.errnos == nil {
		c.errnos = map[syscall.Errno]int64{}
	}
	c.errnos[e]++
}

func (c *cell) time(service, response int64, open bool) {
	if c.service == nil {
		c.service = hist.New()
	}
	c.service.Record(service)
	if !open {
		return
	}
	if c.response == nil {
		c.response = hist.New()
	}
	c.response.Record(response)
}

// add merges o and empties it, keeping its histograms for reuse.
func (c *cell) add(o *cell) {
	c.count += o.count
	c.bytes += o.bytes
	c.errors += o.errors
	c.short += o.short
	c.asked(o.least)
	c.asked(o.most)
	for e, n := range o.errnos {
		if c.errnos == nil {
			c.errnos = map[syscall.Errno]int64{}
		}
		c.errnos[e] += n
	}
	c.service = mergeHist(c.service, o.service)
	c.response = mergeHist(c.response, o.response)
	c.submission = mergeHist(c.submission, o.submission)
	c.completion = mergeHist(c.completion, o.completion)
	c.addRanks(o)
}

// asked notes how much an operation asked for; 0 is nothing.
func (c *cell) asked(n int64) {
	if n > c.most {
		c.most = n
	}
	if n > 0 && (n < c.least || c.least == 0) {
		c.least = n
	}
}

func mergeHist(to, from *hist.Histogram) *hist.Histogram {
	if from == nil || from.Count() == 0 {
		return to
	}
	if to == nil {
		to = hist.New()
	}
	to.Merge(from)
	return to
}

func (c *cell) reset() {
	for _, h := range []*hist.Histogram{c.service, c.response, c.submission, c.completion} {
		if h != nil {
			h.Reset()
		}
	}
	for _, r := range c.ranks {
		r.service.Reset()
		r.completion.Reset()
	}
	*c = cell{service: c.service, response: c.response, submission: c.submission, completion: c.completion, ranks: c.ranks}
}

func (c *cell) empty() bool { return c.count == 0 && c.errors == 0 }

// frame is what one worker saw during one interval. It is the worker's until
// the interval is over, then the collector's, then free again.
type frame struct {
	worker int
	index  int64    // of the interval
	last   bool     // the worker has no more
	part   bool     // it goes on in the worker's next
	jobs   [][]cell // by job, by key
	detail *frameDetail
}

func newFrame(jobs int, detailed bool) *frame {
	f := &frame{jobs: make([][]cell, jobs)}
	if detailed {
		f.detail = &frameDetail{jobs: make([]jobDetail, jobs)}
	}
	for i := range f.jobs {
		f.jobs[i] = make([]cell, keySpans)
	}
	return f
}

func (f *frame) cell(job int, k key) *cell {
	for len(f.jobs[job]) <= int(k) {
		f.jobs[job] = append(f.jobs[job], cell{})
	}
	return &f.jobs[job][k]
}

func (f *frame) reset() {
	f.last, f.part = false, false
	f.detail.reset()
	for _, cells := range f.jobs {
		for k := range cells {
			cells[k].reset()
		}
	}
}

// recorder is a worker's side of the measuring: it fills the frame of the
// present interval and hands it over when the next begins.
type recorder struct {
	from     int64 // measured start, on the engine's clock
	interval int64
	next     int64 // when the present interval ends
	frame    *frame
	out      *collector
}

func newRecorder(worker int, from, interval int64, out *collector) *recorder {
	f := out.newFrame()
	f.worker = worker
	return &recorder{from: from, interval: interval, next: from + interval, frame: f, out: out}
}

// turn begins the interval that now lies in. What ends on a boundary belongs to
// the interval before it.
func (r *recorder) turn(now int64) {
	index := (now - r.from - 1) / r.interval
	r.frame = r.out.swap(r.frame)
	r.frame.index = index
	r.next = r.from + (index+1)*r.interval
}

// finish hands over the last frame.
func (r *recorder) finish() {
	r.frame.last = true
	r.out.full <- r.frame
	r.frame = nil
}

// complete records an operation that ended at now.
func (r *recorder) complete(job int, op *engine.Op, res, service, response int64, open bool) {
	c := r.frame.cell(job, key(op.Code))
	if res < 0 {
		c.fail(syscall.Errno(-res))
		return
	}
	c.count++
	if op.Code.Transfers() {
		c.bytes += res
		n := int64(len(op.Buf))
		c.asked(n)
		if res < n {
			c.short++
		}
	} else if op.Code == engine.Trim || op.Code == engine.Allocate {
		c.bytes += op.Len // of a sync_range nobody knows how much of the range was to be written
	}
	c.time(service, response, open)
}

// iteration records a client's turn.
func (r *recorder) iteration(job int, service, response int64, open bool) {
	c := r.frame.cell(job, keyIteration)
	c.count++
	c.time(service, response, open)
}

// span records a stretch of a client's own.
func (r *recorder) span(job int, k key, d int64) {
	c := r.frame.cell(job, k)
	c.count++
	c.time(d, 0, false)
}
