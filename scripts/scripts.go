// Package scripts holds the benchmark scripts that are in the binary. Each is
// a file NAME.lua whose first line is a comment, "-- NAME: what it measures",
// followed by one that says what the script models and what to read in its
// result. By default a script is done within half a minute.
package scripts

import (
	"embed"
	"strings"
)

//go:embed *.lua traces
var files embed.FS

// Info is a script's name and what it measures.
type Info struct {
	Name, Summary string
}

// Names lists the scripts by name.
func Names() []Info {
	entries, err := files.ReadDir(".")
	if err != nil {
		panic(err) // the files are in the binary
	}
	var list []Info
	for _, e := range entries {
		if e.IsDir() {
			continue
		}
		name := strings.TrimSuffix(e.Name(), ".lua")
		source, _ := Source(name)
		list = append(list, Info{Name: name, Summary: summary(source)})
	}
	return list
}

// Source is the script of that name, and whether there is one.
func Source(name string) (string, bool) {
	b, err := files.ReadFile(name + ".lua")
	return string(b), err == nil
}

// Trace is the captured workload of that name that is in the binary, and whether there is
// one.
func Trace(name string) ([]byte, bool) {
	b, err := files.ReadFile("traces/" + name)
	return b, err == nil
}

// summary is what a script's first line says after its name.
func summary(source string) string {
	first, _, _ := strings.Cut(source, "\n")
	_, text, _ := strings.Cut(first, ": ")
	return text
}
