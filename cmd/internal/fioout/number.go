package fioout

import "strconv"

var (
	binary  = []string{"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"}
	decimal = []string{"", "k", "M", "G", "T", "P", "E"}
)

// short writes n with a prefix, so that number and point take at most width characters.
// As fio does, it cuts what a larger unit leaves over before it rounds the last.
func short(n uint64, width int, powers2 bool, unit string) string {
	step, prefixes := uint64(1000), decimal
	if powers2 {
		step, prefixes = 1024, binary
	}
	i, rest := 0, uint64(0)
	for i < len(prefixes)-1 && len(strconv.FormatUint(n, 10)) > width {
		n, rest = n/step, n%step
		i++
	}
	text := strconv.FormatUint(n, 10)
	if i == 0 {
		return text + unit
	}
	places := width - len(text) - 1
	if places < 1 {
		if rest >= step/2 {
			n++
		}
		return strconv.FormatUint(n, 10) + prefixes[i] + unit
	}
	part := strconv.FormatFloat(float64(rest)/float64(step), 'f', places, 64)
	if part[0] == '1' {
		n++
	}
	return strconv.FormatUint(n, 10) + part[1:] + prefixes[i] + unit
}

// count writes a rate of operations.
func (s style) count(n uint64) string { return short(n, s.digits, false, "") }

// size writes bytes in kb_base's units, and other in the others.
func (s style) size(n uint64) string  { return short(n, s.digits, s.base == 1024, "B") }
func (s style) other(n uint64) string { return short(n, s.digits, s.base != 1024, "B") }

// rate writes bytes per second, as bits if unit_base says so.
func (s style) rate(n uint64) string     { return s.perSecond(n, s.base == 1024) }
func (s style) rateElse(n uint64) string { return s.perSecond(n, s.base != 1024) }

func (s style) perSecond(n uint64, powers2 bool) string {
	if s.bits {
		return short(8*n, s.digits, powers2, "bit/s")
	}
	return short(n, s.digits, powers2, "B/s")
}
