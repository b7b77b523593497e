package units

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

var (
	binarySizes   = []unit{{"PiB", PiB}, {"TiB", TiB}, {"GiB", GiB}, {"MiB", MiB}, {"KiB", KiB}}
	decimalSizes  = []unit{{"PB", 1e15}, {"TB", 1e12}, {"GB", 1e9}, {"MB", 1e6}, {"kB", 1e3}}
	decimalCounts = []unit{{"G", 1e9}, {"M", 1e6}, {"k", 1e3}}
	seconds       = []unit{{"s", 1e9}, {"ms", 1e6}, {"us", 1e3}}
)

// FormatSize writes bytes exactly and as shortly as can be: 4KiB, 1.5GiB, 10MB, 4097B.
func FormatSize(n int64) string {
	b, unitB := exact(n, binarySizes, "B")
	d, unitD := exact(n, decimalSizes, "B")
	if len(d) < len(b) {
		return d + unitD
	}
	return b + unitB
}

// FormatCount writes a count exactly: 20k, 1.5M, 1234.
func FormatCount(n int64) string {
	s, u := exact(n, decimalCounts, "")
	return s + u
}

// FormatDuration writes a duration exactly: 1.5s, 200ms, 90s, 1h30m.
func FormatDuration(d time.Duration) string {
	if d >= 2*time.Minute && d%time.Second == 0 {
		return clock(d)
	}
	s, u := exact(int64(d), seconds, "ns")
	if d == 0 {
		u = "s"
	}
	return s + u
}

// FormatRate writes a rate exactly: 20k/s, 800MiB/s, 0.1/s.
func FormatRate(r Rate) string {
	const exactly = 1 << 53 // beyond this a float64 need not be the integer that was meant
	p := r.PerSecond
	switch whole := p == math.Trunc(p) && p < exactly; {
	case whole && r.Bytes:
		return FormatSize(int64(p)) + "/s"
	case whole:
		return FormatCount(int64(p)) + "/s"
	case r.Bytes:
		return strconv.FormatFloat(p, 'g', -1, 64) + "B/s"
	}
	return strconv.FormatFloat(p, 'g', -1, 64) + "/s"
}

// exact writes n in the largest of the units, listed from large to small, in
// which at most three digits follow the point, and returns number and unit.
func exact(n int64, units []unit, base string) (number, name string) {
	if n < 0 && n != math.MinInt64 {
		number, name = exact(-n, units, base)
		return "-" + number, name
	}
	for _, u := range units {
		if n < u.factor {
			continue
		}
		if s, ok := fraction(n, u.factor); ok {
			return s, u.name
		}
	}
	return strconv.FormatInt(n, 10), base
}

// fraction is n/d in decimal if three digits after the point are enough. d is a
// power of 2 or of 10 of at least 1000.
func fraction(n, d int64) (string, bool) {
	whole, rest := n/d, n%d
	step := d / 8 // the eighths are the powers of two's fractions of three digits
	if d%1000 == 0 {
		step = d / 1000
	}
	if rest%step != 0 {
		return "", false
	}
	s := strconv.FormatInt(whole, 10)
	if rest == 0 {
		return s, true
	}
	f := fmt.Sprintf("%03d", rest/step*1000/(d/step))
	return s + "." + strings.TrimRight(f, "0"), true
}

// clock writes whole seconds as hours, minutes and seconds, leaving out what is zero.
func clock(d time.Duration) string {
	var b strings.Builder
	for _, u := range []unit{{"h", int64(time.Hour)}, {"m", int64(time.Minute)}, {"s", int64(time.Second)}} {
		if n := int64(d) / u.factor; n > 0 {
			fmt.Fprintf(&b, "%d%s", n, u.name)
			d -= time.Duration(n * u.factor)
		}
	}
	return b.String()
}
