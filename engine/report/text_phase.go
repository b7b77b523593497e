package report

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"moonio/engine/units"
)

// columns are the units that the figures of all tables are in, so that phases
// can be compared by eye; the tables' heads name them.
type columns struct {
	latency, bandwidth units.Unit
}

// columnsOf takes the units in which the smallest median and the largest
// maximum, and all bandwidths, read well.
func columnsOf(phases []*Phase) columns {
	var least, most, slow, fast float64
	for _, p := range phases {
		for _, j := range p.Jobs {
			for _, o := range j.Ops {
				for _, l := range []*Latency{o.Service, o.Response} {
					if l != nil {
						least, most = smaller(least, float64(l.P50NS)), max(most, float64(l.MaxNS))
					}
				}
				slow, fast = smaller(slow, o.Bandwidth), max(fast, o.Bandwidth)
			}
		}
	}
	return columns{units.DurationUnit(least, most), units.BandwidthUnit(slow, fast)}
}

// smaller is the smaller of two figures of which 0 is none.
func smaller(a, b float64) float64 {
	if a == 0 || b == 0 {
		return max(a, b)
	}
	return min(a, b)
}

// widestTitle is where a name is cut that something is said of.
const widestTitle = 60

// phase writes a phase's conditions and its table.
func (t *text) phase(p *Phase, c columns) {
	t.line("")
	name := shorten(p.Name, widestTitle)
	t.hanging(t.paint(bold, name)+": ", utf8.RuneCountInString(name)+2, phaseLine(p))
	if p.Error != "" {
		t.hanging("  "+t.paint(red, "✗")+" ", 4, p.Error)
	}
	names := table{left: 2}
	for _, j := range p.Jobs {
		names.add("  "+shorten(j.Name, widestTitle), jobLine(j))
	}
	t.list(&names)
	for _, j := range p.Jobs {
		if j.Replay != nil {
			t.line("")
			t.replay(j)
		}
	}
	if rows := p.rows(c); rows != nil {
		t.line("")
		for _, l := range rows.fit(t.tables) {
			t.line("%s", l)
		}
	}
	t.verified(p)
}

func phaseLine(p *Phase) string {
	if p.DurationNS <= 0 {
		return "nothing was measured"
	}
	s := approx(p.DurationNS)
	if p.WarmupNS > 0 {
		s += fmt.Sprintf(" after %s of warm-up", approx(p.WarmupNS))
	}
	s += ", " + threads(p.Threads)
	if cpu := p.CPU.UserNS + p.CPU.SystemNS; cpu > 0 {
		share := 100 / float64(p.DurationNS)
		s += fmt.Sprintf(", CPU %.0f %% (%.0f %% in the kernel)", float64(cpu)*share, float64(p.CPU.SystemNS)*share)
	}
	switch p.End {
	case "", "duration", "done", "steady", "first job done":
	default:
		s += ", ended: " + p.End
	}
	return phrases(s, p.Steady.line())
}

// line says whether the phase became steady; nothing if it was not to.
func (s *Steady) line() string {
	if s == nil {
		return ""
	}
	verdict, how := "steady", "deviate"
	if !s.Reached {
		verdict = "not steady"
	}
	if s.Slope {
		how = "change from second to second"
	}
	if s.Value == nil {
		return fmt.Sprintf("%s: no window of %s was filled", verdict, approx(s.WindowNS))
	}
	return fmt.Sprintf("%s: %s %s by %s over %s, %s allowed", verdict, s.Metric, how, s.figure(*s.Value), approx(s.WindowNS), s.figure(s.Limit))
}

// figure is a value in its unit.
func (s *Steady) figure(v float64) string {
	switch {
	case s.Percent:
		return units.Figure(v) + " %"
	case s.Metric == "bandwidth":
		return units.ApproxBandwidth(v)
	case s.Metric == "latency":
		return approx(v * 1e9)
	}
	return units.ApproxCount(v) + "/s"
}

// jobLine is what the job's figures mean nothing without.
func jobLine(j *Job) string {
	c := &j.Conditions
	kind := j.Kind
	if j.Clients > 0 {
		kind = fmt.Sprintf("%d clients", j.Clients)
		if j.Clients == 1 {
			kind = "1 client"
		}
	}
	where := c.Pattern
	if files := filesLine(c); where != "" && files != "" {
		where += " over " + files
	} else {
		where += files
	}
	return phrases(kind, where, c.IO, c.Sync, c.Held, strings.TrimSpace(c.Rate+" "+c.Arrival), j.threads(), j.times())
}

// threads are those of the job's own, if it had some.
func (j *Job) threads() string {
	if !j.Alone {
		return ""
	}
	return phrases(j.Engine+" on "+threads(j.Threads)+" of its own", j.Place)
}

// times are from when to when a job was measured that began later than its phase.
func (j *Job) times() string {
	if j.StartNS == 0 {
		return ""
	}
	return fmt.Sprintf("from %s to %s", approx(j.StartNS), approx(j.StartNS+j.DurationNS))
}

func filesLine(c *Conditions) string {
	switch {
	case c.FileCount == 0:
		return ""
	case c.FileCount == 1 && len(c.Files) > 0:
		return fmt.Sprintf("%s (%s)", c.Files[0], size(c.SizeBytes))
	}
	return fmt.Sprintf("%d files (%s)", c.FileCount, size(c.SizeBytes))
}

// widestName is where a job's or an operation's name is cut in the table.
const widestName = 28

// rows are the phase's table, nil if it did nothing. There is a column of errors if
// there were any.
func (p *Phase) rows(c columns) *table {
	t := &table{left: 2}
	failed := p.failed()
	t.add(head(c, failed)...)
	t.half = len(t.rows[0]) - len(latencies)
	for _, j := range p.Jobs {
		for _, name := range j.OpNames() {
			o := j.Ops[name]
			cells := o.cells(j, c)
			if failed {
				cells = append(cells, fmt.Sprint(o.Errors))
			}
			t.add(named(j.Name, name, append(cells, o.Service.cells(c)...))...)
			if j.scheduled(o) {
				t.add(named(j.Name, name+" response", append(make([]string, len(cells)), o.Response.cells(c)...))...)
			}
		}
	}
	if len(t.rows) == 1 {
		return nil
	}
	return t
}

// latencies are what is shown of a distribution.
var latencies = []string{"mean", "p50", "p99", "p99.9", "max"}

func head(c columns, failed bool) []string {
	cells := []string{"  job", "op", "block", "depth", "count", "IOPS", c.bandwidth.Name}
	if failed {
		cells = append(cells, "errors")
	}
	for _, h := range latencies {
		cells = append(cells, h+" "+c.latency.Name)
	}
	return cells
}

// failed says whether any operation of the phase did.
func (p *Phase) failed() bool {
	for _, j := range p.Jobs {
		for _, o := range j.Ops {
			if o.Errors > 0 {
				return true
			}
		}
	}
	return false
}

func named(job, op string, cells []string) []string {
	return append([]string{"  " + shorten(job, widestName), shorten(op, widestName)}, cells...)
}

// cells are the operation's block size, depth, count and rates.
func (o *Op) cells(j *Job, c columns) []string {
	bandwidth := "-"
	if o.Bytes > 0 {
		bandwidth = c.bandwidth.Format(o.Bandwidth)
	}
	return []string{o.block(), depth(j), fmt.Sprint(o.Count), iops(o.IOPS), bandwidth}
}

// block is the size of what one operation asks for, or the mean of what it got if nobody noted that.
func (o *Op) block() string {
	switch {
	case o.BlockMax > 0 && o.BlockMin == o.BlockMax:
		return units.FormatSize(o.BlockMax)
	case o.BlockMax > 0:
		return units.FormatSize(o.BlockMin) + "-" + units.FormatSize(o.BlockMax)
	case o.Bytes > 0 && o.Count > 0:
		return "~" + units.FormatSize(o.Bytes/o.Count)
	}
	return "-"
}

func depth(j *Job) string {
	if n := max(j.Depth, j.Clients); n > 0 {
		return fmt.Sprint(n)
	}
	return "-"
}

// iops keeps the digits of rates that matter: three, or all before the point.
func iops(f float64) string { return units.Unit{Per: 1}.Format(f) }

func (l *Latency) cells(c columns) []string {
	if l == nil {
		return []string{"-", "-", "-", "-", "-"}
	}
	cells := []string{c.latency.Format(l.MeanNS)}
	for _, ns := range []int64{l.P50NS, l.P99NS, l.P999NS, l.MaxNS} {
		cells = append(cells, c.latency.Format(float64(ns)))
	}
	return cells
}
