package fiojob

import (
	"maps"
	"slices"
	"strings"
)

// Kind is what an option's value is.
type Kind int

const (
	Text      Kind = iota
	Flag           // nothing, 0 or 1
	Boolean        // 0 or 1
	Integer        // a whole number with a unit of bytes, if it has one
	Size           // the same, or per cent of the file
	Range          // two of them
	Time           // a length of time, in seconds if it has no unit
	Micro          // the same, in microseconds
	TimeRange      // one or two lengths of time, in seconds
	Floats         // numbers with a colon between them
	Choice         // one of some words, which a colon and more may follow
)

// String says what the value is.
func (k Kind) String() string {
	return [...]string{
		"a text", "nothing, 0 or 1", "0 or 1", "a whole number, as in 4k", "bytes or per cent", "a range of bytes, as in 4k-16k", "a time, in seconds without a unit",
		"a time, in microseconds without a unit", "a time, or a range of them", "numbers with colons between", "a word",
	}[k]
}

// Spec is what fio's manual says of an option.
type Spec struct {
	Name    string
	Also    string // another name for it
	Kind    Kind
	Parts   bool  // the value may have parts for reads, writes and trims
	Least   int64 // of an Integer
	Most    int64 // 0: as many as there are
	Choices string
	Default string
	Engines string // those that have the option; all do if this is empty
}

// Specs are fio's job options.
func Specs() []Spec { return known }

// Find is the option of that name.
func Find(name string) (Spec, bool) {
	s, ok := byName[name]
	return s, ok
}

var byName = index(known)

func index(specs []Spec) map[string]Spec {
	m := map[string]Spec{}
	for _, s := range specs {
		m[s.Name] = s
		if s.Also != "" {
			m[s.Also] = s
		}
	}
	return m
}

// names are all that an option can be called.
func names() []string { return slices.Sorted(maps.Keys(byName)) }

// Numeric says whether the value is made of numbers that can be sums.
func (s Spec) Numeric() bool {
	switch s.Kind {
	case Integer, Size, Range, Time, Micro, TimeRange:
		return true
	}
	return false
}

// choices are the words that a Choice can be.
func (s Spec) choices() []string { return strings.Fields(s.Choices) }
