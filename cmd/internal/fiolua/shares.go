package fiolua

import (
	"strconv"
	"strings"

	"moonio/cmd/internal/fiojob"
)

// share is an entry of a list such as 4k/50:64k/: something and its per cent.
type share struct {
	what    string
	percent float64
}

// shares reads such a list. Entries without a share get equal parts of what is left of
// 100; more than that is an error.
func (u *unit) shares(o fiojob.Option, text string) ([]share, error) {
	var list []share
	sum, blank := 0.0, 0
	for _, entry := range strings.Split(text, ":") {
		what, percent, _ := strings.Cut(entry, "/")
		s := share{what: what, percent: -1}
		if percent == "" {
			blank++
		} else {
			p, err := strconv.ParseFloat(percent, 64)
			if err != nil || p < 0 || p > 100 {
				return nil, o.Fail(percent, "%q is not per cent, from 0 to 100", percent)
			}
			s.percent = p
			sum += p
		}
		list = append(list, s)
	}
	if sum > 100 {
		return nil, o.Fail(text, "the shares come to %s %%, and the most is 100", decimal(sum))
	}
	for i := range list {
		if list[i].percent < 0 {
			list[i].percent = (100 - sum) / float64(blank)
		}
	}
	if sum == 0 && blank == 0 {
		return nil, o.Fail(text, "all shares are 0")
	}
	return list, nil
}
