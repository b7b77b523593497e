package run

import (
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	"moonio/engine"
	"moonio/engine/report"
	"moonio/engine/units"
)

// Steady ends a phase when one of its figures holds still: when, over the last Window, none of its
// seconds lies further from their mean than Limit, or the straight line through them rises and falls
// by no more than Limit a second.
type Steady struct {
	Metric  Metric
	Limit   float64       // operations or bytes per second, or seconds; or
	Percent bool          // per cent of the mean
	Slope   bool          // the line, not the furthest second
	Window  time.Duration // whole seconds
	Ramp    time.Duration // of the beginning that does not count, whole seconds
}

// String says what the phase waits for.
func (s *Steady) String() string {
	how := "holds still"
	if s.Slope {
		how = "has no slope"
	}
	return fmt.Sprintf("when its %s %s for %s", s.Metric, how, units.FormatDuration(s.Window))
}

// Metric is what is to hold still, over all of a phase's jobs.
type Metric uint8

// The metrics.
const (
	IOPS Metric = iota
	Bandwidth
	Latency // the mean service time
)

// Metrics are the names of the metrics.
var Metrics = []string{"iops", "bandwidth", "latency"}

func (m Metric) String() string { return Metrics[m] }

func (s *Steady) validate() error {
	switch {
	case s == nil:
		return nil
	case s.Window < 2*time.Second || s.Window%time.Second != 0:
		return fmt.Errorf("steady: window = %v: it is 2 seconds or more, and whole ones: each second is one value", s.Window)
	case s.Ramp < 0 || s.Ramp%time.Second != 0:
		return fmt.Errorf("steady: ramp = %v: it is whole seconds", s.Ramp)
	case !(s.Limit >= 0) || math.IsInf(s.Limit, 0):
		return errors.New("steady: the limit is a number that is not negative")
	}
	return nil
}

// deviation is how far the values are from holding still, in the limit's unit; not a number if
// one of them is missing.
func (s *Steady) deviation(values []float64) float64 {
	mean := 0.0
	for _, v := range values {
		mean += v / float64(len(values))
	}
	worst := 0.0
	if s.Slope {
		worst = math.Abs(slope(values))
	} else {
		for _, v := range values {
			worst = max(worst, math.Abs(v-mean))
		}
	}
	if s.Percent {
		worst *= 100 / mean
	}
	return worst
}

// slope is that of the straight line which is nearest to the values, from one to the next.
func slope(values []float64) float64 {
	middle, sum, squares := float64(len(values)-1)/2, 0.0, 0.0
	for i, v := range values {
		x := float64(i) - middle
		sum += x * v
		squares += x * x
	}
	return sum / squares
}

// tick is what was done in one second, by one worker or by all.
type tick struct {
	count, bytes int64
	time         int64 // of service
}

func (t *tick) value(m Metric) float64 {
	switch m {
	case IOPS:
		return float64(t.count)
	case Bandwidth:
		return float64(t.bytes)
	}
	if t.count == 0 {
		return math.NaN()
	}
	return float64(t.time) / float64(t.count) / 1e9
}

// settling watches a phase settle. It looks at each second when all workers have left it behind, so
// that on a virtual clock it always comes to the same.
type settling struct {
	spec    *Steady
	mu      sync.Mutex
	ticks   []tick  // by second; those from closed on are still added to
	last    []int64 // per worker: seconds that it has left behind
	closed  int64
	reached bool
	value   float64 // the latest deviation; not a number before the window is full
}

func newSettling(spec *Steady, workers int) *settling {
	if spec == nil {
		return nil
	}
	return &settling{spec: spec, last: make([]int64, workers), value: math.NaN()}
}

// add takes what a worker did in a second, and notes that it has left all seconds before next behind. It says
// whether the phase has become steady.
func (g *settling) add(worker int, second int64, t tick, next int64) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	for int64(len(g.ticks)) <= second {
		g.ticks = append(g.ticks, tick{})
	}
	sum := &g.ticks[second]
	sum.count, sum.bytes, sum.time = sum.count+t.count, sum.bytes+t.bytes, sum.time+t.time
	g.last[worker] = next
	over := next
	for _, n := range g.last {
		over = min(over, n)
	}
	if over == math.MaxInt64 {
		return g.reached // the phase is over, and the second that it ends in is not whole
	}
	for over = min(over, int64(len(g.ticks))); g.closed < over && !g.reached; g.closed++ {
		g.look(g.closed + 1)
	}
	return g.reached
}

// look judges the window that ends with the first n seconds.
func (g *settling) look(n int64) {
	window := int64(g.spec.Window / time.Second)
	if n-int64(g.spec.Ramp/time.Second) < window {
		return
	}
	values := make([]float64, 0, window)
	for i := n - window; i < n; i++ {
		values = append(values, g.ticks[i].value(g.spec.Metric))
	}
	g.value = g.spec.deviation(values)
	g.reached = g.value <= g.spec.Limit
}

// report is how far it came.
func (g *settling) report() *report.Steady {
	if g == nil {
		return nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	r := &report.Steady{
		Metric: g.spec.Metric.String(), Reached: g.reached, Limit: g.spec.Limit,
		Percent: g.spec.Percent, Slope: g.spec.Slope, WindowNS: int64(g.spec.Window),
	}
	if !math.IsNaN(g.value) && !math.IsInf(g.value, 0) {
		r.Value = &g.value
	}
	return r
}

// pulse is a worker's part of a second.
type pulse struct {
	tick
	second int64
	next   int64 // when the second is over
}

func newPulse(w *Worker) *pulse {
	if w.p.settling == nil {
		return nil
	}
	return &pulse{next: w.p.from + int64(time.Second)}
}

// note counts an operation.
func (u *pulse) note(op *engine.Op, res, service int64) {
	if res < 0 {
		return
	}
	u.count++
	u.time += service
	if op.Code.Transfers() {
		u.bytes += res
	}
}

// turn hands a second over that has passed.
func (u *pulse) turn(w *Worker) {
	now := (w.now - w.p.from) / int64(time.Second)
	if w.p.settling.add(w.index, u.second, u.tick, now) {
		w.p.finish(endSteady)
	}
	*u = pulse{second: now, next: w.p.from + (now+1)*int64(time.Second)}
}

// leave hands over what is left when the worker has nothing more to do: nobody waits for it.
func (u *pulse) leave(w *Worker) { w.p.settling.add(w.index, u.second, u.tick, math.MaxInt64) }
