package fiolua

import (
	"fmt"
	"strings"

	"moonio/cmd/internal/fiojob"
)

// after writes what follows a stage's phase: whether the rates that jobs had to meet were met.
func (t *translation) after(w *writer, units []*unit) {
	for _, u := range units {
		for _, line := range u.rateChecks() {
			if len(u.jobs) == 1 {
				w.line("%s", fmt.Sprintf(line, quote(u.results[0])))
				continue
			}
			w.line("for job = 0, %d do", len(u.jobs)-1)
			w.line("  %s", fmt.Sprintf(line, quote(strings.TrimSuffix(u.results[0], "0"))+" .. job"))
			w.line("end")
		}
	}
}

// rateChecks are lines that expect the least rates, with a verb for the job's name.
func (u *unit) rateChecks() []string {
	var lines []string
	for _, r := range []struct{ option, figure string }{{"rate_min", "bandwidth"}, {"rate_iops_min", "iops"}} {
		o, ok := u.v.Option(r.option)
		if !ok {
			continue
		}
		for part, op := range []string{"read", "write", "trim"} {
			n := u.v.Part(r.option, part)
			if n > 0 && u.does(part) {
				lines = append(lines, fmt.Sprintf("expect(result[%%s].%s.%s >= %d, %s)", op, r.figure, n, strings.ReplaceAll(quote(u.name+": "+op+"s keep to "+o.String()), "%", "%%")))
			}
		}
	}
	return lines
}

// does says whether the unit has operations of that kind.
func (u *unit) does(part int) bool {
	return map[int]bool{fiojob.Reads: u.rw.reads, fiojob.Writes: u.rw.writes, fiojob.Trims: u.rw.trim}[part]
}

// checked says whether something is made of the results of a stage.
func checked(units []*unit) bool {
	for _, u := range units {
		if len(u.rateChecks()) > 0 {
			return true
		}
	}
	return false
}
