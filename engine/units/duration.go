package units

import (
	"fmt"
	"math/big"
	"strings"
	"time"
	"unicode"
)

// Duration reads a duration, to the nearest nanosecond.
func Duration(s string) (time.Duration, error) {
	sum := new(big.Rat)
	for rest := s; ; {
		r, after, err := durations.number(s, rest)
		if err != nil {
			return 0, err
		}
		name := unitName(after)
		factor := int64(time.Second)
		if plain := rest == s && after == ""; !plain {
			if factor, err = durationUnit(s, name, after); err != nil {
				return 0, err
			}
		}
		sum.Add(sum, r.Mul(r, new(big.Rat).SetInt64(factor)))
		if rest = strings.TrimSpace(after[len(name):]); rest == "" {
			return nearest(s, sum)
		}
	}
}

// durationUnit looks up the unit that after, the text behind a number, begins with.
func durationUnit(s, name, after string) (int64, error) {
	if after == "" {
		return 0, fmt.Errorf("duration %q ends in a number without a unit", s)
	}
	if factor, ok := durations.find(name); ok {
		return factor, nil
	}
	if name == "" {
		name = after
	}
	return 0, durations.unknown(s, name)
}

// unitName is the letters at the start of s.
func unitName(s string) string {
	if i := strings.IndexFunc(s, func(r rune) bool { return !unicode.IsLetter(r) }); i >= 0 {
		return s[:i]
	}
	return s
}

func nearest(s string, ns *big.Rat) (time.Duration, error) {
	half := new(big.Rat).Add(ns, big.NewRat(1, 2))
	n := new(big.Int).Quo(half.Num(), half.Denom())
	if !n.IsInt64() {
		return 0, fmt.Errorf("duration %q is too long: the most is 292 years", s)
	}
	return time.Duration(n.Int64()), nil
}
