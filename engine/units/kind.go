package units

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Kind is what a text can be read as.
type Kind uint8

// The kinds.
const (
	KindText Kind = iota
	KindNumber
	KindSize
	KindDuration
	KindRate
	KindPercent
)

// KindOf says what s is written as. A number without a unit is a number. The one
// text that is both a size and a duration is told apart by case: 1m is a minute,
// 1M a mebibyte.
func KindOf(s string) Kind {
	if _, err := Number(s); err == nil {
		return KindNumber
	}
	if _, err := Duration(s); err == nil {
		return KindDuration
	}
	if _, err := Size(s); err == nil {
		return KindSize
	}
	if _, err := ParseRate(s); err == nil {
		return KindRate
	}
	if _, err := Percent(s); err == nil {
		return KindPercent
	}
	return KindText
}

// Number reads a plain finite number, which may be negative.
func Number(s string) (float64, error) {
	f, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	switch {
	case err != nil && !math.IsInf(f, 0), strings.ContainsAny(s, "xX_"):
		return 0, fmt.Errorf("number %q is not a number", s)
	case math.IsInf(f, 0), math.IsNaN(f):
		return 0, fmt.Errorf("number %q is not finite", s)
	}
	return f, nil
}

var percents = table{what: "percentage", like: `"70%"`, units: []unit{{"%", 1}}}

// Percent reads a share of 100, with or without the sign: "70%" is 70.
func Percent(s string) (float64, error) {
	r, sign, err := percents.number(s, s)
	if err != nil {
		return 0, err
	}
	if sign != "" && sign != "%" {
		return 0, percents.unknown(s, sign)
	}
	f, _ := r.Float64()
	if f > 100 {
		return 0, fmt.Errorf("percentage %q is more than 100", s)
	}
	return f, nil
}
