package vm

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"moonio/vm/lua51"
)

// carrier copies Lua values from one state into another. What a function captured
// comes along; what several values share stays shared among the copies. The
// program's own functions and tables, such as math.floor and math, become the other
// state's. Compiled code and Go values are shared, not copied.
type carrier struct {
	to     *machine
	own    map[lua.LValue]lua.LValue // the program's own values, and their twins
	tables map[*lua.LTable]*lua.LTable
	funcs  map[*lua.LFunction]*lua.LFunction
	upvals map[*lua.Upvalue]*lua.Upvalue
	users  map[*lua.LUserData]*lua.LUserData
}

// carryError is a fault of the script: it captured what cannot be carried over.
type carryError struct{ text string }

func (e *carryError) Error() string { return e.text }

func newCarrier(from, to *machine) *carrier {
	c := &carrier{
		to:     to,
		own:    map[lua.LValue]lua.LValue{},
		tables: map[*lua.LTable]*lua.LTable{},
		funcs:  map[*lua.LFunction]*lua.LFunction{},
		upvals: map[*lua.Upvalue]*lua.Upvalue{},
		users:  map[*lua.LUserData]*lua.LUserData{},
	}
	for path, v := range from.own {
		if twin, ok := to.own[path]; ok {
			c.own[v] = twin
		}
	}
	return c
}

// value copies v. what names it in errors.
func (c *carrier) value(v lua.LValue, what string) (lua.LValue, error) {
	if twin, ok := c.own[v]; ok {
		return twin, nil
	}
	switch v := v.(type) {
	case *lua.LTable:
		return c.table(v, what)
	case *lua.LFunction:
		return c.function(v, what)
	case *lua.LUserData:
		return c.user(v), nil
	case *lua.LState:
		return nil, &carryError{what + " is a coroutine, which cannot be carried over to a worker: make it inside the client's function"}
	}
	return v, nil
}

func (c *carrier) table(t *lua.LTable, what string) (lua.LValue, error) {
	if twin, ok := c.tables[t]; ok {
		return twin, nil
	}
	twin := c.to.L.CreateTable(t.Len(), 0)
	c.tables[t] = twin
	err := c.entries(twin, t, "a key of "+what, func(key string) string { return fmt.Sprintf("%s[%s]", what, key) })
	if err != nil {
		return nil, err
	}
	twin.Metatable, err = c.value(t.Metatable, "the metatable of "+what)
	return twin, err
}

func (c *carrier) function(f *lua.LFunction, what string) (lua.LValue, error) {
	if twin, ok := c.funcs[f]; ok {
		return twin, nil
	}
	if !written(f) {
		return nil, &carryError{what + " belongs to the script's top level, as what coroutine.wrap makes does, and cannot be carried over to a worker: make it inside the client's function"}
	}
	twin := c.to.L.NewFunctionFromProto(f.Proto)
	c.funcs[f] = twin
	for i, uv := range f.Upvalues {
		var err error
		if twin.Upvalues[i], err = c.upvalue(uv, fmt.Sprintf("variable %q captured by %s", upvalueName(f, i), what)); err != nil {
			return nil, err
		}
	}
	env, err := c.value(f.Env, "the environment of "+what)
	if err != nil {
		return nil, err
	}
	twin.Env = env.(*lua.LTable)
	return twin, nil
}

// written says whether a function stands in a script or a module, and so has a place in it; others are the program's.
func written(f *lua.LFunction) bool { return !f.IsG && !lua51.NoScript(f.Proto) }

func upvalueName(f *lua.LFunction, i int) string {
	if i < len(f.Proto.DbgUpvalues) {
		return f.Proto.DbgUpvalues[i]
	}
	return fmt.Sprintf("#%d", i+1)
}

func (c *carrier) upvalue(uv *lua.Upvalue, what string) (*lua.Upvalue, error) {
	if twin, ok := c.upvals[uv]; ok {
		return twin, nil
	}
	twin := &lua.Upvalue{}
	c.upvals[uv] = twin
	v, err := c.value(uv.Value(), what)
	if err != nil {
		return nil, err
	}
	twin.SetValue(v)
	return twin, nil
}

// user gives the other state a handle of its own on the same Go value.
func (c *carrier) user(u *lua.LUserData) *lua.LUserData {
	if twin, ok := c.users[u]; ok {
		return twin
	}
	twin := c.to.wrap(perState(u.Value))
	c.users[u] = twin
	return twin
}

// globals carries over what the script has put into its globals and into the library's tables, such as a string.trim.
func (c *carrier) globals(from *machine) error {
	for _, path := range slices.Sorted(maps.Keys(from.own)) {
		t, ok := from.own[path].(*lua.LTable)
		if !ok {
			continue
		}
		prefix := strings.TrimPrefix(path+".", "_G.")
		name := func(key string) string { return fmt.Sprintf("global %q", prefix+strings.Trim(key, `"`)) }
		// What is the program's own there already has the same twin.
		if err := c.entries(c.own[t].(*lua.LTable), t, "a key of "+path, name); err != nil {
			return err
		}
	}
	return nil
}

// entries copies what a table holds into its twin. key and name are what errors call a key, and what is at one.
func (c *carrier) entries(twin, t *lua.LTable, key string, name func(key string) string) error {
	var err error
	t.ForEach(func(k, v lua.LValue) {
		if err != nil {
			return
		}
		var k2, v2 lua.LValue
		if k2, err = c.value(k, key); err != nil {
			return
		}
		if v2, err = c.value(v, name(show(k))); err == nil {
			twin.RawSet(k2, v2)
		}
	})
	return err
}
