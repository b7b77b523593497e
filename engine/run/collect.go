package run

import (
	"fmt"
	"math"
	"sync"
	"sync/atomic"

	"moonio/engine"
)

// collector merges the workers' frames into totals and a time series, on a
// goroutine of its own so that no worker pays for it. Frames arrive in any
// order between workers; what they add up to is the same.
type collector struct {
	full   chan *frame
	spare  chan *frame
	done   chan struct{}
	detail *gathered // nil unless it is asked for
	jobs   []jobTotals
	last   []int64          // per worker: the newest interval handed over
	open   map[int64]*frame // intervals that some worker may still add to
	next   int64            // the oldest interval that is still open
	live   atomic.Pointer[liveRow]

	mu    sync.Mutex       // guards all but the channels: results may be read before the end
	spans []map[string]key // per job: the keys of its spans, the same on all workers
}

// jobTotals is all that was recorded of a job.
type jobTotals struct {
	cells  []cell
	series []seriesRow
	detail jobDetail
}

// seriesRow is what a job did in one interval, by key.
type seriesRow struct {
	index int64
	keys  []seriesKey
}

type seriesKey struct {
	key           key
	count, bytes  int64
	p50, p99, max int64
}

// liveRow sums an interval over the jobs, for progress. Only operations
// count, not turns and spans.
type liveRow struct {
	index, count, bytes, p99 int64
	ops                      [engine.NumOpCodes]struct{ count, bytes int64 }
}

func newCollector(jobs, workers int) *collector {
	c := &collector{
		full:  make(chan *frame, 2*workers),
		spare: make(chan *frame, 4*workers),
		done:  make(chan struct{}),
		jobs:  make([]jobTotals, jobs),
		last:  make([]int64, workers),
		open:  map[int64]*frame{},
		spans: make([]map[string]key, jobs),
	}
	for i := range c.last {
		c.last[i] = -1
	}
	go c.loop()
	return c
}

// span is the key of a job's span of that name.
func (c *collector) span(job int, name string) (key, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.spans[job] == nil {
		c.spans[job] = map[string]key{}
	}
	k, ok := c.spans[job][name]
	if !ok {
		if len(c.spans[job]) == MaxSpans {
			return 0, fmt.Errorf("%q would be the job's %d. name: each is measured on its own, and there can be %d; name what is done, and not what it is done to", name, MaxSpans+1, MaxSpans)
		}
		k = keySpans + key(len(c.spans[job]))
		c.spans[job][name] = k
	}
	return k, nil
}

// swap takes a full frame and gives an empty one.
func (c *collector) swap(f *frame) *frame {
	worker := f.worker
	c.full <- f
	select {
	case f = <-c.spare:
	default:
		f = c.newFrame()
	}
	f.worker = worker
	return f
}

func (c *collector) newFrame() *frame { return newFrame(len(c.jobs), c.detail != nil) }

// close ends the collection after the last worker's last frame.
func (c *collector) close() {
	close(c.full)
	<-c.done
}

func (c *collector) loop() {
	defer close(c.done)
	for f := range c.full {
		c.take(f)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.flush()
}

// flush closes every interval that was handed over, though some worker may
// still have to add to it. The caller holds mu.
func (c *collector) flush() {
	newest := c.next - 1
	for i := range c.open {
		newest = max(newest, i)
	}
	c.settle(newest)
}

func (c *collector) take(f *frame) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if f.index < c.next {
		return // too late: the results have been read
	}
	switch {
	case f.last:
		c.last[f.worker] = math.MaxInt64
	case !f.part:
		c.last[f.worker] = f.index
	}
	if c.detail != nil {
		c.detail.take(f)
	}
	c.add(f)
	if o := c.oldest(); o < math.MaxInt64 {
		c.settle(o)
	}
}

func (c *collector) oldest() int64 {
	o := c.last[0]
	for _, i := range c.last {
		o = min(o, i)
	}
	return o
}

func (c *collector) add(f *frame) {
	sum, ok := c.open[f.index]
	if !ok {
		c.open[f.index] = f
		return
	}
	for j := range f.jobs {
		for k := range f.jobs[j] {
			if from := &f.jobs[j][k]; !from.empty() {
				sum.cell(j, key(k)).add(from)
			}
		}
		if f.detail != nil {
			sum.detail.jobs[j].add(&f.detail.jobs[j])
		}
	}
	c.recycle(f)
}

func (c *collector) recycle(f *frame) {
	f.reset()
	select {
	case c.spare <- f:
	default:
	}
}

// settle closes every interval up to and including last. One that no worker saw
// anything in is a row like any other: a stall must show.
func (c *collector) settle(last int64) {
	for ; c.next <= last; c.next++ {
		f, ok := c.open[c.next]
		if !ok {
			f = c.newFrame()
		}
		delete(c.open, c.next)
		live := liveRow{index: c.next}
		for j := range f.jobs {
			c.settleJob(j, f.jobs[j], &live)
		}
		if c.detail != nil {
			c.detail.settle(c, f)
		}
		c.live.Store(&live)
		c.recycle(f)
	}
}

func (c *collector) settleJob(j int, cells []cell, live *liveRow) {
	t := &c.jobs[j]
	row := seriesRow{index: c.next}
	for k := range cells {
		from := &cells[k]
		if from.empty() {
			continue
		}
		s := seriesKey{key: key(k), count: from.count, bytes: from.bytes}
		if h := from.service; h != nil && h.Count() > 0 {
			s.p50, s.p99, s.max = h.Percentile(50), h.Percentile(99), h.Max()
		}
		row.keys = append(row.keys, s)
		if key(k) < keyIteration {
			live.count += from.count
			live.bytes += from.bytes
			live.ops[k].count += from.count
			live.ops[k].bytes += from.bytes
			live.p99 = max(live.p99, s.p99)
		}
		for len(t.cells) <= k {
			t.cells = append(t.cells, cell{})
		}
		t.cells[k].add(from)
	}
	t.series = append(t.series, row)
}
