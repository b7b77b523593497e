package report

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"moonio/engine/environ"
)

// calm is a run that nothing is to be said about: a minute of direct reads
// from 100 GiB on a disk of its own.
func calm(t *testing.T) (*Result, *Phase, *Job) {
	const ns, n = 60 * 1e9, 960000
	r := result("calm")
	r.Environment.Storage.Device.System = false
	r.Environment.Storage.Device.Link.Speed = "16.0 GT/s PCIe"
	r.DurationNS = ns
	r.Idle = &Traffic{Device: "nvme0n1", DurationNS: 500 * ms, Counters: environ.Counters{Reads: 3, ReadBytes: 12 * kib}}
	j := &Job{
		Name: "reads", Kind: "stream", Threads: 1, Depth: 16, DurationNS: ns,
		Conditions: Conditions{Pattern: "random", Files: []string{"data"}, FileCount: 1, SizeBytes: 100 * gib, IO: "direct"},
		Ops:        map[string]*Op{"read": op(t, n, 4*kib, ns, around(n, 900*us), nil)},
	}
	p := &Phase{
		Name: "read", DurationNS: ns, IntervalNS: sec, Threads: 1, End: "duration", Jobs: []*Job{j},
		CPU: CPU{UserNS: 6 * sec, SystemNS: 9 * sec}, Load: Load{BusyShare: 0.2, ReapMeanNS: 900, ReapMaxNS: 30 * us},
		Device: &Traffic{Device: "nvme0n1", DurationNS: ns, Counters: environ.Counters{Reads: n + 40, ReadBytes: n*4*kib + 1<<20}},
	}
	r.Phases = []*Phase{p}
	paint(p, j, "read", flat, flat)
	return r, p, j
}

// paint gives the job a series of throughput, as shares of a hundredth of its mean, and of p99 in units of 10 µs.
func paint(p *Phase, j *Job, name string, rate, p99 func(int) float64) {
	j.Intervals = j.EmptyIntervals(p.IntervalNS)
	rates, tails := series(len(j.Intervals), 0.05, rate), series(len(j.Intervals), 0.05, p99)
	for i := range j.Intervals {
		o := j.Ops[name]
		j.Intervals[i].Ops[name] = IntervalOp{
			IOPS: o.IOPS * rates[i] / 100, Bandwidth: o.Bandwidth * rates[i] / 100, P99NS: int64(tails[i] * 1e4), MaxNS: int64(tails[i] * 2e4),
		}
	}
}

func all(r *Result) []string {
	var list []string
	add := func(ws []Warning) {
		for _, w := range ws {
			list = append(list, w.Code+": "+w.Text)
		}
	}
	add(r.Warnings)
	for _, p := range r.Phases {
		add(p.Warnings)
	}
	return list
}

func TestNothingToSay(t *testing.T) {
	r, _, _ := calm(t)
	Diagnose(r)
	if got := all(r); got != nil {
		t.Errorf("a calm run is warned of:\n%s", strings.Join(got, "\n"))
	}
}

func TestDiagnoseSaysEverythingOnce(t *testing.T) {
	r := mixed(t)
	own := Warning{"no-dioalign", "the runner's own"}
	r.Phases[0].Warnings = []Warning{own}
	Diagnose(r)
	first := all(r)
	Diagnose(r)
	if d := cmp.Diff(first, all(r)); d != "" {
		t.Errorf("diagnosed twice:\n%s", d)
	}
	if r.Phases[0].Warnings[0] != own {
		t.Errorf("first warning %v, want the one that was there", r.Phases[0].Warnings[0])
	}
}

func TestWarnings(t *testing.T) {
	type run struct {
		r *Result
		p *Phase
		j *Job
	}
	device := func(x run) *environ.Device { return x.r.Environment.Storage.Device }
	latency := func(x run, l Latency) { x.j.Ops["read"].Service = &l }
	writing := func(x run) *Op {
		o := x.j.Ops["read"]
		x.j.Ops = map[string]*Op{"write": o}
		x.j.Intervals = nil
		return o
	}
	rated := func(x run) {
		x.j.Conditions.Rate = "20k/s"
		x.j.Lag = &Lag{Scheduled: 960000}
	}
	for name, c := range map[string]struct {
		change func(run)
		want   []string // none: nothing is said
	}{
		"tmpfs": {func(x run) {
			x.r.Environment.Storage = &environ.Storage{Mount: "/dev/shm", FSType: "tmpfs"}
			x.j.Conditions.IO, x.j.Conditions.SizeBytes = "buffered", gib
		}, []string{"no-disk: /dev/shm is tmpfs, which keeps its files in memory: no disk was measured. Give --dir a directory on the storage in question."}},
		"tmpfs, but unused": {func(x run) {
			x.r.EngineInfo.Memory = true
			x.r.Environment.Storage = &environ.Storage{Mount: "/dev/shm", FSType: "tmpfs"}
		}, nil},
		"system disk": {func(x run) { device(x).System = true },
			[]string{"system-disk: nvme0n1 carries the running system too: its own I/O is in the latencies, and it waited for ours. For figures that hold, measure on another disk."}},
		"half the lanes": {func(x run) { device(x).Link.Width = 2 },
			[]string{"slow-link: nvme0n1 is linked at 16.0 GT/s PCIe ×2 where 16.0 GT/s PCIe ×4 is possible: 50 % of the bandwidth. Look at the slot, the riser and the power settings."}},
		"a link without a maximum": {func(x run) { device(x).Link.MaxSpeed = "Unknown" }, nil},
		"no link":                  {func(x run) { device(x).Link = nil }, nil},
		"others before": {func(x run) { x.r.Idle.Reads = 200 },
			[]string{"busy-before: nvme0n1 was busy before the run began: 400 reads and 0 writes a second, 24.0 KiB/s together, over 500 ms. Find who does it with iotop or pidstat -d, and measure when it is quiet."}},
		"nobody looked before": {func(x run) { x.r.Idle = nil }, nil},
		"others during": {func(x run) { x.p.Device.ReadBytes += 600 << 20 },
			[]string{"other-traffic: nvme0n1 read 601 MiB for others while this was measured, beside 3.66 GiB for us. Find who does it with iotop or pidstat -d, and measure when it is quiet."}},
		"others write while we only read": {func(x run) { x.p.Device.WriteBytes += 600 << 20 },
			[]string{"other-traffic: nvme0n1 wrote 600 MiB for others while this was measured, beside 0 B for us. Find who does it with iotop or pidstat -d, and measure when it is quiet."}},
		"a journal may have written": {func(x run) {
			x.p.Device.WriteBytes += 600 << 20
			x.j.Ops["fdatasync"] = &Op{Count: 5000}
		}, nil},
		"the page cache may have answered": {func(x run) {
			x.p.Device.WriteBytes += 600 << 20
			x.j.Conditions.IO, x.j.Conditions.SizeBytes = "buffered", 200*gib
		}, nil},
		"a job that did nothing": {func(x run) {
			x.p.Jobs = append(x.p.Jobs, &Job{Name: "commits", Kind: "clients", Clients: 8, DurationNS: 60 * sec})
		}, []string{"idle: commits: its clients completed neither an operation nor a turn in 60 s. What they wait for may never come: units of a semaphore that clients held when a phase ended do not come back, so that each phase needs a semaphore of its own."}},
		"a stream that did nothing": {func(x run) {
			x.p.Jobs = append(x.p.Jobs, &Job{Name: "rare", Kind: "stream", DurationNS: 60 * sec, Ops: map[string]*Op{"read": {}}})
		}, []string{"idle: rare: no operation was completed in 60 s: measure longer, or raise its rate."}},
		"nothing done in a phase that was broken off": {func(x run) {
			x.p.End = "interrupted"
			x.p.Jobs = append(x.p.Jobs, &Job{Name: "commits", Kind: "clients", Clients: 8, DurationNS: 60 * sec})
		}, nil},
		"only failures": {func(x run) {
			x.p.Jobs = append(x.p.Jobs, &Job{Name: "commits", Kind: "clients", DurationNS: 60 * sec, Ops: map[string]*Op{"read": {Errors: 3}}})
		}, []string{"errors: commits.read: 3 of 3 operations failed. They are neither counted nor timed; the kernel's log may say more."}},
		"busy worker": {func(x run) { x.p.Load.BusyShare = 0.964 },
			[]string{"tool-limit: the busiest worker was at work 96 % of its time and hardly waited for storage: the figures are the tool's pace more than the device's. Give the phase more threads (it has 1)."}},
		"busy on no storage": {func(x run) { x.r.EngineInfo.Memory, x.p.Load.BusyShare = true, 1 }, nil},
		"busy processor": {func(x run) { x.p.CPU.SystemNS = 53 * sec },
			[]string{"cpu-limit: 0.98 processors were used of the 1 that 1 thread could: processor time was the limit, 90 % of it in the kernel. Give the phase more threads, or the machine more processors."}},
		"the kernel's helpers": {func(x run) { x.p.CPU.SystemNS = 80 * sec }, nil},
		"the kernel's helpers, and no processor left": {func(x run) { x.p.CPU.SystemNS, x.r.Environment.CPUs = 110*sec, 2 },
			[]string{"cpu-limit: 1.93 processors were used of the 2 that there are: processor time was the limit, 95 % of it in the kernel. Give the machine more processors."}},
		"helper threads": {func(x run) { x.p.CPU.SystemNS, x.r.Engine = 53*sec, "pool" }, nil},
		"late": {func(x run) { x.p.Load = Load{ReapMeanNS: 120e3, ReapMaxNS: 3 * ms} },
			[]string{"late-reaping: completions lay ready for 120 µs on average (3 ms at most) before a worker took them, in service times from 981 µs: latencies are too high by that. Give the phase more threads, or the clients less to do."}},
		"errors": {func(x run) { x.j.Ops["read"].Errors = 3 },
			[]string{"errors: reads.read: 3 of 960003 operations failed. They are neither counted nor timed; the kernel's log may say more."}},
		"errors of names": {func(x run) { x.j.Ops["read"].Errors, x.j.Ops["read"].ErrorsBy = 3, map[string]int64{"ENOENT": 3} },
			[]string{"errors: reads.read: 3 of 960003 operations failed (3 × ENOENT). They are neither counted nor timed."}},
		"errors of the device among them": {func(x run) {
			x.j.Ops["read"].Errors, x.j.Ops["read"].ErrorsBy = 3, map[string]int64{"ENOENT": 2, "EIO": 1}
		},
			[]string{"errors: reads.read: 3 of 960003 operations failed (1 × EIO, 2 × ENOENT). They are neither counted nor timed; the kernel's log may say more."}},
		"short": {func(x run) { x.j.Ops["read"].Short = 9 },
			[]string{"short-transfers: reads.read: 9 of 960000 operations moved less than they were asked to. Reads do so at a file's end: look at its size and the offsets."}},
		"few": {func(x run) {
			for _, n := range []string{"a", "b", "c", "d", "e", "f", "iteration"} {
				x.j.Ops[n] = span(&Op{Count: 12})
			}
			x.j.Ops["none"] = &Op{}
		}, []string{"few-samples: fewer than 1000 samples, so that p99.9 is the slowest one: reads.iteration 12, reads.a 12, reads.b 12, reads.c 12, reads.d 12, reads.e 12, 1 more. Measure longer."}},
		"cached reads": {func(x run) { x.j.Conditions.IO, x.j.Conditions.SizeBytes = "buffered", 4*gib },
			[]string{"page-cache: reads: reads go through the page cache, and 4 GiB fit in 64 GiB of memory: memory answered, not the disk. Open with direct = true, or use more than 128 GiB."}},
		"more than the cache holds": {func(x run) { x.j.Conditions.IO, x.j.Conditions.SizeBytes = "buffered", 128*gib }, nil},
		"cached writes": {func(x run) { writing(x); x.j.Conditions.IO = "buffered" },
			[]string{"page-cache: reads: writes end in the page cache, in 64 GiB of memory, and nothing waits for the disk. Sync them, or open with direct = true."}},
		"cached and synced writes": {func(x run) {
			writing(x)
			x.j.Conditions.IO = "buffered"
			x.j.Ops["fdatasync"] = &Op{Count: 5000}
		}, nil},
		"cached writes with dsync": {func(x run) { writing(x); x.j.Conditions.IO, x.j.Conditions.Sync = "buffered", "dsync" }, nil},
		"small file": {func(x run) { x.j.Conditions.SizeBytes = 512 << 20 },
			[]string{"small-file: reads: reads are from 512 MiB, which the device's own cache may hold, and then look faster than the medium is. Use 1 GiB or more."}},
		"small file on a disk": {func(x run) { device(x).Rotational, x.j.Conditions.SizeBytes = true, 512<<20 }, nil},
		"step": {func(x run) { paint(x.p, x.j, "read", falls(34, 250, 70), flat) },
			[]string{"step: reads: 157 MiB/s until 34 s and 43.2 MiB/s from then on (73 % less): a write cache or burst credits ran out, or the device got hot. Count on the lower figure, and warm up for longer than 34 s."}},
		"step of a schedule": {func(x run) { rated(x); paint(x.p, x.j, "read", falls(34, 250, 70), flat) }, nil},
		"step as a neighbour comes": {func(x run) {
			paint(x.p, x.j, "read", falls(34, 250, 70), flat)
			x.p.Jobs = append(x.p.Jobs, &Job{Name: "checkpoint", StartNS: 34 * sec, DurationNS: 26 * sec, Conditions: Conditions{IO: "direct"}})
		}, nil},
		"falling": {func(x run) { paint(x.p, x.j, "read", slope(-0.01), flat) },
			[]string{"not-steady: reads: the last third (31.2 MiB/s) is 29 % below the middle third (43.9 MiB/s), so that no steady state was reached. Measure for longer than 60 s."}},
		"rising, without bytes": {func(x run) {
			o := x.j.Ops["read"]
			x.j.Ops = map[string]*Op{"stat": o}
			o.Bytes, o.Bandwidth = 0, 0
			paint(x.p, x.j, "stat", slope(0.02), flat)
			x.p.Device = nil
		}, []string{"not-steady: reads: the last third (31.4 k operations/s) is 24 % above the middle third (25.4 k operations/s), so that no steady state was reached. Measure for longer than 60 s."}},
		"stalls": {func(x run) { paint(x.p, x.j, "read", flat, every(8, 1, 60)) },
			[]string{"stalls: reads.read: p99 peaks every 8 s, 7 times, to 603 µs over 100 µs in between: something works in the background, in the device, the file system or beside them. Count on the peaks."}},
		"tail": {func(x run) { latency(x, Latency{MeanNS: 1e6, P99NS: 12 * ms}) },
			[]string{"tail: reads.read: p99 (12 ms) is 12 times the mean (1 ms). Compare and choose by p99."}},
		"tail of response times": {func(x run) {
			latency(x, Latency{MeanNS: 1e6, P99NS: 2 * ms})
			x.j.Conditions.Rate = "1k/s"
			x.j.Ops["read"].Response = &Latency{MeanNS: 1e6, P99NS: 12 * ms}
		}, []string{"tail: reads.read: p99 of the response times (12 ms) is 12 times the mean (1 ms). Compare and choose by p99."}},
		"tail of a rated client's operations": {func(x run) {
			latency(x, Latency{MeanNS: 1e6, P99NS: 2 * ms})
			x.j.Kind, x.j.Conditions.Rate = "clients", "1k/s"
			x.j.Ops["read"].Response = &Latency{MeanNS: 1e6, P99NS: 12 * ms}
		}, nil},
		"deep": {func(x run) { x.j.Depth = 256; latency(x, Latency{MeanNS: 16e6}) },
			[]string{"deep-queue: reads: 16.0 k operations a second take 16 ms each with 256 in flight. Few applications wait that long: look at a lower depth too."}},
		"shallow": {func(x run) { x.j.Depth = 32 },
			[]string{"shallow-queue: reads: 15.7 operations were in flight on average where the depth is 32. These are the figures of the lower depth; another engine or more threads may reach the one asked for."}},
		"shallow, without a device": {func(x run) { x.j.Depth, x.r.EngineInfo.Memory = 32, true }, nil},
		"shallow by its thinking":   {func(x run) { x.j.Depth, x.j.Conditions.Held = 32, "thinks 1ms after every 8 operations" }, nil},
		"shallow for its failures": {func(x run) { x.j.Depth, x.j.Ops["read"].Errors = 32, 300_000 },
			[]string{"errors: reads.read: 300000 of 1260000 operations failed. They are neither counted nor timed; the kernel's log may say more."}},
		"late by the script's word": {func(x run) { x.j.Ops["read"].Errors, x.j.Ops["read"].ErrorsBy = 3, map[string]int64{"LATE": 3} },
			[]string{"errors: reads.read: 3 of 960003 operations failed (3 × LATE). They are neither counted nor timed."}},
		"in time": {func(x run) { rated(x); x.j.Lag.MeanNS = 9e5 }, nil},
		"behind": {func(x run) { rated(x); x.j.Lag.MeanNS, x.j.Lag.MaxNS = 4e6, 90*ms },
			[]string{"behind-schedule: reads: operations went out 4 ms late on average and 90 ms at most, beside a service time of 981 µs; response times hold the wait. Its operations in flight were all taken: raise the depth, or lower the rate."}},
		"missed": {func(x run) { rated(x); x.j.Lag.Scheduled, x.j.Lag.Missed = 1200000, 240000 },
			[]string{"rate-missed: reads: 960000 of the 1200000 operations that fell due were done (80 %): 20k/s is more than was carried. Lower the rate, or raise the depth if the storage has more to give."}},
	} {
		t.Run(name, func(t *testing.T) {
			r, p, j := calm(t)
			c.change(run{r, p, j})
			Diagnose(r)
			if d := cmp.Diff(c.want, all(r)); d != "" {
				t.Errorf("warnings (-want +got):\n%s", d)
			}
		})
	}
}

// Jobs may be clones by the dozen: what is the same of all is said once, and what differs not of each.
func TestWarningsOfManyJobs(t *testing.T) {
	r, p, j := calm(t)
	p.Jobs = nil
	for i := range 9 {
		c := *j
		c.Name, c.Conditions.SizeBytes = fmt.Sprintf("j.%d", i), 512<<20
		o := *j.Ops["read"]
		o.Service = &Latency{MeanNS: 1e6, P99NS: int64(10+i) * ms}
		c.Ops = map[string]*Op{"read": &o}
		p.Jobs = append(p.Jobs, &c)
	}
	p.Device = nil
	Diagnose(r)
	const much = "Compare and choose by p99."
	want := []string{
		"small-file: j.0, j.1, j.2, j.3, j.4, j.5, 3 more: reads are from 512 MiB, which the device's own cache may hold, and then look faster than the medium is. Use 1 GiB or more.",
		"tail: j.0.read: p99 (10 ms) is 10 times the mean (1 ms). " + much,
		"tail: j.1.read: p99 (11 ms) is 11 times the mean (1 ms). " + much,
		"tail: j.2.read: p99 (12 ms) is 12 times the mean (1 ms). " + much,
		"tail: j.3.read: p99 (13 ms) is 13 times the mean (1 ms). " + much,
		"tail: j.4.read: p99 (14 ms) is 14 times the mean (1 ms). " + much,
		"tail: j.5.read: p99 (15 ms) is 15 times the mean (1 ms). " + much + " It is much the same with 3 more.",
	}
	if d := cmp.Diff(want, all(r)); d != "" {
		t.Errorf("warnings (-want +got):\n%s", d)
	}
	got := Merge([]Warning{{"engine", `job "a": x is not used`}, {"depth", "a: 1"}, {"engine", `job "b": x is not used`}, {"engine", `job "c": y is not used`}})
	if d := cmp.Diff([]Warning{{"engine", `job "a", job "b": x is not used`}, {"engine", `job "c": y is not used`}, {"depth", "a: 1"}}, got); d != "" {
		t.Errorf("merged (-want +got):\n%s", d)
	}
}
