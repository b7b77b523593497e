package model

import (
	"math"

	"moonio/engine/trace/profile"
)

// closable says that the trace tells how long its I/Os took, and so how long was thought
// between them.
func (m *Model) closable() bool {
	c := m.trace.Completions
	return c != nil && c.Share > 0.5
}

// loop is the depth of a closed loop that does what the stream does, and the time in seconds
// between one turn of it and the next.
func (m *Model) loop(a *area, j *job) (depth int, think float64) {
	c := m.trace.Completions
	took := 0.0
	if l := [2]*profile.Latency{c.Read, c.Write}[a.dir]; l != nil {
		took = l.Mean / 1e9
	}
	scale := float64([2]int64{m.trace.Reads, m.trace.Writes}[a.dir]) / float64(m.most[a.dir])
	rate := j.ios * scale / (float64(m.trace.SpanNS) / 1e9)
	depth = int(max(1, min(math.Ceil(rate*took), 256)))
	return depth, max(0, float64(depth)/rate-took)
}
