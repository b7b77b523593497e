package luafix

import (
	"fmt"
	"math/big"
	"regexp"
	"strconv"
	"strings"
)

var (
	decimal     = regexp.MustCompile(`^(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$`)
	hexadecimal = regexp.MustCompile(`^0[xX][0-9a-fA-F]+$`)
	integral    = regexp.MustCompile(`^\d+$`)
)

// checkNumerals finds the first numeral that is none, or that a float64 cannot hold.
func checkNumerals(tokens []Token, name string) error {
	for _, t := range tokens {
		if t.Kind != Number {
			continue
		}
		if _, err := numeral(t.Text); err != nil {
			return &SyntaxError{File: name, Line: t.Line, Column: t.Column, Message: err.Error()}
		}
	}
	return nil
}

// numeral rewrites a numeral so that gopher-lua reads the value that Lua
// would. It reads a leading 0 as octal, hexadecimal numerals of 2^63 and more as
// NaN, and what is no numeral at all ("1e)") as NaN too.
//
// Whole numbers that a float64 cannot hold are refused: a script that writes
// one means it exactly.
func numeral(text string) (string, error) {
	isHex := hexadecimal.MatchString(text)
	if !isHex && !decimal.MatchString(text) {
		return "", fmt.Errorf("malformed number near %s", quote(text))
	}
	if isHex || integral.MatchString(text) {
		return whole(text, isHex)
	}
	f, _ := strconv.ParseFloat(text, 64) // out of range is an infinity, as in C
	return strconv.FormatFloat(f, 'g', -1, 64), nil
}

func whole(text string, isHex bool) (string, error) {
	base, digits := 10, text
	if isHex {
		base, digits = 16, text[2:]
	}
	digits = strings.TrimLeft(digits, "0")
	if len(digits) <= 12 { // below 2^53 in either base
		n, _ := strconv.ParseInt("0"+digits, base, 64)
		return strconv.FormatInt(n, 10), nil
	}
	n, _ := new(big.Int).SetString(digits, base)
	f, accuracy := new(big.Float).SetInt(n).Float64()
	if accuracy != big.Exact {
		return "", fmt.Errorf("%s cannot be held exactly: numbers are exact to 2^53; the nearest is %.0f", text, f)
	}
	return strconv.FormatFloat(f, 'g', -1, 64), nil
}
