package report

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// table lays out rows of cells in columns two blanks apart.
type table struct {
	left int // columns that are aligned to the left; the others hold figures
	half int // column at which a table that is too wide is parted first
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

// fit are the lines in at most width columns. In a table that is too wide, names are cut and
// some figures stand beneath the others, behind the names again.
func (t *table) fit(width int) []string {
	lines := t.lines()
	if widest(lines) <= width {
		return lines
	}
	for _, row := range t.rows {
		for i := range t.left {
			row[i] = shorten(row[i], width/4)
		}
	}
	lines = nil
	for from, to := t.left, 0; from < len(t.rows[0]); from = to {
		for to = from + 1; to < len(t.rows[0]) && to != t.half && widest(t.part(from, to+1)) <= width; to++ {
		}
		if from > t.left {
			lines = append(lines, "")
		}
		lines = append(lines, t.part(from, to)...)
	}
	return lines
}

// part is the table with the figures from one column to another, without rows that have none there.
func (t *table) part(from, to int) []string {
	p := table{left: t.left}
	for _, row := range t.rows {
		if figures := row[from:to]; strings.Join(figures, "") != "" {
			p.add(slices.Concat(row[:t.left], figures)...)
		}
	}
	return p.lines()
}

// widest is how many columns the widest line has.
func widest(lines []string) int {
	n := 0
	for _, l := range lines {
		n = max(n, utf8.RuneCountInString(l))
	}
	return n
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
