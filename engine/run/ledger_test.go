package run

import (
	"fmt"
	"math"
	"slices"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"moonio/engine"
	"moonio/engine/dist"
	"moonio/engine/pace"
	"moonio/engine/report"
)

// ledger is every operation of a run, and every turn, with its times: what results are recomputed from.
type ledger struct {
	mu    sync.Mutex
	ops   []*entry
	turns map[string][]entry // by job
}

// entry is one operation, or one turn.
type entry struct {
	job      int
	code     engine.OpCode
	bytes    int64
	from, to int64 // on the engines' clock
}

// booked is an engine whose operations are written into a ledger.
type booked struct {
	engine.Engine
	l    *ledger
	jobs []uint32 // by slot
	open []*entry
}

func (l *ledger) tap(e engine.Engine, slots int, _ []string) (Tap, error) {
	return &booked{Engine: e, l: l, jobs: make([]uint32, slots), open: make([]*entry, slots)}, nil
}

func (b *booked) Job(slot, job, _ uint32) { b.jobs[slot] = job }

func (b *booked) Submit(ops []engine.Op, slots []uint32) error {
	b.l.mu.Lock()
	for _, s := range slots {
		o := &entry{job: int(b.jobs[s]), code: ops[s].Code, from: b.Now()}
		b.l.ops = append(b.l.ops, o)
		b.open[s] = o
	}
	b.l.mu.Unlock()
	return b.Engine.Submit(ops, slots)
}

func (b *booked) Wait(out []engine.Completion, least int, deadline int64) (int, error) {
	n, err := b.Engine.Wait(out, least, deadline)
	for _, c := range out[:n] {
		b.open[c.Slot].to, b.open[c.Slot].bytes = b.Now(), int64(c.Res)
	}
	return n, err
}

// turn books a turn that a client has made.
func (l *ledger) turn(job string, from, to int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.turns[job] = append(l.turns[job], entry{from: from, to: to})
}

// drawJob draws a job. With a rate, due is when its operations fall due, after the job's start.
func drawJob(rt *rapid.T, t *testing.T, l *ledger, name string, files []*engine.File, most time.Duration) (j Job, due func(k int) int64) {
	draw := func(what string, from, to int) int { return rapid.IntRange(from, to).Draw(rt, name+" "+what) }
	files = files[:draw("files", 1, len(files))]
	start := time.Duration(draw("start", 0, 3)) * most / 5
	if draw("kind", 0, 2) == 0 {
		ops, pause := draw("ops a turn", 1, 3), time.Duration(draw("pause", 0, 2))*333*time.Microsecond
		c := crewOf(draw("clients", 1, 6), func(c *cli) {
			from := c.Now()
			for i := range ops {
				_, _ = c.do(read(files[i%len(files)], int64(i)*4096))
			}
			if pause > 0 {
				c.sleep(pause)
			}
			l.turn(name, from, c.Now())
		})
		return Job{Name: name, Start: start, Clients: c}, nil
	}
	s := stream4K(t, engine.Read, draw("depth", 1, 8), files...)
	s.Mix = []dist.Mix{s.Mix, {{Op: engine.Write, Weight: 1}}, {{Op: engine.Read, Weight: 70}, {Op: engine.Write, Weight: 25}, {Op: engine.Fsync, Weight: 5}}}[draw("mix", 0, 2)]
	s.Ops = int64(max(0, draw("limit", -300, 100)))
	if draw("rated", 0, 1) == 1 {
		rate := float64(draw("rate", 1, 40) * 777)
		s.rated(t, constant(t, rate), pace.Uniform)
		due = func(k int) int64 { return int64(float64(k) * 1e9 / rate) }
	}
	return Job{Name: name, Start: start, Stream: s}, due
}

// Every figure of a result is what the operations say of which it is made, whatever the phase is.
func TestReportAgainstLedger(t *testing.T) {
	devices := []string{steady, "sata-ssd", "nvme,distribution=exponential,parallelism=2,read=250us,write=150us"}
	rapid.Check(t, func(rt *rapid.T) {
		draw := func(what string, from, to int) int { return rapid.IntRange(from, to).Draw(rt, what) }
		l := &ledger{turns: map[string][]entry{}}
		s := simSession(t, rapid.SampledFrom(devices).Draw(rt, "device"))
		s.Tap = l.tap
		files := []*engine.File{s.testFile(t, "f", 1<<20), s.testFile(t, "g", 1<<16)}
		ms := func(what string, from, to int) time.Duration {
			return time.Duration(draw(what, from, to)) * time.Millisecond
		}
		p := &Phase{Duration: ms("duration", 1, 30), Warmup: ms("warm-up", 0, 4), Interval: ms("interval", 10, 20), Threads: draw("threads", 1, 3),
			Ops: int64(max(0, draw("phase limit", -600, 150)))}
		var dues []func(int) int64
		for i := range draw("jobs", 1, 3) {
			j, due := drawJob(rt, t, l, fmt.Sprint("j", i), files, p.Duration)
			p.Jobs, dues = append(p.Jobs, j), append(dues, due)
		}
		r := play(t, s, p)
		b := &book{rt, l, r, s.origin + r.StartNS}
		b.checkEnd(p)
		for i, j := range r.Jobs {
			b.checkJob(i, j)
			if due := dues[i]; due != nil && p.Threads == 1 {
				b.checkResponse(i, j, due)
			}
		}
	})
}

// book holds a phase's result to its ledger.
type book struct {
	*rapid.T
	l    *ledger
	r    *report.Phase
	from int64 // measured start, on the engines' clock
}

// measured are a job's operations of a kind that count.
func (b *book) measured(job int, is func(engine.OpCode) bool) (list []entry) {
	for _, o := range b.l.ops {
		if o.job == job && is(o.code) && o.from >= b.from {
			list = append(list, *o)
		}
	}
	return list
}

// checkEnd: a phase is over with its time, or with what was in flight then.
func (b *book) checkEnd(p *Phase) {
	var last, n int64
	for _, o := range b.l.ops {
		if last = max(last, o.to-b.from); o.from >= b.from {
			n++
		}
	}
	got := b.r.DurationNS
	switch b.r.End {
	case endDuration:
		if want := max(last, int64(p.Duration)); got != want {
			b.Errorf("it took %d ns, want %d", got, want)
		}
	case endOps:
		if n != p.Ops || got != last {
			b.Errorf("%d operations in %d ns, want %d in %d", n, got, p.Ops, last)
		}
	}
}

func (b *book) checkJob(i int, j *report.Job) {
	for code := range engine.NumOpCodes {
		b.checkOp(j, code.String(), b.measured(i, func(c engine.OpCode) bool { return c == code }))
	}
	var turns []entry
	for _, t := range b.l.turns[j.Name] {
		if t.from >= b.from {
			turns = append(turns, t)
		}
	}
	b.checkOp(j, "iteration", turns)
}

func (b *book) checkOp(j *report.Job, name string, list []entry) {
	o, what := j.Ops[name], j.Name+"."+name
	if o == nil {
		o = &report.Op{}
	}
	var bytes int64
	var times []int64
	for _, e := range list {
		bytes += e.bytes
		times = append(times, e.to-e.from)
	}
	if o.Count != int64(len(list)) || o.Bytes != bytes || o.Errors != 0 {
		b.Errorf("%s: %d of %d bytes, want %d of %d", what, o.Count, o.Bytes, len(list), bytes)
		return
	}
	b.checkTimes(what, o.Service, times)
	if seconds := float64(j.DurationNS) / 1e9; seconds > 0 && (!within(o.IOPS, float64(o.Count)/seconds, 1e-9) || !within(o.Bandwidth, float64(bytes)/seconds, 1e-9)) {
		b.Errorf("%s: %v and %v a second, in %v s", what, o.IOPS, o.Bandwidth, seconds)
	}
	seen := 0
	for _, iv := range j.Intervals {
		var n, bytes, most int64
		for _, e := range list {
			if at := e.to - b.from; at > iv.TNS && at <= iv.TNS+b.r.IntervalNS {
				n, bytes, most = n+1, bytes+e.bytes, max(most, e.to-e.from)
			}
		}
		seconds, got := float64(iv.DurationNS)/1e9, iv.Ops[name]
		if !within(got.IOPS, float64(n)/seconds, 1e-9) || !within(got.Bandwidth, float64(bytes)/seconds, 1e-9) || got.MaxNS != most {
			b.Errorf("%s from %d for %v s: %+v, want %d operations of %d bytes and at most %d ns", what, iv.TNS, seconds, got, n, bytes, most)
		}
		seen += int(n)
	}
	if seen != len(list) && j.DurationNS > 0 {
		b.Errorf("%s: %d of %d are in the series", what, seen, len(list))
	}
}

// checkTimes: the extremes and the mean are exact; a percentile is at most a thousandth too long.
func (b *book) checkTimes(what string, l *report.Latency, times []int64) {
	if len(times) == 0 || l == nil {
		if len(times) > 0 || l != nil {
			b.Errorf("%s: %+v of %d times", what, l, len(times))
		}
		return
	}
	slices.Sort(times)
	n, sum := len(times), int64(0)
	for _, t := range times {
		sum += t
	}
	if l.MinNS != times[0] || l.MaxNS != times[n-1] || !within(l.MeanNS, float64(sum)/float64(n), 1e-12) {
		b.Errorf("%s: %d to %d, mean %v; want %d to %d, mean %v", what, l.MinNS, l.MaxNS, l.MeanNS, times[0], times[n-1], float64(sum)/float64(n))
	}
	squares := 0.0
	for _, t := range times {
		squares += math.Pow(float64(t)-l.MeanNS, 2)
	}
	if want := math.Sqrt(squares / float64(n)); math.Abs(l.StdDevNS-want) > l.MeanNS/1000+want/100+1 {
		b.Errorf("%s: deviation %v, want %v", what, l.StdDevNS, want)
	}
	for _, p := range []struct{ tenthousandths, got int }{
		{5000, int(l.P50NS)}, {9000, int(l.P90NS)}, {9500, int(l.P95NS)}, {9900, int(l.P99NS)}, {9990, int(l.P999NS)}, {9999, int(l.P9999NS)},
	} {
		want := int(times[(p.tenthousandths*n+9999)/10_000-1])
		if p.got < want || p.got > want+want/1000 {
			b.Errorf("%s: p%v of %d is %d, want %d", what, float64(p.tenthousandths)/100, n, p.got, want)
		}
	}
}

// checkResponse: in the order in which they went out, a stream's operations fell due one after the other.
func (b *book) checkResponse(i int, j *report.Job, due func(int) int64) {
	var late, most int64
	waits := map[string][]int64{}
	list := b.measured(i, func(engine.OpCode) bool { return true })
	for k, e := range list {
		at := b.from + j.StartNS + due(k)
		waits[e.code.String()] = append(waits[e.code.String()], e.to-at)
		late, most = late+e.from-at, max(most, e.from-at)
	}
	for name, times := range waits {
		if o := j.Ops[name]; o != nil {
			b.checkTimes(j.Name+"."+name+" response", o.Response, times)
		}
	}
	if n := j.Lag.Scheduled - j.Lag.Missed; n != int64(len(list)) || j.Lag.MaxNS != most || n > 0 && !within(j.Lag.MeanNS, float64(late)/float64(n), 1e-9) {
		b.Errorf("%s: %+v, want %d that were %d ns late, %d at most", j.Name, j.Lag, len(list), late, most)
	}
}
