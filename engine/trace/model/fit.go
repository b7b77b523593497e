package model

import (
	"math"

	"moonio/engine/trace/profile"
)

// Fit changes the model by how the profile of what its script does differs from the trace's.
func (m *Model) Fit(got *profile.Result) {
	// What is drawn differs from try to try, and smaller and smaller steps keep that from being followed.
	m.fits++
	gain := 1 / math.Sqrt(float64(m.fits))
	m.fitShares(got, gain)
	for _, f := range m.files {
		for i := range got.Files {
			if p := &got.Files[i]; p.Name == f.name {
				f.areas[reads].fit(p.Read, gain)
				f.areas[writes].fit(p.Write, gain)
			}
		}
	}
}

// fit changes how unevenly is drawn, and how much is drawn but once.
func (a *area) fit(got *profile.Area, gain float64) {
	if a == nil || got == nil {
		return
	}
	missing := float64(a.target.Footprint - got.Footprint)
	if a.once >= 1 {
		a.region = min(max(a.region+gain*missing, float64(a.target.Footprint)/2), 4*float64(a.target.Footprint))
		return
	}
	a.once = min(max(0, a.once+gain*missing/block/float64(max(a.target.Accesses, 1))), 0.95)
	a.theta = min(max(0, a.theta+gain*(a.target.Theta-got.Theta)), 4)
}

// fitShares moves I/Os between the groups of each direction, and within them, so that as many follow the
// one before, and as many are aligned, as in the trace.
func (m *Model) fitShares(got *profile.Result, gain float64) {
	for dir, want := range []*profile.Side{&m.trace.Read, &m.trace.Write} {
		have := []*profile.Side{&got.Read, &got.Write}[dir]
		if want.IOs == 0 || have.IOs == 0 {
			continue
		}
		follow := gain * (want.Continuing - have.Continuing)
		aligned := gain * (have.Unaligned4K - want.Unaligned4K)
		for _, f := range m.files {
			if a := f.areas[dir]; a != nil {
				a.move(follow, aligned)
			}
		}
	}
}

// move lets larger shares of an area's I/Os follow, and be aligned.
func (a *area) move(follow, aligned float64) {
	all := 0.0
	for _, g := range a.groups {
		all += g.follows + g.jumps
	}
	for _, g := range a.groups {
		n := g.follows + g.jumps
		more := 0.0
		if len(a.groups) > 1 {
			more = aligned * all
			if !g.aligned {
				more = -more
			}
			more = max(more, -0.9*n)
		}
		share := g.follows / n
		if share > 0 && share < inOrder {
			share = min(max(0.001, share+follow), inOrder-0.01)
		}
		g.follows, g.jumps = (n+more)*share, (n+more)*(1-share)
	}
}
