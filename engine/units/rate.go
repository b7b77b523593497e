package units

import (
	"fmt"
	"math"
	"math/big"
	"strings"
	"time"
)

// Rate is how many operations, or bytes, there are to be in a second.
type Rate struct {
	PerSecond float64
	Bytes     bool
}

// String is the rate as ParseRate reads it.
func (r Rate) String() string { return FormatRate(r) }

var rates = table{what: "rate", like: `"20k/s" or "800MiB/s"`}

// ParseRate reads a rate.
func ParseRate(s string) (Rate, error) {
	r, rest, err := rates.number(s, s)
	if err != nil {
		return Rate{}, err
	}
	name, per, slash := strings.Cut(rest, "/")
	name, per = strings.TrimSpace(name), strings.TrimSpace(per)
	if !slash && name != "" {
		return Rate{}, fmt.Errorf("rate %q does not say per what: write it like %s", s, rates.like)
	}
	factor, bytes, err := amount(s, name)
	if err != nil {
		return Rate{}, err
	}
	ns := int64(time.Second)
	if slash {
		var ok bool
		if ns, ok = durations.find(per); !ok {
			t := durations
			t.what = rates.what
			return Rate{}, t.unknown(s, per)
		}
	}
	r.Mul(r, new(big.Rat).SetInt64(factor))
	r.Mul(r, big.NewRat(int64(time.Second), ns))
	f, _ := r.Float64()
	if math.IsInf(f, 0) {
		return Rate{}, fmt.Errorf("rate %q is too high", s)
	}
	return Rate{PerSecond: f, Bytes: bytes}, nil
}

// amount is the unit before a rate's slash: a count's, or a size's with its B.
func amount(s, name string) (factor int64, bytes bool, err error) {
	if name == "" {
		return 1, false, nil
	}
	if f, ok := counts.find(name); ok {
		return f, false, nil
	}
	if f, ok := sizes.find(name); ok && strings.ContainsAny(name, "bB") {
		return f, true, nil
	}
	t := table{what: rates.what, units: append(counts.units[:len(counts.units):len(counts.units)], withB()...)}
	return 0, false, t.unknown(s, name)
}

// withB is the units of size that a rate can be in.
func withB() []unit {
	var list []unit
	for _, u := range sizes.units {
		if strings.HasSuffix(u.name, "B") {
			list = append(list, u)
		}
	}
	return list
}
