package lua51

import (
	"fmt"
	"strings"
)

// forbidden are the functions of Lua's library that scripts do not get, and why or what
// there is instead. They are nil, so that a library that looks for them goes without;
// calling one is an error that explains itself.
var forbidden = map[string]string{
	"dofile":         "modules are loaded with require",
	"loadfile":       "modules are loaded with require",
	"load":           "code cannot be made from text",
	"loadstring":     "code cannot be made from text",
	"module":         "a module returns a table",
	"setfenv":        "functions keep their environment",
	"getfenv":        "functions keep their environment",
	"newproxy":       "use setmetatable on a table",
	"collectgarbage": "memory is looked after",
}

// absent are the tables of Lua's library that scripts do not get.
var absent = map[string]string{
	"io":      "scripts reach files with open",
	"os":      "scripts are the same on every machine; the clock is now()",
	"debug":   "",
	"package": "modules are loaded with require",
}

func notThere(name, why string) string {
	return strings.TrimSuffix(fmt.Sprintf("%s is not there for scripts: %s", name, why), ": ")
}
