package fioout

import (
	"bytes"
	"fmt"
)

// terse writes a line for each entry.
func (d *document) terse(b *bytes.Buffer) {
	version := d.set.Terse
	if version == 0 {
		version = 3
	}
	for _, e := range d.entries {
		d.terseEntry(b, e, version)
	}
}

func (d *document) terseEntry(b *bytes.Buffer, e *entry, version int) {
	if version == 2 {
		fmt.Fprintf(b, "2;%s;%d;%d", e.name, e.group, e.err)
	} else {
		fmt.Fprintf(b, "%d;%s;%s;%d;%d", version, Version, e.name, e.group, e.err)
	}
	for i := range e.ways {
		if e.mixed && i > 0 || direction(i) == trims && version == 3 {
			continue
		}
		d.terseWay(b, e, &e.ways[i], i, version)
	}
	if e.both != nil {
		d.terseWay(b, e, e.both, 0, version)
	}
	user, system := e.cpu()
	fmt.Fprintf(b, ";%f%%;%f%%;%d;%d;%d", user, system, e.usage.Switches, e.usage.MajorFaults, e.usage.MinorFaults)
	for _, s := range shares(e.depths[:], sum(e.depths[:]), 0.1) {
		fmt.Fprintf(b, ";%3.1f%%", s)
	}
	terseSpread(b, e)
	if version >= 3 {
		for i := range d.disks {
			d.disks[i].terse(b)
		}
	}
	if e.counts() {
		fmt.Fprintf(b, ";%d;%d", e.failed, e.first)
	}
	if e.description != "" {
		if version == 2 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(b, ";%s", e.description)
	}
	b.WriteByte('\n')
}

// terseSpread writes the coarse distribution in microseconds and milliseconds; the first
// holds the nanoseconds too.
func terseSpread(b *bytes.Buffer, e *entry) {
	ns, us, ms := e.spread()
	for _, s := range ns {
		us[0] += s
	}
	for _, s := range append(us, ms...) {
		fmt.Fprintf(b, ";%3.2f%%", s)
	}
}

func (d *document) terseWay(b *bytes.Buffer, e *entry, y *way, i, version int) {
	fmt.Fprintf(b, ";%d;%d;%d;%d", y.bytes>>10, y.perSecond()/1024, int64(y.rate()), y.runtime)
	terseTimes(b, &y.slat)
	terseTimes(b, &y.clat)
	var list []float64
	from := &y.clat
	switch {
	case e.ranks("lat"):
		list, from = percentiles(e.opt), &y.lat
	case e.ranks("clat"):
		list = percentiles(e.opt)
	}
	values := from.percentiles(list)
	for k := range maxPercentiles {
		switch {
		case k >= len(list):
			b.WriteString(";0%=0")
		default:
			fmt.Fprintf(b, ";%f%%=%d", list[k], values[k]/1000)
		}
	}
	terseTimes(b, &y.lat)
	fmt.Fprintf(b, ";%d;%d;%f%%;%f;%f", y.bw.min, y.bw.max, d.share(e, y, i), y.bw.mean, y.bw.stddev())
	if version == 5 {
		fmt.Fprintf(b, ";%d;%d;%d;%f;%f;%d", y.bw.n, y.iops.min, y.iops.max, y.iops.mean, y.iops.stddev(), y.iops.n)
	}
}

// terseTimes writes extremes, mean and deviation in microseconds.
func terseTimes(b *bytes.Buffer, d *times) {
	fmt.Fprintf(b, ";%d;%d;%f;%f", d.min/1000, d.max/1000, d.mean/1000, d.stddev()/1000)
}
