package report

import (
	"fmt"

	"moonio/engine/units"
)

// verified says what the phase's jobs found of what was written.
func (t *text) verified(p *Phase) {
	first := true
	for _, j := range p.Jobs {
		v := j.Verify
		if v == nil || v.Checked+v.Unsettled+v.Unknown == 0 {
			continue // it read nothing
		}
		if first {
			t.line("")
			first = false
		}
		mark := t.paint(green, "✓")
		if v.Mismatches > 0 {
			mark = t.paint(red, "✗")
		}
		t.hanging("  "+mark+" ", 4, fmt.Sprintf("%s: %s", j.Name, v))
		for i := range v.First {
			t.hanging("    ", 6, v.First[i].Error())
		}
		if more := v.Mismatches - int64(len(v.First)); more > 0 && v.Mismatches > 0 {
			t.line("    and %d more", more)
		}
	}
}

// String is the verification in one line.
func (v *Verification) String() string {
	s := fmt.Sprintf("%s verified (%s), %s", plural(v.Checked, "block"), units.ApproxSize(float64(v.Bytes)), plural(v.Mismatches, "mismatch"))
	if v.Unsettled > 0 {
		s += fmt.Sprintf("; %s written at the same time", plural(v.Unsettled, "block"))
	}
	if v.Unknown > 0 {
		s += fmt.Sprintf("; nothing known of %s", plural(v.Unknown, "block"))
	}
	if v.Otherwise > 0 {
		s += fmt.Sprintf("; %s by the method that it was written with, and not the job's", plural(v.Otherwise, "block"))
	}
	return s
}

func plural(n int64, noun string) string {
	switch {
	case n == 1:
		return "1 " + noun
	case noun == "mismatch":
		return fmt.Sprintf("%d mismatches", n)
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Mismatches is how many blocks of all jobs were not what was written.
func (r *Result) Mismatches() (n int64) {
	for _, p := range r.Phases {
		for _, j := range p.Jobs {
			if j.Verify != nil {
				n += j.Verify.Mismatches
			}
		}
	}
	return n
}
