package run

import (
	"moonio/engine"
	"moonio/engine/environ"
	"moonio/engine/report"
)

// traffic is what a device carries, for everyone, while a phase is measured.
type traffic struct {
	device string // empty if there is none, or its counters can't be read
	from   int64
	before environ.Counters
}

// begin reads the device's counters.
func (t *traffic) begin(device string) {
	if device == "" {
		return
	}
	before, err := (environ.Machine{}).Counters(device)
	if err != nil {
		return // there is nothing to report then
	}
	*t = traffic{device: device, from: engine.Monotonic(), before: before}
}

// end is what has happened since then, if it is known.
func (t *traffic) end() *report.Traffic {
	if t.device == "" {
		return nil
	}
	now, err := (environ.Machine{}).Counters(t.device)
	if err != nil {
		return nil
	}
	return &report.Traffic{Device: t.device, DurationNS: engine.Monotonic() - t.from, Counters: now.Since(t.before)}
}
