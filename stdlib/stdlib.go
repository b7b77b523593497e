// Package stdlib holds the Lua modules that scripts may require, and the
// annotations with which editors complete and check scripts: of the DSL, in
// library, and of the modules, which carry their own.
package stdlib

import (
	"embed"
	"strings"
)

//go:embed library modules
var files embed.FS

const (
	library = "library"
	modules = "modules"
	ext     = ".lua"
)

// Annotations are the files that LuaLS is to know, by name. Each begins with
// ---@meta and what it is called.
func Annotations() map[string]string {
	all := map[string]string{}
	for _, dir := range []string{library, modules} {
		for _, name := range names(dir) {
			all[name+ext] = read(dir, name)
		}
	}
	return all
}

// Modules are the names that require knows, sorted.
func Modules() []string { return names(modules) }

// Module is a module's source, and whether there is one of that name.
func Module(name string) (source string, ok bool) {
	b, err := files.ReadFile(modules + "/" + name + ext)
	return string(b), err == nil
}

func names(dir string) []string {
	entries, err := files.ReadDir(dir)
	if err != nil {
		panic(err) // the files are in the binary
	}
	var list []string
	for _, e := range entries {
		list = append(list, strings.TrimSuffix(e.Name(), ext))
	}
	return list
}

func read(dir, name string) string {
	b, err := files.ReadFile(dir + "/" + name + ext)
	if err != nil {
		panic(err) // the files are in the binary
	}
	return string(b)
}
