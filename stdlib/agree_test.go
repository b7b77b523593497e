package stdlib_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"moonio/scripts/scripttest"
	"moonio/stdlib"
	"moonio/stdlib/luals"
)

// The annotations are held to what the program knows by asking it: what it answers
// to an option, a method or a value that it cannot know lists those that it does.

func dsl(t testing.TB) *luals.File {
	t.Helper()
	f, err := luals.Parse("moonio.lua", stdlib.Annotations()["moonio.lua"])
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// setUp makes one of everything that scripts can hold.
const setUp = `
local file = open("data", { size = "1MiB" })
local job = stream("reads", { file = file, ops = 10 })
local work = clients("client", 1, function() file:append(10) end)
`

// logs runs a script and returns the lines that it logs.
func logs(t *testing.T, source string) []string {
	t.Helper()
	r := scripttest.Run(t, scripttest.Config{}, "test", setUp+source)
	if r.Err != nil {
		t.Fatal(r.Err)
	}
	return strings.Split(strings.TrimSpace(r.Logged), "\n")
}

// refusal is the error that code raises.
func refusal(t *testing.T, code string) string {
	t.Helper()
	return strings.Join(logs(t, fmt.Sprintf("log(select(2, pcall(function() %s end)))", code)), "\n")
}

var listed = regexp.MustCompile(`(?:known are|it has|is not one of|there are|a parameter is) (.+)`)

// known is what the refusal lists, sorted.
func known(t *testing.T, refusal string) []string {
	t.Helper()
	m := listed.FindStringSubmatch(refusal)
	if m == nil {
		t.Fatalf("nothing is listed in %q", refusal)
	}
	list, _, _ := strings.Cut(m[1], "; did you mean")
	return slices.Sorted(slices.Values(strings.Split(list, ", ")))
}

func same(t *testing.T, what string, program, annotated []string) {
	t.Helper()
	program, annotated = slices.Sorted(slices.Values(program)), slices.Sorted(slices.Values(annotated))
	for _, n := range program {
		if !slices.Contains(annotated, n) {
			t.Errorf("%s: the program knows %q, and the annotations do not", what, n)
		}
	}
	for _, n := range annotated {
		if !slices.Contains(program, n) {
			t.Errorf("%s: %q is annotated, and the program does not know it", what, n)
		}
	}
}

// luaGlobals are Lua 5.1's own that scripts have.
const luaGlobals = "_G _VERSION assert coroutine error getmetatable ipairs math next pairs pcall print rawequal " +
	"rawget rawset require select setmetatable string table tonumber tostring type unpack xpcall"

func TestGlobals(t *testing.T) {
	program := logs(t, `for name in pairs(_G) do log(name) end`)
	var annotated []string
	for _, f := range dsl(t).Functions() {
		switch {
		case f.Of == "":
			annotated = append(annotated, f.Name)
		case !f.Method:
			annotated = append(annotated, f.Of)
		}
	}
	annotated = append(annotated, strings.Fields(luaGlobals)...)
	// What no script can name is for compiled code. What scripts do not get of Lua says so
	// when it is used.
	program = slices.DeleteFunc(program, func(name string) bool { return strings.HasPrefix(name, "(") })
	program = slices.DeleteFunc(program, func(name string) bool {
		return !slices.Contains(annotated, name) &&
			(strings.Contains(refusal(t, name+"()"), notThere) || strings.Contains(refusal(t, "return "+name+".x"), notThere))
	})
	same(t, "globals", program, annotated)
}

const notThere = "is not there for scripts"

// optionTables are how each table of options comes to the program, with OPTIONS for it.
var optionTables = map[string]string{
	"OpenOptions":        `open("other", OPTIONS)`,
	"PhaseOptions":       `phase("phase", OPTIONS, job)`,
	"SteadyOptions":      `phase("phase", { steady = OPTIONS }, job)`,
	"StreamOptions":      `OPTIONS.file = file; stream("other", OPTIONS)`,
	"ClientsOptions":     `clients("other", 1, OPTIONS, function() end)`,
	"ReplayOptions":      `OPTIONS.trace = "t"; replay("other", OPTIONS)`,
	"TraceOptions":       `trace.open("t", OPTIONS)`,
	"SequentialOptions":  `sequential(OPTIONS)`,
	"BurstOptions":       `OPTIONS.base = 1; OPTIONS.peak = 2; OPTIONS.every = 2; OPTIONS.length = 1; burst(OPTIONS)`,
	"ZoneStridedOptions": `zone_strided(OPTIONS)`,
	"DataOptions":        `stream("other", { file = file, data = OPTIONS })`,
	"VerifyOptions":      `stream("other", { file = file, verify = OPTIONS })`,
}

func TestOptions(t *testing.T) {
	for _, f := range dsl(t).Functions() {
		for _, p := range f.Params {
			class, _, _ := strings.Cut(p.Type, "|")
			if _, ok := optionTables[class]; strings.HasSuffix(class, "Options") && !ok {
				t.Errorf("%s takes %s, which this test does not try", f.Name, class)
			}
		}
	}
	for class, call := range optionTables {
		c := dsl(t).Class(class)
		if c == nil {
			t.Errorf("%s is not annotated", class)
			continue
		}
		with := func(options string) string {
			return "local o = " + options + "; " + strings.ReplaceAll(call, "OPTIONS", "o")
		}
		same(t, class, known(t, refusal(t, with(`{ x_y_z = 1 }`))), fieldNames(c))
		for _, f := range c.Fields {
			values := literals(f.Type)
			if values == nil {
				continue
			}
			program := known(t, refusal(t, with(fmt.Sprintf("{ %s = 'x_y_z' }", f.Name))))
			same(t, class+"."+f.Name, program, values)
		}
	}
}

func fieldNames(c *luals.Class) []string {
	var list []string
	for _, f := range c.Fields {
		list = append(list, f.Name)
	}
	return list
}

// literals are the texts that a type consists of, if it does.
func literals(typ string) []string {
	var list []string
	for one := range strings.SplitSeq(typ, "|") {
		text := strings.Trim(one, `"`)
		if len(text) != len(one)-2 {
			return nil
		}
		list = append(list, text)
	}
	return list
}

// What the annotations say that a value is written as.
func TestWrittenForPeople(t *testing.T) {
	for call, name := range map[string]string{
		"format_size(4096)": "format_size", "format_duration(0.0015)": "format_duration",
		"format_rate(20000)": "format_rate", "format_bandwidth(800 * MiB(1))": "format_bandwidth",
	} {
		got := `"` + logs(t, "log("+call+")")[0] + `"`
		for _, f := range dsl(t).Functions() {
			if f.Name == name && !strings.Contains(f.Doc, got) {
				t.Errorf("%s gives %s, and its annotation says: %s", call, got, f.Doc)
			}
		}
	}
}

func TestParameterFields(t *testing.T) {
	r := scripttest.Run(t, scripttest.Config{}, "test", `params { p = { 1, "help", x_y_z = 1 } }`)
	m := regexp.MustCompile(`a parameter is \{ (.*) \}`).FindStringSubmatch(fmt.Sprint(r.Err))
	if m == nil {
		t.Fatalf("refused with %v", r.Err)
	}
	program := strings.Split(strings.NewReplacer("default", "[1]", "help", "[2]", " = {…}", "", " = …", "").Replace(m[1]), ", ")
	same(t, "params", program, fieldNames(dsl(t).Class("ParamSpec")))
}

// values are how scripts come by a value of each class, in a client.
var values = map[string]string{
	"File":      "file",
	"Queue":     "queue(1)",
	"Semaphore": "semaphore()",
	"Event":     "event()",
	"Counter":   "counter()",
	"Pattern":   "random()",
	"RateCurve": "ramp(1, 2, 1)",
	"Delay":     "exponential(1)",
	"Job":       "",
	"Record":    "",
}

func TestMethods(t *testing.T) {
	f := dsl(t)
	for _, c := range classes(f) {
		value, ok := values[c.Name]
		if c.Local != "" && !ok {
			t.Errorf("%s has methods, and this test does not try it", c.Name)
		}
		if value == "" {
			continue
		}
		refused := strings.Join(logs(t, `phase("p", { iterations = 1 }, clients("c", 1, function()
			log(select(2, pcall(function() return (`+value+`).x_y_z end)))
		end))`), "\n")
		if c.Local == "" {
			if !strings.Contains(refused, "has no methods") {
				t.Errorf("%s: no methods are annotated, and the program says %q", c.Name, refused)
			}
			continue
		}
		same(t, c.Name, known(t, refused), f.Methods(c.Name))
	}
	for name := range values {
		if f.Class(name) == nil {
			t.Errorf("%s is not annotated", name)
		}
	}
}

func classes(f *luals.File) []*luals.Class {
	var list []*luals.Class
	for _, r := range f.Regions {
		for _, i := range r.Items {
			if c, ok := i.(*luals.Class); ok {
				list = append(list, c)
			}
		}
	}
	return list
}

// What a result holds besides jobs and operations.
func TestResults(t *testing.T) {
	for class, value := range map[string]string{
		"PhaseResult": "r", "JobResult": "r.reads", "OpResult": "r.reads.read", "LatencyResult": "r.reads.read.response",
		"SteadyResult": "r.steady", "CPUResult": "r.cpu", "VerifyResult": "r.reads.verify",
		"IntervalResult": "series(r.reads.read)[1]", "StorageInfo": "storage()",
	} {
		program := logs(t, `local r = phase("p", { steady = { limit = "1%" } }, stream("reads", { file = file, ops = 10, verify = "crc32c" }))
			for k in pairs(`+value+`) do
				if k ~= "reads" and k ~= "read" then log(k) end
			end`)
		var annotated []string
		for _, n := range fieldNames(dsl(t).Class(class)) {
			if n != "[string]" {
				annotated = append(annotated, n)
			}
		}
		program = slices.DeleteFunc(program, func(s string) bool { return s == "" })
		same(t, class, program, annotated)
	}
}

// Every type that is named is described, and every argument too.
func TestAnnotationsAreWhole(t *testing.T) {
	for name, source := range stdlib.Annotations() {
		f, err := luals.Parse(name, source)
		if err != nil {
			t.Error(err)
			continue
		}
		if f.Name+".lua" != name || f.Doc == "" {
			t.Errorf("%s: ---@meta names it %q; its description is %q", name, f.Name, f.Doc)
		}
		types := knownTypes(t, f)
		for _, fn := range f.Functions() {
			var params []string
			for _, p := range fn.Params {
				params = append(params, p.Name)
			}
			if !slices.Equal(params, fn.Args) {
				t.Errorf("%s: %s has the arguments %q, and %q are described", name, fn.Name, fn.Args, params)
			}
			if fn.Doc == "" {
				t.Errorf("%s: %s is not described", name, fn.Name)
			}
			for _, p := range fn.Params {
				checkType(t, name, fn.Name, p.Type, types)
			}
			for _, r := range fn.Returns {
				checkType(t, name, fn.Name, r.Type, types)
			}
		}
		for _, c := range classes(f) {
			for _, fd := range c.Fields {
				checkType(t, name, c.Name, fd.Type, types)
			}
		}
	}
}

func knownTypes(t *testing.T, f *luals.File) map[string]bool {
	types := map[string]bool{}
	for _, n := range strings.Fields("string number integer boolean any nil table fun T true false") {
		types[n] = true
	}
	for _, of := range []*luals.File{dsl(t), f} {
		for _, r := range of.Regions {
			for _, i := range r.Items {
				switch i := i.(type) {
				case *luals.Alias:
					types[i.Name] = true
				case *luals.Class:
					types[i.Name] = true
				}
			}
		}
	}
	return types
}

var (
	argumentName = regexp.MustCompile(`\w+: `)
	literal      = regexp.MustCompile(`"[^"]*"`)
	typeName     = regexp.MustCompile(`[A-Za-z][\w.]*`)
)

func checkType(t *testing.T, file, of, typ string, types map[string]bool) {
	t.Helper()
	bare := literal.ReplaceAllString(argumentName.ReplaceAllString(typ, ""), "")
	for _, n := range typeName.FindAllString(bare, -1) {
		if !types[n] {
			t.Errorf("%s: %s: %q names a type %s that is not described", file, of, typ, n)
		}
	}
}

// Modules are what they are annotated to be.
func TestModules(t *testing.T) {
	for _, name := range stdlib.Modules() {
		source, ok := stdlib.Module(name)
		if !ok {
			t.Fatalf("no module %q", name)
		}
		f, err := luals.Parse(name, source)
		if err != nil {
			t.Fatal(err)
		}
		var annotated []string
		for _, fn := range f.Functions() {
			if fn.Of == name {
				annotated = append(annotated, fn.Name)
			}
		}
		same(t, name, logs(t, `for k in pairs(require "`+name+`") do log(k) end`), annotated)
	}
	if _, ok := stdlib.Module("../library/moonio"); ok {
		t.Error("a path is taken for a module")
	}
	all := slices.Sorted(maps.Keys(stdlib.Annotations()))
	if len(all) != len(stdlib.Modules())+1 || !slices.Contains(all, "moonio.lua") {
		t.Errorf("annotations %q of modules %q", all, stdlib.Modules())
	}
}
