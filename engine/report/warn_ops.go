package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"moonio/engine/hist"
	"moonio/engine/units"
)

const (
	fewCount   = 1000 // below which no sample lies above p99.9
	tailCount  = 1000 // below which p99 is too uncertain to speak of
	tailTimes  = 5    // p99 over the mean
	deepDepth  = 32
	deepNS     = 10e6 // of mean service time
	shallow    = 0.8  // of the depth asked for
	lateNS     = 1e6  // of mean lag: the least worth a word
	metRate    = 0.98 // of the operations due
	perMessage = 6    // jobs or operations that one message lists, and messages of one kind
)

func failures(_ *Result, p *Phase) []string {
	var texts []string
	for _, j := range p.Jobs {
		j.io(func(name string, o *Op) {
			if o.Errors > 0 {
				texts = append(texts, fmt.Sprintf("%s.%s: %d of %d operations failed%s. They are neither counted nor timed%s.",
					j.Name, name, o.Errors, o.Errors+o.Count, byErrno(o.ErrorsBy), kernelKnows(o.ErrorsBy)))
			}
		})
	}
	return texts
}

// unlogged are errors of which the kernel's log has nothing: of names, and what a script can ask for.
var unlogged = []string{"ENOENT", "EEXIST", "ENOTDIR", "EISDIR", "ENOTEMPTY", "ECANCELED", "EAGAIN", "ENOSPC", "EOF", "LATE"}

// kernelKnows points to the kernel's log, unless it has nothing on such errors.
func kernelKnows(n map[string]int64) string {
	others := maps.Clone(n)
	maps.DeleteFunc(others, func(e string, _ int64) bool { return slices.Contains(unlogged, e) })
	if len(n) > 0 && len(others) == 0 {
		return ""
	}
	return "; the kernel's log may say more"
}

func byErrno(n map[string]int64) string {
	var parts []string
	for _, e := range slices.Sorted(maps.Keys(n)) {
		parts = append(parts, fmt.Sprintf("%d × %s", n[e], e))
	}
	if parts == nil {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

func shortTransfers(_ *Result, p *Phase) []string {
	var texts []string
	for _, j := range p.Jobs {
		j.io(func(name string, o *Op) {
			if o.Short > 0 {
				texts = append(texts, fmt.Sprintf("%s.%s: %d of %d operations moved less than they were asked to. Reads do so at a file's end: look at its size and the offsets.",
					j.Name, name, o.Short, o.Count))
			}
		})
	}
	return texts
}

func fewSamples(_ *Result, p *Phase) []string {
	var list []string
	for _, j := range p.Jobs {
		for _, name := range j.OpNames() {
			if n := j.Ops[name].Count; n > 0 && n < fewCount {
				list = append(list, fmt.Sprintf("%s.%s %d", j.Name, name, n))
			}
		}
	}
	if list == nil {
		return nil
	}
	return []string{fmt.Sprintf("fewer than %d samples, so that p99.9 is the slowest one: %s. Measure longer.", fewCount, few(list))}
}

// idle is of a job that had its time and did nothing in it.
func idle(_ *Result, p *Phase, j *Job) []string {
	if j.DurationNS <= 0 || p.End != "duration" {
		return nil
	}
	for _, o := range j.Ops {
		if o.Count+o.Errors > 0 {
			return nil
		}
	}
	switch j.Kind {
	case "stream":
		return []string{fmt.Sprintf("%s: no operation was completed in %s: measure longer, or raise its rate.", j.Name, approx(j.DurationNS))}
	case "clients":
		return []string{fmt.Sprintf("%s: its clients completed neither an operation nor a turn in %s. What they wait for may never come: units of a semaphore that clients held when a phase ended do not come back, so that each phase needs a semaphore of its own.",
			j.Name, approx(j.DurationNS))}
	}
	return nil
}

func tail(_ *Result, _ *Phase, j *Job) []string {
	var texts []string
	j.io(func(name string, o *Op) {
		s, of := o.Service, ""
		if j.scheduled(o) {
			s, of = o.Response, " of the response times"
		}
		if s == nil || o.Count < tailCount || float64(s.P99NS) < tailTimes*s.MeanNS {
			return
		}
		texts = append(texts, fmt.Sprintf("%s.%s: p99%s (%s) is %.0f times the mean (%s). Compare and choose by p99.",
			j.Name, name, of, approx(s.P99NS), float64(s.P99NS)/s.MeanNS, approx(s.MeanNS)))
	})
	return texts
}

// beyondRange is of percentiles that stand for times which a histogram does not tell apart.
func beyondRange(_ *Result, _ *Phase, j *Job) []string {
	var texts []string
	for _, name := range j.OpNames() {
		o := j.Ops[name]
		for _, l := range []*Latency{o.Service, o.Response} {
			if l != nil && l.P9999NS > hist.Highest {
				texts = append(texts, fmt.Sprintf("%s.%s: times above %s are not told apart: percentiles beyond it show the longest, %s. The mean, the least and the longest are exact.",
					j.Name, name, approx(int64(hist.Highest)), approx(l.MaxNS)))
				break
			}
		}
	}
	return texts
}

// served is the job's service times: their sum and mean in ns, and how many there are.
func (j *Job) served() (sum, mean float64, n int64) {
	j.io(func(_ string, o *Op) {
		if o.Service != nil {
			sum += o.Service.MeanNS * float64(o.Count)
			n += o.Count
		}
	})
	if n > 0 {
		mean = sum / float64(n)
	}
	return sum, mean, n
}

// turnMean is the mean time that the job's clients took for a turn, in ns.
func (j *Job) turnMean() float64 {
	if o := j.Ops["iteration"]; o != nil && o.Service != nil {
		return o.Service.MeanNS
	}
	return 0
}

// failed is the number of the job's operations that did.
func (j *Job) failed() (n float64) {
	j.io(func(_ string, o *Op) { n += float64(o.Errors) })
	return n
}

func deepQueue(_ *Result, _ *Phase, j *Job) []string {
	_, mean, n := j.served()
	if j.Kind != "stream" || j.open() || j.Depth < deepDepth || mean < deepNS {
		return nil
	}
	return []string{fmt.Sprintf("%s: %s operations a second take %s each with %d in flight. Few applications wait that long: look at a lower depth too.",
		j.Name, units.ApproxCount(PerSecond(n, j.DurationNS)), approx(mean), j.Depth)}
}

func shallowQueue(r *Result, _ *Phase, j *Job) []string {
	sum, _, n := j.served()
	if j.Kind != "stream" || j.open() || j.Conditions.Held != "" || j.Depth < 2 || j.DurationNS <= 0 || n < 10*int64(j.Depth) {
		return nil
	}
	if failed := j.failed(); failed > (1-shallow)/2*float64(n) { // for how long those were in flight is not known
		return nil
	}
	if r.EngineInfo.Memory && !r.EngineInfo.Virtual { // nothing stays in flight where there is no device
		return nil
	}
	flight := sum / float64(j.DurationNS)
	if flight >= shallow*float64(j.Depth) {
		return nil
	}
	return []string{fmt.Sprintf("%s: %.1f operations were in flight on average where the depth is %d. These are the figures of the lower depth; another engine or more threads may reach the one asked for.",
		j.Name, flight, j.Depth)}
}

func behindSchedule(_ *Result, p *Phase, j *Job) []string {
	_, mean, _ := j.served()
	what, why := "operations went out", "Its operations in flight were all taken: raise the depth, or lower the rate."
	if j.Kind == "clients" {
		mean, what, why = j.turnMean(), "turns began", "Its clients were all busy: give it more of them, or lower the rate."
	}
	if j.Lag == nil || j.Lag.MeanNS < lateNS || j.Lag.MeanNS < mean {
		return nil
	}
	if p.Load.BusyShare >= busyShare {
		why = "The worker was busy: give the phase more threads, or lower the rate."
	}
	return []string{fmt.Sprintf("%s: %s %s late on average and %s at most, beside a service time of %s; response times hold the wait. %s",
		j.Name, what, approx(j.Lag.MeanNS), approx(j.Lag.MaxNS), approx(mean), why)}
}

func rateMissed(_ *Result, _ *Phase, j *Job) []string {
	if j.Lag == nil || j.Lag.Scheduled == 0 {
		return nil
	}
	done := j.Lag.Scheduled - j.Lag.Missed
	if float64(done) >= metRate*float64(j.Lag.Scheduled) {
		return nil
	}
	what, more := "operations that fell due were done", "raise the depth"
	if j.Kind == "clients" {
		what, more = "turns that fell due were begun", "take more clients"
	}
	return []string{fmt.Sprintf("%s: %d of the %d %s (%.0f %%): %s is more than was carried. Lower the rate, or %s if the storage has more to give.",
		j.Name, done, j.Lag.Scheduled, what, 100*float64(done)/float64(j.Lag.Scheduled), j.Conditions.Rate, more)}
}
