package fiojob

import "strings"

// section is a part of a job file, or what follows a --name.
type section struct {
	name    string
	pos     Pos
	global  bool
	wall    bool // it waits for all before, because it begins another file
	file    int  // of those on the command line, from 1; 0: the command line itself
	options []Option
}

// newSection begins one. fio takes every name that begins with "global" for global.
func newSection(name string, pos Pos) *section {
	return &section{name: name, pos: pos, global: strings.HasPrefix(name, "global")}
}

// add puts an option in, under the name that fio's manual has for it.
func (s *section) add(o Option) error {
	spec, ok := Find(o.Name)
	if !ok {
		return unknown(o)
	}
	o.Name = spec.Name
	if err := given(spec, o); err != nil {
		return err
	}
	s.options = append(s.options, o)
	return nil
}

// given refuses an option without the value that it needs.
func given(spec Spec, o Option) error {
	switch {
	case spec.Kind == Flag, o.Given && o.Value != "", isLog(o.Name):
		return nil
	case spec.Kind == Boolean:
		return o.Fail("", "it needs a value: %s=1 or %[1]s=0", o.Name)
	}
	return o.Fail("", "it needs a value, as in %s=%s", o.Name, spec.example())
}

// example is a value that the option could have.
func (s Spec) example() string {
	switch {
	case s.Default != "":
		return s.Default
	case s.Kind == Size || s.Kind == Integer && s.Most == 0:
		return "4k"
	case s.Kind == Range:
		return "4k-16k"
	case s.Kind == Time || s.Kind == TimeRange:
		return "10s"
	case s.Kind == Choice:
		return s.choices()[0]
	}
	return "…"
}

// isLog says whether the option asks for a log, which need not be named.
func isLog(name string) bool {
	return strings.HasPrefix(name, "write_") && strings.HasSuffix(name, "_log")
}
