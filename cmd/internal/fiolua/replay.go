package fiolua

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"moonio/cmd/internal/fiojob"
)

// Captured is what there is in a trace.
type Captured struct {
	Named   bool           // its files have the names of paths; otherwise they are devices' numbers, say
	Files   []CapturedFile // in the order of their first use
	Longest int64          // of what it reads and writes at once, in bytes
}

// CapturedFile is what a trace did to a file.
type CapturedFile struct {
	Name          string
	End           int64 // how far its reads and writes reach, in bytes
	Reads, Writes bool  // Writes: anything that changes the file
}

// playback is what read_iolog makes of a unit.
type playback struct {
	trace fiojob.Option
	param string   // of the script that has the trace's path
	names []string // the trace's files, each with a handle of the unit's
}

// makes is the function of the script that makes the unit's jobs.
func (u *unit) makes() string {
	if u.playback != nil {
		return "replay"
	}
	return "stream"
}

// unplayed are options of what a job does that have no effect where a trace says it.
var unplayed = strings.Fields(`rw bs ba bsrange bssplit bs_unaligned rwmixread rwmixwrite size io_size filesize offset offset_increment number_ios nrfiles
	random_distribution percentage_random norandommap random_generator rw_sequencer file_service_type zonemode rate rate_iops thinktime loops time_based filename
	fsync fdatasync sync_file_range`)

// unplayable are options that a replay would need something of its own for.
var unplayable = map[string]string{
	"verify": "what a trace writes is not known to be read back", "max_latency": "it is for jobs that make up what they do",
	"latency_target": "a trace has the depth that its times ask for", "steadystate": "a trace changes as it goes on",
	"cmdprio_bssplit": "it is for jobs that make up what they do", "cmdprio_percentage": "it is for jobs that make up what they do", "fill_device": "a trace says how much is written", "file_append": "a trace says where is written",
	"rate_min": "a trace has the rate of its times", "rate_iops_min": "a trace has the rate of its times", "end_fsync": "a trace says what is synced",
	"fsync_on_close": "a trace says what is synced", "create_only": "a trace says what is done", "iodepth_low": "a trace says when operations begin",
	"unlink": "the trace's files stay where they are",
}

// replay translates a unit that plays a trace.
func (t *translation) replay(u *unit) error {
	o, _ := u.v.Option("read_iolog")
	for _, name := range unplayed {
		if u.v.Has(name) {
			t.ignore(name + ": read_iolog says what is done")
		}
	}
	for _, given := range u.jobs[0].All {
		if why, ok := unplayable[given.Name]; ok && !off(u.v, spec(given.Name)) {
			return given.Fail("", "it does not go with read_iolog: %s", why)
		}
	}
	captured, err := t.captured(u, o)
	if err != nil {
		return err
	}
	u.playback = &playback{trace: o, param: t.traceParam(o.Value)}
	if err := t.playInto(u, captured); err != nil {
		return err
	}
	t.putPlayback(u)
	for _, put := range []func(*unit) error{t.putEngine, t.putThreads, t.putTimes} {
		if err := put(u); err != nil {
			return err
		}
	}
	t.units = append(t.units, u)
	return t.sow(u)
}

func spec(name string) fiojob.Spec {
	s, _ := fiojob.Find(name)
	return s
}

// captured reads through the unit's trace, and finds what it does to its files.
func (t *translation) captured(u *unit, o fiojob.Option) (*Captured, error) {
	switch {
	case t.bare(u) || t.setup.Trace == nil:
		return nil, o.Fail("", "a trace is played on storage: `moonio replay --engine` plays it elsewhere")
	case o.Value == "-":
		return nil, o.Fail("", "a trace is read more than once: give a file, or pipe it into `moonio replay -`")
	case strings.ContainsAny(o.Value, ":;"):
		return nil, o.Fail("", "that is no file's name here: give each trace a job of its own")
	}
	scale, align := max(1, u.v.Integer("replay_scale")), u.v.Integer("replay_align")
	if align&(align-1) != 0 {
		a, _ := u.v.Option("replay_align")
		return nil, a.Fail("", "it is a power of two")
	}
	c, err := t.setup.Trace(o.Value, func(offset int64) int64 {
		offset /= scale
		return offset - offset%max(align, 1)
	})
	if err != nil {
		return nil, o.Fail("", "%v", err)
	}
	if len(c.Files) == 0 {
		return nil, o.Fail("", "there is nothing to play in it")
	}
	if !c.Named && !u.v.Has("replay_redirect") {
		return nil, o.Fail("", "it is of %s, which is no file's name: replay_redirect=PATH says where it is played, or `moonio replay --map %[1]s=PATH`", c.Files[0].Name)
	}
	return c, nil
}

// traceParam is the script's parameter that has a trace's path.
func (t *translation) traceParam(path string) string {
	i := slices.Index(t.program.Traces, path)
	if i < 0 {
		i = len(t.program.Traces)
		t.program.Traces = append(t.program.Traces, path)
	}
	return TraceParam(i)
}

// TraceParam is the parameter of the script that has the path of one of Program.Traces.
func TraceParam(i int) string {
	if i == 0 {
		return "trace"
	}
	return fmt.Sprintf("trace%d", i+1)
}

// playInto finds the files that the trace is of, as fio does: by their names, from the job's directory on.
func (t *translation) playInto(u *unit, c *Captured) error {
	o := u.playback.trace
	dir := firstOf(splitNames(u.v.Text("directory")))
	redirect, redirected := u.v.Option("replay_redirect")
	if redirected {
		o = redirect
	}
	u.minimum, u.grain, u.largest = 1, 1, c.Longest
	for _, f := range c.Files {
		path := f.Name
		if redirected {
			path = redirect.Value
		}
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		h := &handle{path: t.absolute(path), note: o.String(), count: 1, first: u}
		if err := t.homeOf(u, o, h.path, t.absolute(dir)); err != nil {
			return err
		}
		if err := t.playOn(u, h, f); err != nil {
			return err
		}
		u.rw.reads, u.rw.writes = u.rw.reads || f.Reads, u.rw.writes || f.Writes
	}
	return t.guard(u)
}

// playOn settles how one of the trace's files is opened.
func (t *translation) playOn(u *unit, h *handle, f CapturedFile) error {
	node := t.look(h.path)
	u.size = f.End
	if err := t.usable(u, h, node); err != nil {
		return err
	}
	h.device = node.Kind == Device
	h.direct, h.sync = u.direct(), u.syncs()
	h.drop = !h.direct && f.Reads && u.invalidates()
	h.written, h.create = f.Writes, u.creates()
	h.size = max(f.End, least)
	h.keep = node.Exists && node.Size >= h.size
	if h.layout = "sparse"; f.Reads {
		h.layout = "write"
	}
	u.playback.names = append(u.playback.names, f.Name)
	u.files = append(u.files, t.share(u, h))
	return nil
}

// least is how much there must be in a file that a trace is played into.
const least = 4096

// putPlayback says what is played, when and where.
func (t *translation) putPlayback(u *unit) {
	u.put("trace", "p."+u.playback.param, u.since("read_iolog"))
	u.put("address", `"keep"`, "offsets are those of the trace")
	if u.v.On("replay_no_stall") {
		u.put("timing", `"fast"`, u.since("replay_no_stall"))
	}
	if n := u.v.Integer("replay_time_scale"); n != 100 {
		u.put("speed", decimal(float64(n)/100), u.since("replay_time_scale"))
	}
	if u.synchronous() {
		u.put("depth", "1", "one at a time: "+u.engineNote())
	} else {
		u.put("depth", integer(u.v.Integer("iodepth")), u.sinceOr("fio's default", "iodepth"))
	}
	if scale, align := max(1, u.v.Integer("replay_scale")), max(1, u.v.Integer("replay_align")); scale*align > 1 {
		at := "math.floor(io.offset / " + integer(scale*align) + ")"
		if align > 1 {
			at += " * " + integer(align)
		}
		u.put("map", "function(io) io.offset = io.offset and "+at+" end", u.since("replay_scale", "replay_align"))
	}
}

// playedFiles are the targets of a replay by the trace's names.
func (u *unit) playedFiles() field {
	var list []string
	one := u.files[0]
	if !slices.ContainsFunc(u.files, func(h *handle) bool { return h != one }) {
		return field{"files", one.variable, u.since("replay_redirect")}
	}
	for i, h := range u.files {
		list = append(list, fmt.Sprintf("[%s] = %s", quote(u.playback.names[i]), h.variable))
	}
	return field{"files", "{ " + strings.Join(list, ", ") + " }", u.since("replay_redirect")}
}

// params declares the traces that the script plays.
func (t *translation) params(w *writer) {
	if len(t.program.Traces) == 0 {
		return
	}
	w.line("")
	w.line("local p = params {")
	for i, path := range t.program.Traces {
		w.line("  %s = { %s, \"what read_iolog plays\" },", TraceParam(i), quote(path))
	}
	w.line("}")
}
