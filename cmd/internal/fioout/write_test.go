package fioout

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"moonio/engine"
	"moonio/engine/fault"
	"moonio/engine/report"
	"moonio/engine/run"
)

func faulty(t *testing.T, rule string) func(engine.Engine, uint64) engine.Engine {
	t.Helper()
	r, err := fault.Parse(rule)
	if err != nil {
		t.Fatal(err)
	}
	return func(e engine.Engine, seed uint64) engine.Engine { return fault.Wrap(e, []*fault.Rule{r}, seed) }
}

func TestErrors(t *testing.T) {
	p := play(t, simulated(t), run.Phase{Wrap: faulty(t, "read:errno=EIO,nth=10")}, load{jobOf("j", 0), stream4K(t, 1, 100, engine.Read)})
	doc := p.write(t, "normal", Settings{})
	for _, want := range []string{"err= 5 (Input/output error): pid=", "issued rwts: total=10,0,0,0"} {
		if !strings.Contains(doc, want) {
			t.Errorf("no %q in\n%s", want, doc)
		}
	}
	p = play(t, simulated(t), run.Phase{Count: true, Wrap: faulty(t, "read:errno=EIO,every=10")},
		load{jobOf("j", 0, "continue_on_error", "io"), stream4K(t, 1, 100, engine.Read)})
	doc = p.write(t, "json,normal", Settings{})
	for _, want := range []string{`"error" : 5,`, `"total_err" : 10,`, `"first_error" : 5,`, "errors    : total=10, first_error=5/<Input/output error>"} {
		if !strings.Contains(doc, want) {
			t.Errorf("no %q in\n%s", want, doc)
		}
	}
}

// A stall is in the samples, and jobs of a group are added up window by window.
func TestSamples(t *testing.T) {
	group := []string{"group_reporting", "1", "rw", "randread"}
	late := stream4K(t, 1, 0, engine.Read)
	p := play(t, simulated(t), run.Phase{Duration: 2250 * time.Millisecond},
		load{jobOf("a", 0, group...), stream4K(t, 1, 100, engine.Read)}, load{jobOf("b", 0, group...), late})
	e, err := collect(&p.result, p.jobs)
	if err != nil {
		t.Fatal(err)
	}
	if y := e[0].ways[reads]; len(e) != 1 || e[0].members != 2 || y.iops.n != 4 || y.iops.max-y.iops.min < 150 {
		t.Errorf("%d entries, samples %+v; want 4 windows, of which the first has 200 a second more", len(e), y.iops)
	}
	p = play(t, simulated(t), run.Phase{Duration: 2250 * time.Millisecond, Wrap: faulty(t, "read:delay=1700ms,nth=500")},
		load{jobOf("j", 0, "rw", "randread"), stream4K(t, 1, 0, engine.Read)})
	if e, err = collect(&p.result, p.jobs); err != nil {
		t.Fatal(err)
	}
	if y := e[0].ways[reads]; y.iops.n != 4 || y.iops.min != 0 || y.bw.min != 0 {
		t.Errorf("samples %+v, want 4 of which the least is 0", y.iops)
	}
}

// A document on one line is the same as one on many, and jobs that have not begun are in it.
func TestLines(t *testing.T) {
	p := play(t, simulated(t), run.Phase{}, load{jobOf("j", 0, "rw", "randread"), stream4K(t, 1, 100, engine.Read)})
	later := p.jobs[0]
	later.Job.Name, later.Phase, later.Stage, later.Group = "later", "another", 1, 1
	p.jobs = append(p.jobs, later)
	line := p.write(t, "json", Settings{Lines: true, ETA: 5 * time.Second})
	if strings.Count(line, "\n") != 1 || !strings.HasSuffix(line, "}\n") {
		t.Errorf("%d lines", strings.Count(line, "\n"))
	}
	var a, b map[string]any
	if err := json.Unmarshal([]byte(line), &a); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(p.write(t, "json", Settings{ETA: 5 * time.Second})), &b); err != nil {
		t.Fatal(err)
	}
	if len(a["jobs"].([]any)) != 2 || len(a) != len(b) {
		t.Errorf("%v", a)
	}
	if n := a["jobs"].([]any)[1].(map[string]any)["read"].(map[string]any)["total_ios"]; n != 0.0 {
		t.Errorf("a job that has not begun has done %v operations", n)
	}
}

func TestETA(t *testing.T) {
	for _, c := range []struct {
		elapsed, left time.Duration
		want          int64
	}{{time.Second, 5 * time.Second, math.MaxInt32}, {4 * time.Second, 5 * time.Second, 5}, {4 * time.Second, -1, math.MaxInt32}, {time.Minute, 0, 0}} {
		d := &document{elapsed: c.elapsed, set: Settings{ETA: c.left}}
		if got := d.eta(); got != c.want {
			t.Errorf("%v left after %v: %d, want %d", c.left, c.elapsed, got, c.want)
		}
	}
}

// fio's bins hold what they hold in fio, and a bin's value lies within it.
func TestBins(t *testing.T) {
	for ns, want := range map[int64]int{0: 0, 127: 127, 128: 128, 129: 128, 130: 129, 255: 191, 256: 192, 1000: 317, 17_112_760_319: numBins - 1} {
		if got := binOf(ns); got != want {
			t.Errorf("%d ns are in bin %d, want %d", ns, got, want)
		}
	}
	for i := range numBins + 300 {
		if got := binOf(binValue(i)); got != i {
			t.Fatalf("the value %d of bin %d is in bin %d", binValue(i), i, got)
		}
	}
}

func TestSpread(t *testing.T) {
	var s spread
	for _, c := range []struct{ ns, unit, at int64 }{{1, 0, 0}, {2, 0, 1}, {999, 0, 9}, {1000, 1, 0}, {9999, 1, 2}, {10_000, 1, 3}, {999_999, 1, 9}, {1_999_999_999, 2, 10}, {2_000_000_000, 2, 11}, {90e9, 2, 11}} {
		before := s[c.unit][c.at]
		s.count(c.ns, 1)
		if s[c.unit][c.at] != before+1 {
			t.Errorf("%d ns do not count at %d of unit %d: %v", c.ns, c.at, c.unit, s)
		}
	}
}

// Distributions added up are that of all values.
func TestTimesAdd(t *testing.T) {
	p := play(t, simulated(t), run.Phase{}, load{jobOf("j", 0), stream4K(t, 2, 500, engine.Read, engine.Write)})
	ops := p.result.Phases[0].Jobs[0].Ops
	var all times
	var sum float64
	for _, l := range []*report.Latency{ops["read"].Service, ops["write"].Service} {
		d, err := newTimes(l)
		if err != nil {
			t.Fatal(err)
		}
		sum += d.mean * float64(d.n)
		all.add(&d)
	}
	if all.n != 500 || !near(all.mean*500, sum) || all.min != min(ops["read"].Service.MinNS, ops["write"].Service.MinNS) {
		t.Errorf("%d values, mean %v, min %d", all.n, all.mean, all.min)
	}
	list := all.percentiles([]float64{0.001, 50, 100})
	if list[0] < all.min || list[1] < list[0] || list[2] != all.max {
		t.Errorf("percentiles %v of times from %d to %d", list, all.min, all.max)
	}
}
