// Package model makes a script of a profile: one that behaves like the trace that the profile is of, is
// short enough to be read, and has parameters.
//
// For each of the busiest files, reads and writes are told apart, those that lie on 4 KiB from
// those that don't, and runs from single I/Os. Each of these parts becomes a stream with its sizes,
// its region of the file, how unevenly it is accessed, and its share of a course of rates
// (after Tarasov and others, Extracting flexible, replayable models from large block
// traces, FAST 2012). What the script does is profiled in turn; [Model.Fit] then mends what came out
// differently.
package model

import (
	"fmt"
	"math"

	"moonio/engine/pace"
	"moonio/engine/trace/profile"
	"moonio/engine/units"
)

// Model is what a script is written from.
type Model struct {
	trace   *profile.Result
	title   string
	files   []*file
	courses [2][]step // of reads and of writes
	most    [2]int64  // reads and writes of the files that are modelled
	sync    string    // how writes are made durable
	fits    int       // how often it has been mended
	depth   int64     // most in flight; 0 if that is not known
	arrival string    // how I/Os come within a step of a course: one of Arrivals
}

// Arrivals are the ways in which I/Os can come within a step of a course.
var Arrivals = []string{"uniform", "poisson"}

// Arrive lets I/Os come in one of the ways that Arrivals lists.
func (m *Model) Arrive(how string) { m.arrival = how }

// The directions, as indices.
const (
	reads = iota
	writes
)

// file is a file of the model.
type file struct {
	name     string // beneath the run's directory
	variable string
	of       string // the trace's name
	areas    [2]*area
	flushes  int64
	trims    *job // nil if there are none
	apart    bool // reads and writes have regions of their own
}

// area is a file's reads, or its writes.
type area struct {
	dir    int
	target profile.Area
	region float64 // bytes that are drawn from
	theta  float64
	once   float64 // share of the places that are drawn so that none comes again
	groups []*group
}

// group is the I/Os of an area that are aligned alike.
type group struct {
	align          int64
	aligned        bool    // to 4 KiB
	follows, jumps float64 // I/Os that follow the one before, and others
	alone          float64 // share of the jumps that nothing follows
	followSizes    []profile.SizeCount
	jumpSizes      []profile.SizeCount
}

const (
	modelled = 12    // files, at the most
	worth    = 0.005 // of a trace's I/Os: a file with fewer is left out
	block    = 4096
)

// New makes a model of a profile. The title says what was profiled.
func New(r *profile.Result, title string) (*Model, error) {
	switch {
	case r.IOs == 0:
		return nil, fmt.Errorf("a model of %s: it has no reads and no writes", title)
	case r.SpanNS == 0:
		return nil, fmt.Errorf("a model of %s: all its records have the same time, so that there is no rate to model", title)
	case r.SpanNS > int64(pace.Longest):
		return nil, fmt.Errorf("a model of %s: it spans %s, and rates can go on for 100 days: choose a part of it with --from and --to", title, units.Span(r.SpanNS))
	}
	m := &Model{trace: r, title: title, sync: "fsync", arrival: Arrivals[0]}
	if r.Ops["fdatasync"] > r.Ops["fsync"] {
		m.sync = "fdatasync"
	}
	if r.Completions != nil {
		m.depth = min(max(r.Completions.DepthMax, 1), 256)
	}
	for i := range r.Files {
		f := &r.Files[i]
		if len(m.files) == modelled || float64(f.IOs) < worth*float64(r.IOs) || len(f.Kinds) == 0 {
			continue
		}
		m.add(f)
	}
	if len(m.files) == 0 {
		return nil, fmt.Errorf("a model of %s: its I/Os are spread over too many files, of which none has a part worth modelling", title)
	}
	for dir := range m.courses {
		m.courses[dir] = course(&r.Timeline, dir)
	}
	return m, nil
}

func (m *Model) add(p *profile.Party) {
	f := &file{of: p.Name, flushes: p.Flushes}
	f.name, f.variable = m.names(p.Name)
	f.areas[reads] = m.area(p, reads, p.Read)
	f.areas[writes] = m.area(p, writes, p.Write)
	f.trims = trims(p)
	if p.Read != nil && p.Write != nil {
		both := p.Read.Footprint + p.Write.Footprint - p.Footprint
		f.apart = both*5 < min(p.Read.Footprint, p.Write.Footprint)
	}
	m.files = append(m.files, f)
}

func (m *Model) area(p *profile.Party, dir int, target *profile.Area) *area {
	if target == nil {
		return nil
	}
	a := &area{dir: dir, target: *target, region: float64(target.Footprint), theta: target.Theta}
	if a.fresh() > hardlyAgain {
		a.once = 1
	}
	op, side := "read", &m.trace.Read
	if dir == writes {
		op, side = "write", &m.trace.Write
	}
	var kinds []profile.Kind
	for _, k := range p.Kinds {
		if k.Op == op {
			kinds = append(kinds, k)
			m.most[dir] += k.IOs
		}
	}
	for _, part := range divided(kinds) {
		g := newGroup(part)
		g.alone = alone(side)
		a.groups = append(a.groups, g)
	}
	return a
}

// alone is the share of jumps that nothing follows. What goes on from stream to stream is in no
// stream's runs, and says nothing of it.
func alone(s *profile.Side) float64 {
	if s.Runs.Count == 0 || 2*s.Sequential < s.Continuing {
		return 0.5
	}
	return float64(s.Runs.Alone) / float64(s.Runs.Count)
}

// fresh is the share of accesses to blocks that were the first of their block.
func (a *area) fresh() float64 {
	return float64(a.target.Footprint) / block / float64(max(a.target.Accesses, 1))
}

// hardlyAgain is the share of first accesses from which all are taken to be.
const hardlyAgain = 0.97

// divided puts what is aligned apart from what is not, unless one of them is hardly there.
func divided(kinds []profile.Kind) [][]profile.Kind {
	var parts [2][]profile.Kind
	var ios [2]int64
	for _, k := range kinds {
		i := 0
		if k.Aligned4K {
			i = 1
		}
		parts[i] = append(parts[i], k)
		ios[i] += k.IOs
	}
	const hardly = 0.03
	if share := float64(ios[1]) / float64(ios[0]+ios[1]); share < hardly || share > 1-hardly {
		return [][]profile.Kind{kinds}
	}
	return parts[:]
}

func newGroup(kinds []profile.Kind) *group {
	g := &group{align: block, aligned: true}
	for _, k := range kinds {
		g.align = min(g.align, k.Align)
		g.aligned = g.aligned && k.Aligned4K
	}
	for _, k := range kinds {
		list := withRest(k, g.align)
		if k.Sequential {
			g.follows += float64(k.IOs)
			g.followSizes = append(g.followSizes, list...)
		} else {
			g.jumps += float64(k.IOs)
			g.jumpSizes = append(g.jumpSizes, list...)
		}
	}
	return g
}

// withRest is a kind's sizes. For those that are not listed stands their mean.
func withRest(k profile.Kind, align int64) []profile.SizeCount {
	list := append([]profile.SizeCount{}, k.Sizes...)
	bytes := k.Bytes
	for _, s := range k.Sizes {
		bytes -= s.Bytes * s.Count
	}
	if k.OtherSizes > 0 {
		mean := float64(bytes) / float64(k.OtherSizes)
		list = append(list, profile.SizeCount{Bytes: max(1, int64(math.Round(mean/float64(align)))) * align, Count: k.OtherSizes})
	}
	return list
}
