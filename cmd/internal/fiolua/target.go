package fiolua

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// figures are the percentiles that a result has.
var figures = map[float64]string{50: "p50", 90: "p90", 95: "p95", 99: "p99", 99.9: "p999", 99.99: "p9999", 100: "max"}

// checkTarget refuses a latency_target that a script can't look for.
func (t *translation) checkTarget(u *unit) error {
	o, ok := u.v.Option("latency_target")
	if !ok || u.v.Time("latency_target") == 0 {
		return nil
	}
	if len(u.jobs) > 1 {
		return o.Fail("", "the depth is looked for with one job: leave numjobs out")
	}
	if p, ok := u.v.Option("latency_percentile"); ok && figures[u.v.Floats("latency_percentile")[0]] == "" {
		return p.Fail("", "results have the percentiles 50, 90, 95, 99, 99.9, 99.99 and 100")
	}
	if u.synchronous() {
		return o.Fail("", "the depth is looked for, and %s has a depth of 1: use libaio or io_uring", cmp.Or(u.v.Text("ioengine"), "psync"))
	}
	return nil
}

// checkSteady refuses a steadystate that says nothing, or that a phase can't be held to.
func (t *translation) checkSteady(u *unit) error {
	o, ok := u.v.Option("steadystate")
	if !ok {
		return nil
	}
	word, limit := u.v.Word("steadystate")
	if !slices.Contains([]string{"iops", "iops_slope", "bw", "bw_slope", "lat", "lat_slope"}, word) {
		return o.Fail(word, "%q is not one of iops, iops_slope, bw, bw_slope, lat, lat_slope", word)
	}
	if x, err := strconv.ParseFloat(strings.TrimSuffix(limit, "%"), 64); limit != "" && (err != nil || !(x > 0)) {
		return o.Fail(limit, "%q is not a limit such as 5%%, or a figure above 0", limit)
	}
	for name, least := range map[string]time.Duration{"steadystate_duration": 2 * time.Second, "steadystate_ramp_time": 0} {
		if d := u.v.Time(name); d > 0 && (d < least || d%time.Second != 0) {
			o, _ := u.v.Option(name)
			return o.Fail("", "each second is one value: give whole seconds, and at least %v", least)
		}
	}
	return nil
}

// target writes the search for the depth that keeps to latency_target, and says whether the unit
// asks for one. fio doubles the depth from 1 and then halves what is left; so does this.
func (t *translation) target(w *writer, units []*unit) bool {
	u := units[0]
	limit := u.v.Time("latency_target")
	if limit == 0 {
		return false
	}
	window := cmp.Or(u.v.Time("latency_window"), time.Second)
	percentile := 100.0
	if u.v.Has("latency_percentile") {
		percentile = u.v.Floats("latency_percentile")[0]
	}
	u.drop("bytes")
	u.drop("duration")
	at := slices.IndexFunc(u.fields, func(f field) bool { return f.name == "depth" })
	most := u.fields[at].value
	u.fields[at] = field{"depth", "depth", "as it is tried"}

	w.line("local search = require \"search\"")
	w.line("local found = search.depth(%s, {", quote(u.phase))
	(&unit{v: u.v, fields: []field{
		{"latency", duration(limit), u.since("latency_target")},
		{"percentile", quote(figures[percentile]), u.sinceOr("fio's default: 100", "latency_percentile")},
		{"window", duration(window), u.sinceOr("a second for each depth", "latency_window")},
		{"run", duration(cmp.Or(u.v.Time("runtime"), window)), u.sinceOr("as long at the depth that was found", "runtime")},
		{"most", most, u.since("iodepth")},
	}}).writeFields(w, "  ")
	w.line("}, function(depth)")
	w.line("  return stream(%s, {", quote(u.results[0]))
	u.writeFields(w, "    ")
	w.line("  })")
	w.line("end)")
	w.line("expect(found.depth > 0, %s)", quote(u.name+": a depth of 1 keeps to "+u.since("latency_target")))
	return true
}

// aloneWithTarget refuses a latency_target beside other jobs.
func (t *translation) aloneWithTarget() error {
	for _, stage := range t.stages() {
		for _, u := range stage {
			if o, ok := u.v.Option("latency_target"); ok && len(stage) > 1 && u.v.Time("latency_target") > 0 {
				return o.Fail("", "job %s looks for its depth alone: give it a stonewall, and the next job one too", u.name)
			}
		}
	}
	return nil
}
