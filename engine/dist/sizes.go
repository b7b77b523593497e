package dist

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"moonio/engine/units"
)

// SizeShare is one entry of a table of sizes: all of one size, or any from Min to Max in steps,
// with equal chances.
type SizeShare struct {
	Min, Max int64   // bytes
	Weight   float64 // relative to the sum
	Step     int64   // bytes; 0: Min, so that sizes are multiples of it
}

// Sizes draws how large operations are. The zero value has none and draws 0.
// It does not change after it is made.
type Sizes struct {
	fixed int64 // the only size, if there is only one
	table *sizeTable
}

type sizeTable struct {
	shares   []SizeShare
	choice   *Choice
	min, max int64
}

// OneSize is always n.
func OneSize(n int64) (Sizes, error) { return NewSizes(SizeShare{Min: n, Max: n, Weight: 1}) }

// NewSizes makes a table.
func NewSizes(shares ...SizeShare) (Sizes, error) {
	t := &sizeTable{shares: shares}
	var weights []float64
	for _, s := range shares {
		if err := s.check(); err != nil {
			return Sizes{}, err
		}
		weights = append(weights, s.Weight)
		if t.min == 0 || s.Min < t.min {
			t.min = s.Min
		}
		t.max = max(t.max, s.Max)
	}
	var err error
	if t.choice, err = NewChoice(weights...); err != nil {
		return Sizes{}, fmt.Errorf("sizes: %w", err)
	}
	if t.min == t.max {
		return Sizes{fixed: t.min, table: t}, nil
	}
	return Sizes{table: t}, nil
}

func (s SizeShare) step() int64 {
	if s.Step > 0 {
		return s.Step
	}
	return s.Min
}

func (s SizeShare) check() error {
	switch {
	case s.Min <= 0:
		return fmt.Errorf("a size of %d bytes: it must be above 0", s.Min)
	case s.Max < s.Min:
		return fmt.Errorf("sizes %s: the second is below the first", s)
	case s.Step == 0 && s.Max%s.Min != 0:
		return fmt.Errorf("sizes %s: sizes between them are multiples of the first, so the second must be one; block_step sets another step", s)
	case s.Step < 0 || s.Step > 0 && (s.Max-s.Min)%s.Step != 0:
		return fmt.Errorf("sizes %s: steps of %s from the first do not come to the second", s, units.FormatSize(s.Step))
	}
	return nil
}

// String is the entry without its weight.
func (s SizeShare) String() string {
	if s.Min == s.Max {
		return units.FormatSize(s.Min)
	}
	return units.FormatSize(s.Min) + "-" + units.FormatSize(s.Max)
}

// Ranges says whether any of the sizes is drawn from a range, in steps.
func (s Sizes) Ranges() bool {
	return s.table != nil && slices.ContainsFunc(s.table.shares, func(e SizeShare) bool { return e.Min < e.Max })
}

// ParseSizes reads "4KiB" (always), "4k-64k" (a range) or "4k/60:64k/40" (a table with weights). The
// sizes of a range lie step bytes apart; 0: as many as its first size. Entries of a table that have no
// weight share what the others leave of 100; otherwise weights need not sum to 100.
func ParseSizes(text string, step int64) (Sizes, error) {
	var shares []SizeShare
	var blank []int
	for i, entry := range strings.Split(text, ":") {
		size, weight, _ := strings.Cut(entry, "/")
		s, err := parseRange(size)
		if err != nil {
			return Sizes{}, inText(text, err)
		}
		if strings.TrimSpace(weight) == "" {
			blank = append(blank, i)
		} else if s.Weight, err = units.Percent(weight); err != nil {
			return Sizes{}, inText(text, err)
		}
		s.Step = step
		shares = append(shares, s)
	}
	if err := shareRest(shares, blank); err != nil {
		return Sizes{}, inText(text, err)
	}
	s, err := NewSizes(shares...)
	if err != nil {
		return Sizes{}, inText(text, err)
	}
	return s, nil
}

// inText adds the whole text to an error about a part of it.
func inText(text string, err error) error {
	if strings.ContainsAny(text, ":/-") {
		return fmt.Errorf("block sizes %q: %w", text, err)
	}
	return err
}

func parseRange(text string) (SizeShare, error) {
	low, high, isRange := strings.Cut(text, "-")
	if !isRange || strings.TrimSpace(low) == "" {
		low, high = text, text
	}
	a, err := units.Size(low)
	if err != nil {
		return SizeShare{}, err
	}
	b, err := units.Size(high)
	if err != nil {
		return SizeShare{}, err
	}
	return SizeShare{Min: a, Max: b}, nil
}

// shareRest gives the entries without a weight what the others leave of 100.
func shareRest(shares []SizeShare, blank []int) error {
	if len(blank) == 0 {
		return nil
	}
	rest := 100.0
	for _, s := range shares {
		rest -= s.Weight
	}
	if rest <= 0 {
		return errors.New("the weights leave nothing of 100 for the sizes without one")
	}
	for _, i := range blank {
		shares[i].Weight = rest / float64(len(blank))
	}
	return nil
}

// String is the table as ParseSizes reads it.
func (s Sizes) String() string {
	if s.table == nil {
		return "0B"
	}
	if len(s.table.shares) == 1 {
		return s.table.shares[0].String()
	}
	parts := make([]string, len(s.table.shares))
	for i, e := range s.table.shares {
		parts[i] = e.String() + "/" + number(e.Weight)
	}
	return strings.Join(parts, ":")
}

// IsZero says that there are no sizes.
func (s Sizes) IsZero() bool { return s.table == nil }

// Min is the least size that can come.
func (s Sizes) Min() int64 {
	if s.table == nil {
		return 0
	}
	return s.table.min
}

// Max is the largest size that can come.
func (s Sizes) Max() int64 {
	if s.table == nil {
		return 0
	}
	return s.table.max
}

// Next draws a size in bytes.
func (s Sizes) Next(r *Rand) int64 {
	if s.fixed > 0 || s.table == nil {
		return s.fixed
	}
	return s.table.draw(r)
}

func (t *sizeTable) draw(r *Rand) int64 {
	e := &t.shares[t.choice.Next(r)]
	if e.Min == e.Max {
		return e.Min
	}
	step := e.step()
	return e.Min + step*int64(r.Uint64n(uint64((e.Max-e.Min)/step+1)))
}
