package helper

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"moonio/engine"
)

// Settings reads an engine's options from Config.Options. Each method asks for
// one option; Err says afterwards what was wrong, or not asked for.
type Settings struct {
	engine string
	given  map[string]string
	known  []string
	err    error
}

// NewSettings is for the options given to the engine of that name.
func NewSettings(engine string, given map[string]string) *Settings {
	return &Settings{engine: engine, given: given}
}

func (s *Settings) value(name string) (string, bool) {
	s.known = append(s.known, name)
	v, ok := s.given[name]
	return v, ok
}

func (s *Settings) bad(name, value, want string) {
	if s.err == nil {
		s.err = fmt.Errorf("%s: %s=%s: want %s", s.engine, name, value, want)
	}
}

// Switch says whether the option is on, and whether it was given at all.
func (s *Settings) Switch(name string) (on, given bool) {
	v, ok := s.value(name)
	if ok && v != "0" && v != "1" {
		s.bad(name, v, "1 or 0")
	}
	return v == "1", ok
}

// Int is the option's number, or otherwise unless it was given.
func (s *Settings) Int(name string, otherwise, least, most int) int {
	v, ok := s.value(name)
	if !ok {
		return otherwise
	}
	n, err := strconv.Atoi(v)
	if err != nil || n < least || n > most {
		s.bad(name, v, fmt.Sprintf("a number from %d to %d", least, most))
	}
	return n
}

// OneOf is the option's value, or the first choice unless it was given.
func (s *Settings) OneOf(name string, choices ...string) string {
	v, ok := s.value(name)
	switch {
	case !ok:
		return choices[0]
	case !slices.Contains(choices, v):
		s.bad(name, v, strings.Join(choices, ", "))
	}
	return v
}

// Prio is the option's priority as Op.Prio has it, or 0.
func (s *Settings) Prio(name string) uint16 {
	v, ok := s.value(name)
	if !ok {
		return 0
	}
	p, err := engine.ParsePrio(v)
	if err != nil && s.err == nil {
		s.err = fmt.Errorf("%s: %s=%s: %w", s.engine, name, v, err)
	}
	return p
}

// Err is the first value that was wrong, or an option that nobody asked for.
func (s *Settings) Err() error {
	if s.err != nil {
		return s.err
	}
	for _, name := range slices.Sorted(maps.Keys(s.given)) {
		if slices.Contains(s.known, name) {
			continue
		}
		if len(s.known) == 0 {
			return fmt.Errorf("%s has no option %q: it takes none", s.engine, name)
		}
		return fmt.Errorf("%s has no option %q; it has %s", s.engine, name, strings.Join(s.known, ", "))
	}
	return nil
}
