package dist

import (
	"errors"
	"fmt"
	"math"
	"time"

	"moonio/engine/units"
)

// Delay is how long something takes: From, or anything from From to To alike, or
// exponentially distributed with a mean. The zero value is no time at all.
type Delay struct {
	From, To time.Duration // the same: a fixed time
	Mean     time.Duration // if it is not 0, exponentially distributed
}

// String is the delay as a script writes it.
func (d Delay) String() string {
	switch {
	case d.Mean > 0:
		return fmt.Sprintf("exponential(%q)", units.FormatDuration(d.Mean))
	case d.From != d.To:
		return units.FormatDuration(d.From) + "-" + units.FormatDuration(d.To)
	}
	return units.FormatDuration(d.From)
}

// Check says what is wrong with the delay.
func (d Delay) Check() error {
	switch {
	case d.From < 0 || d.To < 0 || d.Mean < 0:
		return errors.New("a length of time is negative")
	case d.To < d.From:
		return fmt.Errorf("the range from %s to %s ends before it begins", units.FormatDuration(d.From), units.FormatDuration(d.To))
	}
	return nil
}

// Next draws a delay.
func (d Delay) Next(r *Rand) time.Duration {
	switch {
	case d.Mean > 0:
		return time.Duration(math.Min(r.ExpFloat64()*float64(d.Mean), math.MaxInt64/2))
	case d.From != d.To:
		return d.From + time.Duration(r.Uint64n(uint64(d.To-d.From)+1))
	}
	return d.From
}
