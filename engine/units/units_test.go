package units

import (
	"math"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestSize(t *testing.T) {
	for s, want := range map[string]int64{
		"4096": 4096, "0": 0, "512B": 512, "4k": 4096, "4K": 4096, "4KiB": 4096, "4 KiB": 4096, " 4kib ": 4096,
		"4kB": 4000, "4KB": 4000, "1M": 1 << 20, "1m": 1 << 20, "10MB": 10e6, "1MiB": 1 << 20,
		"1.5GiB": 3 << 29, "0.5k": 512, ".5k": 512, "1.k": 1024, "1g": 1 << 30, "2T": 2 << 40, "1PiB": 1 << 50,
		"1e3": 1000, "1e3k": 1024000, "1.5e1kB": 15000, "8191PiB": 8191 << 50, "9223372036854775807": math.MaxInt64,
	} {
		if got, err := Size(s); err != nil || got != want {
			t.Errorf("Size(%q) = %d, %v; want %d", s, got, err, want)
		}
	}
}

func TestDuration(t *testing.T) {
	for s, want := range map[string]time.Duration{
		"0": 0, "30": 30 * time.Second, "0.25": 250 * time.Millisecond, "1.5s": 1500 * time.Millisecond,
		"200ms": 200 * time.Millisecond, "10us": 10 * time.Microsecond, "10µs": 10 * time.Microsecond, "10μs": 10 * time.Microsecond,
		"500ns": 500, "2m": 2 * time.Minute, "2 min": 2 * time.Minute, "1h": time.Hour, "1h30m": 90 * time.Minute, "1h 30m": 90 * time.Minute,
		"1d": 24 * time.Hour, "1m0.5s": 60500 * time.Millisecond, "1.4ns": 1, "1.5ns": 2, "1e-3s": time.Millisecond, "0h5s": 5 * time.Second,
	} {
		if got, err := Duration(s); err != nil || got != want {
			t.Errorf("Duration(%q) = %v, %v; want %v", s, got, err, want)
		}
	}
}

func TestRate(t *testing.T) {
	for s, want := range map[string]Rate{
		"100": {100, false}, "0.5": {0.5, false}, "100/s": {100, false}, "20k/s": {20e3, false}, "20K/s": {20e3, false},
		"1.5M/s": {1.5e6, false}, "10/min": {10.0 / 60, false}, "5/ms": {5000, false}, "1/us": {1e6, false}, "60/m": {1, false},
		"800MiB/s": {800 << 20, true}, "2GB/s": {2e9, true}, "512 B/s": {512, true}, "64kib / sec": {65536, true}, "0/s": {0, false},
	} {
		if got, err := ParseRate(s); err != nil || got != want {
			t.Errorf("ParseRate(%q) = %v, %v; want %v", s, got, err, want)
		}
	}
}

func TestCountPercentNumber(t *testing.T) {
	for s, want := range map[string]int64{"7": 7, "20k": 20000, "1.5M": 1500000, "2G": 2e9} {
		if got, err := Count(s); err != nil || got != want {
			t.Errorf("Count(%q) = %d, %v; want %d", s, got, err, want)
		}
	}
	for s, want := range map[string]float64{"70%": 70, "70": 70, "0.5 %": 0.5, "100%": 100} {
		if got, err := Percent(s); err != nil || got != want {
			t.Errorf("Percent(%q) = %v, %v; want %v", s, got, err, want)
		}
	}
	for s, want := range map[string]float64{"-1": -1, "1.5": 1.5, "1e3": 1000} {
		if got, err := Number(s); err != nil || got != want {
			t.Errorf("Number(%q) = %v, %v; want %v", s, got, err, want)
		}
	}
}

// The errors are what a user reads, so their text is held.
func TestErrors(t *testing.T) {
	of := func(f func(string) error, s string) string {
		if err := f(s); err != nil {
			return err.Error()
		}
		return "no error"
	}
	size := func(s string) error { _, err := Size(s); return err }
	count := func(s string) error { _, err := Count(s); return err }
	duration := func(s string) error { _, err := Duration(s); return err }
	rate := func(s string) error { _, err := ParseRate(s); return err }
	percent := func(s string) error { _, err := Percent(s); return err }
	number := func(s string) error { _, err := Number(s); return err }
	for _, c := range []struct {
		f       func(string) error
		s, want string
	}{
		{size, "4q", `size "4q": unknown unit "q": use B, k, KiB, kB, M, MiB, MB, G, GiB, GB, T, TiB, TB, P, PiB, PB`},
		{size, "4kibi", `size "4kibi": unknown unit "kibi": use B, k, KiB, kB, M, MiB, MB, G, GiB, GB, T, TiB, TB, P, PiB, PB (did you mean "KiB"?)`},
		{size, "", `size "" is empty: write it like "4KiB"`},
		{size, "abc", `size "abc" does not begin with a number: write it like "4KiB"`},
		{size, "NaN", `size "NaN" does not begin with a number: write it like "4KiB"`},
		{size, "-4k", `size "-4k" is negative`},
		{size, "0.1KiB", `size "0.1KiB" is 102.4 bytes, which is not a whole number`},
		{size, "8192PiB", `size "8192PiB" is too large: the most is 9223372036854775807 bytes`},
		{size, "1e999", `size "1e999" is too large: the most is 9223372036854775807 bytes`},
		{size, "4k 4", `size "4k 4": unknown unit "k 4": use B, k, KiB, kB, M, MiB, MB, G, GiB, GB, T, TiB, TB, P, PiB, PB`},
		{count, "0.5", `count "0.5" is 0.5, which is not a whole number`},
		{count, "5x", `count "5x": unknown unit "x": use k, M, G`},
		{duration, "5 parsecs", `duration "5 parsecs": unknown unit "parsecs": use ns, us, ms, s, m, h, d`},
		{duration, "5S", `duration "5S": unknown unit "S": use ns, us, ms, s, m, h, d (did you mean "s"?)`},
		{duration, "1h30", `duration "1h30" ends in a number without a unit`},
		{duration, "5%", `duration "5%": unknown unit "%": use ns, us, ms, s, m, h, d`},
		{duration, "1h-5m", `duration "1h-5m" is negative`},
		{duration, "300000d", `duration "300000d" is too long: the most is 292 years`},
		{rate, "20k", `rate "20k" does not say per what: write it like "20k/s" or "800MiB/s"`},
		{rate, "20k/", `rate "20k/": unknown unit "": use ns, us, ms, s, m, h, d`},
		{rate, "20k/fortnight", `rate "20k/fortnight": unknown unit "fortnight": use ns, us, ms, s, m, h, d`},
		{rate, "20Mi/s", `rate "20Mi/s": unknown unit "Mi": use k, M, G, B, KiB, kB, MiB, MB, GiB, GB, TiB, TB, PiB, PB (did you mean "MiB"?)`},
		{rate, "9e999/ns", `rate "9e999/ns" is too high`},
		{percent, "101%", `percentage "101%" is more than 100`},
		{percent, "70pc", `percentage "70pc": unknown unit "pc": use %`},
		{number, "1x", `number "1x" is not a number`},
		{number, "0x10", `number "0x10" is not a number`},
		{number, "inf", `number "inf" is not finite`},
	} {
		if got := of(c.f, c.s); got != c.want {
			t.Errorf("%q:\n got %s\nwant %s", c.s, got, c.want)
		}
	}
	if got := of(size, strings.Repeat("9", 1000)); !strings.Contains(got, "more digits than anything needs") {
		t.Errorf("a thousand digits: %s", got)
	}
}

func TestKindOf(t *testing.T) {
	for s, want := range map[string]Kind{
		"16": KindNumber, "1.5": KindNumber, "-3": KindNumber, "30s": KindDuration, "1h30m": KindDuration, "1m": KindDuration,
		"1M": KindSize, "4KiB": KindSize, "4k": KindSize, "20k/s": KindRate, "800MiB/s": KindRate, "70%": KindPercent,
		"wal.log": KindText, "": KindText, "nan": KindText, "inf": KindText, "read": KindText, "4q": KindText,
	} {
		if got := KindOf(s); got != want {
			t.Errorf("KindOf(%q) = %v, want %v", s, got, want)
		}
	}
}

func TestFormat(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{FormatSize(0), "0B"}, {FormatSize(4096), "4KiB"}, {FormatSize(4097), "4097B"}, {FormatSize(3 << 29), "1.5GiB"},
		{FormatSize(10e6), "10MB"}, {FormatSize(1000), "1kB"}, {FormatSize(512), "512B"}, {FormatSize(512000), "500KiB"},
		{FormatSize(4096000), "4000KiB"}, {FormatSize(1<<30 + 1<<20), "1025MiB"}, {FormatSize(-4096), "-4KiB"}, {FormatSize(math.MinInt64), "-9223372036854775808B"},
		{FormatSize(1152), "1.125KiB"}, {FormatSize(1 << 50), "1PiB"},
		{FormatCount(1234), "1.234k"}, {FormatCount(20000), "20k"}, {FormatCount(999), "999"}, {FormatCount(1234567), "1234.567k"},
		{FormatDuration(0), "0s"}, {FormatDuration(1500 * time.Millisecond), "1.5s"}, {FormatDuration(90 * time.Second), "90s"},
		{FormatDuration(90 * time.Minute), "1h30m"}, {FormatDuration(2 * time.Minute), "2m"}, {FormatDuration(200 * time.Microsecond), "200us"},
		{FormatDuration(1234567891), "1234567.891us"}, {FormatDuration(25 * time.Hour), "25h"},
		{FormatRate(Rate{20e3, false}), "20k/s"}, {FormatRate(Rate{800 << 20, true}), "800MiB/s"}, {FormatRate(Rate{0.25, false}), "0.25/s"},
		{FormatRate(Rate{2e9, true}), "2GB/s"}, {FormatRate(Rate{0.5, true}), "0.5B/s"},
		{ApproxDuration(85234), "85.2 µs"}, {ApproxDuration(250), "250 ns"}, {ApproxDuration(1.9384e9), "1.94 s"}, {ApproxDuration(math.NaN()), "-"},
		{ApproxDuration(-85234), "-85.2 µs"}, {ApproxSize(-14.7e9), "-13.7 GiB"}, {ApproxCount(-1234567), "-1.23 M"},
		{ApproxSize(14.7e9), "13.7 GiB"}, {ApproxSize(17), "17 B"}, {ApproxCount(1234567), "1.23 M"}, {ApproxCount(17), "17"}, {ApproxCount(0), "0"},
		{ApproxBandwidth(812 << 20), "812 MiB/s"}, {ApproxBandwidth(0), "0 B/s"},
	} {
		if c.got != c.want {
			t.Errorf("got %s, want %s", c.got, c.want)
		}
	}
}

// One unit for a column: the least figure keeps its digits unless the most gets too wide.
func TestTableUnit(t *testing.T) {
	for _, c := range []struct {
		least, most float64
		unit        string
		min, max    string
	}{
		{85_200, 4_100_000, "µs", "85.2", "4100"},
		{200, 900_000, "ns", "200", "900000"},
		{200, 3_000_000, "µs", "0.200", "3000"},
		{2_000_000, 70_000_000, "ms", "2.00", "70.0"},
		{0, 70_000_000, "ms", "0", "70.0"},
		{0, 0, "ns", "0", "0"},
	} {
		u := DurationUnit(c.least, c.most)
		if u.Name != c.unit || u.Format(c.least) != c.min || u.Format(c.most) != c.max {
			t.Errorf("%v to %v: %s to %s in %s; want %s to %s in %s", c.least, c.most, u.Format(c.least), u.Format(c.most), u.Name, c.min, c.max, c.unit)
		}
	}
}

func TestRoundTrips(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int64Min(0).Draw(t, "n")
		checkRoundTrip(t, n)
		p := rapid.Float64Range(0, math.MaxFloat64/4).Draw(t, "rate")
		for _, r := range []Rate{{p, false}, {p, true}, {float64(n >> 12), true}} {
			if back, err := ParseRate(FormatRate(r)); err != nil || back != r {
				t.Fatalf("rate %v → %s → %v, %v", r, FormatRate(r), back, err)
			}
		}
	})
}

func checkRoundTrip(t interface{ Fatalf(string, ...any) }, n int64) {
	if back, err := Size(FormatSize(n)); err != nil || back != n {
		t.Fatalf("size %d → %s → %d, %v", n, FormatSize(n), back, err)
	}
	if back, err := Count(FormatCount(n)); err != nil || back != n {
		t.Fatalf("count %d → %s → %d, %v", n, FormatCount(n), back, err)
	}
	d := time.Duration(n)
	if back, err := Duration(FormatDuration(d)); err != nil || back != d {
		t.Fatalf("duration %d → %s → %d, %v", d, FormatDuration(d), back, err)
	}
}

// Whatever parses is not negative, comes back from its own format, and nothing panics.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"4KiB", "1.5s", "1h30m", "20k/s", "800MiB/s", "70%", "4q", "", "-1", "1e999", ".", "..", "1e", "é", "5/"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if n, err := Size(s); err == nil {
			if n < 0 {
				t.Fatalf("Size(%q) = %d", s, n)
			}
			checkRoundTrip(t, n)
		}
		if d, err := Duration(s); err == nil {
			if d < 0 {
				t.Fatalf("Duration(%q) = %d", s, d)
			}
			checkRoundTrip(t, int64(d))
		}
		if r, err := ParseRate(s); err == nil {
			if back, err := ParseRate(FormatRate(r)); err != nil || back != r || !(r.PerSecond >= 0) {
				t.Fatalf("rate %q is %v → %s → %v, %v", s, r, FormatRate(r), back, err)
			}
		}
		if p, err := Percent(s); err == nil && !(p >= 0 && p <= 100) {
			t.Fatalf("Percent(%q) = %v", s, p)
		}
		_ = KindOf(s)
	})
}

// A figure never has an exponent where it can be read without.
func TestFigure(t *testing.T) {
	for x, want := range map[float64]string{0: "0", 1: "1", 1.5: "1.5", 0.1234: "0.123", 99.94: "99.9", 999.4: "999", 999.6: "1000", 1023.44: "1023", -1023.44: "-1023", 1234567: "1234567"} {
		if got := Figure(x); got != want {
			t.Errorf("%v: %s, want %s", x, got, want)
		}
	}
}
