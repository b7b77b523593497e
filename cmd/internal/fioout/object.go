package fioout

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// writer writes JSON with its keys in the order they come, laid out as fio's is, or on one line.
type writer struct {
	b     *bytes.Buffer
	line  bool
	depth int
	any   bool // the present object or array has something in it
}

func (w *writer) indent() {
	if !w.line {
		w.b.WriteString("\n" + strings.Repeat("  ", w.depth))
	}
}

// next begins a member; name is empty in an array.
func (w *writer) next(name string) {
	if w.any {
		w.b.WriteByte(',')
		if w.line {
			w.b.WriteByte(' ')
		}
	}
	w.indent()
	if name != "" {
		fmt.Fprintf(w.b, "%s : ", quoted(name))
	}
	w.any = true
}

// quoted is a string of JSON. No text fails to be one.
func quoted(s string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		return `""`
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func (w *writer) enter(bracket byte) {
	w.b.WriteByte(bracket)
	w.depth++
	w.any = false
}

func (w *writer) leave(bracket byte) {
	w.depth--
	w.indent()
	w.b.WriteByte(bracket)
	w.any = true
}

// object writes a member that is an object.
func (w *writer) object(name string, members func()) {
	w.next(name)
	w.enter('{')
	members()
	w.leave('}')
}

// array writes a member that is an array of n elements, each begun by element with next("").
func (w *writer) array(name string, elements func()) {
	w.next(name)
	w.enter('[')
	elements()
	w.leave(']')
}

func (w *writer) string(name, v string) {
	w.next(name)
	w.b.WriteString(quoted(v))
}

func (w *writer) int(name string, v int64) {
	w.next(name)
	fmt.Fprintf(w.b, "%d", v)
}

func (w *writer) float(name string, v float64) {
	w.next(name)
	fmt.Fprintf(w.b, "%f", v)
}
