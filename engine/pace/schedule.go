package pace

import (
	"fmt"

	"moonio/engine/dist"
)

// Arrival is how starts are spread at a given rate.
type Arrival uint8

// The arrivals.
const (
	Closed  Arrival = iota // no schedule: an operation starts when another has completed
	Uniform                // evenly spaced
	Poisson                // independent of each other, with exponentially distributed gaps
)

var arrivals = []string{"closed", "uniform", "poisson"}

// String is the arrival's name in scripts and results.
func (a Arrival) String() string { return arrivals[a] }

// Schedule is the intended starts of one worker's operations. It is not safe for
// concurrent use.
type Schedule struct {
	walker  walker
	workers float64
	ahead   float64 // workers whose turn comes before this one's
	sum     float64 // due before the next start
	rand    *dist.Rand
}

// New prepares the starts of worker number worker of workers, which share the
// rate between them. Uniform arrivals are one evenly spaced sequence of which each worker takes every
// workers-th start. Poisson arrivals are a process of its own for each, drawn from
// a seed of its own, at its part of the rate; together they are one at the whole rate.
func New(rate Rate, arrival Arrival, worker, workers int, seed uint64) (*Schedule, error) {
	if worker < 0 || worker >= workers {
		return nil, fmt.Errorf("schedule for worker %d of %d", worker, workers)
	}
	c, err := rate.curve()
	if err != nil {
		return nil, err
	}
	s := &Schedule{walker: walker{curve: c}, workers: float64(workers), ahead: float64(worker)}
	switch arrival {
	case Uniform:
	case Poisson:
		s.rand = dist.NewRand(dist.Derive(seed, uint64(worker)))
	default:
		return nil, fmt.Errorf("arrival %s has no schedule: a rate needs uniform or poisson", arrival)
	}
	return s, nil
}

// Next returns the next start in nanoseconds from the origin, for a rate in
// operations. Starts never go back. Never means that there are no more.
func (s *Schedule) Next() int64 { return s.NextBytes(1) }

// NextBytes is Next for a rate in bytes: the start of an operation of n bytes.
func (s *Schedule) NextBytes(n int64) int64 {
	cost := float64(n)
	if s.rand != nil {
		s.sum += cost * s.workers * s.rand.ExpFloat64()
		return s.walker.when(s.sum)
	}
	t := s.walker.when(s.sum + s.ahead*cost)
	s.sum += s.workers * cost
	return t
}
