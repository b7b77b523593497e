package scan

import (
	"math"
	"testing"
)

func TestInt(t *testing.T) {
	for s, want := range map[string]int64{"0": 0, "-7": -7, "9223372036854775807": math.MaxInt64, "0009": 9} {
		if n, ok := Int([]byte(s)); !ok || n != want {
			t.Errorf("%q: %d, %v", s, n, ok)
		}
	}
	for _, s := range []string{"", "-", "9223372036854775808", "18446744073709551615", "99999999999999999999", "1 ", "+1", "0x1", "1e3"} {
		if n, ok := Int([]byte(s)); ok {
			t.Errorf("%q is taken for %d", s, n)
		}
	}
}

func TestDecimal(t *testing.T) {
	for s, want := range map[string]int64{
		"0": 0, "1.5": 1500000000, "-0.000000001": -1, ".5": 500000000, "3.": 3000000000, "0.0000000019": 1,
		"9223372036.854775807": math.MaxInt64,
	} {
		if n, ok := Decimal([]byte(s), 9); !ok || n != want {
			t.Errorf("%q: %d, %v", s, n, ok)
		}
	}
	for _, s := range []string{"", ".", "-", "1.2.3", "1.x", "x.1", "9223372036.854775808", "1e9"} {
		if n, ok := Decimal([]byte(s), 9); ok {
			t.Errorf("%q is taken for %d", s, n)
		}
	}
}

func TestMul(t *testing.T) {
	if n, ok := Mul(-3, 512); !ok || n != -1536 {
		t.Error(n, ok)
	}
	if _, ok := Mul(math.MaxInt64/512+1, 512); ok {
		t.Error("an overflow went unnoticed")
	}
}

func TestFields(t *testing.T) {
	f, rest := Field([]byte("  a b\tc "))
	if string(f) != "a" || string(rest) != "b\tc " {
		t.Errorf("%q %q", f, rest)
	}
	f, rest = Last([]byte(" a b  c \t"))
	if string(f) != "c" || string(rest) != " a b" {
		t.Errorf("%q %q", f, rest)
	}
	if f, rest = Field(nil); len(f)+len(rest) != 0 {
		t.Errorf("%q %q", f, rest)
	}
}
