package vm

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"moonio/engine/memfs"
	"moonio/engine/run"
	"moonio/engine/suggest"
	"moonio/engine/units"
)

// ErrParams is wrapped by errors about parameters that the user gave.
var ErrParams = errors.New("wrong parameter")

// Param is a parameter that a script declares.
type Param struct {
	Name    string
	Kind    string // "size", "duration", "rate", "integer", "number", "boolean", "choice" or "text"
	Default string
	Help    string
	Choice  []string
	Min     string
	Max     string

	value    lua.LValue // the default
	min, max lua.LValue
}

// kinds of parameters
const (
	kindSize     = "size"
	kindDuration = "duration"
	kindRate     = "rate"
	kindInteger  = "integer"
	kindNumber   = "number"
	kindBoolean  = "boolean"
	kindChoice   = "choice"
	kindText     = "text"
)

// params declares the script's parameters and returns their values.
func (d *director) params(L *lua.LState) int {
	if d.declared != nil {
		L.RaiseError("params: called twice: declare all parameters in one table")
	}
	t, ok := L.Get(1).(*lua.LTable)
	if !ok {
		L.RaiseError("params: parameters are a table such as { time = { \"10s\", \"measured time\" } }, and this is %s", show(L.Get(1)))
	}
	d.declared = []*Param{}
	for _, e := range sorted(t) {
		p, err := newParam(e.name, e.value)
		if err != nil {
			L.RaiseError("params: %s: %v", e.name, err)
		}
		d.declared = append(d.declared, p)
	}
	if d.describeOnly {
		L.Error(stopHere(L), 0)
	}
	values, err := d.setParams()
	if err != nil {
		d.m.raise(L, err)
	}
	L.Push(values)
	return 1
}

// CheckParams says what is wrong with values that the user gives the script's
// parameters; the error wraps ErrParams. The script is run up to its params, or the first
// phase. If it does not get there, that is for the run to find out.
func (s *Script) CheckParams(ctx context.Context, require Resolver, given map[string]string) error {
	ctx, cancel := shortly(ctx)
	defer cancel()
	r := nowhere(require)
	r.Params = given
	d, err := newDirector(ctx, r, s)
	if err != nil {
		return err
	}
	defer d.m.close()
	d.describeOnly = true
	switch err := d.play(); {
	case errors.Is(err, errStopHere) && d.declared != nil:
		_, err = d.setParams()
		return err
	case err == nil, errors.Is(err, errStopHere), errors.Is(err, ErrParams):
		return unknownParam(given, nil)
	}
	return nil
}

// nowhere is a run in which nothing is done, printed or logged.
func nowhere(require Resolver) *Run {
	return &Run{Session: &run.Session{FS: memfs.New()}, Require: require, Out: io.Discard, Err: io.Discard, Plan: &Plan{}}
}

// newParam reads { default, help, choice = …, min = …, max = … }, or a bare default.
func newParam(name string, v lua.LValue) (*Param, error) {
	t, ok := v.(*lua.LTable)
	if !ok {
		t = &lua.LTable{}
		t.RawSetInt(1, v)
	}
	p := &Param{Name: name, value: t.RawGetInt(1)}
	for _, e := range sorted(t) {
		switch known := []string{"1", "2", "choice", "min", "max"}; {
		case !slices.Contains(known, e.name):
			return nil, fmt.Errorf("unknown field %q%s; a parameter is { default, help, choice = {…}, min = …, max = … }", e.name, suggest.Hint(e.name, known[2:]))
		case e.name == "2":
			p.Help = e.value.String()
		}
	}
	if err := p.choices(t.RawGetString("choice")); err != nil {
		return nil, err
	}
	if err := p.setKind(t.RawGetString("min"), t.RawGetString("max")); err != nil {
		return nil, err
	}
	p.Default = strings.Trim(show(p.value), `"`)
	var err error
	if p.min, p.Min, err = p.bound("min", t.RawGetString("min")); err != nil {
		return nil, err
	}
	if p.max, p.Max, err = p.bound("max", t.RawGetString("max")); err != nil {
		return nil, err
	}
	_, err = p.parse(p.value)
	return p, err
}

func (p *Param) choices(v lua.LValue) error {
	if v == lua.LNil {
		return nil
	}
	t, ok := v.(*lua.LTable)
	if !ok || t.Len() == 0 {
		return fmt.Errorf("choice is a list of the values that are allowed")
	}
	values, err := list(t)
	for _, v := range values {
		p.Choice = append(p.Choice, v.String())
	}
	return err
}

func (p *Param) bound(what string, v lua.LValue) (lua.LValue, string, error) {
	if v == lua.LNil {
		return nil, "", nil
	}
	b, err := p.convert(v)
	if err != nil {
		return nil, "", fmt.Errorf("%s: %w", what, err)
	}
	if _, ok := b.(lua.LNumber); !ok {
		return nil, "", fmt.Errorf("%s: a %s has no smallest or largest value", what, p.Kind)
	}
	return b, strings.Trim(show(v), `"`), nil
}

// setKind derives the type from how the default is written. A whole number is an
// integer unless one of its bounds is not.
func (p *Param) setKind(bounds ...lua.LValue) error {
	switch v := p.value.(type) {
	case lua.LBool:
		p.Kind = kindBoolean
	case lua.LNumber:
		p.Kind = kindNumber
		if !slices.ContainsFunc(append(bounds, v), fractional) {
			p.Kind = kindInteger
		}
	case lua.LString:
		p.Kind = map[units.Kind]string{
			units.KindSize: kindSize, units.KindDuration: kindDuration, units.KindRate: kindRate,
			units.KindNumber: kindText, units.KindText: kindText, units.KindPercent: kindText,
		}[units.KindOf(string(v))]
	default:
		return fmt.Errorf("it needs a default: { default, help }")
	}
	if p.Choice != nil {
		p.Kind = kindChoice
	}
	return nil
}

func fractional(v lua.LValue) bool {
	n, ok := v.(lua.LNumber)
	return ok && float64(n) != math.Trunc(float64(n))
}

// parse converts a value to the parameter's type and holds it to its bounds.
func (p *Param) parse(v lua.LValue) (lua.LValue, error) {
	r, err := p.convert(v)
	if err != nil {
		return nil, err
	}
	n, _ := r.(lua.LNumber)
	if p.min != nil && n < p.min.(lua.LNumber) {
		return nil, fmt.Errorf("%s is below the smallest value, %s", show(v), p.Min)
	}
	if p.max != nil && n > p.max.(lua.LNumber) {
		return nil, fmt.Errorf("%s is above the largest value, %s", show(v), p.Max)
	}
	return r, nil
}

func (p *Param) convert(v lua.LValue) (lua.LValue, error) {
	switch p.Kind {
	case kindSize:
		n, err := toSize(numberIfWritten(v))
		return lua.LNumber(n), err
	case kindDuration:
		d, err := toDuration(numberIfWritten(v))
		return inSeconds(d), err
	case kindRate:
		r, err := toRate(numberIfWritten(v))
		if r.Bytes {
			// As a number it would be taken for operations.
			return lua.LString(r.String()), err
		}
		return lua.LNumber(r.PerSecond), err
	case kindInteger:
		return p.integer(v)
	case kindNumber:
		if n, ok := numberIfWritten(v).(lua.LNumber); ok {
			return n, nil
		}
		return nil, fmt.Errorf("%s is not a number", show(v))
	case kindBoolean:
		return boolean(v)
	case kindChoice:
		return p.choose(v)
	}
	return lua.LString(v.String()), nil
}

func (p *Param) integer(v lua.LValue) (lua.LValue, error) {
	n, ok := numberIfWritten(v).(lua.LNumber)
	if !ok {
		i, err := toInteger(v)
		return lua.LNumber(i), err
	}
	if x := float64(n); x != math.Trunc(x) || math.Abs(x) > 1<<53 {
		return nil, fmt.Errorf("%s is not a whole number", show(v))
	}
	return n, nil
}

// numberIfWritten makes the text of a plain number a number.
func numberIfWritten(v lua.LValue) lua.LValue {
	if s, ok := v.(lua.LString); ok {
		if x, err := units.Number(string(s)); err == nil {
			return lua.LNumber(x)
		}
	}
	return v
}

func boolean(v lua.LValue) (lua.LValue, error) {
	switch v.String() {
	case "true", "yes", "on", "1":
		return lua.LTrue, nil
	case "false", "no", "off", "0":
		return lua.LFalse, nil
	}
	return nil, fmt.Errorf("%s is neither true nor false", show(v))
}

func (p *Param) choose(v lua.LValue) (lua.LValue, error) {
	s := v.String()
	if !slices.Contains(p.Choice, s) {
		return nil, fmt.Errorf("%s is not one of %s%s", show(v), strings.Join(p.Choice, ", "), suggest.Hint(s, p.Choice))
	}
	if _, ok := p.value.(lua.LNumber); ok {
		return numberIfWritten(lua.LString(s)), nil
	}
	return lua.LString(s), nil
}

// setParams gives every parameter the user's value or its default.
func (d *director) setParams() (*lua.LTable, error) {
	values := d.m.L.NewTable()
	d.out.Params = map[string]any{}
	var names []string
	for _, p := range d.declared {
		names = append(names, p.Name)
		v := p.value
		if given, ok := d.run.Params[p.Name]; ok {
			v = lua.LString(given)
		}
		parsed, err := p.parse(v)
		if err != nil {
			return nil, fmt.Errorf("%w: -p %s=%s: %w", ErrParams, p.Name, strings.Trim(show(v), `"`), err)
		}
		values.RawSetString(p.Name, parsed)
		d.out.Params[p.Name] = plain(v, parsed)
	}
	if err := unknownParam(d.run.Params, names); err != nil {
		return nil, err
	}
	d.m.L.SetMetatable(values, d.m.noSuchParam)
	return values, nil
}

// plain is how a parameter's value stands in the result: as the user or the script
// wrote it.
func plain(v, parsed lua.LValue) any {
	switch p := parsed.(type) {
	case lua.LNumber:
		if s, ok := v.(lua.LString); ok {
			if _, err := units.Number(string(s)); err != nil {
				return string(s)
			}
		}
		return float64(p)
	case lua.LBool:
		return bool(p)
	}
	return parsed.String()
}

func unknownParam(given map[string]string, known []string) error {
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if slices.Contains(known, name) {
			continue
		}
		if len(known) == 0 {
			return fmt.Errorf("%w: -p %s=%s: the script has no parameters", ErrParams, name, given[name])
		}
		return fmt.Errorf("%w: -p %s=%s: the script has no parameter %q%s; it has %s", ErrParams, name, given[name], name, suggest.Hint(name, known), strings.Join(known, ", "))
	}
	return nil
}
