package report

import (
	"strings"
	"unicode/utf8"
)

// table lays out rows of cells in columns two blanks apart.
type table struct {
	left int // columns that are aligned to the left; the others hold figures
	rows [][]string
}

func (t *table) add(cells ...string) { t.rows = append(t.rows, cells) }

// lines are the rows as text, without blanks at their ends.
func (t *table) lines() []string {
	var width []int
	for _, row := range t.rows {
		for i, c := range row {
			if i == len(width) {
				width = append(width, 0)
			}
			width[i] = max(width[i], utf8.RuneCountInString(c))
		}
	}
	lines := make([]string, len(t.rows))
	for i, row := range t.rows {
		lines[i] = t.line(row, width)
	}
	return lines
}

func (t *table) line(row []string, width []int) string {
	var b strings.Builder
	for i, c := range row {
		if i > 0 {
			b.WriteString("  ")
		}
		pad := strings.Repeat(" ", width[i]-utf8.RuneCountInString(c))
		if i < t.left {
			b.WriteString(c + pad)
		} else {
			b.WriteString(pad + c)
		}
	}
	return strings.TrimRight(b.String(), " ")
}

// wrap breaks text into lines of at most width columns, at blanks. A word that
// is longer has a line of its own.
func wrap(text string, width int) []string {
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(text) {
		switch {
		case line == "":
			line = word
		case utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) <= width:
			line += " " + word
		default:
			lines, line = append(lines, line), word
		}
	}
	return append(lines, line)
}

// shorten cuts the end off what is wider than width columns.
func shorten(s string, width int) string {
	switch {
	case utf8.RuneCountInString(s) <= width:
		return s
	case width <= 0:
		return ""
	}
	return string([]rune(s)[:width-1]) + "…"
}
