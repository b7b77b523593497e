package model

import (
	"fmt"
	"path"
	"strings"
)

// names are what a file of the trace is called in the run's directory and in the script: like
// the last part of its path, as far as that can be.
func (m *Model) names(of string) (name, variable string) {
	keep := func(r rune) rune {
		if r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}
	base := strings.Trim(strings.Map(keep, path.Base(of)), "_")
	if base == "" || len(base) > 40 {
		base = "data"
	}
	for n := 1; ; n++ {
		name = base
		if n > 1 {
			name = fmt.Sprintf("%s_%d", base, n)
		}
		if !m.taken(name) {
			// No name of the language's, or of the script's, begins so.
			return name, "file_" + name
		}
	}
}

func (m *Model) taken(name string) bool {
	for _, f := range m.files {
		if f.name == name {
			return true
		}
	}
	return false
}
