package model

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"moonio/engine/trace/profile"
	"moonio/engine/units"
)

// job is a stream of the script.
type job struct {
	name  string
	ios   float64
	sizes []weighted
	at    string
	align int64
	every int64 // writes to a flush; 0: none here
}

type weighted struct {
	bytes  int64
	weight float64
}

const (
	inOrder = 0.95 // share of I/Os that follow each other from which all are taken to
	few     = 0.01 // share of a group that gets no stream of its own
)

// jobs are the streams of an area.
func (a *area) jobs() []*job {
	var list []*job
	for _, g := range a.groups {
		what := ""
		if len(a.groups) > 1 {
			what = ", not on 4 KiB"
			if g.aligned {
				what = ", on 4 KiB"
			}
		}
		list = append(list, a.split(g, what)...)
	}
	return list
}

// split makes streams of a group: one in order, or one of runs and one of single I/Os.
func (a *area) split(g *group, what string) []*job {
	verb := []string{"reads", "writes"}[a.dir]
	n := g.follows + g.jumps
	all := sized(g.followSizes, g.follows/n, g.jumpSizes, g.jumps/n)
	one := func(name, at string, ios float64, sizes []weighted) *job {
		return &job{name: name + what, ios: ios, sizes: sizes, at: at, align: g.align}
	}
	if g.follows > inOrder*n {
		return []*job{one(verb+" in order", "sequential()", n, all)}
	}
	length, inRuns := g.runs()
	if inRuns < few*n {
		return []*job{one("single "+verb, a.pattern(), n, all)}
	}
	l := float64(length)
	list := []*job{one(verb+" in runs", fmt.Sprintf("runs(%s, %d)", a.pattern(), length), inRuns,
		sized(g.followSizes, (l-1)/l, g.jumpSizes, 1/l))}
	if rest := n - inRuns; rest > few*n {
		list = append(list, one("single "+verb, a.pattern(), rest, sized(g.jumpSizes, 1, nil, 0)))
	}
	return list
}

// trims is the stream of a file's trims, which go to where the file has blocks.
func trims(p *profile.Party) *job {
	var kinds []profile.Kind
	for _, k := range p.Kinds {
		if k.Op == "trim" {
			kinds = append(kinds, k)
		}
	}
	if len(kinds) == 0 {
		return nil
	}
	g := newGroup(kinds)
	n := g.follows + g.jumps
	j := &job{name: "trims", ios: n, at: "random()", align: g.align, sizes: sized(g.followSizes, g.follows/n, g.jumpSizes, g.jumps/n)}
	if g.follows > inOrder*n {
		j.at = "sequential()"
	}
	return j
}

// within is a stream's sizes, none larger than a file.
func (j *job) within(size int64) []weighted {
	var list []weighted
	for _, s := range j.sizes {
		s.bytes = min(s.bytes, size)
		if i := slices.IndexFunc(list, func(o weighted) bool { return o.bytes == s.bytes }); i >= 0 {
			list[i].weight += s.weight
		} else {
			list = append(list, s)
		}
	}
	return list
}

// runs is how long runs are, and how many I/Os are in runs, so that as many follow the one
// before as in the trace.
func (g *group) runs() (length int, ios float64) {
	if g.follows <= 0 {
		return 1, 0
	}
	starts := max(1, g.jumps*(1-g.alone))
	l := max(2, math.Round(g.follows/starts)+1)
	return int(l), min(g.follows*l/(l-1), g.follows+g.jumps)
}

// pattern is how single places are drawn.
func (a *area) pattern() string {
	hot := "random()"
	if a.theta >= 0.02 {
		hot = fmt.Sprintf("zipf(%.2f)", a.theta)
	}
	switch {
	case a.once >= 1:
		return "permute()"
	case a.once >= 0.01:
		return fmt.Sprintf("either(%.1f, permute(), %s)", a.once*100, hot)
	}
	return hot
}

// longest is the longest I/O of a stream, in bytes, whatever a trace has: each in flight has a buffer.
const longest = 16 << 20

// mostSizes is how many sizes a stream has.
const mostSizes = 10

// sized mixes two lists of sizes with weights. The least frequent are put together.
func sized(a []profile.SizeCount, wa float64, b []profile.SizeCount, wb float64) []weighted {
	by := map[int64]float64{}
	for _, l := range []struct {
		list   []profile.SizeCount
		weight float64
	}{{a, wa}, {b, wb}} {
		n := int64(0)
		for _, s := range l.list {
			n += s.Count
		}
		for _, s := range l.list {
			if s.Bytes > 0 && l.weight > 0 {
				by[min(s.Bytes, longest)] += float64(s.Count) / float64(n) * l.weight
			}
		}
	}
	var list []weighted
	for n, w := range by {
		list = append(list, weighted{n, w})
	}
	slices.SortFunc(list, func(a, b weighted) int {
		return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(a.bytes, b.bytes))
	})
	return together(list)
}

// together lets the mean of the sizes beyond the first stand for them.
func together(list []weighted) []weighted {
	if len(list) <= mostSizes {
		return list
	}
	rest := weighted{}
	bytes := 0.0
	align := int64(block)
	for _, s := range list[mostSizes-1:] {
		rest.weight += s.weight
		bytes += s.weight * float64(s.bytes)
		for s.bytes%align != 0 {
			align /= 2
		}
	}
	rest.bytes = max(1, int64(math.Round(bytes/rest.weight/float64(align)))) * align
	return append(list[:mostSizes-1:mostSizes-1], rest)
}

// blocks are sizes as a script writes them.
func blocks(list []weighted) string {
	if len(list) == 1 {
		return units.FormatSize(list[0].bytes)
	}
	sum := 0.0
	for _, s := range list {
		sum += s.weight
	}
	var parts []string
	for _, s := range list {
		parts = append(parts, units.FormatSize(s.bytes)+"/"+strconv.FormatFloat(s.weight/sum*100, 'g', 3, 64))
	}
	return strings.Join(parts, ":")
}

func largest(list []weighted) int64 {
	n := int64(0)
	for _, s := range list {
		n = max(n, s.bytes)
	}
	return n
}
