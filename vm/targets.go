package vm

import (
	"fmt"
	"math"
	"path"
	"slices"
	"strings"

	"moonio/engine"
	"moonio/engine/replay"
	"moonio/engine/suggest"
)

// maxOwnTargets is how many files a replay lays out.
const maxOwnTargets = 1024

// makeTargets opens or makes a target for each of the trace's files of which something is played.
func (r *replaying) makeTargets() {
	s := r.survey
	given := make([]*file, len(s.Files))
	var own []int // of the files that the script does not give
	r.used = make([]bool, len(r.files))
	for i := range s.Files {
		g := r.given(s.Files[i].Name)
		switch {
		case s.Files[i].Records == 0: // a window or the map function leaves nothing of it
		case g != nil:
			given[i] = g
		default:
			own = append(own, i)
		}
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
	r.makeOwn(own, targets, add)
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
func (r *replaying) makeOwn(own []int, targets []replay.Target, add func(*engine.File) int) {
	var total int64
	for _, i := range own {
		targets[i] = replay.Target{Size: r.need(&r.survey.Files[i])}
		if r.one {
			targets[i].Base = total
		}
		total = replay.Sum(total, targets[i].Size)
	}
	if r.own, r.laid = total, len(own); r.one {
		r.laid = min(len(own), 1)
	}
	switch {
	case len(own) == 0:
		return
	case len(own) > maxOwnTargets && !r.one:
		r.o.L.RaiseError("%s: the trace is of %d files or devices, more than the %d that are laid out: put them into one with one = true (--one), or choose some with map, or with moonio trace convert --device", r.o.call, len(own), maxOwnTargets)
	}
	if r.one {
		f := r.lay(r.name, total, !r.cached(own))
		for _, i := range own {
			targets[i].Index, targets[i].Align = add(f), alignOf(f)
		}
		return
	}
	taken := map[string]bool{}
	for _, i := range own {
		f := r.lay(safeName(r.name, r.survey.Files[i].Name, taken), targets[i].Size, r.past(&r.survey.Files[i]))
		targets[i].Index, targets[i].Align = add(f), alignOf(f)
		if grows := r.survey.Files[i].Grows; grows > 0 {
			f.SetWrap(0)
			f.SetTail(f.Size())
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
func (r *replaying) cached(own []int) bool {
	return !slices.ContainsFunc(own, func(i int) bool { return r.past(&r.survey.Files[i]) })
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
		r.m.raise(o.L, fmt.Errorf("%s: %w", o.call, r.m.readOnly(g.File)))
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
