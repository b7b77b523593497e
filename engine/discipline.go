package engine

import (
	"os"
	"strings"
	"sync"
)

// reading is both clocks at one moment.
type reading struct {
	stamp int64 // of the processor's counter
	ns    int64 // since the program started
}

// line says which time it is at time stamps up to reach beyond from.
type line struct {
	from  reading
	mult  uint64 // nanoseconds in a tick, times 1<<fraction
	reach uint64
}

const fraction = 32

// at is the time at a stamp, which may lie somewhat beyond what the line reaches.
func (l *line) at(stamp int64) int64 {
	return l.from.ns + int64(float64(stamp-l.from.stamp)*float64(l.mult)/(1<<fraction))
}

// end is the last time that anybody has been told by the line.
func (l *line) end() int64 { return l.at(l.from.stamp + int64(l.reach)) }

// disciplined keeps a line to CLOCK_MONOTONIC. When one ends the next begins at the true
// time; or, so that time never goes back, where the last one ended, and rises less
// for it.
type disciplined struct {
	mu    sync.Mutex
	base  reading // what the rate is measured from
	later reading // the next base
}

const (
	lineNS = 10_000_000    // how long a line is followed
	baseNS = 1_000_000_000 // how old a base becomes
	lostNS = 100_000       // further from the true time, the counter has jumped
)

var discipline disciplined

// A kernel that keeps its own time by the counter has made sure that it is the same on all
// processors and never stops.
func init() {
	if !stamps {
		return
	}
	source, err := os.ReadFile("/sys/devices/system/clocksource/clocksource0/current_clocksource")
	if err != nil || strings.TrimSpace(string(source)) != "tsc" {
		return
	}
	discipline.base = both()
	discipline.later = discipline.base
	straight.Store(&line{from: discipline.base})
}

// both reads both clocks at once, the best of a few times.
func both() reading {
	var best reading
	shortest := int64(-1)
	for range 3 {
		before := timestamp()
		ns := nanotime() - started
		if took := timestamp() - before; shortest < 0 || took < shortest {
			shortest, best = took, reading{before + took/2, ns}
		}
	}
	return best
}

// read is the time at a stamp that a line does not reach. The first caller begins the next line.
// Where there is none, time stands still until it has caught up with what anybody was told.
func (d *disciplined) read(stamp int64) int64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	l := straight.Load()
	if l == nil {
		return nanotime() - started
	}
	ns, next := d.told(l, stamp, both())
	for next == nil && ns < l.end() {
		ns = nanotime() - started
	}
	straight.Store(next)
	return ns
}

// told is the time at a stamp, and the line to follow from now on; nil if the counter is not to be
// trusted. After a machine has slept, or moved to another host, the counter may have begun anew.
func (d *disciplined) told(l *line, stamp int64, now reading) (int64, *line) {
	switch ahead := stamp - l.from.stamp; {
	case ahead < 0 && now.stamp > l.from.stamp:
		return l.from.ns, l // somebody else has begun one since
	case ahead >= 0 && uint64(ahead) < l.reach:
		return l.at(stamp), l
	case now.ns-d.base.ns < lineNS:
		return now.ns, l // too early for a rate
	}
	next := d.next(l, now)
	if next == nil {
		return now.ns, nil
	}
	return next.from.ns, next
}

// next is the line that follows old, which has ended; nil if the counter is not to be trusted.
func (d *disciplined) next(old *line, now reading) *line {
	if now.stamp <= d.base.stamp {
		return nil
	}
	rate := float64(now.ns-d.base.ns) / float64(now.stamp-d.base.stamp)
	if now.ns-d.later.ns > baseNS {
		d.base, d.later = d.later, now
	}
	if old.reach > 0 {
		off := old.at(now.stamp) - now.ns
		if max(off, -off) > lostNS+(now.ns-old.from.ns)/1000 {
			return nil
		}
	}
	l := &line{from: now, reach: uint64(lineNS / rate)}
	if ahead := old.end() - now.ns; ahead > 0 {
		l.from.ns += ahead
		rate *= 1 - float64(ahead)/lineNS
	}
	l.mult = uint64(rate * (1 << fraction))
	return l
}
