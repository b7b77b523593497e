package report

import (
	"fmt"
	"maps"
	"slices"

	"moonio/engine/units"
)

// replay writes what became of a captured workload.
func (t *text) replay(j *Job) {
	r := j.Replay
	lines := table{left: 2}
	add := func(name string, parts ...string) {
		if s := phrases(parts...); s != "" {
			lines.add("  "+name, s)
		}
	}
	add("played", fmt.Sprintf("%d of %d operations", r.Issued, r.Records), r.how())
	add("left out", r.leftOut()...)
	add("changed", some(r.Split, "%d split"), r.expanded(), some(r.Flushes, "%d with a flush issued before"))
	add("rate", captured("%s IOPS captured", r.CapturedIOPS), fmt.Sprintf("%s IOPS replayed", figure(r.ReplayedIOPS)))
	add("in flight", captured("mean %s, most "+fmt.Sprint(r.CapturedMostDepth)+" captured", r.CapturedDepth),
		fmt.Sprintf("mean %s, most %d replayed", figure(r.ReplayedDepth), r.ReplayedMostDepth))
	if l := j.Lateness; l != nil {
		add("lateness", fmt.Sprintf("p50 %s", approx(l.P50NS)), "p99 "+approx(l.P99NS), "max "+approx(l.MaxNS),
			fmt.Sprintf("%.3g %% more than 1 ms late", 100*float64(r.Late)/float64(max(r.Issued, 1))), "last one "+approx(r.SlipNS))
	}
	t.list(&lines)
}

func (r *Replay) how() string {
	if r.Speed != 1 && r.Timing != "fast" {
		return fmt.Sprintf("timing %s, %g times as fast", r.Timing, r.Speed)
	}
	return "timing " + r.Timing
}

func (r *Replay) leftOut() []string {
	var parts []string
	for _, why := range slices.Sorted(maps.Keys(r.Dropped)) {
		parts = append(parts, fmt.Sprintf("%d: %s", r.Dropped[why], why))
	}
	return append(parts, some(r.NotReached, "%d: the phase ended before them"))
}

func (r *Replay) expanded() string {
	if r.Expanded == 0 {
		return ""
	}
	return fmt.Sprintf("%d aligned, which makes %s more", r.Expanded, size(r.ExtraBytes))
}

// some is a count in a phrase; "" if there is none.
func some(n int64, phrase string) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(phrase, n)
}

// captured is a figure in a phrase; "" if it is not known.
func captured(phrase string, x float64) string {
	if x == 0 {
		return ""
	}
	return fmt.Sprintf(phrase, figure(x))
}

// figure is a number with three digits.
func figure(x float64) string { return units.ApproxCount(x) }
