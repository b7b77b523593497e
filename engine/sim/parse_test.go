package sim

import (
	"testing"

	"pgregory.net/rapid"
)

func TestParse(t *testing.T) {
	for s, want := range map[string]string{
		"":                        "nvme,parallelism=64,queue-depth=1023,read=80us,write=16us,distribution=lognormal,spread=0.25,fsync=500us,trim=60us,meta=8us,read-bandwidth=7GB/s,write-bandwidth=5GB/s,cache=256MiB,drain=2GB/s",
		"nvme":                    "nvme,parallelism=64,queue-depth=1023,read=80us,write=16us,distribution=lognormal,spread=0.25,fsync=500us,trim=60us,meta=8us,read-bandwidth=7GB/s,write-bandwidth=5GB/s,cache=256MiB,drain=2GB/s",
		"fsync=2ms,parallelism=8": "nvme,parallelism=8,queue-depth=1023,read=80us,write=16us,distribution=lognormal,spread=0.25,fsync=2ms,trim=60us,meta=8us,read-bandwidth=7GB/s,write-bandwidth=5GB/s,cache=256MiB,drain=2GB/s",
		"sata-ssd, cache=0, distribution=constant, gc_period=1s, gc-length=50ms, protected=no": "sata-ssd,parallelism=10,queue-depth=32,read=93us,write=35us,distribution=constant,spread=0,fsync=1.5ms,trim=300us,meta=8us,read-bandwidth=550MB/s,write-bandwidth=520MB/s,cache=0B,drain=350MB/s,gc-period=1s,gc-length=50ms",
		"hdd,capacity=1TB":                    "hdd,parallelism=1,queue-depth=32,read=100us,write=100us,fsync=8ms,trim=100us,meta=20us,rpm=7200,seek=8.5ms,track-seek=800us,stroke=4TB,transfer=200MB/s,capacity=1TB",
		"cloud-volume,credits=60k,iops=500/s": "cloud-volume,parallelism=64,queue-depth=1023,read=600us,write=800us,distribution=gamma,spread=0.35,fsync=1ms,trim=1ms,meta=10us,read-bandwidth=250MB/s,write-bandwidth=250MB/s,iops=500/s,burst-iops=3k/s,credits=60k",
	} {
		c, err := Parse(s)
		if err != nil {
			t.Errorf("%q: %v", s, err)
			continue
		}
		if got := c.String(); got != want {
			t.Errorf("%q:\n got %s\nwant %s", s, got, want)
		}
		if again, err := Parse(c.String()); err != nil || again != c {
			t.Errorf("%q does not come back from %s: %v", s, c, err)
		}
	}
}

func TestParseErrors(t *testing.T) {
	for s, want := range map[string]string{
		"nmve":                                      `simulated device: unknown profile "nmve": use nvme, sata-ssd, hdd, cloud-volume (did you mean "nvme"?)`,
		"nvme,fsnyc=2ms":                            `simulated device: unknown option "fsnyc": use parallelism, queue-depth, read, write, distribution, spread, fsync, trim, meta, read-bandwidth, write-bandwidth, cache, drain, protected, gc-period, gc-length, gc-slow, iops, burst-iops, credits, rpm, seek, track-seek, stroke, transfer, capacity (did you mean "fsync"?)`,
		"nvme,fsync":                                `simulated device: option "fsync": write it as name=value`,
		"nvme,fsync=2 mss":                          `simulated device: option fsync: duration "2 mss": unknown unit "mss": use ns, us, ms, s, m, h, d (did you mean "ms"?)`,
		"nvme,cache=1GiB,cache=2GiB":                `simulated device: option cache is given twice`,
		"nvme,read-bandwidth=100":                   `simulated device: option read-bandwidth: rate "100" is not in bytes: write it like "250MB/s"`,
		"nvme,iops=3MB/s":                           `simulated device: option iops: rate "3MB/s" is in bytes: operations are meant, as in "3000/s"`,
		"nvme,iops=0.5":                             `simulated device: option iops: rate "0.5" is not a whole number per second, or too high`,
		"nvme,distribution=lognorm":                 `simulated device: option distribution: unknown distribution "lognorm": use constant, exponential, lognormal, gamma (did you mean "lognormal"?)`,
		"nvme,protected=maybe":                      `simulated device: option protected: "maybe" is neither yes nor no`,
		"nvme,parallelism=0":                        `simulated device: parallelism and queue-depth must be at least 1`,
		"nvme,parallelism=5G":                       `simulated device: option parallelism: 5G is more than the most, 2147483647`,
		"nvme,spread=-1":                            `simulated device: a spread above 0 is needed by distribution=lognormal`,
		"hdd,spread=2":                              `simulated device: spread has no meaning with distribution=constant`,
		"nvme,drain=0":                              `simulated device: a cache needs a drain rate`,
		"hdd,protected=yes":                         `simulated device: protected has no meaning without a cache`,
		"nvme,gc-length=1ms":                        `simulated device: gc-length and gc-slow have no meaning without gc-period`,
		"nvme,gc-period=1ms":                        `simulated device: gc-length must be above 0 and below gc-period`,
		"nvme,credits=10":                           `simulated device: burst-iops and credits need each other`,
		"cloud-volume,iops=4000":                    `simulated device: burst-iops must be above iops, which must be set`,
		"nvme,seek=1ms":                             `simulated device: seek, track-seek, stroke and transfer have no meaning without rpm`,
		"hdd,parallelism=2":                         `simulated device: parallelism must be 1 with rpm: there is one arm`,
		"nvme,gc-period=1s,gc-length=1ms,gc-slow=1": `simulated device: gc-slow must be 0 (stands still) or at least 2 (times slower)`,
	} {
		if _, err := Parse(s); err == nil || err.Error() != want {
			t.Errorf("%q:\n got %v\nwant %s", s, err, want)
		}
	}
}

// Whatever is accepted comes back from its own text and runs.
func TestParseRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.SampledFrom(Profiles()).Draw(t, "profile")
		for range rapid.IntRange(0, 4).Draw(t, "options") {
			s += "," + rapid.SampledFrom(options).Draw(t, "option").Name + "=" + rapid.SampledFrom([]string{"0", "1", "7", "100", "3ms", "64KiB", "1.5MB/s", "2k/s", "gamma", "yes", "0.3"}).Draw(t, "value")
		}
		c, err := Parse(s)
		if err != nil {
			return
		}
		if again, err := Parse(c.String()); err != nil || again != c {
			t.Fatalf("%q is %s, and then %s, %v", s, c, again, err)
		}
	})
}
