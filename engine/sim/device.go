package sim

import "math"

// kind is what a request asks of the device.
type kind uint8

const (
	read kind = iota
	write
	durable // a write that goes past the cache
	flush   // fdatasync
	commit  // fsync: a flush, and then the file's metadata
	trim
	meta // the host's time, none of the device's
)

// request is an operation as the device sees it.
type request struct {
	kind    kind
	addr    int64 // on the medium; matters only if it rotates
	size    int64 // bytes
	arrived int64
	tag     tag
}

// device takes requests in and says later that they are done. All times are
// its own (see pauses), and never go back.
type device struct {
	parallelism, depth int

	readTime, writeTime, fsyncTime, trimTime, metaTime float64

	draw      draw
	reads     bucket // bandwidth
	writes    bucket
	cache     bucket
	caching   bool
	protected bool
	credits   bucket // IOPS that are sustained,
	peak      bucket // and while bursting
	arm       *arm   // nil unless it rotates

	busy    int // servers
	waiting queue
	passes  int // how often in a row the first of those waiting was not the next
	events  events
	flushes flushes
	done    []tag // completed, in order, for the world to take
}

// flushes joins the fsyncs that are asked for while a flush runs into the next one.
type flushes struct {
	running []request
	next    []request
}

func newDevice(c *Config, seed uint64) device {
	return device{
		parallelism: min(c.Parallelism, c.QueueDepth), depth: c.QueueDepth,
		readTime: float64(c.Read), writeTime: float64(c.Write), fsyncTime: float64(c.Fsync), trimTime: float64(c.Trim), metaTime: float64(c.Meta),
		draw:      newDraw(c, seed),
		reads:     newBucket(c.ReadBandwidth, 0),
		writes:    newBucket(c.WriteBandwidth, 0),
		cache:     newBucket(c.Drain, c.Cache),
		caching:   c.Cache > 0,
		protected: c.Protected,
		credits:   newBucket(c.IOPS, max(1, c.Credits)),
		peak:      newBucket(c.BurstIOPS, 1),
		arm:       newArm(c),
	}
}

// submit takes a request in.
func (d *device) submit(now int64, r *request) {
	switch r.kind {
	case meta:
		d.events.push(now+d.draw.next(d.metaTime), r.tag, false)
	case flush, commit:
		d.flushes.next = append(d.flushes.next, *r)
		d.flush(now)
	default:
		d.arrive(now, r)
	}
}

// flush starts the next flush unless one runs.
func (d *device) flush(now int64) {
	f := &d.flushes
	if len(f.running) > 0 || len(f.next) == 0 {
		return
	}
	f.running, f.next = f.next, f.running
	d.arrive(now, &request{kind: flush, tag: flushTag})
}

func (d *device) arrive(now int64, r *request) {
	r.arrived = now
	if d.busy < d.parallelism {
		d.serve(now, r)
		return
	}
	d.waiting.push(r)
}

// serve occupies a server until the request is done.
func (d *device) serve(now int64, r *request) {
	d.busy++
	d.events.push(d.end(now, r), r.tag, true)
}

// end is when a request is done that a server takes on now.
func (d *device) end(now int64, r *request) int64 {
	switch r.kind {
	case flush:
		return d.drained(now) + d.draw.next(d.fsyncTime)
	case trim:
		return now + d.draw.next(d.trimTime)
	}
	at := d.peak.add(d.credits.add(now, 1), 1)
	switch r.kind {
	case read:
		at = d.reads.add(at, r.size) + d.draw.next(d.readTime)
	case write:
		at = max(d.writes.add(at, r.size), d.cache.add(now, r.size)) + d.draw.next(d.writeTime)
	case durable:
		at = d.writes.add(at, r.size) + d.cache.time(r.size) + d.draw.next(d.writeTime) + d.draw.next(d.fsyncTime)
	}
	if d.arm != nil && !(r.kind == write && d.caching) {
		at = d.arm.move(at, r)
	}
	return at
}

// drained is when a flush that begins now finds the cache empty.
func (d *device) drained(now int64) int64 {
	if d.protected {
		return now
	}
	return max(now, d.cache.empty)
}

// next is the time of the next event, and whether there is one.
func (d *device) next() (int64, bool) {
	if len(d.events.heap) == 0 {
		return 0, false
	}
	return d.events.heap[0].at, true
}

// step lets the next event happen.
func (d *device) step() {
	e := d.events.pop()
	if e.served {
		d.busy--
		if d.waiting.n > 0 {
			r := d.waiting.take(d.pick(e.at))
			d.serve(e.at, &r)
		}
	}
	if e.tag == flushTag {
		d.flushed(e.at)
		return
	}
	d.done = append(d.done, e.tag)
}

func (d *device) flushed(now int64) {
	f := &d.flushes
	for _, r := range f.running {
		if r.kind == commit {
			d.events.push(now+d.draw.next(d.metaTime), r.tag, false)
			continue
		}
		d.done = append(d.done, r.tag)
	}
	f.running = f.running[:0]
	d.flush(now)
}

// patience is how often in a row an arm may pass the oldest operation by, in queue depths.
const patience = 2

// pick chooses which waiting request is served next: the first, or the one that
// an arm reaches soonest.
func (d *device) pick(now int64) int {
	if d.arm == nil {
		return 0
	}
	best, soonest := 0, int64(math.MaxInt64)
	window := d.window()
	for i := range window {
		r := d.waiting.at(i)
		mean := d.readTime
		if r.kind != read {
			mean = d.writeTime
		}
		// The arm moves once the command has been taken in.
		if t := d.arm.reach(now+int64(mean), r); t < soonest {
			best, soonest = i, t
		}
	}
	if soonest > 0 {
		best = d.runStart(best, window)
	}
	d.passes++
	if best == 0 || d.passes > patience*d.depth {
		d.passes = 0
		return 0
	}
	return best
}

// window is how many of the requests in the queue an arm may choose from. A flush or a
// trim is not overtaken.
func (d *device) window() int {
	n := min(d.waiting.n, d.depth)
	for i := range n {
		if k := d.waiting.at(i).kind; k == flush || k == trim {
			return i
		}
	}
	return n
}

// runStart is where the run of adjacent requests begins that the i-th is part
// of: who starts in its middle has to come back for the rest.
func (d *device) runStart(i, window int) int {
	for range window {
		start := d.waiting.at(i).addr
		before := -1
		for j := range window {
			if r := d.waiting.at(j); r.addr+r.size == start {
				before = j
				break
			}
		}
		if before < 0 {
			break
		}
		i = before
	}
	return i
}

// withdraw takes back a request that no server has taken on yet.
func (d *device) withdraw(t tag) bool {
	i := d.waiting.find(t)
	if i < 0 {
		return false
	}
	d.waiting.take(i)
	return true
}
