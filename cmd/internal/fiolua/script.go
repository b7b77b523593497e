package fiolua

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// writer writes a script.
type writer struct{ strings.Builder }

func (w *writer) line(format string, args ...any) { fmt.Fprintf(&w.Builder, format+"\n", args...) }

// script writes all of it.
func (t *translation) script() string {
	w := &writer{}
	t.head(w)
	t.params(w)
	t.opens(w)
	for _, stage := range t.stages() {
		if !stage[0].v.On("create_only") {
			t.stage(w, stage)
		}
	}
	t.removals(w)
	return w.String()
}

// head says what the script is and how it is run.
func (t *translation) head(w *writer) {
	w.line("-- What fio's job does, as a script. `moonio fio` made it of:")
	args := slices.DeleteFunc(slices.Clone(t.setup.Args), func(a string) bool { return strings.TrimLeft(a, "-") == "print-script" })
	w.line("--   fio %s", comment(strings.Join(args, " ")))
	how := fmt.Sprintf("--dir %s --keep --seed %d", t.program.Dir, t.program.Seed)
	if t.program.Null {
		how = fmt.Sprintf("--engine null --seed %d", t.program.Seed)
	}
	w.line("-- Run it with")
	for i, path := range t.program.Traces {
		how += fmt.Sprintf(" -p %s=%s", TraceParam(i), path)
	}
	w.line("--   moonio run SCRIPT %s%s", comment(how), comment(t.deviceFlags()))
	t.shell(w)
	if len(t.program.Ignored) > 0 {
		w.line("-- Left out, because it makes no difference here:")
	}
	for _, s := range t.program.Ignored {
		w.line("--   %s", s)
	}
}

func (t *translation) deviceFlags() string {
	flags, destroy := "", ""
	for _, f := range t.program.Files {
		if f.Device {
			flags += " --device " + f.Path
			if f.Written {
				destroy = " --destroy-data"
			}
		}
	}
	return flags + destroy
}

// stage writes the jobs that run at the same time, and their phase.
func (t *translation) stage(w *writer, units []*unit) {
	if sharedRuntime(units) > 0 {
		for _, u := range units {
			u.drop("duration")
		}
	}
	t.forget(w, units)
	if len(units) == 1 && len(units[0].jobs) == 1 {
		t.single(w, units)
	} else {
		t.several(w, units)
	}
	t.after(w, units)
}

func (u *unit) drop(name string) {
	u.fields = slices.DeleteFunc(u.fields, func(f field) bool { return f.name == name })
}

// single writes a phase with one job.
func (t *translation) single(w *writer, units []*unit) {
	u := units[0]
	u.describe(w)
	if t.target(w, units) {
		return
	}
	if u.readsBack() {
		w.line("%s = {", t.declared("options"))
		u.writeFields(w, "  ")
		w.line("}")
		w.line("%sphase(%s, %s, stream(%s, options))%s", t.keepResult(units), quote(u.phase), t.phaseOptions(units), quote(u.results[0]), timesNote(units))
		w.line("phase(%s, {}, verify(%s, options)) -- verify: what was written is read back", quote(u.checkPhase()), quote(u.results[0]))
		return
	}
	w.line("%sphase(%s, %s, %s(%s, {%s", t.keepResult(units), quote(u.phase), t.phaseOptions(units), u.makes(), quote(u.results[0]), timesNote(units))
	u.writeFields(w, "  ")
	w.line("}))")
}

// checkPhase is the name of the phase in which what the unit wrote is verified.
func (u *unit) checkPhase() string { return u.phase + ", verified" }

// several writes a phase with several jobs.
func (t *translation) several(w *writer, units []*unit) {
	w.line("")
	w.line("%s = {}", t.declared("jobs"))
	checks := slices.ContainsFunc(units, (*unit).readsBack)
	if checks {
		w.line("%s = {}", t.declared("checks"))
	}
	for _, u := range units {
		u.describe(w)
		t.write(w, u)
	}
	w.line("")
	w.line("%sphase(%s, %s, jobs)%s", t.keepResult(units), quote(units[0].phase), t.phaseOptions(units), timesNote(units))
	if checks {
		w.line("phase(%s, {}, checks) -- verify: what was written is read back", quote(units[0].checkPhase()))
	}
}

func (u *unit) describe(w *writer) {
	w.line("")
	if d := u.v.Text("description"); d != "" {
		w.line("-- %s", comment(d))
	}
}

// keepResult keeps a phase's result, if something is made of it.
func (t *translation) keepResult(units []*unit) string {
	if !checked(units) {
		return ""
	}
	return t.declared("result") + " = "
}

// declared declares a variable where it is first needed.
func (t *translation) declared(name string) string {
	if slices.Contains(t.locals, name) {
		return name
	}
	t.locals = append(t.locals, name)
	return "local " + name
}

// write adds a unit's streams to the list of jobs.
func (t *translation) write(w *writer, u *unit) {
	name, indent := quote(u.results[0]), ""
	if len(u.jobs) > 1 {
		w.line("for job = 0, %d do -- numjobs=%d", len(u.jobs)-1, len(u.jobs))
		name, indent = quote(strings.TrimSuffix(u.results[0], "0"))+" .. job", "  "
	}
	if u.readsBack() {
		declare := "local options" // of each turn
		if len(u.jobs) == 1 {
			declare = t.declared("options")
		}
		w.line("%s%s = {", indent, declare)
		u.writeFields(w, indent+"  ")
		w.line("%s}", indent)
		w.line("%sjobs[#jobs + 1] = stream(%s, options)", indent, name)
		w.line("%schecks[#checks + 1] = verify(%s, options)", indent, name)
	} else {
		w.line("%sjobs[#jobs + 1] = %s(%s, {", indent, u.makes(), name)
		u.writeFields(w, indent+"  ")
		w.line("%s})", indent)
	}
	if len(u.jobs) > 1 {
		w.line("end")
	}
}

// writeFields writes the options of a stream, each with what it follows from.
func (u *unit) writeFields(w *writer, indent string) {
	fields := u.fields
	if u.files != nil {
		fields = append([]field{u.fileField()}, fields...)
	}
	names, values := 0, 0
	for _, f := range fields {
		names = max(names, len(f.name))
		if n := utf8.RuneCountInString(f.value); n <= 30 {
			values = max(values, n)
		}
	}
	for _, f := range fields {
		text := fmt.Sprintf("%s%-*s = %s,", indent, names, f.name, f.value)
		if f.note != "" {
			pad := max(0, values-utf8.RuneCountInString(f.value))
			text += strings.Repeat(" ", pad) + " -- " + comment(f.note)
		}
		w.line("%s", text)
	}
}

// fileField is where the stream goes.
func (u *unit) fileField() field {
	if u.playback != nil {
		return u.playedFiles()
	}
	if len(u.files) > 1 {
		var list []string
		for _, h := range u.files {
			list = append(list, h.variable)
		}
		return field{"files", "{ " + strings.Join(list, ", ") + " }", u.since("filename")}
	}
	h := u.files[0]
	name := "file"
	if h.count > 1 {
		name = "files"
	}
	value := h.variable
	if u.own {
		value += "[job + 1]"
	}
	return field{name, value, u.since("filename", "nrfiles")}
}

// phaseOptions are those that the jobs of a stage share.
func (t *translation) phaseOptions(units []*unit) string {
	var list []string
	if d := sharedRuntime(units); d > 0 {
		list = append(list, "duration = "+duration(d))
	}
	var ramp time.Duration
	for _, u := range units {
		ramp = max(ramp, u.v.Time("ramp_time"))
	}
	if ramp > 0 {
		list = append(list, "warmup = "+duration(ramp))
	}
	if names := tolerated(units); len(names) > 0 {
		list = append(list, "on_error = { "+strings.Join(names, ", ")+" }")
	}
	for _, u := range units {
		if u.v.Has("steadystate") {
			list = append(list, u.steady())
			break
		}
	}
	if len(list) == 0 {
		return "{}"
	}
	return "{ " + strings.Join(list, ", ") + " }"
}

// sharedRuntime is how long the phase is, if all of its jobs begin and end together.
func sharedRuntime(units []*unit) time.Duration {
	d := units[0].v.Time("runtime")
	for _, u := range units {
		if _, late := u.v.TimeRange("startdelay"); late > 0 || u.jobs[0].After != "" || u.v.Time("runtime") != d {
			return 0
		}
	}
	return d
}

// timesNote names the options that a phase's options follow from.
func timesNote(units []*unit) string {
	var list []string
	for _, u := range units {
		for _, n := range []string{"runtime", "time_based", "ramp_time", "continue_on_error", "ignore_error", "steadystate"} {
			if o, ok := u.v.Option(n); ok && !slices.Contains(list, o.String()) {
				list = append(list, o.String())
			}
		}
	}
	if len(list) == 0 {
		return ""
	}
	return " -- " + comment(strings.Join(list, " "))
}

// steady is fio's steadystate in the script's words.
func (u *unit) steady() string {
	word, limit := u.v.Word("steadystate")
	metric, slope := strings.CutSuffix(word, "_slope")
	switch metric {
	case "bw":
		metric = "bandwidth"
	case "lat":
		metric = "latency"
	}
	s := fmt.Sprintf("steady = { metric = %q, limit = %q", metric, cmp.Or(limit, "0.01%"))
	if slope {
		s += ", slope = true"
	}
	if d := u.v.Time("steadystate_duration"); d > 0 {
		s += ", window = " + duration(d)
	}
	if d := u.v.Time("steadystate_ramp_time"); d > 0 {
		s += ", ramp = " + duration(d)
	}
	return s + " }"
}
