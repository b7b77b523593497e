package vm

import (
	"fmt"
	"maps"
	"math"
	"path"
	"slices"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"moonio/engine"
	"moonio/engine/replay"
	"moonio/engine/run"
	"moonio/engine/suggest"
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

// maxOwnTargets is how many files a replay lays out.
const maxOwnTargets = 1024

// replay makes a job from replay(name, options).
func (m *machine) replay(L *lua.LState) int {
	m.directorOnly(L, "replay")
	m.beyondRehearsal(L)
	name := m.jobName(L, "replay")
	o := optionsAt(L, 2, fmt.Sprintf("replay %q", name))
	r := &replaying{m: m, o: o, name: name}
	r.readOptions()
	j := &job{Job: run.Job{Name: name, Own: o.ownThreads(), Start: o.duration("start"), Duration: o.duration("duration"), EndsPhase: o.boolean("ends_phase", false)}}
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

// makeTargets opens or makes a target for each of the trace's files.
func (r *replaying) makeTargets() {
	s := r.survey
	given := make([]*file, len(s.Files))
	r.used = make([]bool, len(r.files))
	for i := range s.Files {
		given[i] = r.given(s.Files[i].Name)
	}
	r.checkUsed()
	r.choose(given)
	targets := make([]replay.Target, len(s.Files))
	index := map[*engine.File]int{}
	add := func(f *engine.File) int {
		i, ok := index[f]
		if !ok {
			i = len(r.job.Files)
			index[f] = i
			r.job.Files = append(r.job.Files, f)
		}
		return i
	}
	r.makeOwn(given, targets, add)
	for i, f := range given {
		if f != nil {
			targets[i] = replay.Target{Index: add(f.File), Size: f.Size(), Align: alignOf(f.File)}
			r.check(&s.Files[i], f)
		}
	}
	for i := range targets {
		r.aligns = append(r.aligns, targets[i].Align)
	}
	open, options := r.open, r.options
	r.job.Source = func(h replay.Share) *replay.Source { return replay.NewSource(open, options, s, targets, h) }
}

func alignOf(f *engine.File) int64 {
	if !f.Direct {
		return 0
	}
	return int64(f.Align.Offset)
}

// given is the file that the script gives for one of the trace's; nil if it gives none.
func (r *replaying) given(name string) *file {
	at := slices.IndexFunc(r.files, func(e entry) bool { return e.name == name })
	if at < 0 {
		at = slices.IndexFunc(r.files, func(e entry) bool {
			ok, _ := path.Match(e.name, name)
			return ok || e.name == "*"
		})
	}
	if at < 0 {
		return nil
	}
	r.used[at] = true
	return asFile(r.files[at].value)
}

// checkUsed refuses files for what the trace has not.
func (r *replaying) checkUsed() {
	for i, e := range r.files {
		if r.used[i] || e.name == "*" {
			continue
		}
		var names []string
		for k := range r.survey.Files {
			names = append(names, r.survey.Files[k].Name)
		}
		list := names[:min(len(names), mostNamed)]
		r.o.fail("files", "%q is none of what the trace is of%s: that is %s%s", e.name, suggest.Hint(e.name, names), strings.Join(list, ", "), more(len(names)-len(list)))
	}
}

// mostNamed is how many of a trace's files an error lists.
const mostNamed = 8

func more(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(", and %d more", n)
}

// choose finds the address policy, if the script leaves it: offsets are kept where the
// targets hold them, or could at a bearable size; otherwise extents are moved together.
func (r *replaying) choose(given []*file) {
	if !r.auto {
		return
	}
	var end, touched int64
	for i := range r.survey.Files {
		f := &r.survey.Files[i]
		if g := given[i]; g != nil {
			if f.End > g.Size() {
				r.compact(fmt.Sprintf("%s reaches to %s, and %q has %s", f.Name, size(f.End), g.path, size(g.Size())))
				return
			}
			continue
		}
		end, touched = replay.Sum(end, f.Reach), replay.Sum(touched, f.Touched)
	}
	switch {
	case r.size > 0 && end > r.size:
		r.compact(fmt.Sprintf("the trace reaches to %s, and size = %s", size(end), size(r.size)))
	case end > max(1<<30, 4*touched):
		r.compact(fmt.Sprintf("the trace reaches to %s, and touches %s", size(end), size(touched)))
	}
}

func (r *replaying) compact(why string) { r.options.Address, r.why = replay.Compact, why }

// need is how large a target of the replay's own must be.
func (r *replaying) need(f *replay.File) int64 {
	n := f.End
	if r.options.Address == replay.Compact {
		n = f.Touched
	}
	if r.size > 0 {
		if r.options.Address == replay.Keep && n > r.size || r.options.Address == replay.Compact && n > r.size {
			r.o.fail("size", "%s is less than the %s that %s needs with address = %q: take \"wrap\", \"scale\", \"clamp\" or \"skip\"", size(r.size), size(n), f.Name, r.options.Address)
		}
		n = r.size
	}
	return max(min(n, math.MaxInt64-replay.Block)+replay.Block-1, replay.Block) / replay.Block * replay.Block
}

// makeOwn lays out the targets that the script does not give.
func (r *replaying) makeOwn(given []*file, targets []replay.Target, add func(*engine.File) int) {
	var total int64
	own := 0
	for i, g := range given {
		if g == nil {
			targets[i] = replay.Target{Size: r.need(&r.survey.Files[i])}
			if r.one {
				targets[i].Base = total
			}
			total = replay.Sum(total, targets[i].Size)
			own++
		}
	}
	if r.own, r.laid = total, own; r.one {
		r.laid = min(own, 1)
	}
	switch {
	case own == 0:
		return
	case own > maxOwnTargets && !r.one:
		r.o.L.RaiseError("%s: the trace is of %d files or devices, more than the %d that are laid out: put them into one with one = true (--one), or choose some with map, or with moonio trace convert --device", r.o.call, own, maxOwnTargets)
	}
	if r.one {
		f := r.lay(r.name, total, !r.cached(given))
		for i, g := range given {
			if g == nil {
				targets[i].Index, targets[i].Align = add(f), alignOf(f)
			}
		}
		return
	}
	taken := map[string]bool{}
	for i, g := range given {
		if g == nil {
			f := r.lay(safeName(r.name, r.survey.Files[i].Name, taken), targets[i].Size, r.past(&r.survey.Files[i]))
			targets[i].Index, targets[i].Align = add(f), alignOf(f)
			if grows := r.survey.Files[i].Grows; grows > 0 {
				f.SetWrap(0)
				f.SetTail(f.Size())
			}
		}
	}
}

// past says whether what was done on a file is done past the page cache: by default what was
// done so, and what is of a device.
func (r *replaying) past(f *replay.File) bool {
	if r.direct != nil {
		return *r.direct
	}
	return !f.Cached()
}

// cached says whether all of the replay's own targets go through the page cache.
func (r *replaying) cached(given []*file) bool {
	for i := range given {
		if given[i] == nil && r.past(&r.survey.Files[i]) {
			return false
		}
	}
	return true
}

// lay makes a target.
func (r *replaying) lay(name string, n int64, direct bool) *engine.File {
	op := &opening{name: name, size: n, layout: r.layout, direct: direct, sync: "none", create: true, write: true}
	return r.m.openNow(r.o.L, op, r.o.call).File
}

// safeName is a name for the target of one of the trace's files.
func safeName(job, name string, taken map[string]bool) string {
	clean := strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune("-_.,+", c) {
			return c
		}
		return '_'
	}, job+"-"+strings.TrimLeft(name, "/"))
	if len(clean) > 100 {
		clean = clean[:50] + "_" + clean[len(clean)-45:]
	}
	unique := clean
	for n := 2; taken[unique]; n++ {
		unique = fmt.Sprintf("%s_%d", clean, n)
	}
	taken[unique] = true
	return unique
}

// check refuses a target that the trace does not fit into, or that may not be written.
func (r *replaying) check(f *replay.File, g *file) {
	o := r.o
	if f.Writes && g.ReadOnly {
		r.m.raise(o.L, fmt.Errorf("%s: %w", o.call, readOnly(g.File)))
	}
	switch {
	case g.Size() < replay.Block && f.Records > 0:
		o.fail("files", "%q has %d bytes: open it with a size", g.path, g.Size())
	case r.options.Address == replay.Keep && f.End > g.Size():
		o.fail("address", "%s reaches to %s, and %q has %s: take \"wrap\", \"scale\", \"compact\", \"clamp\" or \"skip\", or a larger file", f.Name, size(f.End), g.path, size(g.Size()))
	case r.options.Address == replay.Compact && f.Touched > g.Size():
		o.fail("address", "%s touches %s, and %q has %s: take \"wrap\", \"scale\" or \"skip\", or a larger file", f.Name, size(f.Touched), g.path, size(g.Size()))
	}
}
