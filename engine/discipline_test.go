package engine

import (
	"math"
	"testing"
)

// model is a pair of clocks whose true course is known.
type model struct {
	d    disciplined
	l    *line
	hz   float64
	at   float64 // seconds since the start
	slew float64 // seconds that CLOCK_MONOTONIC has been moved by
}

func newModel() *model {
	m := &model{hz: 2.9e9}
	m.d.base = m.now()
	m.d.later = m.d.base
	m.l = &line{from: m.d.base}
	return m
}

func (m *model) now() reading {
	return reading{stamp: 12345 + int64(m.at*m.hz), ns: int64((m.at + m.slew) * 1e9)}
}

// read is what Monotonic does, and what it should say.
func (m *model) read() (told, truth int64) {
	now := m.now()
	if now.ns < lineNS {
		return now.ns, now.ns
	}
	if d := uint64(now.stamp - m.l.from.stamp); d >= m.l.reach {
		m.l = m.d.next(m.l, now)
		return m.l.from.ns, now.ns
	}
	return m.l.at(now.stamp), now.ns
}

func TestDisciplineFollowsTheKernel(t *testing.T) {
	for name, c := range map[string]struct {
		ppm  float64 // how the kernel changes its rate, for five seconds of ten
		most int64   // how far off that may lead
	}{
		"steady": {0, 2}, "faster": {500, 6000}, "slower": {-500, 6000},
	} {
		m, last := newModel(), int64(-1)
		for i := range 100_000 {
			const step = 100e-6
			m.at += step
			if i/50_000 == 1 {
				m.slew += step * c.ppm / 1e6
			}
			told, truth := m.read()
			if told < last {
				t.Fatalf("%s: time went back from %d to %d", name, last, told)
			}
			if off := told - truth; max(off, -off) > c.most {
				t.Fatalf("%s: %d ns off at %.4f s", name, off, m.at)
			}
			last = told
		}
	}
}

// Who reads after an hour gets the true time, and a rate that is not bent to make up for
// what nobody has seen.
func TestDisciplineAfterAnHour(t *testing.T) {
	m := newModel()
	for range 300 {
		m.at += 0.010
		m.read()
	}
	m.at += 3600
	m.slew -= 0.001
	if told, truth := m.read(); told != truth {
		t.Errorf("told %d, and it was %d", told, truth)
	}
	if rate := float64(m.l.mult) / (1 << fraction); math.Abs(rate*m.hz/1e9-1) > 1e-6 {
		t.Errorf("%v ns in a tick of %v GHz", rate, m.hz/1e9)
	}
}

func TestDisciplineGivesUpWhenTheCounterJumps(t *testing.T) {
	for _, jump := range []float64{-0.005, 0.005, 3600} {
		m := newModel()
		for range 300 {
			m.at += 0.010
			m.read()
		}
		now := m.now()
		now.stamp += int64((0.010 + jump) * m.hz)
		now.ns += 10_000_000
		if l := m.d.next(m.l, now); l != nil {
			t.Errorf("a jump of %v s is believed", jump)
		}
	}
}
