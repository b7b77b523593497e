// Package hist records latencies: HDR histograms with three significant
// digits from 1 ns to an hour, beside an exact count, sum, minimum and maximum.
//
// A Histogram belongs to one goroutine at a time. Recording neither locks nor
// allocates; a value out of range is clamped, and the exact figures keep it.
package hist

import (
	"fmt"

	hdr "github.com/HdrHistogram/hdrhistogram-go"
)

// The range that is resolved, in nanoseconds.
const (
	Lowest  = 1
	Highest = 3_600_000_000_000
	digits  = 3
)

// Histogram is a distribution of durations in nanoseconds.
type Histogram struct {
	h        *hdr.Histogram
	sum      int64
	min, max int64
}

// New returns an empty histogram.
func New() *Histogram {
	return &Histogram{h: hdr.New(Lowest, Highest, digits), min: -1}
}

// Record adds one duration.
func (h *Histogram) Record(ns int64) {
	ns = max(ns, 0)
	h.sum += ns
	if ns > h.max {
		h.max = ns
	}
	if ns < h.min || h.min < 0 {
		h.min = ns
	}
	// Clamped, so the only error it has cannot happen.
	_ = h.h.RecordValue(min(ns, Highest))
}

// Count is how many durations were recorded.
func (h *Histogram) Count() int64 { return h.h.TotalCount() }

// Sum is their exact sum.
func (h *Histogram) Sum() int64 { return h.sum }

// Min is the smallest recorded duration, 0 if there is none.
func (h *Histogram) Min() int64 { return max(h.min, 0) }

// Max is the largest recorded duration, 0 if there is none.
func (h *Histogram) Max() int64 { return h.max }

// Mean is the exact mean, 0 if there is none.
func (h *Histogram) Mean() float64 {
	if n := h.Count(); n > 0 {
		return float64(h.sum) / float64(n)
	}
	return 0
}

// StdDev is the standard deviation, to the histogram's resolution.
func (h *Histogram) StdDev() float64 {
	if h.Count() == 0 {
		return 0
	}
	return h.h.StdDev()
}

// Percentile is the duration that p per cent of the recorded ones do not
// exceed, to the histogram's resolution and never outside [Min, Max].
func (h *Histogram) Percentile(p float64) int64 {
	if h.Count() == 0 {
		return 0
	}
	return min(max(h.h.ValueAtPercentile(p), h.Min()), h.max)
}

// Merge adds all of o.
func (h *Histogram) Merge(o *Histogram) {
	if o.Count() == 0 {
		return
	}
	h.h.Merge(o.h)
	h.sum += o.sum
	h.max = max(h.max, o.max)
	if h.min < 0 || o.min < h.min {
		h.min = o.min
	}
}

// Reset empties the histogram.
func (h *Histogram) Reset() {
	if h.Count() > 0 {
		h.h.Reset()
	}
	h.sum, h.max, h.min = 0, 0, -1
}

// Encode is the histogram in HdrHistogram's V2 compressed form, in base64. It
// allocates about a megabyte: for reporters only.
func (h *Histogram) Encode() (string, error) {
	b, err := h.h.Encode(hdr.V2CompressedEncodingCookieBase)
	if err != nil {
		return "", fmt.Errorf("encoding a histogram: %w", err)
	}
	return string(b), nil
}

// Decode reads what Encode wrote. The exact sum and extremes are not in it
// and come back to the histogram's resolution.
func Decode(s string) (*Histogram, error) {
	h, err := hdr.Decode([]byte(s))
	if err != nil {
		return nil, fmt.Errorf("decoding a histogram: %w", err)
	}
	r := &Histogram{h: h, min: -1}
	if n := h.TotalCount(); n > 0 {
		r.min, r.max = h.Min(), h.Max()
		r.sum = int64(h.Mean() * float64(n))
	}
	return r, nil
}
