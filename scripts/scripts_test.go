package scripts_test

import (
	"context"
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"moonio/scripts"
	"moonio/scripts/scripttest"
	"moonio/vm"
)

// short are the parameters with which a script is done in no time.
var short = map[string]map[string]string{
	"app-changes":  {"time": "20ms"},
	"block-scan":   {"time": "10ms", "warmup": "1ms"},
	"bonnie":       {"s": "1M", "chars": "64", "seeks": "100"},
	"burst":        {"time": "500ms", "every": "100ms", "length": "20ms"},
	"dd":           {"bs": "64k", "count": "20"},
	"diskspd":      {"d": "20ms", "W": "1ms", "c": "1M"},
	"endurance":    {"time": "100ms", "window": "30ms", "step": "10ms"},
	"etcd":         {"total": "1MiB"},
	"fsync-cliff":  {"time": "50ms"},
	"group-commit": {"time": "50ms"},
	"health":       {"time": "20ms", "warmup": "1ms", "size": "16MiB"},
	"hdparm":       {"time_t": "50ms", "time_T": "50ms", "size": "8MiB"},
	"ioping":       {"count": "3"},
	"jobs-depth":   {"time": "10ms", "warmup": "1ms"},
	"kafka":        {"time": "1s", "segment": "1MiB"},
	"ladder":       {"time": "10ms", "warmup": "1ms"},
	"logrotate":    {"time": "500ms", "limit": "20KiB"},
	"lsm":          {"time": "500ms", "flush": "20ms"},
	"matrix":       {"time": "20ms", "warmup": "1ms"},
	"max-rate":     {"time": "50ms", "warmup": "1ms"},
	"mix-gradient": {"time": "20ms", "warmup": "1ms"},
	"oltp":         {"time": "200ms"},
	"replay":       {},
	"sizing":       {"time": "10ms", "warmup": "1ms"},
	"stack":        {"time": "10ms"},
	"steady-state": {"time": "10ms"},
	"sysbench":     {"time": "20ms", "file-num": "4", "file-total-size": "1M"},
	"varmail":      {"time": "200ms"},
	"vdbench":      {"elapsed": "20ms", "interval": "10ms"},
	"wal":          {"time": "200ms", "warmup": "10ms"},
}

// texts are the scripts whose parameters may be names, or lists as another tool writes them.
var texts = map[string]bool{"replay": true, "dd": true, "diskspd": true, "vdbench": true, "ioping": true, "hdparm": true, "jobs-depth": true, "health": true}

func source(t testing.TB, name string) string {
	t.Helper()
	s, ok := scripts.Source(name)
	if !ok {
		t.Fatalf("no script %q", name)
	}
	return s
}

// run runs a script that must succeed, in no time unless params say otherwise.
func run(t testing.TB, engine, name string, params map[string]string) *scripttest.Result {
	t.Helper()
	all := map[string]string{}
	for _, set := range []map[string]string{short[name], params} {
		for k, v := range set {
			all[k] = v
		}
	}
	r := scripttest.Run(t, scripttest.Config{Engine: engine, Params: all}, name, source(t, name))
	if r.Err != nil {
		t.Fatalf("%s on %s: %v", name, engine, r.Err)
	}
	return r
}

func each(t *testing.T, f func(t *testing.T, name string)) {
	for _, s := range scripts.Names() {
		t.Run(s.Name, func(t *testing.T) { f(t, s.Name) })
	}
}

func TestSource(t *testing.T) {
	if _, ok := scripts.Source("nothing"); ok {
		t.Error("there is a script of a name that none has")
	}
	if _, ok := scripts.Source("../scripts/wal"); ok {
		t.Error("a path is taken for a name")
	}
	if n := len(scripts.Names()); n != len(short) {
		t.Errorf("%d scripts, and %d in this test", n, len(short))
	}
}

// docs/scripts.md names every script.
func TestDocs(t *testing.T) {
	page, err := os.ReadFile("../docs/scripts.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range scripts.Names() {
		if !regexp.MustCompile("`(moonio run )?" + s.Name + "[` ]").Match(page) {
			t.Errorf("docs/scripts.md does not name %s", s.Name)
		}
	}
}

// A script begins with its name and one line about it, and then says what it
// models and what to read in the result.
func TestHeads(t *testing.T) {
	head := regexp.MustCompile(`\A-- ([a-z-]+): (\S.{20,110}[^.])\n--\n((?:--.*\n){3,})(local|phase)`)
	for _, s := range scripts.Names() {
		m := head.FindStringSubmatch(source(t, s.Name))
		switch {
		case m == nil:
			t.Errorf("%s: its head is not a line \"-- %s: what it measures\", an empty comment, and then a description", s.Name, s.Name)
		case m[1] != s.Name || m[2] != s.Summary:
			t.Errorf("%s: its head says %q, and its summary is %q", s.Name, m[1]+": "+m[2], s.Summary)
		case !strings.Contains(m[3], "In the ") && !strings.Contains(m[3], "A line is"):
			t.Errorf("%s: its head does not say what to read", s.Name)
		}
	}
}

func TestParameters(t *testing.T) {
	each(t, func(t *testing.T, name string) {
		s, err := vm.Load(name+".lua", source(t, name))
		if err != nil {
			t.Fatal(err)
		}
		params, err := s.Params(context.Background(), scripttest.Require)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range params {
			if len(p.Help) < 10 || strings.HasSuffix(p.Help, ".") {
				t.Errorf("%s: help %q", p.Name, p.Help)
			}
			if p.Kind == "text" && !texts[name] {
				t.Errorf("%s: it has no type", p.Name)
			}
		}
	})
}

// A run by default takes half a minute at most, and little room.
func TestChecks(t *testing.T) {
	const most, room = 30 * time.Second, 320 << 20
	each(t, func(t *testing.T, name string) {
		r := scripttest.Run(t, scripttest.Config{Check: true}, name, source(t, name))
		if r.Err != nil {
			t.Fatal(r.Err)
		}
		if r.Printed != "" {
			t.Errorf("prints %q, though nothing was measured", r.Printed)
		}
		var takes time.Duration
		for _, p := range r.Plan.Phases {
			takes += p.Warmup + p.Duration
		}
		if takes > most || len(r.Plan.Phases) == 0 {
			t.Errorf("%d phases take %v", len(r.Plan.Phases), takes)
		}
		var bytes int64
		files := map[string]int64{}
		for _, f := range r.Plan.Files {
			files[f.Name] = max(files[f.Name], f.Size)
		}
		for _, n := range files {
			bytes += n
		}
		if bytes > room {
			t.Errorf("its files take %d bytes", bytes)
		}
	})
}

// Every job of every phase does something, nothing fails, and the same seed gives
// the same again.
func TestRuns(t *testing.T) {
	each(t, func(t *testing.T, name string) {
		t.Parallel()
		r := run(t, "sim", name, nil)
		for _, p := range r.Phases {
			for _, j := range p.Jobs {
				var done int64
				for op, o := range j.Ops {
					done += o.Count
					if o.Errors > 0 || o.Short > 0 {
						t.Errorf("phase %q: %s.%s: %d errors, %d short", p.Name, j.Name, op, o.Errors, o.Short)
					}
				}
				if done == 0 {
					t.Errorf("phase %q: %s did nothing", p.Name, j.Name)
				}
			}
		}
		again := run(t, "sim", name, nil)
		if again.Printed != r.Printed {
			t.Errorf("printed\n%s\nand then\n%s", r.Printed, again.Printed)
		}
		if asJSON(t, r.Phases) != asJSON(t, again.Phases) {
			t.Error("the same seed measured something else")
		}
		sane(t, r.Printed)
	})
}

func asJSON(t *testing.T, v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// sane says that no figure is the outcome of a division by nothing.
func sane(t *testing.T, printed string) {
	t.Helper()
	if m := regexp.MustCompile(`(?i).*(\bnan\b|\binf|nil|e\+\d\d|%!).*`).FindString(printed); m != "" {
		t.Errorf("printed %q", m)
	}
}

// Where operations take no time, and where none completes, there is nothing to divide by.
func TestNothingToDivideBy(t *testing.T) {
	each(t, func(t *testing.T, name string) {
		if _, ok := short[name]["time"]; !ok {
			t.Skip("it is not limited by time alone")
		}
		params := map[string]string{"time": "3ms"}
		if _, ok := short[name]["warmup"]; ok {
			params["warmup"] = "0s"
		}
		sane(t, run(t, "null", name, params).Printed)
		params["time"] = "1us"
		sane(t, run(t, "sim:hdd", name, params).Printed)
	})
}
