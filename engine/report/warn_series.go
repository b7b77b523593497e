package report

import (
	"fmt"
	"math"

	"moonio/engine/units"
)

// throughput is the job's series of bandwidth, or of operations where nothing
// is transferred, over its whole intervals, with how to show a figure of it. It
// is nil where throughput is the schedule's and not the storage's, or where
// jobs beside this one come and go.
func throughput(p *Phase, j *Job) (x []float64, show func(float64) string) {
	for _, o := range p.Jobs {
		if o.StartNS > 0 || o.DurationNS+p.IntervalNS < p.DurationNS {
			return nil, nil
		}
	}
	if j.open() {
		return nil, nil
	}
	var bandwidth, iops []float64
	var moved float64
	for _, row := range whole(p, j) {
		var b, n float64
		j.io(func(name string, _ *Op) {
			b += row.Ops[name].Bandwidth
			n += row.Ops[name].IOPS
		})
		bandwidth, iops, moved = append(bandwidth, b), append(iops, n), moved+b
	}
	if moved > 0 {
		return bandwidth, units.ApproxBandwidth
	}
	return iops, func(f float64) string { return units.ApproxCount(f) + " operations/s" }
}

// whole leaves out an interval that the phase's end cut short.
func whole(p *Phase, j *Job) []Interval {
	rows := j.Intervals
	if n := len(rows); n > 0 && rows[n-1].DurationNS < p.IntervalNS {
		rows = rows[:n-1]
	}
	return rows
}

func stepped(_ *Result, p *Phase, j *Job) []string {
	x, show := throughput(p, j)
	at, before, after, ok := stepDown(x)
	if !ok {
		return nil
	}
	t := approx(int64(at) * p.IntervalNS)
	return []string{fmt.Sprintf("%s: %s until %s and %s from then on (%.0f %% less): a write cache or burst credits ran out, or the device got hot. Count on the lower figure, and warm up for longer than %s.",
		j.Name, show(before), t, show(after), 100*(1-after/before), t)}
}

func notSteady(_ *Result, p *Phase, j *Job) []string {
	x, show := throughput(p, j)
	if _, _, _, ok := stepDown(x); ok {
		return nil
	}
	middle, last, ok := unsteady(x)
	if !ok {
		return nil
	}
	word := "below"
	if last > middle {
		word = "above"
	}
	return []string{fmt.Sprintf("%s: the last third (%s) is %.0f %% %s the middle third (%s), so that no steady state was reached. Measure for longer than %s.",
		j.Name, show(last), 100*math.Abs(last-middle)/middle, word, show(middle), approx(p.DurationNS))}
}

func stalls(_ *Result, p *Phase, j *Job) []string {
	var texts []string
	rows := whole(p, j)
	j.io(func(name string, _ *Op) {
		x := make([]float64, len(rows))
		for i, row := range rows {
			x[i] = float64(row.Ops[name].P99NS)
		}
		every, n, height, level, ok := period(x)
		if !ok {
			return
		}
		texts = append(texts, fmt.Sprintf("%s.%s: p99 peaks every %s, %d times, to %s over %s in between: something works in the background, in the device, the file system or beside them. Count on the peaks.",
			j.Name, name, approx(every*float64(p.IntervalNS)), n, approx(height), approx(level)))
	})
	return texts
}
