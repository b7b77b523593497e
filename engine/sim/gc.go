package sim

// pauses is the relation between the world's time and the device's own, which
// stands still, or goes slower, for the length at the end of every period. All of the
// device's arithmetic is in its own time and knows nothing of that.
type pauses struct {
	period, length int64 // ns; no period, no pauses
	slow           int64 // how many times slower; 0 stands still
}

// inside is the device's time during the first t ns of a pause.
func (p *pauses) inside(t int64) int64 {
	if p.slow == 0 {
		return 0
	}
	return t / p.slow
}

// device is the device's time at the world's time t.
func (p *pauses) device(t int64) int64 {
	if p.period == 0 {
		return t
	}
	run := p.period - p.length
	n, rest := t/p.period, t%p.period
	d := n*(run+p.inside(p.length)) + min(rest, run)
	if rest > run {
		d += p.inside(rest - run)
	}
	return d
}

// world is the earliest world time at which the device's time is d.
func (p *pauses) world(d int64) int64 {
	if p.period == 0 || d == 0 {
		return d
	}
	run := p.period - p.length
	each := run + p.inside(p.length)
	n := (d - 1) / each // so that the end of a pause counts to it
	rest := d - n*each
	if rest > run {
		rest = run + (rest-run)*p.slow
	}
	return n*p.period + rest
}
