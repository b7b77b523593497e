package hist

import (
	"fmt"

	hdr "github.com/HdrHistogram/hdrhistogram-go"
)

// Encode is the histogram in HdrHistogram's V2 compressed form, in base64: the
// counts, to the histogram's resolution. It allocates about a megabyte: for
// reporters only.
func (h *Histogram) Encode() (string, error) {
	b, err := hdr.Import(&hdr.Snapshot{
		LowestTrackableValue:  Lowest,
		HighestTrackableValue: Highest,
		SignificantFigures:    digits,
		Counts:                h.counts[:],
	}).Encode(hdr.V2CompressedEncodingCookieBase)
	if err != nil {
		return "", fmt.Errorf("encoding a histogram: %w", err)
	}
	return string(b), nil
}

// Decode reads what Encode wrote. The exact sum and extremes are not in it
// and come back to the histogram's resolution, unless Refine knows them.
func Decode(s string) (*Histogram, error) {
	d, err := hdr.Decode([]byte(s))
	if err != nil {
		return nil, fmt.Errorf("decoding a histogram: %w", err)
	}
	snap := d.Export()
	if snap.LowestTrackableValue != Lowest || snap.HighestTrackableValue != Highest || snap.SignificantFigures != digits {
		return nil, fmt.Errorf("decoding a histogram: it has %d digits from %d to %d, and not %d from %d to %d",
			snap.SignificantFigures, snap.LowestTrackableValue, snap.HighestTrackableValue, digits, Lowest, Highest)
	}
	h := New()
	for i, c := range snap.Counts {
		if c > 0 {
			h.take(i, c)
		}
	}
	return h, nil
}

// take fills bucket i, which lies above all that are filled, with c values.
func (h *Histogram) take(i int, c int64) {
	if h.n == 0 {
		h.min, _ = lowest(i)
	}
	h.max = highest(i)
	h.n += c
	h.sum.AddN(middle(i), c)
	h.counts[i] = c
}

// Refine puts the exact extremes and the mean into what was decoded; of an empty histogram there are none.
func (h *Histogram) Refine(min, max int64, mean float64) {
	if h.n > 0 {
		h.min, h.max = min, max
		h.sum = sumOf(mean * float64(h.n))
	}
}
