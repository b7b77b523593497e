package model

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"moonio/engine"
	"moonio/engine/trace"
	"moonio/engine/trace/profile"
)

func profiled(list []trace.Record) *profile.Result {
	log := &trace.Log{}
	for _, name := range []string{"/dev/sda 1", "/srv/wal.log"} {
		if _, err := log.Files.ID([]byte(name)); err != nil {
			panic(err)
		}
	}
	p := profile.New()
	for i := range list {
		p.Add(&list[i])
	}
	return p.Result(log)
}

// commits is reads of 8 KiB all over a file, and a log whose every second write is flushed.
func commits() []trace.Record {
	r := rand.New(rand.NewPCG(1, 2))
	var list []trace.Record
	for i := range int64(400) {
		at := i * 1e7
		list = append(list, trace.Record{Time: at, Op: engine.Read, Offset: r.Int64N(1000) * 8192, Length: 8192, Latency: trace.Unknown},
			trace.Record{Time: at + 1e6, Op: engine.Write, Offset: i * 4096, Length: 4096, File: 1, Latency: trace.Unknown})
		if i%2 == 1 {
			list = append(list, trace.Record{Time: at + 2e6, Op: engine.Fdatasync, File: 1, Latency: trace.Unknown})
		}
	}
	return list
}

func TestScript(t *testing.T) {
	m, err := New(profiled(commits()), "a\ntrace")
	if err != nil {
		t.Fatal(err)
	}
	s := m.Script()
	for _, want := range []string{
		`-- A model of a captured workload: "a\ntrace"`,
		`rate = { "200.401/s", "I/Os per second on average; another plays the same in more or less time" },`,
		`time = { "3.992s", "of the trace to play" },`,
		`local file_wal_log = open("wal_log", { size = scaled(1638400), direct = p.direct }) -- /srv/wal.log`,
		`local file_sda_1 = open("sda_1", `,
		`file = file_wal_log, op = "write", at = sequential(), align = "4KiB",`,
		`block = "4KiB",`,
		`rate = part(1, writes), arrival = arrival, fdatasync = 2,`,
		`local arrival = "uniform"`,
		`stream("sda_1 single reads", {`,
		`block = "8KiB",`,
	} {
		if !strings.Contains(s, want) {
			t.Errorf("no %s in\n%s", want, s)
		}
	}
	for _, line := range strings.Split(s, "\n") {
		if strings.HasPrefix(line, "--") && len(line) > 100 {
			t.Errorf("a comment of %d columns: %s", len(line), line)
		}
	}
}

// Where the trace says how long its I/Os took, the script can be a closed loop that thinks as long.
func TestClosedLoop(t *testing.T) {
	list := commits()
	for i := range list {
		list[i].Latency = 2e6
		if list[i].Op == engine.Read {
			list[i].Latency = 25e6 // two and a half in flight on average
		}
	}
	m, err := New(profiled(list), "x")
	if err != nil {
		t.Fatal(err)
	}
	s := m.Script()
	for _, want := range []string{
		"  closed = { false, ",
		"  if p.closed then return nil end\n",
		`local arrival, depth = "uniform", 4`,
		"depth = depth or 1, think = thought(0.00798), think_every = p.closed and 1 or nil,", // of 400 writes in 3.992 s
		"depth = depth or 3, think = thought(0.00494), think_every = p.closed and 3 or nil,",
	} {
		if !strings.Contains(s, want) {
			t.Errorf("no %s in\n%s", want, s)
		}
	}
}

// Trims are a stream beside the writes, of their sizes, but within the file.
func TestTrims(t *testing.T) {
	list := commits()
	var all []trace.Record
	trims := 0
	for i, r := range list {
		all = append(all, r)
		if i%10 == 0 {
			all = append(all, trace.Record{Time: r.Time, Op: engine.Trim, Offset: int64(i*37%100) << 20, Length: 64 << 10, File: r.File, Latency: trace.Unknown})
			trims++
		}
	}
	all = append(all, trace.Record{Time: all[len(all)-1].Time, Op: engine.Trim, Offset: 0, Length: 1 << 40, Latency: trace.Unknown})
	p := profiled(all)
	if p.Trim.Count != int64(trims+1) || p.Trim.Bytes != int64(trims)<<16+1<<40 {
		t.Errorf("%+v", p.Trim)
	}
	m, err := New(p, "x")
	if err != nil {
		t.Fatal(err)
	}
	s := m.Script()
	_, s, found := strings.Cut(s, `trims", {`)
	if !found {
		t.Fatalf("no trims in\n%s", m.Script())
	}
	for _, want := range []string{`op = "trim", at = random(), align = "4KiB"`, `block = "64KiB/`, "rate = part(", ", writes), arrival = arrival"} {
		if !strings.Contains(s, want) {
			t.Errorf("no %s in\n%s", want, s)
		}
	}
	if strings.Contains(s, "TiB") {
		t.Errorf("a trim is larger than the file:\n%s", s)
	}
}

// TestBusyFileComesLast is what strace shows of most applications: they read a few hundred small files before they begin.
func TestBusyFileComesLast(t *testing.T) {
	log, p := &trace.Log{}, profile.New()
	at := int64(0)
	add := func(name string, off int64) {
		id, err := log.Files.ID([]byte(name))
		if err != nil {
			t.Fatal(err)
		}
		at += 1e6
		p.Add(&trace.Record{Time: at, Op: engine.Write, Offset: off, Length: 4096, File: id, Latency: trace.Unknown})
	}
	for i := range 3000 {
		add(fmt.Sprint("/usr/lib/", i), 0)
	}
	for i := range int64(20_000) {
		add("/srv/data", i*7919%1000*4096)
	}
	m, err := New(p.Result(log), "x")
	if err != nil {
		t.Fatal(err)
	}
	if s := m.Script(); !strings.Contains(s, "-- /srv/data") || strings.Contains(s, "/usr/lib") || !strings.Contains(s, `block = "4KiB"`) {
		t.Error(s)
	}
}

// TestHugeOperations are of a size that a device can be given.
func TestHugeOperations(t *testing.T) {
	list := commits()
	list[0].Length = 4 << 30
	m, err := New(profiled(list), "x")
	if err != nil {
		t.Fatal(err)
	}
	if _, s, _ := strings.Cut(m.Script(), "phase("); !strings.Contains(s, ":16MiB/") || strings.Contains(s, "GiB") {
		t.Error(s)
	}
}

func TestWhatCannotBeModelled(t *testing.T) {
	same := []trace.Record{{Op: engine.Read, Length: 1}, {Op: engine.Read, Length: 1}}
	for want, list := range map[string][]trace.Record{
		"a model of x: it has no reads and no writes":                                         nil,
		"a model of x: all its records have the same time, so that there is no rate to model": same,
	} {
		if _, err := New(profiled(list), "x"); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// A course keeps what it is made from, and is no longer than it must be.
func TestCourse(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	line := &profile.Timeline{WidthNS: 1e9}
	all, rates := 0.0, map[int]float64{0: 100, 1: 3, 2: 0, 3: 1000}
	for i := range 400 {
		n := rates[i/100]
		n += math.Round(r.NormFloat64() * math.Sqrt(n))
		line.Counts = append(line.Counts, [2]int64{int64(n), 0})
		all += float64(int64(n))
	}
	steps := course(line, reads)
	ios, seconds := 0.0, 0.0
	for _, s := range steps {
		ios += s.ios
		seconds += s.seconds
	}
	if ios != all || math.Abs(seconds-400) > 1e-9 {
		t.Errorf("%v I/Os in %v s, want %v in 400", ios, seconds, all)
	}
	if len(steps) < 4 || len(steps) > 60 {
		t.Errorf("%d steps", len(steps))
	}
	if one := course(line, writes); len(one) != 1 || one[0] != (step{0, 400}) {
		t.Errorf("of nothing: %v", one)
	}
	for i := range line.Counts {
		line.Counts[i][0] = int64(i%2) * 1000
	}
	if n := len(course(line, reads)); n != mostSteps {
		t.Errorf("%d steps, want %d", n, mostSteps)
	}
}

func TestRuns(t *testing.T) {
	// 100 runs of 4, and 100 single ones.
	g := &group{follows: 300, jumps: 200, alone: 0.5}
	if l, n := g.runs(); l != 4 || n != 400 {
		t.Errorf("runs of %d, %v I/Os", l, n)
	}
	if l, n := (&group{jumps: 10, alone: 1}).runs(); l != 1 || n != 0 {
		t.Errorf("runs of %d, %v I/Os", l, n)
	}
}

func TestManySizes(t *testing.T) {
	var list []profile.SizeCount
	for i := range int64(40) {
		list = append(list, profile.SizeCount{Bytes: 512 * (i + 1), Count: 100 - i})
	}
	got := sized(list, 1, nil, 0)
	mean, sum := 0.0, 0.0
	for _, s := range got {
		mean += float64(s.bytes) * s.weight
		sum += s.weight
	}
	want, n := 0.0, 0.0
	for _, s := range list {
		want += float64(s.Bytes * s.Count)
		n += float64(s.Count)
	}
	if len(got) != mostSizes || math.Abs(sum-1) > 1e-9 || math.Abs(mean-want/n) > 256 {
		t.Errorf("%d sizes, mean %v, want %v", len(got), mean, want/n)
	}
}

func TestNames(t *testing.T) {
	m := &Model{}
	for _, c := range [][2]string{{"/a/b.db", "b_db"}, {"/c/b.db", "b_db_2"}, {"", "data"}, {"/", "data_2"}, {"/x/\x1b[2J", "2J"}, {"../..", "data_3"}} {
		name, variable := m.names(c[0])
		if name != c[1] || variable != "file_"+name {
			t.Errorf("%q is called %q, %q; want %q", c[0], name, variable, c[1])
		}
		m.files = append(m.files, &file{name: name})
	}
}

func TestComparison(t *testing.T) {
	a := profiled(commits())
	rows := Compare(a, a)
	if Places(rows) != 0 || Rhythm(rows) != 0 {
		t.Errorf("a trace differs from itself: %+v", rows)
	}
	b := *a
	b.Footprint, b.Flush.Count = a.Footprint*2, 100
	rows = Compare(a, &b)
	if Places(rows) != 100 {
		t.Errorf("distance %v", Places(rows))
	}
	var out strings.Builder
	if err := WriteComparison(&out, rows); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"+100.0 %\n", "  flushes                      200           100     -50.0 %\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}

// Fitting moves what is drawn towards the trace's figures.
func TestFit(t *testing.T) {
	trace := profiled(commits())
	m, err := New(trace, "x")
	if err != nil {
		t.Fatal(err)
	}
	data := m.files[1] // the log has more operations
	before := data.areas[reads].once
	got := profiled(commits())
	got.Files[0].Name, got.Files[1].Name = m.files[0].name, data.name
	got.Files[1].Read = &profile.Area{Footprint: data.areas[reads].target.Footprint / 2, Theta: data.areas[reads].target.Theta + 1}
	m.Fit(got)
	a := data.areas[reads]
	if a.once <= before || a.theta != 0 {
		t.Errorf("once %v after %v, theta %v", a.once, before, a.theta)
	}
	if log := m.files[0].areas[writes]; log.once != 1 || log.pattern() != "permute()" {
		t.Errorf("nothing of the log is written again: %+v", log)
	}
}
