package run

import (
	"moonio/engine"
	"moonio/engine/environ"
	"moonio/engine/report"
)

// traffic is what a device, and the disks that it is made of, carry for everyone while
// a phase is measured.
type traffic struct {
	device string // empty if there is none, or its counters can't be read
	from   int64
	before environ.Counters
	under  []report.Beneath // before
}

// begin reads the counters.
func (t *traffic) begin(device string) {
	if device == "" {
		return
	}
	m := environ.Machine{}
	before, err := m.Counters(device)
	if err != nil {
		return // there is nothing to report then
	}
	*t = traffic{device: device, from: engine.Monotonic(), before: before}
	for _, disk := range m.Beneath(device) {
		if c, err := m.Counters(disk); err == nil {
			t.under = append(t.under, report.Beneath{Device: disk, Counters: c})
		}
	}
}

// end is what has happened since then, if it is known.
func (t *traffic) end() *report.Traffic {
	if t.device == "" {
		return nil
	}
	m := environ.Machine{}
	now, err := m.Counters(t.device)
	if err != nil {
		return nil
	}
	r := &report.Traffic{Device: t.device, DurationNS: engine.Monotonic() - t.from, Counters: now.Since(t.before)}
	for _, u := range t.under {
		if c, err := m.Counters(u.Device); err == nil {
			r.Under = append(r.Under, report.Beneath{Device: u.Device, Counters: c.Since(u.Counters)})
		}
	}
	return r
}
