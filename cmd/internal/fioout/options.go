package fioout

import (
	"slices"

	"moonio/cmd/internal/fiojob"
)

const maxPercentiles = 20

// percentiles is percentile_list in rising order, at most 20 of it.
func percentiles(o *fiojob.Values) []float64 {
	list := o.Floats("percentile_list")
	list = list[:min(len(list), maxPercentiles)]
	slices.Sort(list)
	return list
}

// style is how numbers are written.
type style struct {
	digits int     // significant_figures
	base   float64 // kb_base: 1024 or 1000
	bits   bool    // unit_base
	places int     // of percentiles
}

func styleOf(o *fiojob.Values) style {
	s := style{digits: int(o.Integer("significant_figures")), base: 1024, places: 2}
	if o.Integer("kb_base") == 1000 {
		s.base = 1000
	}
	s.bits = o.Text("unit_base") == "1"
	return s
}
