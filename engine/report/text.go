package report

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strings"
	"unicode/utf8"
)

// TextOptions say how a result is written for people.
type TextOptions struct {
	Width int  // columns of the terminal, which prose is wrapped to and tables are made to fit; 0: there is none, and prose has 100
	Color bool // for a terminal only
}

const defaultWidth = 100

// WriteText renders the result for people: under which conditions it was
// measured, a table for each phase, then warnings, expectations and, unless
// all went well, how the run ended.
func WriteText(w io.Writer, r *Result, o TextOptions) error {
	t := &text{w: bufio.NewWriter(w), o: o, tables: o.Width}
	if o.Width <= 0 {
		t.o.Width, t.tables = defaultWidth, math.MaxInt
	}
	t.header(r)
	c := columnsOf(r.Phases)
	for _, p := range r.Phases {
		t.phase(p, c)
	}
	t.log(r.Log)
	t.warnings(r)
	t.expectations(r.Expectations)
	t.exit(r.Exit)
	if err := t.w.Flush(); err != nil {
		return fmt.Errorf("result as text: %w", err)
	}
	return nil
}

// text is where the renderings of a result's parts meet. The writer keeps its
// first error for Flush.
type text struct {
	w      *bufio.Writer
	o      TextOptions
	tables int // columns that a table may have
}

func (t *text) line(format string, args ...any) {
	fmt.Fprintf(t.w, format, args...)
	t.w.WriteByte('\n')
}

// hanging writes text wrapped, behind first and then below the end of first.
func (t *text) hanging(first string, indent int, text string) {
	for _, l := range wrap(text, t.o.Width-indent) {
		t.line("%s%s", first, l)
		first = strings.Repeat(" ", indent)
	}
}

// list writes names, each with a text wrapped beside it.
func (t *text) list(l *table) {
	width := 0
	for _, row := range l.rows {
		row[0] = shorten(row[0], t.o.Width/2)
		width = max(width, utf8.RuneCountInString(row[0]))
	}
	for _, row := range l.rows {
		pad := strings.Repeat(" ", width-utf8.RuneCountInString(row[0])+2)
		t.hanging(row[0]+pad, width+2, row[1])
	}
}

const (
	bold   = "\x1b[1m"
	red    = "\x1b[31m"
	green  = "\x1b[32m"
	yellow = "\x1b[33m"
	plain  = "\x1b[0m"
)

func (t *text) paint(color, s string) string {
	if !t.o.Color {
		return s
	}
	return color + s + plain
}

func (t *text) log(lines []LogLine) {
	if len(lines) == 0 {
		return
	}
	t.line("\n%s", t.paint(bold, "log"))
	for _, l := range lines {
		t.line("  %9.3f s  %s", float64(l.TNS)/1e9, l.Text)
	}
}

func (t *text) expectations(list []Expectation) {
	if len(list) == 0 {
		return
	}
	t.line("\n%s", t.paint(bold, "expectations"))
	for _, e := range list {
		mark := t.paint(green, "✓")
		if !e.Passed {
			mark = t.paint(red, "✗")
		}
		t.hanging("  "+mark+" ", 4, fmt.Sprintf("%s (%s:%d)", e.Text, e.File, e.Line))
	}
}

func (t *text) exit(e Exit) {
	if e.Code == 0 {
		return
	}
	t.line("\n%s", t.paint(red, strings.TrimSuffix(fmt.Sprintf("exit %d: %s", e.Code, e.Reason), ": ")))
}

// note is a warning, and the phases in which it came again.
type note struct {
	Warning
	phases []string
}

// warnings writes each once: one that several phases have in common, though
// its figures differ, stands with the first's figures and the others' names.
func (t *text) warnings(r *Result) {
	var notes []*note
	for _, w := range r.Warnings {
		notes = append(notes, &note{Warning: w})
	}
	seen := map[string]*note{}
	for _, p := range r.Phases {
		in := map[string]int{} // this phase: what it says twice it says of two things
		for _, w := range p.Warnings {
			key := w.Code + "\x00" + w.about()
			in[key]++
			key += fmt.Sprint("\x00", in[key])
			n := seen[key]
			if n == nil {
				n = &note{Warning: w}
				seen[key], notes = n, append(notes, n)
			}
			n.phases = append(n.phases, p.Name)
		}
	}
	if len(notes) == 0 {
		return
	}
	t.line("\n%s", t.paint(bold, "warnings"))
	for _, n := range notes {
		t.hanging("  "+t.paint(yellow, "!")+" ", 4, n.Code+": "+n.Text+n.where(len(r.Phases)))
	}
}

// about is the job or operation that the text begins with, if it does.
func (w Warning) about() string {
	about, _, ok := strings.Cut(w.Text, ": ")
	if !ok {
		return ""
	}
	return about
}

// where says in which of the run's phases the warning holds.
func (n *note) where(phases int) string {
	switch {
	case phases == 1 || len(n.phases) == 0:
		return ""
	case len(n.phases) == phases:
		return " (In every phase.)"
	case len(n.phases) == 1:
		return fmt.Sprintf(" (In %s.)", n.phases[0])
	}
	return fmt.Sprintf(" (In %s, and also in %s.)", n.phases[0], strings.Join(n.phases[1:], ", "))
}
