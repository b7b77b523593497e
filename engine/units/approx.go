package units

import (
	"fmt"
	"math"
	"strconv"
	"time"
)

// Unit is what the figures of a table's column are shown in.
type Unit struct {
	Name string  // "ms", for the column's head; may be empty
	Per  float64 // how much of the base unit (ns, bytes, one) it is
}

var (
	durationUnits = []Unit{{"ns", 1}, {"µs", 1e3}, {"ms", 1e6}, {"s", 1e9}}
	sizeUnits     = []Unit{{"B", 1}, {"KiB", float64(KiB)}, {"MiB", float64(MiB)}, {"GiB", float64(GiB)}, {"TiB", float64(TiB)}, {"PiB", float64(PiB)}}
	countUnits    = []Unit{{"", 1}, {"k", 1e3}, {"M", 1e6}, {"G", 1e9}}
)

// DurationUnit is the one unit to show all durations from least to most in, given in ns.
func DurationUnit(least, most float64) Unit { return pick(durationUnits, least, most) }

// BandwidthUnit is the one unit to show all bandwidths from least to most in, given in bytes per second.
func BandwidthUnit(least, most float64) Unit {
	u := pick(sizeUnits, least, most)
	u.Name += "/s"
	return u
}

// widest is the number of digits before the point at which a column becomes hard to read.
const widest = 1e6

// pick takes the largest unit that leaves the least figure a digit before the
// point, or a larger one where the most would be too wide. A least of 0 says
// nothing about the unit, and neither do signs.
func pick(units []Unit, least, most float64) Unit {
	least, most = math.Abs(least), math.Abs(most)
	if !(least > 0) {
		least = most
	}
	u := units[0]
	for _, next := range units[1:] {
		if least < next.Per && most < widest*u.Per {
			break
		}
		u = next
	}
	return u
}

// Format writes v, in the base unit, as a number in u with three significant digits, or as many
// as stand before the point, and without a point if v is whole in the base unit. What is not a number is "-".
func (u Unit) Format(v float64) string {
	x := v / u.Per
	a := math.Abs(x)
	digits := 3
	switch {
	case math.IsNaN(x) || math.IsInf(x, 0):
		return "-"
	case a >= 99.95 || u.Per == 1 && x == math.Trunc(x) || a == 0:
		digits = 0
	case a >= 9.995:
		digits = 1
	case a >= 0.9995:
		digits = 2
	}
	return strconv.FormatFloat(x, 'f', digits, 64)
}

// with writes v with the unit's name behind it.
func (u Unit) with(v float64) string {
	s := u.Format(v)
	if u.Name == "" || s == "-" {
		return s
	}
	return s + " " + u.Name
}

// Figure writes a number with three significant digits, or as many as stand before the point.
func Figure(x float64) string {
	if math.Abs(x) >= 999.5 {
		return strconv.FormatFloat(x, 'f', 0, 64)
	}
	return strconv.FormatFloat(x, 'g', 3, 64)
}

// ApproxDuration writes ns for reading: 85.2 µs.
func ApproxDuration(ns float64) string { return DurationUnit(ns, ns).with(ns) }

// Span writes a length of time as people say it: 20 m 23 s.
func Span(ns int64) string {
	d := time.Duration(ns)
	h, m, s := d/time.Hour, d%time.Hour/time.Minute, d%time.Minute/time.Second
	switch {
	case h >= 48:
		return fmt.Sprintf("%d d %d h", h/24, h%24)
	case h > 0:
		return fmt.Sprintf("%d h %d m", h, m)
	case m > 0:
		return fmt.Sprintf("%d m %d s", m, s)
	case ns == 0:
		return "0 s"
	}
	return ApproxDuration(float64(ns))
}

// ApproxSize writes bytes for reading: 13.7 GiB.
func ApproxSize(bytes float64) string { return pick(sizeUnits, bytes, bytes).with(bytes) }

// ApproxCount writes a count for reading: 1.23 M.
func ApproxCount(n float64) string { return pick(countUnits, n, n).with(n) }

// ApproxBandwidth writes bytes per second for reading: 812 MiB/s.
func ApproxBandwidth(perSecond float64) string {
	return BandwidthUnit(perSecond, perSecond).with(perSecond)
}
