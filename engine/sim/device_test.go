package sim

import (
	"fmt"
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"moonio/engine"
)

func TestLittlesLaw(t *testing.T) {
	for _, profile := range Profiles() {
		for _, depth := range []int{1, 16, 200} {
			w, f := newWorld(t, profile)
			l := newLoop(open(t, w, depth), depth, random(f, engine.Read, 4096))
			for l.count < 10_000 {
				l.turn()
			}
			near(t, fmt.Sprintf("%s, depth %d: Σ service", profile, depth), float64(l.service), float64(depth)*float64(w.Now()), 0.02)
		}
	}
}

func TestSaturation(t *testing.T) {
	const base = "nvme,read=100us,read-bandwidth=0,"
	for config, want := range map[string]float64{
		base + "distribution=constant,parallelism=1":                   10_000,
		base + "distribution=constant,parallelism=8":                   80_000,
		base + "distribution=exponential,parallelism=8":                80_000,
		base + "distribution=constant,parallelism=64,queue-depth=16":   160_000,
		"nvme,distribution=constant,parallelism=1000,read=100us":       7e9 / 4096,
		"nvme,distribution=constant,read=0,read-bandwidth=40960000B/s": 10_000,
	} {
		length := time.Duration(20_000 / want * float64(time.Second))
		near(t, config, iops(t, config, 1000, length, random, engine.Read, 4096), want, 0.02)
	}
}

func TestUnsaturatedServiceTime(t *testing.T) {
	for _, d := range distributionNames {
		config := "nvme,read=100us,read-bandwidth=0,parallelism=8,distribution=" + d
		near(t, config, iops(t, config, 4, time.Second, random, engine.Read, 4096), 40_000, 0.02)
	}
}

func TestDistributions(t *testing.T) {
	const mean, draws = 100_000.0, 200_000
	for _, c := range []struct {
		config string
		spread float64
		median float64 // of the mean
	}{
		{"nvme,distribution=constant", 0, 1},
		{"nvme,distribution=exponential", 1, math.Ln2},
		{"nvme,distribution=lognormal,spread=0.5", 0.5, 1 / math.Sqrt(1.25)},
		{"nvme,distribution=lognormal,spread=2", 2, 1 / math.Sqrt(5)},
		{"nvme,distribution=gamma,spread=0.5", 0.5, 0.918},
		{"nvme,distribution=gamma,spread=1", 1, math.Ln2},
		{"nvme,distribution=gamma,spread=1.5", 1.5, 0.407},
	} {
		cfg, err := Parse(c.config)
		if err != nil {
			t.Fatal(err)
		}
		d := newDraw(&cfg, 1)
		var sum, squares float64
		below := 0
		for range draws {
			v := float64(d.next(mean)) / mean
			sum += v
			squares += v * v
			if v <= c.median {
				below++
			}
		}
		m := sum / draws
		near(t, c.config+": mean", m, 1, 0.02)
		near(t, c.config+": spread", math.Sqrt(squares/draws-m*m), c.spread, 0.07)
		if c.spread > 0 {
			near(t, c.config+": share below the median", float64(below)/draws, 0.5, 0.02)
		}
	}
}

// A cache of 100 MB that takes 200 MB/s in and lets 40 out is full after 0.625 s.
func TestCacheCliff(t *testing.T) {
	w, f := newWorld(t, "nvme,write-bandwidth=200MB/s,cache=100MB,drain=40MB/s")
	l := newLoop(open(t, w, 8), 8, random(f, engine.Write, 50_000))
	var before, after int64
	l.done = func(op *engine.Op, _, ended int64) {
		switch at := time.Duration(ended); {
		case at < 600*time.Millisecond:
			before += int64(len(op.Buf))
		case at > 650*time.Millisecond:
			after += int64(len(op.Buf))
		}
	}
	l.until(2 * time.Second)
	near(t, "bytes per second into the cache", float64(before)/0.6, 200e6, 0.01)
	near(t, "bytes per second past the cliff", float64(after)/1.35, 40e6, 0.01)
}

// one performs operations one after another and returns how long each took.
func one(t *testing.T, w *World, ops ...engine.Op) []time.Duration {
	t.Helper()
	e := open(t, w, 1)
	var took []time.Duration
	for _, op := range ops {
		l := newLoop(e, 1, func(o *engine.Op) { *o = op })
		l.turn()
		took = append(took, time.Duration(l.service))
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
	return took
}

func TestFsyncDrainsTheCache(t *testing.T) {
	const base = "nvme,distribution=constant,write=10us,write-bandwidth=0,fsync=1ms,meta=5us,cache=1MiB,drain=100MB/s"
	const us = time.Microsecond
	for _, c := range []struct {
		config string
		want   []time.Duration
	}{
		// 100 kB drain in 1 ms, 10 us of which pass during the write.
		{base, []time.Duration{10 * us, 1990 * us, 1000 * us, 1005 * us, 1010*us + time.Millisecond}},
		{base + ",protected=yes", []time.Duration{10 * us, 1000 * us, 1000 * us, 1005 * us, 1010*us + time.Millisecond}},
	} {
		w, f := newWorld(t, c.config)
		buf := make([]byte, 100_000)
		got := one(t, w,
			engine.Op{Code: engine.Write, File: f, Buf: buf},
			engine.Op{Code: engine.Fdatasync, File: f},
			engine.Op{Code: engine.Fdatasync, File: f},
			engine.Op{Code: engine.Fsync, File: f},
			engine.Op{Code: engine.Write, Flags: engine.DSync, File: f, Buf: buf},
		)
		if fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("%s: write, 2 fdatasync, fsync, durable write took %v, want %v", c.config, got, c.want)
		}
	}
}

// Fsyncs that come while a flush runs share the next one.
func TestFlushesAreJoined(t *testing.T) {
	w, f := newWorld(t, "nvme,distribution=constant,fsync=1ms,cache=0")
	l := newLoop(open(t, w, 16), 16, func(op *engine.Op) { *op = engine.Op{Code: engine.Fdatasync, File: f} })
	l.until(time.Second)
	// All 16 together, or one and then the other 15.
	near(t, "fdatasyncs in a second", float64(l.count), 8000, 0.01)
}

func TestGarbageCollection(t *testing.T) {
	for _, c := range []struct {
		slow string
		most int64 // completions in a pause
		want float64
	}{
		{"0", 1, 9000},
		{"10", 101, 9100},
	} {
		w, f := newWorld(t, "nvme,distribution=constant,read=100us,read-bandwidth=0,gc-period=100ms,gc-length=10ms,gc-slow="+c.slow)
		l := newLoop(open(t, w, 1), 1, random(f, engine.Read, 4096))
		var inside int64
		l.done = func(_ *engine.Op, _, ended int64) {
			if ended%int64(100*time.Millisecond) > int64(90*time.Millisecond) {
				inside++
			}
		}
		l.until(time.Second)
		near(t, "reads with gc-slow="+c.slow, float64(l.count), c.want, 0.005)
		if inside > c.most {
			t.Errorf("gc-slow=%s: %d reads completed in 10 pauses, want at most %d", c.slow, inside, c.most)
		}
	}
}

// The two directions of the device's clock agree.
func TestPauses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		period := rapid.Int64Range(2, 1000).Draw(t, "period")
		p := pauses{period: period, length: rapid.Int64Range(1, period-1).Draw(t, "length"), slow: rapid.Int64Range(0, 20).Draw(t, "slow")}
		if p.slow == 1 {
			p.slow = 0
		}
		var last int64
		for at := range 5 * period {
			d := p.device(at)
			if d < last || d > last+1 {
				t.Fatalf("%+v: device time goes from %d to %d at %d", p, last, d, at)
			}
			if d != last && p.world(d) != at {
				t.Fatalf("%+v: device time is %d from %d on, not from %d", p, d, at, p.world(d))
			}
			last = d
		}
	})
}

// 2000 credits that 300 a second come in for and 500 a second are spent of last 10 s.
func TestBurstCredits(t *testing.T) {
	w, f := newWorld(t, "cloud-volume,iops=300,burst-iops=500,credits=2000")
	l := newLoop(open(t, w, 32), 32, random(f, engine.Read, 4096))
	perSecond := make([]float64, 21)
	l.done = func(_ *engine.Op, _, ended int64) { perSecond[ended/int64(time.Second)]++ }
	l.until(20 * time.Second)
	for s, n := range perSecond[:20] {
		want := 500.0
		if s >= 10 {
			want = 300
		}
		near(t, fmt.Sprintf("IOPS in second %d", s), n, want, 0.03)
	}
	// Five idle seconds save 1500 credits, which last for 7.5 s.
	e := l.e
	for e.Now() < int64(25*time.Second) {
		_, _ = e.Wait(l.out, 64, int64(25*time.Second))
	}
	m := newLoop(open(t, w, 32), 32, l.fill)
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	m.until(32 * time.Second)
	near(t, "IOPS from saved credits", float64(m.count)/7, 500, 0.01)
}

func TestDisk(t *testing.T) {
	const length = 20 * time.Second
	for _, c := range []struct {
		what    string
		config  string
		depth   int
		pattern func(*engine.File, engine.OpCode, int) func(*engine.Op)
		code    engine.OpCode
		block   int
		want    float64
		share   float64
	}{
		{"sequential reads of 1 MiB", "hdd", 1, sequential, engine.Read, 1 << 20, 200e6 / (1 << 20), 0.05},
		{"queued sequential writes of 1 MiB", "hdd", 4, sequential, engine.Write, 1 << 20, 200e6 / (1 << 20), 0.05},
		{"sequential writes that each miss a turn", "hdd", 1, sequential, engine.Write, 4096, 120, 0.01},
		// The file is as long as the stroke: the mean seek is 0.8 + 0.924 · 7.7 ms, the mean turn 4.17 ms.
		{"random reads all over", "hdd,stroke=1GiB", 1, random, engine.Read, 4096, 1 / 12.2e-3, 0.03},
		{"the same at depth 32", "hdd,stroke=1GiB", 32, random, engine.Read, 4096, 198, 0.05},
		{"the same at depth 256", "hdd,stroke=1GiB", 256, random, engine.Read, 4096, 198, 0.05},
		{"sequential reads at depth 32", "hdd", 32, sequential, engine.Read, 128 << 10, 1 / (0.1e-3 + 128<<10/200e6), 0.02},
		{"random reads in a small part", "hdd", 1, random, engine.Read, 4096, 190, 0.1},
	} {
		near(t, c.what, iops(t, c.config, c.depth, length, c.pattern, c.code, c.block), c.want, c.share)
	}
}

// However many come that are nearer, none is passed by for long.
func TestNothingStarves(t *testing.T) {
	w, f := newWorld(t, "hdd,stroke=1GiB")
	// Most reads are close to the file's beginning, a few far away.
	n := 0
	pattern := random(f, engine.Read, 4096)
	l := newLoop(open(t, w, 32), 32, func(op *engine.Op) {
		pattern(op)
		if n++; n%30 != 0 {
			op.Off %= 1 << 20
		}
	})
	var longest time.Duration
	l.done = func(_ *engine.Op, began, ended int64) { longest = max(longest, time.Duration(ended-began)) }
	l.until(30 * time.Second)
	// 64 operations go before the oldest, of some milliseconds each.
	if longest > 2*time.Second || longest < 50*time.Millisecond {
		t.Errorf("the longest read took %v", longest)
	}
}
