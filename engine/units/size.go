package units

import "time"

// The sizes that have names in scripts, in bytes.
const (
	KiB int64 = 1 << 10
	MiB int64 = 1 << 20
	GiB int64 = 1 << 30
	TiB int64 = 1 << 40
	PiB int64 = 1 << 50
)

var sizes = table{what: "size", like: `"4KiB"`, fold: true, units: []unit{
	{"B", 1},
	{"k", KiB}, {"KiB", KiB}, {"kB", 1e3},
	{"M", MiB}, {"MiB", MiB}, {"MB", 1e6},
	{"G", GiB}, {"GiB", GiB}, {"GB", 1e9},
	{"T", TiB}, {"TiB", TiB}, {"TB", 1e12},
	{"P", PiB}, {"PiB", PiB}, {"PB", 1e15},
}}

var counts = table{what: "count", like: `"20k"`, fold: true, units: []unit{{"k", 1e3}, {"M", 1e6}, {"G", 1e9}}}

var durations = table{what: "duration", like: `"1.5s"`, units: []unit{
	{"ns", 1},
	{"us", int64(time.Microsecond)},
	{"ms", int64(time.Millisecond)},
	{"s", int64(time.Second)},
	{"m", int64(time.Minute)},
	{"h", int64(time.Hour)},
	{"d", 24 * int64(time.Hour)},
}, also: []unit{
	{"µs", int64(time.Microsecond)}, // the micro sign
	{"μs", int64(time.Microsecond)}, // the Greek letter
	{"sec", int64(time.Second)},
	{"min", int64(time.Minute)},
}}

// Size reads a size in bytes.
func Size(s string) (int64, error) { return sizes.scalar(s, " bytes") }

// Count reads a number of things, such as operations.
func Count(s string) (int64, error) { return counts.scalar(s, "") }

// scalar reads one number with at most one unit.
func (t *table) scalar(s, noun string) (int64, error) {
	r, name, err := t.number(s, s)
	if err != nil {
		return 0, err
	}
	factor := int64(1)
	if name != "" {
		var ok bool
		if factor, ok = t.find(name); !ok {
			return 0, t.unknown(s, name)
		}
	}
	return t.whole(s, r, factor, noun)
}
