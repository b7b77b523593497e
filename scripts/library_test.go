package scripts_test

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"moonio/engine/report"
	"moonio/scripts/scripttest"
)

func size(t *testing.T, fs interface {
	Stat(string) (int64, bool, error)
}, name string) int64 {
	t.Helper()
	n, _, err := fs.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// A log that grows is as long as what was appended, in the warm-up and after.
func TestWALGrows(t *testing.T) {
	r := run(t, "sim", "wal", map[string]string{"record": "512B", "warmup": "0s"})
	a := r.Op(t, "commit", "session", "append")
	if n := size(t, r.Files, "wal.log"); n != a.Bytes || n != a.Count*512 {
		t.Errorf("%d bytes in the log, %d appended in %d records of 512", n, a.Bytes, a.Count)
	}
}

func TestWALEndsAtItsLimit(t *testing.T) {
	r := run(t, "sim", "wal", map[string]string{"limit": "1MiB", "time": "1h", "warmup": "0s"})
	if n := size(t, r.Files, "wal.log"); n < 1<<20 || n > 1<<20+16*4096 {
		t.Errorf("%d bytes in a log that ends at 1 MiB", n)
	}
}

func TestWALRecycled(t *testing.T) {
	r := run(t, "sim", "wal", map[string]string{"size": "1MiB", "time": "1s"})
	a := r.Op(t, "commit", "session", "append")
	if n := size(t, r.Files, "wal.log"); n != 1<<20 || a.Bytes <= n {
		t.Errorf("%d bytes in a log of 1 MiB, after %d were appended", n, a.Bytes)
	}
}

// Each way of syncing makes that operation, as often as records are appended.
func TestWALSyncs(t *testing.T) {
	for way, op := range map[string]string{"fdatasync": "fdatasync", "fsync": "fsync", "dsync": "", "none": ""} {
		r := run(t, "sim", "wal", map[string]string{"sync": way, "warmup": "0s", "time": "50ms"})
		job := r.Phases[0].Jobs[0]
		for name, o := range job.Ops {
			switch name {
			case "append", op:
				if o.Count != job.Ops["append"].Count {
					t.Errorf("%s: %d × %s for %d appended", way, o.Count, name, job.Ops["append"].Count)
				}
			case "fsync", "fdatasync":
				if o.Count > 0 {
					t.Errorf("%s: %d × %s", way, o.Count, name)
				}
			}
		}
	}
}

// However often the log was rotated, the rotated files are .1 to .keep, each just
// short of the limit.
func TestLogrotateNames(t *testing.T) {
	const limit, line = 20 << 10, 200
	for _, keep := range []int{1, 3, 7} {
		r := run(t, "sim", "logrotate", map[string]string{"keep": strconv.Itoa(keep)})
		rotations := r.Op(t, "logging", "writer", "rotation").Count
		if rotations <= 7 {
			t.Fatalf("only %d rotations", rotations)
		}
		names, err := r.Files.List(".")
		if err != nil {
			t.Fatal(err)
		}
		want := []string{"app.log"}
		for i := range keep {
			want = append(want, fmt.Sprintf("app.log.%d", i+1))
		}
		// The phase may have ended between two steps of a rotation.
		names = slices.DeleteFunc(names, func(n string) bool { return n == "app.log" })
		if len(names) > keep || !subset(names, want) {
			t.Errorf("keep %d: %q is left", keep, names)
		}
		for _, n := range names {
			if got := size(t, r.Files, n); got > limit || got <= limit-line {
				t.Errorf("keep %d: %s has %d bytes", keep, n, got)
			}
		}
		if un := r.Op(t, "logging", "writer", "unlink").Count; un < rotations-int64(keep) || un > rotations {
			t.Errorf("keep %d: %d files deleted in %d rotations", keep, un, rotations)
		}
	}
}

func subset(names, of []string) bool {
	return !slices.ContainsFunc(names, func(n string) bool { return !slices.Contains(of, n) })
}

// Each way of making lines durable makes as many syncs as it says.
func TestLogrotateSyncs(t *testing.T) {
	for way, over := range map[string]string{"line": "append", "rotation": "rotation", "none": ""} {
		r := run(t, "sim", "logrotate", map[string]string{"sync": way})
		ops := r.Phases[0].Jobs[0].Ops
		var got, want int64
		if o := ops["fdatasync"]; o != nil {
			got = o.Count
		}
		if over != "" {
			want = ops[over].Count
		}
		// What was under way at the end may be counted on one side alone.
		if d := got - want; d < -8 || d > 8 || (want == 0) != (got == 0) {
			t.Errorf("sync=%s: %d × fdatasync, %d × %s", way, got, want, over)
		}
	}
}

func TestOLTPHasItsCheckpoint(t *testing.T) {
	r := run(t, "sim", "oltp", nil)
	var jobs []string
	for _, p := range r.Phases {
		for _, j := range p.Jobs {
			jobs = append(jobs, p.Name+" "+j.Name)
		}
	}
	want := "before reads,before flusher,before commits," +
		"checkpoint reads,checkpoint flusher,checkpoint commits,checkpoint checkpoint," +
		"after reads,after flusher,after commits"
	if got := strings.Join(jobs, ","); got != want {
		t.Errorf("jobs are %s", got)
	}
	// What the checkpoint wrote fills the device's cache, which a sync drains.
	before, during := r.Op(t, "before", "commits", "iteration"), r.Op(t, "checkpoint", "commits", "iteration")
	if during.Service.P50NS < 2*before.Service.P50NS {
		t.Errorf("a commit takes %d ns during the checkpoint, and %d before", during.Service.P50NS, before.Service.P50NS)
	}
}

// A device that carries the base and not the burst lets requests wait.
func TestBurstQueues(t *testing.T) {
	r := run(t, "sim:nvme,parallelism=1", "burst", map[string]string{"base": "1k/s", "peak": "50k/s", "depth": "1"})
	op := r.Op(t, "bursts", "requests", "read")
	if op.Response.P99NS < 10*op.Service.P99NS {
		t.Errorf("p99: response %d ns, service %d ns", op.Response.P99NS, op.Service.P99NS)
	}
	// 80 ms of 1 k/s and 20 ms of 50 k/s, five times.
	if op.Count < 4800 || op.Count > 6000 {
		t.Errorf("%d requests, and 5400 fall due", op.Count)
	}
}

func TestLadderNamesTheKnee(t *testing.T) {
	for _, c := range []struct {
		engine       string
		time         string
		knee, enough int
	}{
		{"sim:nvme,parallelism=8", "20ms", 8, 8},
		{"sim:nvme", "20ms", 64, 64},
		{"sim:hdd,stroke=256MiB", "5s", 0, 0},
		{"sim:cloud-volume", "1s", 0, 0},
	} {
		r := run(t, c.engine, "ladder", map[string]string{"time": c.time})
		knee, enough := named(t, r.Printed, "knee"), named(t, r.Printed, "enough")
		if c.knee != 0 && (knee != c.knee || enough != c.enough) || knee < 1 || enough < knee {
			t.Errorf("%s: knee %d, enough %d in\n%s", c.engine, knee, enough, r.Printed)
		}
		depth := 1
		for i, p := range r.Phases {
			if want := fmt.Sprintf("depth %d", depth); p.Name != want || p.Jobs[0].Depth != depth {
				t.Errorf("%s: phase %d is %q at depth %d", c.engine, i+1, p.Name, p.Jobs[0].Depth)
			}
			depth *= 2
		}
	}
}

// named is the depth that a verdict of the ladder's names.
func named(t *testing.T, printed, verdict string) int {
	t.Helper()
	m := regexp.MustCompile(`(?m)^` + verdict + `: depth (\d+), `).FindStringSubmatch(printed)
	if m == nil {
		t.Fatalf("no %s in\n%s", verdict, printed)
	}
	n, err := strconv.Atoi(m[1])
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestLadderEnds(t *testing.T) {
	for _, c := range []struct {
		params map[string]string
		phases int
		why    string
	}{
		{map[string]string{"most": "4"}, 3, "ended: the last depth was reached"},
		{map[string]string{"latency": "200us"}, 8, "ended: p99 passed 200 µs"},
		{map[string]string{"latency": "1us"}, 1, "at depth 1 already, p99 passed 1.00 µs"},
		{nil, 9, "ended: IOPS no longer grow"},
	} {
		r := run(t, "sim:nvme", "ladder", c.params)
		if len(r.Phases) != c.phases || !strings.Contains(r.Printed, c.why+"\n") {
			t.Errorf("%v: %d phases, and not %d with %q:\n%s", c.params, len(r.Phases), c.phases, c.why, r.Printed)
		}
	}
}

func TestFsyncCliff(t *testing.T) {
	r := run(t, "sim", "fsync-cliff", nil)
	free := r.Op(t, "none", "writer", "iteration").Service.MeanNS
	for phase, op := range map[string]string{"fdatasync": "fdatasync", "fsync": "fsync", "O_DSYNC": "append"} {
		o := r.Op(t, phase, "writer", op)
		// A flush takes half a millisecond.
		if o.Service.MeanNS < 400_000 || free > 50_000 {
			t.Errorf("%s: %s takes %.0f ns, a write without it %.0f", phase, op, o.Service.MeanNS, free)
		}
		line := regexp.MustCompile(`(?m)^` + phase + ` .* (\S+) ×$`).FindStringSubmatch(r.Printed)
		if line == nil {
			t.Fatalf("no ratio of %s in\n%s", phase, r.Printed)
		}
		got, err := strconv.ParseFloat(line[1], 64)
		want := r.Op(t, phase, "writer", "iteration").Service.MeanNS / free
		if err != nil || got < 0.99*want || got > 1.01*want {
			t.Errorf("%s: ratio %s printed, and it is %.3g", phase, line[1], want)
		}
	}
}

func TestMixGradient(t *testing.T) {
	r := run(t, "sim", "mix-gradient", map[string]string{"time": "100ms"})
	for i, share := range []float64{1, 0.8, 0.6, 0.4, 0.2, 0} {
		ops := r.Phases[i].Jobs[0].Ops
		reads, writes := counted(ops["read"]), counted(ops["write"])
		if got := reads / (reads + writes); got < share-0.02 || got > share+0.02 {
			t.Errorf("%s: %.2f of the operations are reads", r.Phases[i].Name, got)
		}
	}
	if n := strings.Count(r.Printed, " ×\n"); n != 10 {
		t.Errorf("%d rows, of five mixes with reads and five with writes:\n%s", n, r.Printed)
	}
}

func counted(o *report.Op) float64 {
	if o == nil {
		return 0
	}
	return float64(o.Count)
}

// One sync makes the commits of all who wait for it durable.
func TestGroupCommit(t *testing.T) {
	r := run(t, "sim", "group-commit", map[string]string{"clients": "32"})
	for phase, per := range map[string][2]float64{"each its own": {0.9, 1}, "one for all": {10, 33}} {
		commits := float64(r.Op(t, phase, "session", "iteration").Count)
		syncs := float64(r.Op(t, phase, "session", "fdatasync").Count)
		if got := commits / syncs; got < per[0] || got > per[1] {
			t.Errorf("%s: %.1f commits for a sync", phase, got)
		}
	}
}

func TestEtcdIsAGate(t *testing.T) {
	for engine, passes := range map[string]bool{"sim:nvme": true, "sim:hdd,fsync=20ms": false} {
		r := run(t, engine, "etcd", nil)
		if len(r.Expectations) != 1 || r.Expectations[0].Passed != passes {
			t.Errorf("%s: %+v", engine, r.Expectations)
		}
	}
}

// The limit of a device that serves 8 reads of 80 µs at once is 100 k/s.
func TestMaxRate(t *testing.T) {
	r := run(t, "sim:nvme,parallelism=8", "max-rate", map[string]string{"time": "200ms"})
	m := regexp.MustCompile(`(?m)^highest rate within 10.0 ms at p99: ([\d.]+) k/s$`).FindStringSubmatch(r.Printed)
	if m == nil {
		t.Fatalf("no verdict in\n%s", r.Printed)
	}
	if k, err := strconv.ParseFloat(m[1], 64); err != nil || k < 85 || k > 106 {
		t.Errorf("%s k/s", m[1])
	}
	r = run(t, "sim:hdd", "max-rate", map[string]string{"time": "1s"})
	if !strings.Contains(r.Printed, "even 500/s misses the target of 10.0 ms\n") {
		t.Errorf("of a disk:\n%s", r.Printed)
	}
}

// Of few requests that arrive at random, chance has a few less arrive than are due: that is no fault of the storage's.
func TestMaxRateOfFewRequests(t *testing.T) {
	for seed := range uint64(20) {
		c := scripttest.Config{Seed: seed + 1, Params: map[string]string{"from": "20", "to": "40"}}
		if r := scripttest.Run(t, c, "max-rate", source(t, "max-rate")); !strings.Contains(r.Printed, "all rates up to 40/s meet the target") {
			t.Errorf("seed %d: %v\n%s", seed+1, r.Err, r.Printed)
		}
	}
}

// Writes are fast until the write cache is full, and the device has settled after that.
func TestSteadyState(t *testing.T) {
	r := run(t, "sim:nvme,cache=128MiB,drain=100MB/s", "steady-state", map[string]string{"time": "100ms"})
	first, last := r.Phases[0], r.Phases[len(r.Phases)-1]
	if f, l := first.Jobs[0].Ops["write"].IOPS, last.Jobs[0].Ops["write"].IOPS; f < 2*l {
		t.Errorf("%.0f IOPS in the first round, %.0f in the last", f, l)
	}
	m := regexp.MustCompile(`(?m)^steady from round (\d+) on: `).FindStringSubmatch(r.Printed)
	if m == nil || m[1] != strconv.Itoa(len(r.Phases)-4) || m[1] == "1" {
		t.Errorf("after %d rounds:\n%s", len(r.Phases), r.Printed)
	}
}

// Messages never get more, and every one that was delivered has been synced.
func TestVarmail(t *testing.T) {
	r := run(t, "sim", "varmail", map[string]string{"files": "40"})
	names, err := r.Files.List("spool")
	if err != nil {
		t.Fatal(err)
	}
	if len(names) > 40 || len(names) < 40-16 {
		t.Errorf("%d messages of 40 are left, with 16 threads", len(names))
	}
	ops := r.Phases[0].Jobs[0].Ops
	if d := ops["fsync"].Count - ops["deliver"].Count - ops["reply"].Count; d < 0 || d > 16 {
		t.Errorf("%d syncs of %d deliveries and %d replies", ops["fsync"].Count, ops["deliver"].Count, ops["reply"].Count)
	}
}

// No partition keeps more segments than it may, and consumers read what was produced.
func TestKafka(t *testing.T) {
	r := run(t, "sim", "kafka", map[string]string{"partitions": "3", "keep": "2"})
	for n := 1; n <= 3; n++ {
		names, err := r.Files.List(fmt.Sprintf("topic-%d", n))
		if err != nil {
			t.Fatal(err)
		}
		if len(names) < 2 || len(names) > 3 {
			t.Errorf("partition %d has %q", n, names)
		}
	}
	produced, consumed := r.Op(t, "broker", "producer", "append"), r.Op(t, "broker", "consumer", "read")
	if consumed.Count > produced.Count || consumed.Count < produced.Count*9/10 {
		t.Errorf("%d batches produced, %d consumed", produced.Count, consumed.Count)
	}
}

// Four flushes make a compaction, which reads and writes as much as they wrote.
func TestLSM(t *testing.T) {
	r := run(t, "sim", "lsm", map[string]string{"table": "1MiB"})
	flushes, compactions := r.Op(t, "beside compaction", "flush", "flush").Count, r.Op(t, "beside compaction", "compact", "compaction").Count
	if compactions < flushes/4-1 || compactions > flushes/4 || compactions == 0 {
		t.Errorf("%d flushes, %d compactions", flushes, compactions)
	}
	read, written := r.Op(t, "beside compaction", "compact", "read"), r.Op(t, "beside compaction", "compact", "write")
	if d := read.Bytes - written.Bytes; d < 0 || d > 1<<20 {
		t.Errorf("compactions read %d bytes and wrote %d", read.Bytes, written.Bytes)
	}
}

// The turn is where the device's bandwidth ends what its parallelism would allow.
func TestBlockScan(t *testing.T) {
	r := run(t, "sim", "block-scan", map[string]string{"time": "50ms"})
	turn := regexp.MustCompile(`(?m)^(\d+) KiB .*bandwidth-bound$`).FindAllStringSubmatch(r.Printed, -1)
	if len(turn) != 1 || turn[0][1] != "64" {
		t.Errorf("turn %q in\n%s", turn, r.Printed)
	}
	if n := strings.Count(r.Printed, " ×\n"); n != 5 || strings.Contains(r.Printed, "amplification") {
		t.Errorf("random against sequential writes in\n%s", r.Printed)
	}
}

func TestMatrix(t *testing.T) {
	r := run(t, "sim", "matrix", nil)
	for _, row := range []string{"transactions: reads", "transactions: writes", "export: reads", "log: writes", "surge: writes"} {
		if !regexp.MustCompile(`(?m)^` + row + ` `).MatchString(r.Printed) {
			t.Errorf("no row %q in\n%s", row, r.Printed)
		}
	}
}
