// Package stdlib holds the Lua modules that scripts may require, and the
// annotations with which editors complete the DSL.
package stdlib

import (
	"embed"
	"path"
)

//go:embed library
var library embed.FS

// Annotations are the files of annotations, by name.
func Annotations() map[string]string {
	entries, err := library.ReadDir("library")
	if err != nil {
		panic(err) // the files are in the binary
	}
	files := map[string]string{}
	for _, e := range entries {
		b, err := library.ReadFile(path.Join("library", e.Name()))
		if err != nil {
			panic(err)
		}
		files[e.Name()] = string(b)
	}
	return files
}

// Modules are the names that require knows, sorted.
func Modules() []string { return nil }

// Module is a module's source, and whether there is one of that name.
func Module(name string) (source string, ok bool) { return "", false }
