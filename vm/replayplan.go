package vm

import (
	"fmt"
	"math"
	"time"

	"moonio/engine"
	"moonio/engine/replay"
	"moonio/engine/run"
	"moonio/engine/trace"
	"moonio/engine/units"
)

// describe completes the job, and says before the first operation what will be done.
func (r *replaying) describe() {
	s, j := r.survey, r.job
	loops := int64(max(r.options.Loops, 1))
	r.checkLength(loops)
	j.Records = s.Records * loops
	j.Bytes = math.MaxInt64
	if n := replay.Sum(replay.Sum(s.Bytes[engine.Read], s.Bytes[engine.Write]), s.Bytes[engine.Append]); n <= math.MaxInt64/loops {
		j.Bytes = n * loops
	}
	j.Describe = r.trace.String()
	j.Resizes = s.Counts[engine.Truncate] > 0
	j.Captured = run.Captured{Depth: s.Depth, MostDepth: s.MostDepth}
	if span := float64(s.Span) / j.Speed; span > 0 {
		j.Captured.IOPS = float64(s.Records) / span * 1e9
	}
	if p := r.m.run.Plan; p != nil {
		p.Notes = append(p.Notes, r.plan()...)
		return
	}
	for _, line := range r.plan() {
		fmt.Fprintln(r.m.run.Err, line)
	}
}

// checkLength refuses a replay of more operations than can be counted, or of longer than times can be, and says how long it is
// at captured times.
func (r *replaying) checkLength(loops int64) {
	s, j := r.survey, r.job
	if s.Records > math.MaxInt64/loops {
		r.o.fail("loops", "%d times %d operations are more than can be counted", loops, s.Records)
	}
	if j.Timing == run.AsFast {
		return
	}
	const most = 100 * 365 * 24 * time.Hour
	span := float64(s.Span) / j.Speed * float64(loops)
	if span > float64(most) {
		r.o.fail("speed", "the replay would take %s years, and 100 are the most: raise speed, cut idle times with max_gap, choose a part with from and to, or play it fewer times", units.Figure(span/float64(most)*100))
	}
	j.Span = time.Duration(span)
}

// plan is what is said of a replay before its first operation.
func (r *replaying) plan() []string {
	s := r.survey
	var touched, grows int64
	files := 0
	for i := range s.Files {
		touched = replay.Sum(touched, s.Files[i].Touched)
		grows = replay.Sum(grows, s.Files[i].Grows)
		if s.Files[i].Records > 0 {
			files++
		}
	}
	span := time.Duration(s.Span)
	lines := []string{
		fmt.Sprintf("replay %q: %s", r.name, r.trace),
		fmt.Sprintf("  spans      %s: %s, %s on average, %s read, %s written",
			duration(span), plural(int(s.Records), "operation", "operations"), perSecond(s.Records, span), size(s.Bytes[engine.Read]), size(replay.Sum(s.Bytes[engine.Write], s.Bytes[engine.Append]))),
		fmt.Sprintf("  touches    %s of %s, in chunks of %s", size(touched), plural(files, "file or device", "files or devices"), size(r.chunk())),
	}
	lines = append(lines, "  played     "+r.timing(span))
	if r.own > 0 {
		lines = append(lines, fmt.Sprintf("  lays out   %s in %s", size(r.own), plural(r.laid, "file", "files")))
	}
	lines = append(lines, "  page cache "+r.caching())
	where := r.options.Address.String()
	if r.options.Address == replay.Keep {
		where = "as captured"
	}
	if r.why != "" {
		where += ", because " + r.why
	}
	lines = append(lines, "  addresses  "+where)
	if changed := r.unaligned(); changed > 0 {
		lines = append(lines, fmt.Sprintf("  alignment  %s, which direct I/O needs: %s", plural(int(changed), "operation is not aligned", "operations are not aligned"), alignText[r.options.Align]))
	}
	if grows > 0 {
		lines = append(lines, fmt.Sprintf("  appends    %s, where files end", size(grows)))
	}
	lines = append(lines, missing(s.Log)...)
	for _, n := range s.Log.Notes {
		lines = append(lines, "  note       "+n)
	}
	return lines
}

// missing says what of a trace is not played, as it could not be read or was not captured.
func missing(l *trace.Log) (lines []string) {
	if l.Bad > 0 {
		lines = append(lines, fmt.Sprintf("  missing    %s not be read:", plural(int(l.Bad), "line could", "lines could")))
	}
	for _, first := range l.First {
		lines = append(lines, "             "+first.String())
	}
	if l.Lost > 0 {
		lines = append(lines, fmt.Sprintf("  missing    %s lost in the capture", plural(int(l.Lost), "event was", "events were")))
	}
	return lines
}

func (r *replaying) chunk() int64 {
	if r.options.Chunk > 0 {
		return r.options.Chunk
	}
	return replay.DefaultChunk
}

func (r *replaying) timing(span time.Duration) string {
	j := r.job
	text := ""
	switch j.Timing {
	case run.AsFast:
		text = "as fast as possible"
	case run.Dependent:
		text = "by dependency"
	case run.PerStream:
		text = fmt.Sprintf("each of %s as a closed loop", plural(r.survey.Streams, "stream", "streams"))
	default:
		text = "at the captured times"
	}
	if j.Speed != 1 && j.Timing != run.AsFast {
		text += fmt.Sprintf(", %g times as fast: %s", j.Speed, duration(time.Duration(float64(span)/j.Speed)))
	}
	if r.options.Loops > 1 {
		text += fmt.Sprintf(", %d times over", r.options.Loops)
	}
	return text + fmt.Sprintf(", at most %d in flight", j.Depth)
}

// alignText says what an alignment policy does.
var alignText = map[replay.Alignment]string{
	replay.Expand: "expanded to whole blocks", replay.Nearest: "moved to the nearest block",
	replay.Split: "split into aligned parts", replay.Drop: "left out",
}

// caching says which targets bypass the page cache.
func (r *replaying) caching() string {
	past := 0
	for _, f := range r.job.Files {
		if f.Direct {
			past++
		}
	}
	why := ""
	if r.own > 0 && r.direct == nil {
		why = ", as captured"
	}
	switch n := len(r.job.Files); past {
	case n:
		return "bypassed" + why
	case 0:
		return "used" + why
	default:
		return fmt.Sprintf("bypassed for %d of %d files%s", past, n, why)
	}
}

// unaligned is how many transfers the targets cannot take as they are.
func (r *replaying) unaligned() (n int64) {
	for i := range r.survey.Files {
		f := &r.survey.Files[i]
		switch align := r.aligns[i]; {
		case align > 512:
			n += f.Unaligned4K
		case align > 1:
			n += f.Unaligned512
		}
	}
	return n
}

// Figures as a plan shows them.

func size(n int64) string { return units.ApproxSize(float64(n)) }

func duration(d time.Duration) string { return units.Span(int64(d)) }

func perSecond(n int64, d time.Duration) string {
	if d <= 0 {
		return "all at once"
	}
	return units.ApproxCount(float64(n)/d.Seconds()) + "/s"
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
