package main

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"
)

// Help fits a terminal of helpWidth columns, but for commands to be copied.
func TestHelpFits(t *testing.T) {
	list := commands()
	for _, c := range commands() {
		if c.parts != nil {
			list = append(list, c.parts()...)
		}
	}
	for _, c := range list {
		var b bytes.Buffer
		if err := c.help(&program{stdout: newOutput(&b)}, nil); err != nil {
			t.Fatal(c.name, err)
		}
		if strings.Contains(b.String(), "\n\n\n") {
			t.Errorf("help %s: two empty lines in a row", c.name)
		}
		for line := range strings.Lines(b.String()) {
			if n := utf8.RuneCountInString(line) - 1; n > helpWidth && !strings.HasPrefix(line, "  moonio ") {
				t.Errorf("help %s: a line of %d columns: %s", c.name, n, line)
			}
		}
	}
}
