package lua51

import (
	"fmt"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// forbidden are the parts of Lua's library that scripts do not get, and why or what
// there is instead.
var forbidden = map[string]string{
	"dofile":              "modules are loaded with require",
	"loadfile":            "modules are loaded with require",
	"load":                "code cannot be made from text",
	"loadstring":          "code cannot be made from text",
	"module":              "a module returns a table",
	"setfenv":             "functions keep their environment",
	"getfenv":             "functions keep their environment",
	"newproxy":            "use setmetatable on a table",
	"collectgarbage":      "memory is looked after",
	"_printregs":          "",
	"_GOPHER_LUA_VERSION": "",
}

var absent = map[string]string{
	"io":      "scripts reach files with open",
	"os":      "scripts are the same on every machine; the clock is now()",
	"debug":   "",
	"package": "modules are loaded with require",
}

// forbid puts functions that explain themselves in the place of what is not there.
func (s *State) forbid() {
	for name, why := range forbidden {
		if why == "" {
			s.L.SetGlobal(name, lua.LNil)
			continue
		}
		s.L.SetGlobal(name, s.L.NewFunction(func(L *lua.LState) int {
			L.RaiseError("%s", notThere(name, why))
			return 0
		}))
	}
	for name, why := range absent {
		t, mt := s.L.NewTable(), s.L.NewTable()
		explain := s.L.NewFunction(func(L *lua.LState) int {
			L.RaiseError("%s", notThere(name+"."+L.Get(2).String(), why))
			return 0
		})
		mt.RawSetString("__index", explain)
		mt.RawSetString("__newindex", explain)
		mt.RawSetString("__metatable", lua.LFalse)
		t.Metatable = mt
		s.L.SetGlobal(name, t)
	}
}

func notThere(name, why string) string {
	return strings.TrimSuffix(fmt.Sprintf("%s is not there for scripts: %s", name, why), ": ")
}
