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
	told, m.l = m.d.told(m.l, now.stamp, now)
	return told, now.ns
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
		now.stamp += int64((0.020 + jump) * m.hz)
		now.ns += 20_000_000
		if ns, l := m.d.told(m.l, now.stamp, now); l != nil || ns != now.ns {
			t.Errorf("a jump of %v s is believed: told %d, and it was %d", jump, ns, now.ns)
		}
	}
}

// A machine that has slept may count from 0 again: time must not stand still for it.
func TestDisciplineGivesUpWhenTheCounterBeginsAnew(t *testing.T) {
	for name, c := range map[string]struct {
		lines int // that have been followed before
		stamp int64
	}{
		"in use": {300, 1}, "before the first line": {0, 1}, "back to where it began": {300, 12345}, "half way back": {300, 12345 + 29e8},
	} {
		m := newModel()
		for range c.lines {
			m.at += 0.010
			m.read()
		}
		m.at += 60
		now := reading{c.stamp, m.now().ns}
		if ns, l := m.d.told(m.l, now.stamp, now); l != nil || ns != now.ns {
			t.Errorf("%s: told %d, and it was %d", name, ns, now.ns)
		}
	}
}

// Who has read the counter before another began a line, and asks after, is told when that was.
func TestDisciplineAsksOneCallerForALine(t *testing.T) {
	m := newModel()
	var early reading
	for range 300 {
		m.at += 0.010
		early = m.now()
		m.at += 0.001
		m.read()
	}
	line := m.l
	m.at += 0.001
	if ns, l := m.d.told(m.l, early.stamp, m.now()); l != line || ns != line.from.ns {
		t.Errorf("told %d of a line from %d", ns, line.from.ns)
	}
}
