package sim

import (
	"errors"
	"fmt"
	"time"
)

// Config describes a device. Parse makes one from text; its zero values turn
// off what they are about.
type Config struct {
	Profile string // the profile it was made from

	Parallelism  int           // operations served at once
	QueueDepth   int           // operations that the device takes at once; others wait in the host
	Read, Write  time.Duration // mean service times
	Distribution Distribution  // of all service times
	Spread       float64       // standard deviation / mean, of those distributions that can choose
	Fsync        time.Duration // mean cost of a flush
	Trim         time.Duration // mean cost of a trim
	Meta         time.Duration // mean cost of an operation on metadata

	ReadBandwidth, WriteBandwidth int64 // bytes per second

	Cache     int64 // bytes
	Drain     int64 // bytes per second
	Protected bool  // the cache survives a loss of power, so fsync need not drain it

	GCPeriod, GCLength time.Duration
	GCSlow             int // how much slower it is meanwhile; 0 stands still

	IOPS      int64 // operations per second that credits come in for
	BurstIOPS int64 // operations per second that they may be spent at
	Credits   int64 // operations saved up at most, and at the start

	RPM       int           // turns per minute of a rotating device
	Seek      time.Duration // over a third of the stroke, the mean of random seeks
	TrackSeek time.Duration // to the next track
	Stroke    int64         // bytes that the arm reaches
	Transfer  int64         // bytes per second under the head

	Capacity int64 // bytes that all files together may have
}

// Distribution is how service times spread around their mean.
type Distribution uint8

// The distributions.
const (
	Constant Distribution = iota
	Exponential
	Lognormal // spread is free; a long tail
	Gamma     // spread is free; a lighter tail
)

var distributionNames = []string{"constant", "exponential", "lognormal", "gamma"}

func (d Distribution) String() string { return distributionNames[d] }

func (d Distribution) spreads() bool { return d == Lognormal || d == Gamma }

const (
	gb = 1_000_000_000
	mb = 1_000_000
)

var profiles = []Config{
	{
		Profile: "nvme", Parallelism: 64, QueueDepth: 1023,
		Read: 80 * time.Microsecond, Write: 16 * time.Microsecond, Distribution: Lognormal, Spread: 0.25,
		Fsync: 500 * time.Microsecond, Trim: 60 * time.Microsecond, Meta: 8 * time.Microsecond,
		ReadBandwidth: 7 * gb, WriteBandwidth: 5 * gb, Cache: 256 << 20, Drain: 2 * gb,
	},
	{
		Profile: "sata-ssd", Parallelism: 10, QueueDepth: 32,
		Read: 93 * time.Microsecond, Write: 35 * time.Microsecond, Distribution: Lognormal, Spread: 0.3,
		Fsync: 1500 * time.Microsecond, Trim: 300 * time.Microsecond, Meta: 8 * time.Microsecond,
		ReadBandwidth: 550 * mb, WriteBandwidth: 520 * mb, Cache: 128 << 20, Drain: 350 * mb,
	},
	{
		Profile: "hdd", Parallelism: 1, QueueDepth: 32,
		Read: 100 * time.Microsecond, Write: 100 * time.Microsecond, Distribution: Constant,
		Fsync: 8 * time.Millisecond, Trim: 100 * time.Microsecond, Meta: 20 * time.Microsecond,
		RPM: 7200, Seek: 8500 * time.Microsecond, TrackSeek: 800 * time.Microsecond, Stroke: 4000 * gb, Transfer: 200 * mb,
	},
	{
		Profile: "cloud-volume", Parallelism: 64, QueueDepth: 1023,
		Read: 600 * time.Microsecond, Write: 800 * time.Microsecond, Distribution: Gamma, Spread: 0.35,
		Fsync: time.Millisecond, Trim: time.Millisecond, Meta: 10 * time.Microsecond,
		ReadBandwidth: 250 * mb, WriteBandwidth: 250 * mb,
		IOPS: 1000, BurstIOPS: 3000, Credits: 5_400_000,
	},
}

// Profiles are the names that Parse knows.
func Profiles() []string {
	names := make([]string, len(profiles))
	for i, p := range profiles {
		names[i] = p.Profile
	}
	return names
}

// Validate says what in the configuration doesn't fit together.
func (c *Config) Validate() error {
	for _, r := range []struct {
		wrong bool
		why   string
	}{
		{c.Parallelism < 1 || c.QueueDepth < 1, "parallelism and queue-depth must be at least 1"},
		{c.Distribution.spreads() && !(c.Spread > 0), "a spread above 0 is needed by distribution=" + c.Distribution.String()},
		{!c.Distribution.spreads() && c.Spread != 0, "spread has no meaning with distribution=" + c.Distribution.String()},
		{c.Cache > 0 && c.Drain == 0, "a cache needs a drain rate"},
		{c.Cache == 0 && c.Protected, "protected has no meaning without a cache"},
		{c.GCPeriod == 0 && (c.GCLength != 0 || c.GCSlow != 0), "gc-length and gc-slow have no meaning without gc-period"},
		{c.GCPeriod > 0 && (c.GCLength <= 0 || c.GCLength >= c.GCPeriod), "gc-length must be above 0 and below gc-period"},
		{c.GCSlow == 1, "gc-slow must be 0 (stands still) or at least 2 (times slower)"},
		{(c.BurstIOPS > 0) != (c.Credits > 0), "burst-iops and credits need each other"},
		{c.BurstIOPS > 0 && (c.IOPS == 0 || c.BurstIOPS <= c.IOPS), "burst-iops must be above iops, which must be set"},
		{c.RPM == 0 && (c.Seek != 0 || c.TrackSeek != 0 || c.Stroke != 0 || c.Transfer != 0), "seek, track-seek, stroke and transfer have no meaning without rpm"},
		{c.RPM > 0 && (c.Stroke == 0 || c.Transfer == 0), "rpm needs stroke and transfer"},
		{c.RPM > 0 && c.Seek < c.TrackSeek, "seek, the mean, must not be shorter than track-seek"},
		{c.RPM > 0 && c.Parallelism != 1, "parallelism must be 1 with rpm: there is one arm"},
		{c.RPM > maxRPM, fmt.Sprintf("rpm must not be above %d", maxRPM)},
	} {
		if r.wrong {
			return errors.New(r.why)
		}
	}
	return nil
}

// One turn takes at least a microsecond, so that angles are whole nanoseconds.
const maxRPM = 60_000_000
