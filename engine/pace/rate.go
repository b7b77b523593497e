// Package pace says when operations are to start.
//
// A [Rate] is how many operations, or bytes, there are to be per second, as a
// function of time. A [Schedule] turns it into intended starts, in nanoseconds from
// the origin that the rate's time counts from. Each start is computed from the origin
// and not from the start before it, so that a schedule is as exact after a month as in
// its first second. A closed loop, where the next operation starts when
// one has completed, has no schedule.
package pace

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"moonio/engine/units"
)

// Rate is a rate over time: pieces in which it is constant or changes linearly.
// After the last piece it stays as that left it, unless the pieces repeat. It is
// plain data.
type Rate struct {
	Pieces []Piece
	Repeat bool
	Bytes  bool // rates are in bytes per second and not operations
}

// Piece is a stretch of time in which the rate goes from one value to another,
// both per second.
type Piece struct {
	For      time.Duration
	From, To float64
}

// Constant is one rate for all time.
func Constant(r units.Rate) (Rate, error) {
	return newRate(false, []units.Rate{r}, Piece{time.Second, r.PerSecond, r.PerSecond})
}

// Ramp goes from one rate to another in the time given, and stays there.
func Ramp(from, to units.Rate, over time.Duration) (Rate, error) {
	return newRate(false, []units.Rate{from, to}, Piece{over, from.PerSecond, to.PerSecond})
}

// Burst is a base rate that is replaced by the peak for the first part of every
// period. The first burst comes at once.
func Burst(base, peak units.Rate, every, length time.Duration) (Rate, error) {
	if length <= 0 || length >= every {
		return Rate{}, fmt.Errorf("burst of %s every %s: its length must be above 0 and below the period",
			units.FormatDuration(length), units.FormatDuration(every))
	}
	return newRate(true, []units.Rate{base, peak},
		Piece{length, peak.PerSecond, peak.PerSecond}, Piece{every - length, base.PerSecond, base.PerSecond})
}

// Step is a rate and how long it holds.
type Step struct {
	Rate units.Rate
	For  time.Duration
}

// Steps is one rate after another; the last one stays.
func Steps(steps ...Step) (Rate, error) {
	var rates []units.Rate
	var pieces []Piece
	for _, s := range steps {
		rates = append(rates, s.Rate)
		pieces = append(pieces, Piece{s.For, s.Rate.PerSecond, s.Rate.PerSecond})
	}
	return newRate(false, rates, pieces...)
}

// newRate makes a rate of pieces that were given as rates, all of which must
// count the same things. A 0 counts anything.
func newRate(repeat bool, given []units.Rate, pieces ...Piece) (Rate, error) {
	r := Rate{Pieces: pieces, Repeat: repeat}
	counted := -1
	for i, g := range given {
		if g.PerSecond == 0 {
			continue
		}
		if counted >= 0 && given[counted].Bytes != g.Bytes {
			return Rate{}, fmt.Errorf("rates %s and %s: one is in bytes and the other in operations", given[counted], g)
		}
		counted, r.Bytes = i, g.Bytes
	}
	return r, r.check()
}

// Longest is how long a rate may go on. It keeps times, in nanoseconds, within what is exact in a float64.
const Longest = 100 * 24 * time.Hour

func (r Rate) check() error {
	most, all := 0.0, time.Duration(0)
	for _, p := range r.Pieces {
		switch {
		case p.For <= 0 || p.For > Longest-all:
			return fmt.Errorf("rate over %s: stretches of a rate must be above 0, and together at most 100 days", units.FormatDuration(p.For))
		case !(p.From >= 0 && p.To >= 0) || math.IsInf(p.From+p.To, 0):
			return fmt.Errorf("rate from %v to %v: rates must be finite and not negative", p.From, p.To)
		}
		most, all = max(most, p.From, p.To), all+p.For
	}
	switch {
	case len(r.Pieces) == 0:
		return errors.New("the rate is empty")
	case most == 0:
		return errors.New("the rate is 0 all the time: nothing would ever start")
	}
	return nil
}

// String is the rate as a script writes it.
func (r Rate) String() string {
	p := r.Pieces
	switch {
	case r.Repeat && len(p) == 2 && p[0].flat() && p[1].flat():
		return "burst(" + r.quote(p[1].From) + ", " + r.quote(p[0].From) + ", " + quote(p[0].For+p[1].For) + ", " + quote(p[0].For) + ")"
	case r.Repeat:
		return "repeat" + r.list()
	case len(p) == 1 && p[0].flat():
		return r.text(p[0].From)
	case len(p) == 1:
		return "ramp(" + r.quote(p[0].From) + ", " + r.quote(p[0].To) + ", " + quote(p[0].For) + ")"
	}
	return "steps" + r.list()
}

func (r Rate) list() string {
	parts := make([]string, len(r.Pieces))
	for i, p := range r.Pieces {
		parts[i] = "{" + r.quote(p.From) + ", " + quote(p.For) + "}"
		if !p.flat() {
			parts[i] = "{" + r.quote(p.From) + ", " + quote(p.For) + ", " + r.quote(p.To) + "}"
		}
	}
	return "{ " + strings.Join(parts, ", ") + " }"
}

func (p Piece) flat() bool { return p.From == p.To }

func (r Rate) text(perSecond float64) string {
	return units.FormatRate(units.Rate{PerSecond: perSecond, Bytes: r.Bytes})
}

func (r Rate) quote(perSecond float64) string { return strconv.Quote(r.text(perSecond)) }

func quote(d time.Duration) string { return strconv.Quote(units.FormatDuration(d)) }
