package fioout

import (
	"bytes"
	"fmt"

	"moonio/engine/environ"
)

// utilisation is the percentage of the time that a device had anything in flight.
func utilisation(busy, ns int64) float64 {
	if ns <= 0 {
		return 0
	}
	return min(100*float64(busy)/float64(ns), 100)
}

// beneath are the counters of the disks below, on average.
func (d *disk) beneath() (m environ.Counters) {
	for i := range d.Under {
		m = m.Plus(d.Under[i].Counters)
	}
	n := int64(len(d.Under))
	m.Reads, m.Writes = m.Reads/n, m.Writes/n
	m.ReadMerges, m.WriteMerges = m.ReadMerges/n, m.WriteMerges/n
	m.ReadNS, m.WriteNS, m.QueueNS = m.ReadNS/n, m.WriteNS/n, m.QueueNS/n
	return m
}

// busiest is the utilisation of the disk below that has the highest.
func (d *disk) busiest() (u float64) {
	for i := range d.Under {
		u = max(u, utilisation(d.Under[i].BusyNS, d.DurationNS))
	}
	return u
}

func (d *disk) normal(b *bytes.Buffer) {
	if len(d.Under) > 0 {
		b.WriteString("  ")
	}
	fmt.Fprintf(b, "  %s: ios=%d/%d, merge=%d/%d, ticks=%d/%d, in_queue=%d, util=%3.2f%%",
		d.Device, d.Reads, d.Writes, d.ReadMerges, d.WriteMerges, d.ReadNS/1e6, d.WriteNS/1e6, d.QueueNS/1e6, utilisation(d.BusyNS, d.DurationNS))
	if len(d.Under) > 0 {
		m := d.beneath()
		fmt.Fprintf(b, ", aggrios=%d/%d, aggrmerge=%d/%d, aggrticks=%d/%d, aggrin_queue=%d, aggrutil=%3.2f%%",
			m.Reads, m.Writes, m.ReadMerges, m.WriteMerges, m.ReadNS/1e6, m.WriteNS/1e6, m.QueueNS/1e6, d.busiest())
	}
	b.WriteByte('\n')
}

func (d *disk) terse(b *bytes.Buffer) {
	fmt.Fprintf(b, ";%s;%d;%d;%d;%d;%d;%d;%d;%3.2f%%",
		d.Device, d.Reads, d.Writes, d.ReadMerges, d.WriteMerges, d.ReadNS/1e6, d.WriteNS/1e6, d.QueueNS/1e6, utilisation(d.BusyNS, d.DurationNS))
	if len(d.Under) > 0 {
		m := d.beneath()
		fmt.Fprintf(b, ";slaves;%d;%d;%d;%d;%d;%d;%d;%3.2f%%",
			m.Reads, m.Writes, m.ReadMerges, m.WriteMerges, m.ReadNS/1e6, m.WriteNS/1e6, m.QueueNS/1e6, d.busiest())
	}
}
