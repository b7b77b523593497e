package model

import (
	"fmt"
	"math"
	"strings"
	"time"

	"moonio/engine/trace/profile"
	"moonio/engine/units"
)

// Script is the model as a script.
func (m *Model) Script() string {
	w := &writer{}
	m.preface(w)
	m.params(w)
	m.rates(w)
	m.open(w)
	m.phase(w)
	return w.String()
}

type writer struct{ strings.Builder }

func (w *writer) line(format string, args ...any) { fmt.Fprintf(w, format+"\n", args...) }

// comment writes a comment in lines of 100 columns.
func (w *writer) comment(format string, args ...any) {
	line := "--"
	for _, word := range strings.Fields(fmt.Sprintf(format, args...)) {
		if len(line)+1+len(word) > 100 {
			w.line("%s", line)
			line = "--"
		}
		line += " " + word
	}
	w.line("%s", line)
}

func (m *Model) preface(w *writer) {
	r := m.trace
	w.comment("A model of a captured workload: %s", profile.Printable(m.title))
	w.line("--")
	w.comment("The trace has %d reads and %d writes in %s, %s IOPS on average and %s times that in its busiest second; it moves %s and touches %s.",
		r.Reads, r.Writes, units.Span(r.SpanNS), units.ApproxCount(r.Arrival.MeanIOPS), units.Figure(r.PeakToMean1s),
		units.ApproxSize(float64(r.Bytes)), units.ApproxSize(float64(r.Footprint)))
	if c := r.Completions; c != nil {
		w.comment("It had %s I/Os in flight on average, %d at most.", units.Figure(c.DepthMean), c.DepthMax)
	}
	w.line("--")
	w.comment("Reads and writes follow its rates over time. Of each file's there are runs, in which one begins where the one before ended, and single ones; some places are hotter than others. Addresses are close together here, and far apart in the trace: a file is as large as what is drawn from.")
	if left := r.IOs - m.most[reads] - m.most[writes]; left > 0 {
		w.comment("%d I/Os went to files that have too few to be modelled; the others stand for them.", left)
	}
	if n := m.others(); n > 0 {
		w.comment("%d operations that are neither reads, writes, flushes nor trims are left out.", n)
	}
}

// others is how many operations have no place in the model.
func (m *Model) others() int64 {
	n := int64(0)
	for op, count := range m.trace.Ops {
		switch op {
		case "read", "write", "append", "fsync", "fdatasync":
		case "trim":
			if m.trims() == 0 {
				n += count
			}
		default:
			n += count
		}
	}
	return n
}

func (m *Model) params(w *writer) {
	w.line("local p = params {")
	w.line("  rate = { %q, %q },", fmt.Sprintf("%.6g/s", m.trace.Arrival.MeanIOPS), "I/Os per second on average; another plays the same in more or less time")
	w.line("  size = { %q, %q },", units.FormatSize(m.size()), "of the files together")
	w.line("  time = { %q, %q },", duration(m.trace.SpanNS), "of the trace to play")
	w.line("  direct = { false, %q },", "past the page cache")
	if m.closable() {
		w.line("  closed = { false, %q },", "not at the trace's rates: one I/O after another, with the time in between that the trace has")
	}
	w.line("}")
	w.line("local speed, scale = p.rate / %.6g, p.size / %d\n", m.trace.Arrival.MeanIOPS, m.size())
}

// duration is a time to the millisecond, as a script writes it.
func duration(ns int64) string {
	d := time.Duration(ns)
	if r := d.Round(time.Millisecond); r > 0 {
		d = r
	}
	return units.FormatDuration(d)
}

// onLine is how many steps a line has.
const onLine = 8

func (m *Model) rates(w *writer) {
	w.comment("I/Os per second, and for how many seconds.")
	for dir, name := range []string{"reads", "writes"} {
		if m.most[dir] == 0 {
			continue
		}
		w.line("local %s = {", name)
		c := m.courses[dir]
		for len(c) > 0 {
			var parts []string
			for _, s := range c[:min(len(c), onLine)] {
				parts = append(parts, fmt.Sprintf("{%.4g, %.6g}", s.rate(), s.seconds))
			}
			w.line("  %s,", strings.Join(parts, ", "))
			c = c[len(parts):]
		}
		w.line("}")
	}
	w.line("")
	w.comment("A share of the I/Os of a course.")
	w.line("local function part(share, course)")
	if m.closable() {
		w.line("  if p.closed then return nil end")
	}
	w.line("  local list = {}\n  for i, step in ipairs(course) do")
	w.line("    list[i] = { step[1] * share * speed, step[2] / speed }\n  end\n  return steps(list)\nend\n")
	if !m.closable() {
		w.line("local arrival = %q\n", m.arrival)
		return
	}
	w.line("local arrival, depth = %q, %d", m.arrival, m.depth)
	w.line("if p.closed then arrival, depth = nil, nil end\n")
	w.comment("In a closed loop, the time from an I/O's completion to the next.")
	w.line("local function thought(seconds) return p.closed and exponential(seconds) or nil end\n")
}

func (m *Model) open(w *writer) {
	w.comment("Whole blocks, as many as the size asks for.")
	w.line("local function scaled(n) return math.max(1, math.floor(n * scale / %d + 0.5)) * %d end\n", block, block)
	for _, f := range m.files {
		of := ""
		if f.of != "" && f.of != f.name {
			of = " -- " + profile.Printable(f.of)
		}
		w.line("local %s = open(%q, { size = %s, direct = p.direct })%s", f.variable, f.name, f.sum(), of)
	}
	w.line("")
}

// sum is a file's size as an expression.
func (f *file) sum() string {
	r, x := f.areas[reads], f.areas[writes]
	switch {
	case r == nil:
		return x.scaled()
	case x == nil:
		return r.scaled()
	case f.apart:
		return r.scaled() + " + " + x.scaled()
	case r.bytes() >= x.bytes():
		return r.scaled()
	}
	return x.scaled()
}

func (a *area) scaled() string { return fmt.Sprintf("scaled(%d)", a.bytes()) }

// bytes is the size of an area's region: whole blocks, and enough for the longest I/O.
func (a *area) bytes() int64 {
	n := int64(a.region)
	for _, j := range a.jobs() {
		n = max(n, largest(j.sizes))
	}
	return (n + block - 1) / block * block
}

// size is that of all files.
func (m *Model) size() int64 {
	sum := int64(0)
	for _, f := range m.files {
		sum += f.size()
	}
	return sum
}

func (f *file) size() int64 {
	var n [2]int64
	for dir, a := range f.areas {
		if a != nil {
			n[dir] = a.bytes()
		}
	}
	if f.apart {
		return n[reads] + n[writes]
	}
	return max(n[reads], n[writes])
}

func (m *Model) phase(w *writer) {
	w.line("phase(%q, { duration = p.time / speed }, {", "model")
	for _, f := range m.files {
		flushed := false
		for dir, a := range f.areas {
			if a == nil {
				continue
			}
			jobs := a.jobs()
			if dir == writes {
				flushed = m.cadence(f, jobs)
			}
			for _, j := range jobs {
				m.stream(w, f, a, j)
			}
		}
		if !flushed && f.flushes > 0 {
			m.flushStream(w, f)
		}
		if f.trims != nil {
			m.trimStream(w, f)
		}
	}
	w.line("})")
}

// cadence lets the one stream of writes flush, if every so many writes are flushed.
func (m *Model) cadence(f *file, jobs []*job) bool {
	if f.flushes == 0 || len(jobs) != 1 {
		return false
	}
	each := jobs[0].ios / float64(f.flushes)
	if whole := math.Round(each); whole >= 1 && math.Abs(each-whole) < 0.03*each {
		jobs[0].every = int64(whole)
		return true
	}
	return false
}

func (m *Model) jobName(f *file, what string) string {
	if len(m.files) > 1 {
		return f.name + " " + what
	}
	return what
}

func (m *Model) stream(w *writer, f *file, a *area, j *job) {
	course, op := "reads", "read"
	if a.dir == writes {
		course, op = "writes", "write"
	}
	w.line("  stream(%q, {", m.jobName(f, j.name))
	w.line("    file = %s, op = %q, at = %s, align = %q,", f.variable, op, j.at, units.FormatSize(j.align))
	w.line("    block = %q,", blocks(j.sizes))
	if f.apart {
		offset := "0"
		if a.dir == writes {
			offset = f.areas[reads].scaled()
		}
		w.line("    offset = %s, size = %s,", offset, a.scaled())
	}
	w.line("    rate = part(%.4g, %s), arrival = arrival,%s", j.ios/float64(m.most[a.dir]), course, m.flushed(j))
	if m.closable() {
		depth, think := m.loop(a, j)
		w.line("    depth = depth or %d, think = thought(%.4g), think_every = p.closed and %d or nil,", depth, think, depth)
	}
	w.line("  }),")
}

func (m *Model) flushed(j *job) string {
	if j.every == 0 {
		return ""
	}
	return fmt.Sprintf(" %s = %d,", m.sync, j.every)
}

// flushStream is a stream of a file's flushes.
func (m *Model) flushStream(w *writer, f *file) {
	rate, think := m.beside(m.unlisted() * float64(f.flushes))
	w.line("  stream(%q, { file = %s, op = %q, rate = %s, arrival = arrival%s }),", m.jobName(f, "flushes"), f.variable, m.sync, rate, think)
}

// trimStream is a stream of a file's trims.
func (m *Model) trimStream(w *writer, f *file) {
	j := f.trims
	rate, think := m.beside(float64(m.trace.Trim.Count) / m.trims() * j.ios)
	w.line("  stream(%q, {", m.jobName(f, j.name))
	w.line("    file = %s, op = %q, at = %s, align = %q,", f.variable, "trim", j.at, units.FormatSize(j.align))
	w.line("    block = %q,", blocks(j.within(f.size())))
	w.line("    rate = %s, arrival = arrival%s,", rate, think)
	w.line("  }),")
}

// trims is how many trims the files that are modelled have.
func (m *Model) trims() (n float64) {
	for _, f := range m.files {
		if f.trims != nil {
			n += f.trims.ios
		}
	}
	return n
}

// beside is the rate of n operations that follow the course of the writes, or if there are none of the reads, and
// in a closed loop what is thought between them.
func (m *Model) beside(n float64) (rate, think string) {
	dir, course := writes, "writes"
	if m.most[writes] == 0 {
		dir, course = reads, "reads"
	}
	if m.closable() {
		think = fmt.Sprintf(", think = thought(%.4g)", float64(m.trace.SpanNS)/1e9/n)
	}
	return fmt.Sprintf("part(%.4g, %s)", n/float64(m.most[dir]), course), think
}

// unlisted is by how much there are more flushes than those of the files that are modelled.
func (m *Model) unlisted() float64 {
	sum := int64(0)
	for _, f := range m.files {
		sum += f.flushes
	}
	return float64(m.trace.Flush.Count) / float64(max(sum, 1))
}
