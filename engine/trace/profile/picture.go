package profile

import (
	"math"
	"strings"
	"unicode/utf8"
)

// columns is how wide pictures are.
const columns = 72

// picture draws reads and writes one above the other on one scale.
func (t *text) picture(counts [][2]int64, from, to string) {
	bins := resample(counts, columns)
	most := int64(0)
	for _, c := range bins {
		most = max(most, c[0], c[1])
	}
	if most == 0 {
		return
	}
	for dir, name := range []string{"  reads", "  writes"} {
		var b strings.Builder
		for _, c := range bins {
			b.WriteRune(height(c[dir], most))
		}
		t.line("%-*s▕%s▏", label, name, b.String())
	}
	t.line("%*s%s%*s", label+1, "", from, columns-utf8.RuneCountInString(from), to)
}

// resample spreads counts over n bins.
func resample(counts [][2]int64, n int) [][2]int64 {
	bins := make([][2]int64, n)
	for i, c := range counts {
		// A bin that is wider than a column shows in all the columns that it covers.
		from, to := i*n/len(counts), max((i+1)*n/len(counts), i*n/len(counts)+1)
		for j := from; j < to; j++ {
			bins[j][0] += c[0]
			bins[j][1] += c[1]
		}
	}
	return bins
}

// height is a count as a block; what is not zero shows.
func height(n, most int64) rune {
	if n == 0 {
		return ' '
	}
	return rune('▁' + int64(math.Ceil(float64(n)/float64(most)*8)) - 1)
}

// bar is a share as a bar of so many columns.
func bar(share float64, width int) string {
	eighths := int(math.Ceil(share * float64(width) * 8))
	s := strings.Repeat("█", eighths/8)
	if e := eighths % 8; e > 0 {
		s += string(rune('█' + 8 - e))
	}
	return s
}
