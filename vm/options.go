package vm

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	lua "github.com/yuin/gopher-lua"

	"moonio/engine/suggest"
	"moonio/engine/units"
)

// options reads the named options of one call. Whatever is wrong with one raises
// a Lua error that names the call, the option and the value; done does so for
// options that nobody asked for.
type options struct {
	L     *lua.LState
	call  string // "stream \"reads\""
	table *lua.LTable
	known []string
}

// optionsAt takes the table at stack position n; nothing there is no options.
func optionsAt(L *lua.LState, n int, call string) *options {
	o := &options{L: L, call: call}
	switch v := L.Get(n).(type) {
	case *lua.LTable:
		o.table = v
	case *lua.LNilType:
	default:
		L.RaiseError("%s: options are a table such as %s, and this is %s", call, exampleOf(call), show(v))
	}
	return o
}

// exampleOf is how options of a call look.
func exampleOf(call string) string {
	name, _, _ := strings.Cut(call, " ")
	if example := map[string]string{
		"open": `{ size = "1GiB" }`, "stream": `{ file = f, depth = 8 }`, "verify": `{ file = f }`, "replay": `{ trace = "app.trace" }`,
		"trace.open": `{ format = "strace" }`, "sequential": `{ gap = "4KiB" }`, "zone_strided": `{ size = "1MiB" }`, "burst": `{ base = "1k/s", peak = "5k/s", every = "10s", length = "1s" }`,
	}[name]; example != "" {
		return example
	}
	return `{ duration = "10s" }`
}

func (o *options) get(name string) lua.LValue {
	o.known = append(o.known, name)
	if o.table == nil {
		return lua.LNil
	}
	return o.table.RawGetString(name)
}

func (o *options) has(name string) bool { return o.get(name) != lua.LNil }

func (o *options) fail(name string, format string, args ...any) {
	o.L.RaiseError("%s: option %s", o.call, name+": "+fmt.Sprintf(format, args...))
}

// missing says that an option must be given, and which of those that are there may be meant by it.
func (o *options) missing(name, what string) {
	if o.table != nil {
		o.table.ForEach(func(k, _ lua.LValue) {
			if word := k.String(); word != name && meant(word, []string{name}) != "" {
				o.L.RaiseError("%s: unknown option %q%s", o.call, word, meant(word, []string{name}))
			}
		})
	}
	o.fail(name, "it must be given: %s", what)
}

// done refuses options that are not known.
func (o *options) done() {
	if o.table == nil {
		return
	}
	slices.Sort(o.known)
	o.known = slices.Compact(o.known)
	o.table.ForEach(func(k, _ lua.LValue) {
		if s, ok := k.(lua.LString); !ok {
			o.L.RaiseError("%s: options have names, and this table has an entry [%s]", o.call, k.String())
		} else if !slices.Contains(o.known, string(s)) {
			o.L.RaiseError("%s: unknown option %q%s; known are %s", o.call, string(s), o.hint(string(s)), strings.Join(o.known, ", "))
		}
	})
}

// callsOf has options that are often looked for in another call than theirs.
var callsOf = []struct {
	call    string
	options []string
}{
	{"open", []string{"direct", "layout", "truncate", "create", "exclusive", "advice", "sync", "size"}},
	{"phase", []string{"warmup", "interval", "on_error", "iterations", "fault", "expect", "steady", "ops", "bytes", "duration"}},
	{"stream", []string{"op", "at", "block", "depth", "rate", "arrival", "file", "fsync", "fdatasync", "dsync", "think"}},
	{"replay", []string{"trace", "timing", "speed", "loops", "address", "map"}},
}

// hint is where an option belongs, or what may have been meant.
func (o *options) hint(name string) string {
	for _, p := range callsOf {
		if slices.Contains(p.options, name) && !strings.HasPrefix(o.call, p.call+" ") {
			return fmt.Sprintf(" (it is one of %s)", p.call)
		}
	}
	return meant(name, o.known)
}

func (o *options) size(name string, otherwise int64) int64 {
	v := o.get(name)
	if v == lua.LNil {
		return otherwise
	}
	n, err := toSize(v)
	if err != nil {
		o.fail(name, "%v", err)
	}
	return n
}

func (o *options) duration(name string) time.Duration {
	v := o.get(name)
	if v == lua.LNil {
		return 0
	}
	d, err := toDuration(v)
	if err != nil {
		o.fail(name, "%v", err)
	}
	return d
}

func (o *options) integer(name string, otherwise, least int64) int64 {
	v := o.get(name)
	if v == lua.LNil {
		return otherwise
	}
	n, err := toInteger(v)
	if err != nil {
		o.fail(name, "%v", err)
	}
	if n < least {
		o.fail(name, "%d is below %d", n, least)
	}
	return n
}

func (o *options) boolean(name string, otherwise bool) bool {
	switch v := o.get(name).(type) {
	case *lua.LNilType:
		return otherwise
	case lua.LBool:
		return bool(v)
	default:
		o.fail(name, "%s is neither true nor false", show(v))
		return false
	}
}

func (o *options) choice(name, otherwise string, choices ...string) string {
	v := o.get(name)
	if v == lua.LNil {
		return otherwise
	}
	s, ok := v.(lua.LString)
	if !ok || !slices.Contains(choices, string(s)) {
		o.fail(name, "%s is not one of %s%s", show(v), strings.Join(choices, ", "), suggest.Hint(v.String(), choices))
	}
	return string(s)
}

// Conversions of single values. Their errors name the value.

func toSize(v lua.LValue) (int64, error) {
	switch v := v.(type) {
	case lua.LNumber:
		return wholeNumber(float64(v), "a size in bytes")
	case lua.LString:
		return units.Size(string(v))
	}
	return 0, fmt.Errorf("%s is not a size: write \"4KiB\" or a number of bytes", show(v))
}

func toDuration(v lua.LValue) (time.Duration, error) {
	switch v := v.(type) {
	case lua.LNumber:
		ns := float64(v) * 1e9
		if !(ns >= 0 && ns < math.MaxInt64) {
			return 0, fmt.Errorf("%s is not a length of time in seconds", show(v))
		}
		return time.Duration(math.Round(ns)), nil
	case lua.LString:
		return units.Duration(string(v))
	}
	return 0, fmt.Errorf("%s is not a duration: write \"10s\" or a number of seconds", show(v))
}

func toInteger(v lua.LValue) (int64, error) {
	switch v := v.(type) {
	case lua.LNumber:
		return wholeNumber(float64(v), "an integer")
	case lua.LString:
		return units.Count(string(v))
	}
	return 0, fmt.Errorf("%s is not an integer", show(v))
}

func wholeNumber(x float64, what string) (int64, error) {
	if x != math.Trunc(x) || math.IsInf(x, 0) || math.IsNaN(x) {
		return 0, fmt.Errorf("%v is not %s: it must be whole", x, what)
	}
	if x < 0 || x > 1<<53 {
		return 0, fmt.Errorf("%v is not %s: it must be from 0 to 2^53", x, what)
	}
	return int64(x), nil
}

func toRate(v lua.LValue) (units.Rate, error) {
	switch v := v.(type) {
	case lua.LNumber:
		if x := float64(v); !(x >= 0 && x < math.MaxFloat64) {
			return units.Rate{}, fmt.Errorf("%s is not a rate per second", show(v))
		}
		return units.Rate{PerSecond: float64(v)}, nil
	case lua.LString:
		return units.ParseRate(string(v))
	}
	return units.Rate{}, fmt.Errorf("%s is not a rate: write \"20k/s\", \"800MiB/s\" or a number per second", show(v))
}

// show writes a value as it might stand in a script.
func show(v lua.LValue) string {
	switch v := v.(type) {
	case lua.LString:
		return fmt.Sprintf("%q", string(v))
	case lua.LNumber, lua.LBool, *lua.LNilType:
		return v.String()
	}
	return withArticle(typeName(v))
}

// typeName is the type in the DSL's words.
func typeName(v lua.LValue) string {
	if ud, ok := v.(*lua.LUserData); ok {
		return userTypeName(ud.Value)
	}
	if v.Type() == lua.LTThread {
		return "coroutine"
	}
	return v.Type().String()
}

func (o *options) rate(name string) units.Rate {
	r, err := toRate(o.get(name))
	if err != nil {
		o.fail(name, "%v", err)
	}
	return r
}

// list gives the values of a list, and refuses a table that holds something else too, which would be passed over.
func list(t *lua.LTable) ([]lua.LValue, error) {
	values := make([]lua.LValue, t.Len())
	for i := range values {
		values[i] = t.RawGetInt(i + 1)
	}
	var err error
	t.ForEach(func(k, _ lua.LValue) {
		if n, ok := k.(lua.LNumber); !ok || n < 1 || n > lua.LNumber(len(values)) || n != lua.LNumber(int(n)) {
			err = fmt.Errorf("a list is expected, and this table has an entry [%s]", show(k))
		}
	})
	return values, err
}

// list is the list that an option is.
func (o *options) list(name string, t *lua.LTable) []lua.LValue {
	values, err := list(t)
	if err != nil {
		o.fail(name, "%v", err)
	}
	return values
}

// entry is a named entry of a table.
type entry struct {
	name       string
	key, value lua.LValue
}

// sorted gives a table's entries by name: Lua's own order may differ from run to run.
func sorted(t *lua.LTable) []entry {
	var list []entry
	t.ForEach(func(k, v lua.LValue) { list = append(list, entry{k.String(), k, v}) })
	slices.SortFunc(list, func(a, b entry) int { return strings.Compare(a.name, b.name) })
	return list
}

// inSeconds is a duration as scripts count it.
func inSeconds(d time.Duration) lua.LNumber { return lua.LNumber(d.Seconds()) }
