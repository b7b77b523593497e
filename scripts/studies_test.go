package scripts_test

import (
	"regexp"
	"strings"
	"testing"
)

// However it is split up, the same number of operations is in flight.
func TestJobsDepth(t *testing.T) {
	r := run(t, "sim", "jobs-depth", map[string]string{"total": "8", "op": "write"})
	for i, want := range []string{"1 × 8", "2 × 4", "4 × 2", "8 × 1"} {
		j := r.Phases[i].Jobs[0]
		if r.Phases[i].Name != want || j.Depth != 8 || j.Threads != 1<<i {
			t.Errorf("phase %q: %d threads, depth %d, want %q", r.Phases[i].Name, j.Threads, j.Depth, want)
		}
	}
	if !regexp.MustCompile(`(?m)^1 × 8 .* 100 %$`).MatchString(r.Printed) {
		t.Errorf("printed\n%s", r.Printed)
	}
}

func TestStack(t *testing.T) {
	r := run(t, exact, "stack", nil)
	for _, row := range []string{`reads, disk .* 1\.00 ×`, `writes, disk .* 1\.00 ×`, `durable writes .* 11\.\d ×`} {
		if !regexp.MustCompile(`(?m)^` + row + `$`).MatchString(r.Printed) {
			t.Errorf("no %s in\n%s", row, r.Printed)
		}
	}
}

// A write cache that runs full shows in the last window, and fails the run if it is asked to.
func TestEndurance(t *testing.T) {
	const filling = "sim:nvme,cache=64MiB,drain=20MB/s"
	r := run(t, filling, "endurance", map[string]string{"time": "2s", "window": "30ms", "limit": "50"})
	if len(r.Expectations) != 1 || r.Expectations[0].Passed {
		t.Errorf("expectations %+v of\n%s", r.Expectations, r.Printed)
	}
	if !regexp.MustCompile(`(?m)^first 30\.0 ms .*\nlast 30\.0 ms .*\nslowest, at .*\nthe last has -9\d\.\d % of the first's IOPS, and `).MatchString(r.Printed) {
		t.Errorf("printed\n%s", r.Printed)
	}
	if r = run(t, "sim", "endurance", map[string]string{"limit": "50"}); !r.Expectations[0].Passed {
		t.Errorf("a steady device fails:\n%s", r.Printed)
	}
}

// One disk that serves one operation of 100 µs at a time does 10 k/s.
func TestSizing(t *testing.T) {
	r := run(t, exact, "sizing", map[string]string{"peak": "20000", "capacity": "2TB", "disk": "960GB", "target": "500us", "time": "100ms"})
	for _, want := range []string{
		"one disk: 10.0 k/s at depth 1, p99 100 µs\n", "for the load: 3, which is 20000/s by 10.0 k/s, 1.4 times\n",
		"for the data: 3 of ", "disks: 3, as the load asks for\n",
	} {
		if !strings.Contains(r.Printed, want) {
			t.Errorf("no %q in\n%s", want, r.Printed)
		}
	}
	r = run(t, exact, "sizing", map[string]string{"target": "1us"})
	if !strings.Contains(r.Printed, "no depth meets the target of 1.00 µs\n") || len(r.Phases) != 1 {
		t.Errorf("printed\n%s", r.Printed)
	}
	if r = run(t, exact, "sizing", nil); !strings.Contains(r.Printed, "for the data: unknown; give disk") {
		t.Errorf("printed\n%s", r.Printed)
	}
}

// Eight writes of 100 µs and a sync of 1 ms take 1.8 ms, one write and a sync 1.1.
func TestAppChanges(t *testing.T) {
	r := run(t, exact, "app-changes", map[string]string{"time": "1s"})
	for _, row := range []string{`one write and a sync .* 1\.6\d ×`, `kept open .* 1\.\d\d ×`, `records synced together .* 6\.\d\d ×`} {
		if !regexp.MustCompile(`(?m)^` + row + `$`).MatchString(r.Printed) {
			t.Errorf("no %s in\n%s", row, r.Printed)
		}
	}
}

// What one run printed is what the next is held against.
func TestHealth(t *testing.T) {
	r := run(t, exact, "health", map[string]string{"time": "200ms"})
	m := regexp.MustCompile(`next time: -p rates=(\S+) -p tails=(\S+)\n`).FindStringSubmatch(r.Printed)
	if m == nil || len(r.Expectations) != 0 {
		t.Fatalf("%d expectations, and printed\n%s", len(r.Expectations), r.Printed)
	}
	for engine, passes := range map[string]bool{exact: true, strings.Replace(exact, "100us", "150us", 2): false} {
		r := run(t, engine, "health", map[string]string{"time": "200ms", "rates": m[1], "tails": m[2]})
		if len(r.Expectations) != 8 || r.Expectations[0].Passed != passes || r.Expectations[1].Passed != passes {
			t.Errorf("%s: %+v", engine, r.Expectations)
		}
	}
	fails(t, "health", map[string]string{"rates": "1,2"}, `rates: "1,2" is not what an earlier run printed`)
}
