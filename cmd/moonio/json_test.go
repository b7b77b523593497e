package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// readJSON reads a file that holds one JSON document and nothing else.
func readJSON(ts *testscript.TestScript, file string) any {
	d := json.NewDecoder(strings.NewReader(ts.ReadFile(file)))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		ts.Fatalf("%s: %v", file, err)
	}
	if _, err := d.Token(); err != io.EOF {
		ts.Fatalf("%s: there is more after the document", file)
	}
	return v
}

// at is the value at a path such as phases/0/name; nil if there is none.
func at(v any, path string) any {
	for _, step := range strings.Split(path, "/") {
		switch x := v.(type) {
		case map[string]any:
			v = x[step]
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i >= len(x) {
				return nil
			}
			v = x[i]
		default:
			return nil
		}
	}
	return v
}

// json FILE PATH VALUE says what is at a path of a JSON document, "none" for nothing.
func jsonValue(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 3 {
		ts.Fatalf("usage: json FILE PATH VALUE")
	}
	got := "none"
	if v := at(readJSON(ts, args[0]), args[1]); v != nil {
		got = fmt.Sprint(v)
	}
	if (got == args[2]) == neg {
		ts.Fatalf("%s of %s is %s", args[1], args[0], got)
	}
}

// agree A B PATH… says that two files have the same values at the paths.
func agree(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 {
		ts.Fatalf("usage: agree A B PATH…")
	}
	a, b := readJSON(ts, args[0]), readJSON(ts, args[1])
	for _, path := range args[2:] {
		if x, y := at(a, path), at(b, path); x == nil || fmt.Sprint(x) != fmt.Sprint(y) {
			ts.Fatalf("%s is %v in %s and %v in %s", path, x, args[0], y, args[1])
		}
	}
}

// filesize FILE RESULT PATH says that a file is as large as a result's value says.
func fileSize(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: filesize FILE RESULT PATH")
	}
	st, err := os.Stat(ts.MkAbs(args[0]))
	ts.Check(err)
	if want := fmt.Sprint(at(readJSON(ts, args[1]), args[2])); fmt.Sprint(st.Size()) != want {
		ts.Fatalf("%s has %d bytes, and the result says %s", args[0], st.Size(), want)
	}
}

// little FILE holds a result's closed streams to Little's law: the time that their operations
// took together is the depth times the phase's length.
func little(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: little FILE")
	}
	c := checker{ts}
	checked := 0
	for _, p := range c.list(readJSON(ts, args[0]), "phases") {
		for _, j := range c.list(p, "jobs") {
			if at(j, "kind") != "stream" || at(j, "conditions/rate") != nil {
				continue
			}
			checked++
			sum := 0.0
			ops, _ := at(j, "ops").(map[string]any)
			for _, v := range ops {
				sum += c.number(v, "count") * c.number(v, "service/mean_ns")
			}
			if want := c.number(j, "depth") * c.number(j, "duration_ns"); math.Abs(sum-want) > 0.05*want {
				ts.Fatalf("%v: the operations took %v ns together, and depth times duration is %v", at(j, "name"), sum, want)
			}
		}
	}
	c.that(checked > 0, "there is no closed stream in it")
}

// same FILE FILE says that two results differ in nothing but when they began.
func same(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: same FILE FILE")
	}
	a, b := ts.ReadFile(args[0]), ts.ReadFile(args[1])
	lines := func(s string) []string {
		return slices.DeleteFunc(strings.Split(s, "\n"), func(l string) bool { return strings.HasPrefix(l, ` "started": `) })
	}
	la, lb := lines(a), lines(b)
	if neg == slices.Equal(la, lb) {
		for i := range min(len(la), len(lb)) {
			if la[i] != lb[i] {
				ts.Fatalf("line %d: %s, and %s", i+1, la[i], lb[i])
			}
		}
		ts.Fatalf("they are the same")
	}
}

// What results always hold.
var (
	resultKeys   = "schema tool script seed started duration_ns engine environment expectations exit phases"
	phaseKeys    = "name start_ns duration_ns warnings cpu jobs"
	jobKeys      = "name kind threads depth clients ops intervals"
	opKeys       = "count bytes errors iops bandwidth"
	latencyKeys  = "min_ns mean_ns max_ns stddev_ns p50_ns p90_ns p95_ns p99_ns p99.9_ns p99.99_ns hdr"
	intervalKeys = "t_ns ops"
	pointKeys    = "iops bandwidth p50_ns p99_ns max_ns"
)

// schema FILE checks a result against the contract: its keys, and what must hold
// between its figures.
func schema(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: schema FILE")
	}
	c := checker{ts}
	r := readJSON(ts, args[0])
	c.keys("result", r, resultKeys)
	c.that(at(r, "schema") == "moonio.result/1", "schema %v", at(r, "schema"))
	c.keys("tool", at(r, "tool"), "version")
	c.keys("script", at(r, "script"), "name sha256 params")
	c.keys("exit", at(r, "exit"), "code reason")
	for _, e := range c.list(r, "expectations") {
		c.keys("expectation", e, "text passed file line")
	}
	for _, p := range c.list(r, "phases") {
		c.keys("phase", p, phaseKeys)
		c.keys("cpu", at(p, "cpu"), "user_ns system_ns")
		for _, j := range c.list(p, "jobs") {
			c.job(j)
		}
	}
}

type checker struct{ ts *testscript.TestScript }

func (c checker) that(ok bool, format string, args ...any) {
	if !ok {
		c.ts.Fatalf(format, args...)
	}
}

// keys says that v is an object with these keys, and more if it likes.
func (c checker) keys(what string, v any, keys string) {
	m, ok := v.(map[string]any)
	c.that(ok, "%s is %T and not an object", what, v)
	for _, k := range strings.Fields(keys) {
		_, ok := m[k]
		c.that(ok, "%s has no %q", what, k)
	}
}

func (c checker) list(v any, key string) []any {
	l, ok := at(v, key).([]any)
	c.that(ok, "%s is %T and not a list", key, at(v, key))
	return l
}

func (c checker) number(v any, key string) float64 {
	n, ok := at(v, key).(json.Number)
	c.that(ok, "%s is %v and not a number", key, at(v, key))
	f, err := n.Float64()
	c.ts.Check(err)
	return f
}

func (c checker) job(j any) {
	c.keys("job", j, jobKeys)
	name, kind := at(j, "name"), at(j, "kind")
	c.that(slices.Contains([]any{"stream", "clients", "replay"}, kind), "job %v is of kind %v", name, kind)
	ops, _ := at(j, "ops").(map[string]any)
	for op, v := range ops {
		what := fmt.Sprintf("%v/%s", name, op)
		c.keys(what, v, opKeys)
		if c.number(v, "count") == 0 {
			continue // there are no samples
		}
		c.latency(what, at(v, "service"))
		count, rate := c.number(v, "count"), c.number(v, "iops")
		took := c.number(j, "duration_ns") / 1e9
		c.that(math.Abs(count-rate*took) <= 0.01*count, "%s: count %v, but %v/s for %v s", what, count, rate, took)
		if response := at(v, "response"); response != nil {
			c.latency(what, response)
			for _, k := range []string{"min_ns", "mean_ns", "p50_ns", "p99_ns", "max_ns"} {
				s, r := c.number(v, "service/"+k), c.number(v, "response/"+k)
				c.that(s <= r*1.001, "%s: service %s is %v, response %v", what, k, s, r)
			}
		} else {
			c.that(kind == "stream" || at(v, "span") == true, "%s has no response", what)
		}
	}
	for _, i := range c.list(j, "intervals") {
		c.keys("interval", i, intervalKeys)
		points, _ := at(i, "ops").(map[string]any)
		for op, v := range points {
			c.keys(op, v, pointKeys)
		}
	}
}

// latency says that percentiles never fall and lie within the extremes.
func (c checker) latency(what string, l any) {
	c.keys(what, l, latencyKeys)
	last := 0.0
	for _, k := range []string{"min_ns", "p50_ns", "p90_ns", "p95_ns", "p99_ns", "p99.9_ns", "p99.99_ns", "max_ns"} {
		v := c.number(l, k)
		c.that(v >= last, "%s: %s is %v, below %v", what, k, v, last)
		last = v
	}
	c.that(c.number(l, "mean_ns") <= last, "%s: the mean is above the maximum", what)
}
