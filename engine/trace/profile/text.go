package profile

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"moonio/engine/units"
)

// WriteText writes a profile for people, on about a screen of 100 columns. The title says what was profiled.
func WriteText(w io.Writer, r *Result, title string) error {
	t := &text{r: r}
	t.line("%s", Printable(title))
	t.overview()
	t.sides()
	t.rate()
	t.sizes()
	t.places()
	t.durability()
	t.parties("files", r.Files, r.MoreFiles)
	t.parties("streams", r.Streams, r.MoreStreams)
	t.input()
	_, err := io.WriteString(w, t.b.String())
	return err
}

// text is a page being written.
type text struct {
	r *Result
	b strings.Builder
}

// label is how wide the column before everything is.
const label = 9

func (t *text) line(format string, args ...any) {
	t.b.WriteString(strings.TrimRight(fmt.Sprintf(format, args...), " ") + "\n")
}

// item is a line, or several, under a label.
func (t *text) item(name, format string, args ...any) {
	for i, l := range folded(fmt.Sprintf(format, args...), 100-label) {
		if i > 0 {
			name = ""
		}
		t.line("%-*s%s", label, name, l)
	}
}

// folded breaks a text at spaces, and at line ends that it has.
func folded(s string, width int) []string {
	var lines []string
	for _, l := range strings.Split(s, "\n") {
		for utf8.RuneCountInString(l) > width {
			at := strings.LastIndexByte(l[:min(len(l), width)], ' ')
			if strings.HasPrefix(l[at+1:], "%") {
				at = strings.LastIndexByte(l[:at], ' ')
			}
			if at <= 0 {
				break
			}
			lines, l = append(lines, strings.TrimRight(l[:at], " ")), l[at+1:]
		}
		lines = append(lines, l)
	}
	return lines
}

// overview is what shows a wrong unit at once.
func (t *text) overview() {
	r := t.r
	if r.IOs == 0 {
		t.line("spans %s; no reads and no writes", units.Span(r.SpanNS))
		return
	}
	if r.SpanNS == 0 {
		t.line("spans no time: all records have the same; %s I/Os, %s moved, %s",
			units.ApproxCount(float64(r.IOs)), units.ApproxSize(float64(r.Bytes)), t.touched())
		return
	}
	t.line("spans %s, %s IOPS and %s mean, %s moved, %s", units.Span(r.SpanNS), units.ApproxCount(r.Arrival.MeanIOPS),
		units.ApproxBandwidth(r.Arrival.MeanBandwidth), units.ApproxSize(float64(r.Bytes)), t.touched())
}

func (t *text) touched() string {
	about := ""
	if t.r.BlocksEstimated {
		about = "about "
	}
	where := "within " + units.ApproxSize(float64(t.r.MaxEnd))
	if n := int64(len(t.r.Files)) + t.r.MoreFiles; n > 1 {
		where = "in " + count(n) + " files"
	}
	return fmt.Sprintf("%s%s touched %s", about, units.ApproxSize(float64(t.r.Footprint)), where)
}

// sides is the table of reads beside writes.
func (t *text) sides() {
	r := t.r
	if r.IOs == 0 {
		return
	}
	size := func(n int64) string { return units.ApproxSize(float64(n)) }
	runs := func(s Side) string { return fmt.Sprintf("%s, %d", units.Figure(s.Runs.Mean), s.Runs.Longest) }
	mean := float64(r.Bytes) / float64(r.IOs)
	rows := [][4]string{
		{"", "reads", "writes", "both"},
		{"I/Os", count(r.Reads), count(r.Writes), count(r.IOs)},
		{"share", percent(r.ReadShare), percent(1 - r.ReadShare), ""},
		{"bytes", size(r.Read.Bytes), size(r.Write.Bytes), size(r.Bytes)},
		{"mean size", units.ApproxSize(r.Read.Mean), units.ApproxSize(r.Write.Mean), units.ApproxSize(mean)},
		{"not on 4 KiB", percent(r.Read.Unaligned4K), percent(r.Write.Unaligned4K), percent(r.Unaligned4K)},
		{"sequential", percent(r.Read.Sequential), percent(r.Write.Sequential), percent(r.Sequential)},
		{"over all streams", percent(r.Read.Continuing), percent(r.Write.Continuing), percent(r.Continuing)},
		{"I/Os a run, most", runs(r.Read), runs(r.Write), ""},
		{"touched", size(r.Space.Read), size(r.Space.Written), size(r.Footprint)},
	}
	for _, row := range rows {
		if row[0] == "over all streams" && r.Continuing-r.Sequential < 0.01 {
			continue
		}
		t.line("  %-18s%14s%14s%14s", row[0], row[1], row[2], row[3])
	}
}

func (t *text) rate() {
	r, a := t.r, &t.r.Arrival
	if r.IOs == 0 || r.SpanNS == 0 {
		return
	}
	t.line("")
	t.item("rate", "%s", t.peaks())
	t.picture(r.Timeline.Counts, "0 s", units.Span(r.SpanNS))
	t.item("gaps", "p50 %s, p99 %s, coefficient of variation %s (1: independent arrivals)%s",
		units.ApproxDuration(float64(a.P50)), units.ApproxDuration(float64(a.P99)), units.Figure(r.CV), t.dispersion())
	if i := a.Idle; i.Gaps > 0 {
		t.item("idle", "%s of the time in %s of a second and more; the longest %s at %s",
			percent(i.Share), plural(i.Gaps, "gap", "gaps"), units.Span(i.Longest), units.Span(i.At))
	}
}

// peaks is the busiest second and minute, where there are several.
func (t *text) peaks() string {
	r, a := t.r, &t.r.Arrival
	if r.SpanNS < 2e9 {
		return ""
	}
	s := fmt.Sprintf("busiest second %s IOPS, %s × the mean", units.ApproxCount(a.Peak1s), units.Figure(r.PeakToMean1s))
	if r.SpanNS >= 120e9 {
		s += fmt.Sprintf("; busiest minute %s IOPS, %s ×", units.ApproxCount(a.Peak60s), units.Figure(a.PeakToMean60s))
	}
	return s
}

func (t *text) dispersion() string {
	a := &t.r.Arrival
	switch {
	case t.r.SpanNS < 10e9:
		return ""
	case t.r.SpanNS < 600e9:
		return fmt.Sprintf(", dispersion %s over 1 s", units.Figure(a.Dispersion1s))
	}
	return fmt.Sprintf(", dispersion %s over 1 s, %s over 60 s", units.Figure(a.Dispersion1s), units.Figure(a.Dispersion60s))
}

// shownSizes is how many sizes there are of each side in the text.
const shownSizes = 6

func (t *text) sizes() {
	read, write := sizeRows(t.r.Read), sizeRows(t.r.Write)
	for i := range max(len(read), len(write)) {
		if i == 0 {
			t.line("\n%-*s%-42s%s", label, "sizes", "reads", "writes")
		}
		row := func(list []string) string {
			if i < len(list) {
				return list[i]
			}
			return ""
		}
		left := row(read)
		pad := max(0, 42-utf8.RuneCountInString(left))
		t.line("%*s%s%*s%s", label, "", left, pad, "", row(write))
	}
}

func sizeRows(s Side) []string {
	var rows []string
	shown := s.Sizes[:min(len(s.Sizes), shownSizes)]
	rest := s.IOs
	for _, c := range shown {
		p := share(c.Count, s.IOs)
		rows = append(rows, fmt.Sprintf("%9s %7s %s", units.FormatSize(c.Bytes), percent(p), bar(p, 20)))
		rest -= c.Count
	}
	if rest > 0 {
		rows = append(rows, fmt.Sprintf("%9s %7s", "others", percent(share(rest, s.IOs))))
	}
	return rows
}

func (t *text) places() {
	r, s := t.r, &t.r.Space
	if r.Footprint == 0 {
		return
	}
	t.line("")
	files := ""
	if len(r.Files) > 1 {
		files = " (files laid over each other)"
	}
	t.item("places", "from 0 to %s%s", units.ApproxSize(float64(r.MaxEnd)), files)
	t.picture(s.Heat, "0", units.ApproxSize(float64(r.MaxEnd)))
	t.item("heat", "the hottest 1 %% of the blocks get %s of the accesses, 10 %% get %s, 20 %% get %s; Zipf θ %.2f",
		percent(s.Hot1), percent(s.Hot10), percent(s.Hot20), s.Zipf)
	t.item("reuse", "%s; in a minute %s is touched on average, %s at most", t.caches(),
		units.ApproxSize(float64(s.WindowMean)), units.ApproxSize(float64(s.WindowMax)))
}

// caches says what a few sizes of cache would serve.
func (t *text) caches() string {
	all := t.r.Space.Cache
	if len(all) == 0 {
		return "no block is accessed twice"
	}
	most := all[len(all)-1].Share
	var parts []string
	for _, want := range []float64{0.5, 0.9, 1} {
		i := slices.IndexFunc(all, func(c CacheHit) bool { return c.Share >= want*most })
		part := fmt.Sprintf("%s (%s)", percent(all[i].Share), units.FormatSize(all[i].Bytes))
		if !slices.Contains(parts, part) {
			parts = append(parts, part)
		}
	}
	return "of the accesses an LRU cache would serve " + strings.Join(parts, ", ")
}

// durability is flushes, and what is known of completions.
func (t *text) durability() {
	f, c := &t.r.Flush, t.r.Completions
	t.line("")
	if f.Count == 0 {
		t.item("flushes", "none")
	} else {
		t.item("flushes", "%s, %s a second, %s writes before each, %d at most", count(f.Count), units.ApproxCount(f.Rate), units.Figure(f.Writes), f.MostWrites)
	}
	if n := t.r.Trim; n.Count > 0 {
		t.item("trims", "%s, of %s", count(n.Count), units.ApproxSize(float64(n.Bytes)))
	}
	if c == nil {
		t.item("depth", "unknown: the trace has no completions, and so no latencies")
		return
	}
	known := ""
	if c.Share < 0.9995 {
		known = fmt.Sprintf(" (of the %s of I/Os whose completion is known)", percent(c.Share))
	}
	t.item("depth", "mean %s, p50 %d, p99 %d, most %d%s", units.Figure(c.DepthMean), c.DepthP50, c.DepthP99, c.DepthMax, known)
	t.latency("reads", c.Read)
	t.latency("writes", c.Write)
	t.latency("flushes", c.Flush)
}

func (t *text) latency(what string, l *Latency) {
	if l != nil {
		t.item("latency", "%s: mean %s, p50 %s, p99 %s, most %s", what, units.ApproxDuration(l.Mean),
			units.ApproxDuration(float64(l.P50)), units.ApproxDuration(float64(l.P99)), units.ApproxDuration(float64(l.Max)))
	}
}

// shownParties is how many files, and streams, are in the text.
const shownParties = 5

func (t *text) parties(what string, list []Party, more int64) {
	if len(list) == 0 || len(list) == 1 && list[0].Name == "" {
		return
	}
	for i, p := range list[:min(len(list), shownParties)] {
		name := what
		if i > 0 {
			name = ""
		}
		extra := ""
		if p.Flushes > 0 {
			extra += ", " + plural(p.Flushes, "flush", "flushes")
		}
		if p.Other > 0 {
			extra += ", " + plural(p.Other, "other", "others")
		}
		t.line("%-*s%s: %s, %s read, %s%s", label, name, Printable(cmp.Or(p.Name, "(no name)")), plural(p.IOs, "I/O", "I/Os"),
			percent(p.ReadShare), units.ApproxSize(float64(p.Bytes)), extra)
	}
	if more += int64(max(0, len(list)-shownParties)); more > 0 {
		t.line("%*sand %s more", label, "", count(more))
	}
}

// input says what of the trace is not in the profile, and what else is to be known.
func (t *text) input() {
	in := &t.r.Input
	var notes []string
	add := func(n int64, what string) {
		if n > 0 {
			notes = append(notes, count(n)+" "+what)
		}
	}
	add(in.Bad, fmt.Sprintf("of %s lines could not be parsed:", count(in.Lines)))
	if in.Bad > 0 {
		for _, first := range in.First {
			notes[0] += "\n  " + Printable(first)
		}
	}
	add(in.Lost, "events were lost by the capture")
	add(in.Disorder, "records were out of order")
	add(in.Odd, "records have an offset or a length that no storage has")
	for _, reason := range slices.Sorted(maps.Keys(in.Skipped)) {
		add(in.Skipped[reason], "skipped: "+Printable(reason))
	}
	for _, n := range in.Notes {
		notes = append(notes, Printable(n))
	}
	notes = append(notes, t.r.Estimates...)
	for i, n := range notes {
		if i == 0 {
			t.line("")
		}
		t.item("note", "%s", n)
	}
}
