package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"moonio/engine/environ"
	"moonio/engine/units"
)

// header writes what holds for the whole run.
func (t *text) header(r *Result) {
	n := fmt.Sprintf("%d phases", len(r.Phases))
	if len(r.Phases) == 1 {
		n = "1 phase"
	}
	t.line("%s: %s in %s", t.paint(bold, r.Script.Name), n, approx(r.DurationNS))
	t.line("")
	t.entry("engine", engineLine(r))
	if !r.EngineInfo.Memory {
		t.entry("storage", storageLine(r.Environment.Storage))
		t.entry("device", deviceLine(r.Environment.Storage))
	}
	t.entry("machine", machineLine(&r.Environment))
	t.entry("params", paramsLine(r.Script.Params))
	t.entry("run", runLine(r))
}

// entry writes one line of the header, unless there is nothing to say.
func (t *text) entry(name, value string) {
	if value != "" {
		t.hanging(fmt.Sprintf("%-9s", name), 9, value)
	}
}

func engineLine(r *Result) string {
	s := r.Engine
	if r.EngineInfo.Detail != "" {
		// A list of options has no blanks that a line could be broken at.
		s += ", " + strings.ReplaceAll(strings.ReplaceAll(r.EngineInfo.Detail, ", ", ","), ",", ", ")
	}
	switch {
	case r.EngineInfo.Virtual:
		s += ": no storage was touched, and the time is the simulated device's"
	case r.EngineInfo.Memory:
		s += ": no storage was touched"
	case r.EngineInfo.Why != "":
		s += ": " + r.EngineInfo.Why
	}
	return s
}

func storageLine(s *environ.Storage) string {
	if s == nil {
		return ""
	}
	line := s.Path
	if s.FSType != "" {
		line += fmt.Sprintf(", on %s (%s)", s.FSType, s.Options)
		if s.Source != "" {
			line += " of " + s.Source
		}
	}
	return line
}

func deviceLine(s *environ.Storage) string {
	if s == nil || s.Device == nil {
		return ""
	}
	d := s.Device
	return phrases(
		d.Name,
		prefixed("on ", strings.Join(d.Under, " and ")),
		d.Model,
		prefixed("driver ", d.Driver),
		prefixed("firmware ", d.Firmware),
		size(d.SizeBytes),
		map[bool]string{true: "rotational"}[d.Rotational],
		prefixed("scheduler ", d.Scheduler),
		d.WriteCache,
		linkLine(d.Link),
	)
}

func linkLine(l *environ.Link) string {
	if l == nil {
		return ""
	}
	return fmt.Sprintf("%s ×%d", l.Speed, l.Width)
}

// phrases joins those of its parts that say something.
func phrases(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), ", ")
}

// prefixed is s behind prefix, or nothing if s is nothing.
func prefixed(prefix, s string) string {
	if s == "" {
		return ""
	}
	return prefix + s
}

func machineLine(e *environ.Environment) string {
	if e.Kernel == "" {
		return ""
	}
	return phrases(e.Hostname, "Linux "+e.Kernel, fmt.Sprintf("%d × %s", e.CPUs, cmp.Or(e.CPU, e.Arch)), size(e.MemoryBytes)+" of memory", e.Virtualization)
}

func paramsLine(params map[string]any) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(params)) {
		v := params[name]
		if x, ok := v.(float64); ok {
			v = strconv.FormatFloat(x, 'f', -1, 64)
		}
		parts = append(parts, fmt.Sprintf("%s=%v", name, v))
	}
	return strings.Join(parts, " ")
}

func runLine(r *Result) string {
	s := fmt.Sprintf("seed %d, moonio %s", r.Seed, r.Tool.Version)
	if !r.Started.IsZero() {
		s += ", " + r.Started.Format("2006-01-02 15:04:05 -0700")
	}
	return s
}

// approx is a duration in ns for reading.
func approx[N int64 | float64](ns N) string { return even(units.ApproxDuration(float64(ns))) }

// size is a number of bytes for reading.
func size(n int64) string { return even(units.ApproxSize(float64(n))) }

// even leaves off a fraction that is nothing: "8.00 GiB" is 8 GiB.
func even(s string) string {
	whole, rest, ok := strings.Cut(s, ".")
	fraction, unit, _ := strings.Cut(rest, " ")
	if !ok || strings.Trim(fraction, "0") != "" {
		return s
	}
	return whole + " " + unit
}
