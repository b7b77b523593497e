// Package casefile reads Lua test cases: files of small chunks whose expected errors
// stand in the chunks themselves.
//
// A line "--- name" begins a case, which goes on to the next. A comment "--! text" at
// the end of a line says that the case fails in that line with an error that
// contains text. A case without one must not fail.
package casefile

import (
	"bufio"
	"os"
	"strings"
)

// Case is one chunk of a file.
type Case struct {
	Name   string
	Source string // with empty lines before it, so that lines are the file's
	Line   int    // where an error is expected; 0 if none is
	Error  string // what it contains
}

// Read reads the cases in a file.
func Read(path string) ([]Case, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var cases []Case
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		line := lines.Text()
		if name, ok := strings.CutPrefix(line, "--- "); ok {
			cases = append(cases, Case{Name: name, Source: strings.Repeat("\n", n)})
			continue
		}
		if len(cases) == 0 {
			continue // before the first case is what the file says of itself
		}
		c := &cases[len(cases)-1]
		c.Source += line + "\n"
		if _, want, ok := strings.Cut(line, "--! "); ok {
			c.Line, c.Error = n, want
		}
	}
	return cases, lines.Err()
}
