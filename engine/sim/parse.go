package sim

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"moonio/engine/suggest"
	"moonio/engine/units"
)

// Option is one that Parse knows.
type Option struct {
	Name, Help string
	Value      string // what is written behind =: N, TIME ("4ms"), SIZE ("1GiB"), RATE ("500MB/s")

	set func(*Config, string) error
	get func(*Config) string
}

var options = []Option{
	option("parallelism", "N", "operations served at once", integer, count, func(c *Config) *int { return &c.Parallelism }),
	option("queue-depth", "N", "operations that the device takes at once", integer, count, func(c *Config) *int { return &c.QueueDepth }),
	option("read", "TIME", "mean service time of a read", units.Duration, units.FormatDuration, func(c *Config) *time.Duration { return &c.Read }),
	option("write", "TIME", "mean service time of a write", units.Duration, units.FormatDuration, func(c *Config) *time.Duration { return &c.Write }),
	option("distribution", "KIND", "of service times: "+strings.Join(distributionNames, ", "), distribution, Distribution.String, func(c *Config) *Distribution { return &c.Distribution }),
	option("spread", "X", "standard deviation / mean of a lognormal or gamma distribution", units.Number, number, func(c *Config) *float64 { return &c.Spread }),
	option("fsync", "TIME", "mean cost of a flush", units.Duration, units.FormatDuration, func(c *Config) *time.Duration { return &c.Fsync }),
	option("trim", "TIME", "mean cost of a trim", units.Duration, units.FormatDuration, func(c *Config) *time.Duration { return &c.Trim }),
	option("meta", "TIME", "mean cost of an operation on metadata", units.Duration, units.FormatDuration, func(c *Config) *time.Duration { return &c.Meta }),
	option("read-bandwidth", "RATE", "bandwidth that all reads share", bandwidth, formatBandwidth, func(c *Config) *int64 { return &c.ReadBandwidth }),
	option("write-bandwidth", "RATE", "bandwidth that all writes share", bandwidth, formatBandwidth, func(c *Config) *int64 { return &c.WriteBandwidth }),
	option("cache", "SIZE", "size of the write cache", units.Size, units.FormatSize, func(c *Config) *int64 { return &c.Cache }),
	option("drain", "RATE", "rate at which the write cache empties", bandwidth, formatBandwidth, func(c *Config) *int64 { return &c.Drain }),
	option("protected", "yes|no", "yes if the write cache survives a loss of power", yesNo, formatYesNo, func(c *Config) *bool { return &c.Protected }),
	option("gc-period", "TIME", "time from one garbage collection to the next", units.Duration, units.FormatDuration, func(c *Config) *time.Duration { return &c.GCPeriod }),
	option("gc-length", "TIME", "how long a garbage collection takes", units.Duration, units.FormatDuration, func(c *Config) *time.Duration { return &c.GCLength }),
	option("gc-slow", "N", "how many times slower the device is meanwhile; 0 stands still", integer, count, func(c *Config) *int { return &c.GCSlow }),
	option("iops", "N", "operations per second that are sustained", perSecond, formatPerSecond, func(c *Config) *int64 { return &c.IOPS }),
	option("burst-iops", "N", "operations per second while credits last", perSecond, formatPerSecond, func(c *Config) *int64 { return &c.BurstIOPS }),
	option("credits", "N", "operations saved up for bursts at most, and at the start", units.Count, units.FormatCount, func(c *Config) *int64 { return &c.Credits }),
	option("rpm", "N", "turns per minute of a rotating device", integer, count, func(c *Config) *int { return &c.RPM }),
	option("seek", "TIME", "time of a seek over a third of the stroke", units.Duration, units.FormatDuration, func(c *Config) *time.Duration { return &c.Seek }),
	option("track-seek", "TIME", "time of a seek to the next track", units.Duration, units.FormatDuration, func(c *Config) *time.Duration { return &c.TrackSeek }),
	option("stroke", "SIZE", "bytes that the arm reaches", units.Size, units.FormatSize, func(c *Config) *int64 { return &c.Stroke }),
	option("transfer", "RATE", "rate at which data passes the head", bandwidth, formatBandwidth, func(c *Config) *int64 { return &c.Transfer }),
	option("capacity", "SIZE", "bytes that all files together may have", units.Size, units.FormatSize, func(c *Config) *int64 { return &c.Capacity }),
}

func option[T any](name, value, help string, parse func(string) (T, error), format func(T) string, field func(*Config) *T) Option {
	return Option{
		Name: name, Help: help, Value: value,
		set: func(c *Config, s string) (err error) {
			v, err := parse(s)
			if err == nil {
				*field(c) = v
			}
			return err
		},
		get: func(c *Config) string { return format(*field(c)) },
	}
}

// Options lists what Parse knows.
func Options() []Option { return slices.Clone(options) }

// Parse reads a profile's name and options, "nvme,fsync=2ms". Without a profile
// it is nvme.
func Parse(s string) (Config, error) {
	parts := strings.Split(s, ",")
	name := "nvme"
	if !strings.Contains(parts[0], "=") {
		if parts[0] != "" {
			name = strings.TrimSpace(parts[0])
		}
		parts = parts[1:]
	}
	c, err := profile(name)
	if err != nil {
		return Config{}, err
	}
	given := map[string]bool{}
	for _, part := range parts {
		if err := c.assign(part, given); err != nil {
			return Config{}, fmt.Errorf("simulated device: %w", err)
		}
	}
	// A profile's spread goes with its distribution.
	if !c.Distribution.spreads() && !given["spread"] {
		c.Spread = 0
	}
	if err := c.Validate(); err != nil {
		return Config{}, fmt.Errorf("simulated device: %w", err)
	}
	return c, nil
}

func profile(name string) (Config, error) {
	for _, p := range profiles {
		if p.Profile == name {
			return p, nil
		}
	}
	known := Profiles()
	return Config{}, fmt.Errorf("simulated device: unknown profile %q: use %s%s", name, strings.Join(known, ", "), suggest.Hint(name, known))
}

// assign takes one name=value.
func (c *Config) assign(part string, given map[string]bool) error {
	name, value, ok := strings.Cut(part, "=")
	name, value = strings.ReplaceAll(strings.TrimSpace(name), "_", "-"), strings.TrimSpace(value)
	if !ok {
		return fmt.Errorf("option %q: write it as name=value", part)
	}
	i := slices.IndexFunc(options, func(o Option) bool { return o.Name == name })
	if i < 0 {
		known := make([]string, len(options))
		for i, o := range options {
			known[i] = o.Name
		}
		return fmt.Errorf("unknown option %q: use %s%s", name, strings.Join(known, ", "), suggest.Hint(name, known))
	}
	if given[name] {
		return fmt.Errorf("option %s is given twice", name)
	}
	given[name] = true
	if err := options[i].set(c, value); err != nil {
		return fmt.Errorf("option %s: %w", name, err)
	}
	return nil
}

// String is the configuration in full, as Parse reads it: the profile and every
// option that is set, or that the profile has set.
func (c Config) String() string {
	base, _ := profile(c.Profile)
	var none Config
	var b strings.Builder
	b.WriteString(c.Profile)
	for _, o := range options {
		if v := o.get(&c); v != o.get(&none) || v != o.get(&base) {
			fmt.Fprintf(&b, ",%s=%s", o.Name, v)
		}
	}
	return b.String()
}

func integer(s string) (int, error) {
	n, err := units.Count(s)
	if err == nil && n > math.MaxInt32 {
		err = fmt.Errorf("%s is more than the most, %d", s, math.MaxInt32)
	}
	return int(n), err
}

func count(n int) string { return strconv.Itoa(n) }

func number(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) }

func distribution(s string) (Distribution, error) {
	if i := slices.Index(distributionNames, s); i >= 0 {
		return Distribution(i), nil
	}
	return 0, fmt.Errorf("unknown distribution %q: use %s%s", s, strings.Join(distributionNames, ", "), suggest.Hint(s, distributionNames))
}

// bandwidth reads bytes per second; 0 is no cap.
func bandwidth(s string) (int64, error) {
	r, err := units.ParseRate(s)
	if err == nil && !r.Bytes && r.PerSecond != 0 {
		err = fmt.Errorf("rate %q is not in bytes: write it like \"250MB/s\"", s)
	}
	if err != nil {
		return 0, err
	}
	return whole(s, r)
}

func formatBandwidth(n int64) string {
	return units.FormatRate(units.Rate{PerSecond: float64(n), Bytes: true})
}

func perSecond(s string) (int64, error) {
	r, err := units.ParseRate(s)
	if err == nil && r.Bytes {
		err = fmt.Errorf("rate %q is in bytes: operations are meant, as in \"3000/s\"", s)
	}
	if err != nil {
		return 0, err
	}
	return whole(s, r)
}

func formatPerSecond(n int64) string { return units.FormatRate(units.Rate{PerSecond: float64(n)}) }

// whole is the rate as an integer: no device is slower than one a second.
func whole(s string, r units.Rate) (int64, error) {
	const most = 1 << 53
	if r.PerSecond != math.Trunc(r.PerSecond) || r.PerSecond > most {
		return 0, fmt.Errorf("rate %q is not a whole number per second, or too high", s)
	}
	return int64(r.PerSecond), nil
}

func yesNo(s string) (bool, error) {
	switch s {
	case "yes", "true", "on":
		return true, nil
	case "no", "false", "off":
		return false, nil
	}
	return false, fmt.Errorf("%q is neither yes nor no", s)
}

func formatYesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}
