package report

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"moonio/engine/environ"
	"moonio/engine/hist"
)

var update = flag.Bool("update", false, "rewrite the goldens")

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("%s (-want +got):\n%s", name, d)
	}
}

const (
	us  = int64(time.Microsecond)
	ms  = int64(time.Millisecond)
	sec = int64(time.Second)
	kib = 1 << 10
	gib = 1 << 30
)

// around is a distribution of n latencies: most near mid, one in a hundred ten times that.
func around(n int, mid int64) *hist.Histogram {
	h := hist.New()
	for i := range int64(n) {
		v := mid + (i%21-10)*mid/50
		if i%100 == 99 {
			v = 10 * mid
		}
		h.Record(v)
	}
	return h
}

// op is n operations of block bytes (0: none are moved) over ns.
func op(t *testing.T, n int, block, ns int64, service, response *hist.Histogram) *Op {
	t.Helper()
	o := &Op{Count: int64(n), Bytes: int64(n) * block, BlockMin: block, BlockMax: block}
	o.SetRates(ns)
	if err := o.SetLatency(service, response); err != nil {
		t.Fatal(err)
	}
	return o
}

func span(o *Op) *Op {
	o.Span = true
	return o
}

func desk() environ.Environment {
	return environ.Environment{
		Hostname: "desk", Kernel: "6.8.0-45-generic", Arch: "amd64", CPU: "AMD Ryzen 9 5950X 16-Core Processor", CPUs: 32, MemoryBytes: 64 * gib,
		Storage: &environ.Storage{
			Path: "/data/run", Mount: "/data", FSType: "ext4", Options: "rw,relatime,errors=remount-ro", Source: "/dev/nvme0n1p2",
			Device: &environ.Device{
				Name: "nvme0n1", Partition: "nvme0n1p2", Model: "Samsung SSD 980 PRO 1TB", Firmware: "5B2QGXA7", Driver: "nvme",
				SizeBytes: 1953525168 * 512, Scheduler: "none", Requests: 1023, LogicalBlock: 512, PhysicalBlock: 512, WriteCache: "write back",
				Link: &environ.Link{Speed: "8.0 GT/s PCIe", MaxSpeed: "16.0 GT/s PCIe", Width: 4, MaxWidth: 4}, System: true,
			},
		},
	}
}

func result(name string) *Result {
	return &Result{
		Tool: Tool{Version: "0.1.0"}, Seed: 42, Started: time.Date(2026, 3, 14, 15, 9, 26, 0, time.FixedZone("", 3600)),
		Script: Script{Name: name, SHA256: "d2a84f4b8b650937ec8f73cd8be2c74add5a911ba64df27458ed8229da804a26"},
		Engine: "io_uring", EngineInfo: EngineInfo{Why: "the fastest that works here"}, Environment: desk(),
	}
}

// wal is a short run of one group of clients.
func wal(t *testing.T) *Result {
	const ns, n = 4 * 1e9, 12000
	r := result("wal")
	r.DurationNS = 32*sec + 10*ms
	r.Script.Params = map[string]any{"record": "4KiB", "clients": 16, "time": "4s"}
	j := &Job{
		Name: "session", Kind: "clients", Threads: 1, Clients: 16, DurationNS: ns,
		Conditions: Conditions{Files: []string{"wal.log"}, FileCount: 1, SizeBytes: gib, IO: "direct"},
		Ops: map[string]*Op{
			"append":    op(t, n, 4*kib, ns, around(n, 92*us), around(n, 95*us)),
			"fdatasync": op(t, n, 0, ns, around(n, 1210*us), around(n, 1215*us)),
			"iteration": span(op(t, n, 0, ns, around(n, 1312*us), nil)),
			"commit":    span(op(t, n, 0, ns, around(n, 1311*us), nil)),
		},
	}
	j.Intervals = j.EmptyIntervals(sec)
	for i := range j.Intervals {
		if i != 2 { // a stall of a second
			j.Intervals[i].Ops["append"] = IntervalOp{IOPS: 4000, Bandwidth: 4000 * 4 * kib, P50NS: 92 * us, P99NS: 920 * us, MaxNS: 920 * us}
		}
	}
	r.Phases = []*Phase{{
		Name: "commit", StartNS: 2 * sec, WarmupNS: 2 * sec, DurationNS: ns, IntervalNS: sec, Threads: 1, End: "duration",
		CPU: CPU{UserNS: 200 * ms, SystemNS: 300 * ms}, Load: Load{BusyShare: 0.11, ReapMeanNS: 800, ReapMaxNS: 41 * us}, Jobs: []*Job{j},
	}}
	r.Expectations = []Expectation{{Text: "a commit must reach the disk within 5 ms at p99", Passed: true, File: "wal.lua", Line: 14}}
	return r
}

// mixed has all that can be said at once: an open loop, buffered writes,
// errors, a job that comes later, a failed expectation.
func mixed(t *testing.T) *Result {
	const ns = 60 * 1e9
	r := result("oltp.lua")
	r.DurationNS = ns + sec
	r.Log = []LogLine{{TNS: 31*sec + 250*ms, Text: "checkpoint begins"}}
	r.Idle = &Traffic{Device: "nvme0n1", DurationNS: 500 * ms, Counters: environ.Counters{Reads: 310, ReadBytes: 20 << 20, Writes: 4, WriteBytes: 16 * kib}}
	reads := &Job{
		Name: "reads", Kind: "stream", Threads: 2, Depth: 16, DurationNS: ns,
		Conditions: Conditions{Pattern: "zipf(1.1)", Files: []string{"data"}, FileCount: 1, SizeBytes: 8 * gib, IO: "direct", Rate: "2k/s", Arrival: "poisson"},
		Lag:        &Lag{Scheduled: 120000, Missed: 9988, MeanNS: 3.2e6, MaxNS: 210 * ms},
		Ops:        map[string]*Op{"read": op(t, 110000, 8*kib, ns, around(110000, 140*us), around(110000, 3400*us))},
	}
	reads.Ops["read"].Errors, reads.Ops["read"].ErrorsBy = 12, map[string]int64{"EIO": 11, "ENODATA": 1}
	flusher := &Job{
		Name: "flusher", Kind: "stream", Threads: 2, Depth: 4, DurationNS: ns,
		Conditions: Conditions{Pattern: "random", Files: []string{"a", "b", "c"}, FileCount: 12, SizeBytes: 24 * gib, IO: "buffered"},
		Ops:        map[string]*Op{"write": op(t, 2000000, 8*kib, ns, around(2000000, 9*us), nil)},
	}
	checkpoint := &Job{
		Name: "checkpoint", Kind: "stream", Threads: 2, Depth: 8, StartNS: 20 * sec, DurationNS: 5 * sec,
		Conditions: Conditions{Pattern: "sequential", Files: []string{"data"}, FileCount: 1, SizeBytes: 8 * gib, IO: "direct", Sync: "dsync"},
		Ops:        map[string]*Op{"write": op(t, 640, 1<<20, 5*sec, around(640, 61*ms), nil)},
	}
	checkpoint.Ops["write"].BlockMin, checkpoint.Ops["write"].Short = 512*kib, 1
	r.Phases = []*Phase{{
		Name: "mixed", DurationNS: ns, IntervalNS: sec, Threads: 2, End: "interrupted",
		CPU: CPU{UserNS: 20 * sec, SystemNS: 31 * sec}, Load: Load{BusyShare: 0.93}, Jobs: []*Job{reads, flusher, checkpoint},
	}}
	r.Expectations = []Expectation{
		{Text: "page reads stay below 2 ms at p99", File: "oltp.lua", Line: 21},
		{Text: "flushing keeps up", Passed: true, File: "oltp.lua", Line: 22},
	}
	r.Exit = Exit{Code: 4, Reason: "1 of 2 expectations failed"}
	return r
}

// ladder has phases that differ in depth alone, on a simulated device.
func ladder(t *testing.T) *Result {
	r := result("ladder")
	r.Engine, r.EngineInfo = "sim", EngineInfo{Detail: "profile nvme", Virtual: true, Memory: true}
	r.Environment = environ.Environment{}
	r.Started = time.Time{}
	r.DurationNS = 30 * sec
	for i, depth := range []int{1, 16, 256} {
		n := 20000 * (i + 1)
		mid := int64(depth) * 10 * sec / int64(n) * 100 / 109
		j := &Job{
			Name: "reads", Kind: "stream", Threads: 1, Depth: depth, DurationNS: 10 * sec,
			Conditions: Conditions{Pattern: "random", Files: []string{"data"}, FileCount: 1, SizeBytes: 512 << 20, IO: "direct"},
			Ops:        map[string]*Op{"read": op(t, n, 4*kib, 10*sec, around(n, mid), nil)},
		}
		r.Phases = append(r.Phases, &Phase{
			Name: "depth " + []string{"1", "16", "256"}[i], StartNS: int64(i) * 10 * sec, DurationNS: 10 * sec, IntervalNS: sec, Threads: 1, End: "duration", Jobs: []*Job{j},
		})
	}
	return r
}

// broken is a run that failed before anything was measured.
func broken() *Result {
	r := result("broken.lua")
	r.Environment.Storage.Device = nil
	r.DurationNS = 3*sec + 141*ms
	r.Phases = []*Phase{{Name: "load", Threads: 1, End: "error", Error: "write data offset 4096: no space left on device (ENOSPC)", Jobs: []*Job{{Name: "fill", Kind: "stream", Depth: 4}}}}
	r.Exit = Exit{Code: 1, Reason: "write data offset 4096: no space left on device (ENOSPC)"}
	return r
}

func TestTextGoldens(t *testing.T) {
	for name, r := range map[string]*Result{"wal": wal(t), "mixed": mixed(t), "ladder": ladder(t), "broken": broken()} {
		Diagnose(r)
		var b bytes.Buffer
		if err := WriteText(&b, r, TextOptions{}); err != nil {
			t.Fatal(err)
		}
		golden(t, name+".txt", b.String())
	}
}
