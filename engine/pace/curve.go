package pace

import "math"

// Never is a start that does not come: the rate has fallen to 0 for good.
const Never = math.MaxInt64

// curve is a rate made ready for computing: how much is due by when, and when
// so much is due. It does not change after it is made.
type curve struct {
	segments []segment
	period   int64   // ns; 0 if the pieces do not repeat
	total    float64 // due in one period
	within   float64 // the largest sum below total
}

// segment is a piece with its place. Times are ns, sums and rates those of the Rate.
type segment struct {
	start    int64
	from, to float64 // rates at start and end, per second
	length   int64
	sum, end float64 // due by the start, and by the end
}

// curve prepares the rate.
func (r Rate) curve() (*curve, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	c := &curve{}
	for _, p := range r.Pieces {
		s := segment{start: c.period, from: p.From, to: p.To, length: int64(p.For), sum: c.total}
		s.end = s.sum + s.upTo(s.length)
		c.segments = append(c.segments, s)
		c.period, c.total = c.period+s.length, s.end
	}
	c.within = math.Nextafter(c.total, 0)
	if !r.Repeat {
		c.hold()
	}
	return c, nil
}

// hold lets the last rate stay for ever.
func (c *curve) hold() {
	last := &c.segments[len(c.segments)-1]
	if last.from != last.to {
		c.segments = append(c.segments, segment{start: c.period, from: last.to, to: last.to, sum: c.total})
		last = &c.segments[len(c.segments)-1]
	}
	last.length, last.end = Never-last.start, math.Inf(1)
	c.period = 0
}

// upTo is how much is due in the first ns nanoseconds of the segment.
func (s *segment) upTo(ns int64) float64 {
	now := s.from
	if s.from != s.to {
		now += (s.to - s.from) * float64(ns) / float64(s.length)
	}
	return mulDiv(s.from+now, float64(ns), 2e9)
}

// mulDiv is a·b/c rounded once, so that what is a whole number comes out as one.
func mulDiv(a, b, c float64) float64 {
	p := a * b
	q := p / c
	return q + (math.FMA(-q, c, p)+math.FMA(a, b, -p))/c
}

// when is after how many nanoseconds due is due. Due is less than the
// segment's whole, so that its rate is not 0 throughout, but for the last one's.
func (s *segment) when(due float64) float64 {
	if s.from == s.to {
		return due * 1e9 / s.from
	}
	if due == 0 {
		return 0
	}
	// The root of from·t + slope·t²/2 = due that neither cancels nor divides by
	// a slope near 0.
	slope := (s.to - s.from) / float64(s.length) * 1e9
	return 2e9 * due / (s.from + math.Sqrt(max(0, s.from*s.from+2*slope*due)))
}

// walker finds the times of growing sums without searching. It is not safe for
// concurrent use.
type walker struct {
	*curve
	i       int
	periods float64 // whole ones that lie behind
}

// when is the last time, in ns from the origin, at which no more than sum was
// due: over a stretch with rate 0 it is the end, where work goes on.
func (w *walker) when(sum float64) int64 {
	if w.period > 0 {
		sum = w.enter(sum)
	}
	for w.i < len(w.segments)-1 && sum >= w.segments[w.i].end {
		w.i++
	}
	s := &w.segments[w.i]
	t := s.when(sum - s.sum)
	if s.from == 0 && s.to == 0 {
		return Never
	}
	base := w.periods*float64(w.period) + float64(s.start)
	if base+t >= Never {
		return Never
	}
	return int64(w.periods)*w.period + s.start + int64(t)
}

// enter goes to the period that sum falls into and returns its part in it. Periods
// are counted, not added up, so that nothing accumulates.
func (w *walker) enter(sum float64) float64 {
	if sum >= (w.periods+1)*w.total {
		w.periods = math.Floor(sum / w.total)
		if w.periods*w.total > sum { // the quotient was rounded up
			w.periods--
		}
		w.i = 0
	}
	return min(sum-w.periods*w.total, w.within)
}
