package fioout

import (
	"strconv"
	"strings"

	"moonio/cmd/internal/fiojob"
)

// options are a job's, global ones included: the last of a name counts.
type options []fiojob.Option

func (o options) get(name string) (value string, given bool) {
	for i := len(o) - 1; i >= 0; i-- {
		if o[i].Name == name {
			return o[i].Value, true
		}
	}
	return "", false
}

// on says whether a switch is on: given alone or with a number that is not 0.
func (o options) on(name string, otherwise bool) bool {
	v, given := o.get(name)
	if !given {
		return otherwise
	}
	return v != "0"
}

// number is a plain number; one that does not parse was refused before the run.
func (o options) number(name string, otherwise int64) int64 {
	v, _ := o.get(name)
	n, err := strconv.ParseInt(v, 10, 64)
	if err != nil {
		return otherwise
	}
	return n
}

func (o options) float(name string, otherwise float64) float64 {
	v, _ := o.get(name)
	f, err := strconv.ParseFloat(v, 64)
	if err != nil {
		return otherwise
	}
	return f
}

// micros is a time option whose plain number is in microseconds, in them.
func (o options) micros(name string, otherwise int64) int64 {
	v, given := o.get(name)
	if !given {
		return otherwise
	}
	digits := strings.TrimRight(v, "dhmsunDHMSUN")
	n, err := strconv.ParseFloat(digits, 64)
	if err != nil {
		return otherwise
	}
	return int64(n * unitMicros(strings.ToLower(v[len(digits):])))
}

func unitMicros(unit string) float64 {
	switch unit {
	case "d":
		return 24 * 3600e6
	case "h":
		return 3600e6
	case "m":
		return 60e6
	case "s":
		return 1e6
	case "ms":
		return 1e3
	case "ns":
		return 1e-3
	}
	return 1
}

// Percentiles that fio shows by default.
var percentiles = []float64{1, 5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 95, 99, 99.5, 99.9, 99.95, 99.99}

const maxPercentiles = 20

// percentiles is percentile_list in rising order, at most 20 of it.
func (o options) percentiles() []float64 {
	v, given := o.get("percentile_list")
	if !given {
		return percentiles
	}
	var list []float64
	for _, s := range strings.Split(v, ":") {
		if f, err := strconv.ParseFloat(s, 64); err == nil && len(list) < maxPercentiles {
			list = append(list, f)
		}
	}
	return sorted(list)
}

// style is how numbers are written.
type style struct {
	digits  int     // sig_figs
	base    float64 // kb_base: 1024 or 1000
	bits    bool    // unit_base
	decimal int     // of percentiles
}

func (o options) style() style {
	s := style{digits: int(o.number("sig_figs", 4)), base: 1024, decimal: int(o.number("percentile_precision", 2))}
	if o.number("kb_base", 1024) == 1000 {
		s.base = 1000
	}
	switch v, _ := o.get("unit_base"); v {
	case "1", "bits", "b":
		s.bits = true
	}
	return s
}
