package vm

import (
	"fmt"
	"maps"
	"path"
	"slices"

	lua "github.com/yuin/gopher-lua"

	"moonio/engine/replay"
	"moonio/engine/run"
	"moonio/engine/trace"
)

// replaying is a replay while its job is made.
type replaying struct {
	m       *machine
	o       *options
	name    string
	trace   *captured
	fn      *lua.LFunction // maps records; nil: none does
	share   float64        // of bad lines that is allowed
	options replay.Options
	auto    bool // the address policy is chosen
	survey  *replay.Survey

	size   int64 // of each target of its own; 0: as needed
	direct *bool // past the page cache; nil: as captured
	layout string
	one    bool // all in one target
	files  []entry
	used   []bool // which of them the trace has something for
	job    *run.Replay
	own    int64   // bytes of targets of its own
	laid   int     // how many files they are
	aligns []int64 // what each of the trace's files must be aligned to
	why    string
}

// defaultReplayDepth bounds what a replay has in flight at captured times.
const defaultReplayDepth = 1024

// replay makes a job from replay(name, options).
func (m *machine) replay(L *lua.LState) int {
	m.directorOnly(L, "replay")
	m.beyondRehearsal(L)
	name := m.jobName(L, "replay")
	o := optionsAt(L, 2, fmt.Sprintf("replay %q", name))
	r := &replaying{m: m, o: o, name: name}
	r.readOptions()
	j := &job{Job: run.Job{Name: name, Own: o.ownThreads(), Start: o.duration("start"), Duration: o.duration("duration"), EndsPhase: o.boolean("ends_phase", false), After: o.jobNames("after"), Ends: o.jobNames("ends")}}
	o.done()
	m.resolve(o, r.trace)
	var err error
	if r.survey, err = replay.Look(m.run.ctx, r.open, &r.options); err != nil {
		m.raise(L, fmt.Errorf("%s: %w", o.call, r.trace.wrong(err)))
	}
	if r.survey.Records == 0 {
		m.raise(L, fmt.Errorf("%s: trace %s: there is nothing to play%s", o.call, r.trace, r.nothing()))
	}
	r.makeTargets()
	r.describe()
	j.Replay = r.job
	L.Push(m.wrap(j))
	return 1
}

// nothing says what there is in a trace of which no record is left.
func (r *replaying) nothing() string {
	why := ""
	if r.options.From > 0 || r.options.To > 0 || r.fn != nil {
		why = " in the window of time that was asked for, or nothing that map leaves"
	}
	for _, reason := range slices.Sorted(maps.Keys(r.survey.Log.Skipped)) {
		why += fmt.Sprintf("; %d × %s", r.survey.Log.Skipped[reason], reason)
	}
	return why
}

func (r *replaying) readOptions() {
	o := r.o
	r.trace = r.m.traceAt(o, "trace", o.get("trace"))
	switch fn := o.get("map").(type) {
	case *lua.LNilType:
	case *lua.LFunction:
		r.fn = fn
	default:
		o.fail("map", "%s is not a function of a record", show(fn))
	}
	if r.share = trace.MaxBad; o.boolean("skip_bad", false) {
		r.share = 1
	}
	r.readPlaces()
	r.job = &run.Replay{
		Timing:  run.Timing(o.index("timing", run.TimingNames())),
		Overlap: run.Overlap(o.index("overlap", run.OverlapNames())),
		Late:    run.Late(o.index("late", run.LateNames())),
		Limit:   o.duration("late_limit"),
		Speed:   r.options.Speed,
	}
	depth := int64(defaultReplayDepth)
	if r.job.Timing == run.AsFast {
		depth = 32
	}
	r.job.Depth = int(o.integer("depth", depth, 1))
	if r.job.Limit > 0 && r.job.Late == run.LateCatchUp {
		o.fail("late_limit", "it goes with late = \"shift\", \"drop\" or \"abort\"")
	}
}

// readPlaces reads what part of the trace is played, and where it goes.
func (r *replaying) readPlaces() {
	o := r.o
	r.options = replay.Options{
		Speed: o.speed(), From: o.duration("from"), To: o.duration("to"), MaxGap: o.duration("max_gap"),
		Loops: int(o.integer("loops", 1, 1)),
		Align: replay.Alignment(o.index("align", replay.AlignmentNames())),
		Chunk: o.size("chunk", 0),
	}
	r.auto = !o.has("address")
	if !r.auto {
		address, err := replay.ParseAddress(o.choice("address", "", replay.AddressNames()...))
		if err != nil {
			o.fail("address", "%v", err)
		}
		r.options.Address = address
	}
	if err := r.options.Validate(); err != nil {
		o.L.RaiseError("%s: option %v", o.call, err)
	}
	r.size = o.size("size", 0)
	r.one = o.boolean("one", false)
	if o.has("direct") {
		direct := o.boolean("direct", false)
		r.direct = &direct
	}
	r.layout = o.choice("layout", "write", "write", "allocate", "sparse")
	switch v := o.get("files").(type) {
	case *lua.LNilType:
	case *lua.LUserData:
		r.files = []entry{{name: "*", value: v}}
	case *lua.LTable:
		r.files = sorted(v)
	default:
		o.fail("files", "%s: give a file, or a table of files by the trace's names, such as { [\"8,0\"] = disk }", show(v))
	}
	for _, e := range r.files {
		if f := asFile(e.value); f == nil || f.closed.Load() {
			o.fail("files", "[%q] is %s, and not an open file", e.name, show(e.value))
		}
		if _, err := path.Match(e.name, ""); err != nil {
			o.fail("files", "%q is not a name or a pattern such as \"*.db\"", e.name)
		}
	}
}

// index is which of a list of words an option is; the first if it is not there.
func (o *options) index(name string, words []string) int {
	return slices.Index(words, o.choice(name, words[0], words...))
}

func (o *options) speed() float64 {
	switch v := o.get("speed").(type) {
	case *lua.LNilType:
		return 1
	case lua.LNumber:
		if v > 0 {
			return float64(v)
		}
	}
	o.fail("speed", "%s is not a number above 0: 2 is twice as fast as captured", show(o.get("speed")))
	return 0
}

// open begins to read the trace as it is played.
func (r *replaying) open() (*replay.Trace, error) {
	t, err := r.trace.open()
	if err != nil {
		return nil, err
	}
	if t = checked(t, r.share); r.fn == nil {
		return t, nil
	}
	return mapTrace(r.m, t, r.fn)
}
