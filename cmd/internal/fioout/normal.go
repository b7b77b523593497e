package fioout

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"moonio/cmd/internal/fiojob"
)

// normal writes fio's text report.
func (d *document) normal(b *bytes.Buffer) {
	b.WriteByte('\n')
	for _, e := range d.entries {
		d.normalEntry(b, e)
	}
	for _, g := range d.groups {
		g.normal(b)
	}
	if len(d.disks) > 0 {
		b.WriteString("\nDisk stats (read/write):\n")
		for i := range d.disks {
			d.disks[i].normal(b)
		}
	}
}

func (d *document) normalEntry(b *bytes.Buffer, e *entry) {
	if e.ios() == 0 && e.bytes() == 0 && e.synced == 0 && e.err == 0 {
		return
	}
	reason := ""
	if e.err != 0 {
		reason = fmt.Sprintf(" (%s)", errnoText(e.err))
	}
	fmt.Fprintf(b, "%s: (groupid=%d, jobs=%d): err=%2d%s: pid=%d: %s\n", e.name, e.group, e.members, e.err, reason, d.set.PID, d.ctime())
	if e.description != "" {
		fmt.Fprintf(b, "  Description  : [%s]\n", e.description)
	}
	for i := range e.ways {
		if e.ways[i].ios > 0 {
			d.normalWay(b, e, &e.ways[i], i)
		}
	}
	if e.both != nil && e.both.ios > 0 {
		d.normalWay(b, e, e.both, -1)
	}
	normalSpread(b, e)
	if e.syncs.n > 0 {
		b.WriteString("  fsync/fdatasync/sync_file_range:\n")
		normalTimes(b, "sync", &e.syncs)
		normalPercentiles(b, "sync", &e.syncs, e.opt)
	}
	normalUsage(b, e)
}

// normalWay writes the lines of one direction, or of all mixed with i < 0.
func (d *document) normalWay(b *bytes.Buffer, e *entry, y *way, i int) {
	s := styleOf(e.opt)
	name, more := "mixed", ""
	if i >= 0 && !e.mixed {
		name = directionNames[i]
	}
	if name == "write" {
		more = "; 0 zone resets"
	}
	fmt.Fprintf(b, "  %s: IOPS=%s, BW=%s (%s)(%s/%dmsec)%s\n", name, s.count(uint64(y.rate())),
		s.rate(uint64(y.perSecond())), s.rateElse(uint64(y.perSecond())), s.size(uint64(y.bytes)), y.runtime, more)
	for _, l := range []struct {
		name  string
		times *times
	}{{"slat", &y.slat}, {"clat", &y.clat}, {" lat", &y.lat}} {
		if l.times.n > 0 {
			normalTimes(b, l.name, l.times)
		}
	}
	normalPrios(b, e, y)
	for _, l := range []struct {
		name  string
		on    bool
		times *times
	}{
		{"slat", e.ranks("slat"), &y.slat},
		{"clat", e.ranks("clat"), &y.clat},
		{"lat", e.ranks("lat"), &y.lat},
	} {
		if l.on && l.times.n > 0 {
			normalPercentiles(b, l.name, l.times, e.opt)
		}
	}
	normalPrioPercentiles(b, e, y)
	d.normalSamples(b, e, y, max(i, 0), s)
}

// normalTimes writes a distribution's line in a unit that suits it.
func normalTimes(b *bytes.Buffer, name string, d *times) {
	unit, scale := "nsec", int64(1)
	switch dev := d.stddev(); {
	case d.min > 2_000_000 && d.max > 99_999_999 && dev > 1e6:
		unit, scale = "msec", 1e6
	case d.min > 2000 && d.max > 99_999 && dev > 1000:
		unit, scale = "usec", 1000
	}
	fmt.Fprintf(b, "    %s (%s): min=%s, max=%s, avg=%5.02f, stdev=%5.02f\n", name, unit,
		short(uint64(d.min/scale), 6, false, ""), short(uint64(d.max/scale), 6, false, ""), d.mean/float64(scale), d.stddev()/float64(scale))
}

// lineWidth is what a line of percentiles has room for.
const lineWidth = 80 - 7

func normalPercentiles(b *bytes.Buffer, name string, d *times, o *fiojob.Values) {
	list := percentiles(o)
	values := d.percentiles(list)
	if len(values) == 0 {
		return
	}
	low, high := values[0], values[len(values)-1]
	unit, scale := "nsec", int64(1)
	switch {
	case low > 2_000_000 && high > 99_999_999:
		unit, scale = "msec", 1e6
	case low > 2000 && high > 99_999:
		unit, scale = "usec", 1000
	}
	fmt.Fprintf(b, "    %s percentiles (%s):\n     |", name, unit)
	places := styleOf(o).places
	width := max(5, len(strconv.FormatInt(high/scale, 10)))
	perLine := lineWidth / (places + 10 + width)
	for i, v := range values {
		end := ","
		if i == len(values)-1 {
			end = "\n"
		} else if (i+1)%perLine == 0 {
			end = ",\n     |"
		}
		fmt.Fprintf(b, " %*.*fth=[%*d]%s", places+3, places, list[i], width, v/scale, end)
	}
}

// normalSamples writes the lines of the rates' samples.
func (d *document) normalSamples(b *bytes.Buffer, e *entry, y *way, i int, s style) {
	if y.bw.n > 0 {
		unit, scale := s.sampleUnit(y.bw.mean)
		fmt.Fprintf(b, "   bw (%5s/s): min=%5d, max=%5d, per=%3.2f%%, avg=%5.02f, stdev=%5.02f, samples=%d\n", unit,
			int64(float64(y.bw.min)*scale), int64(float64(y.bw.max)*scale), d.share(e, y, i), y.bw.mean*scale, y.bw.stddev()*scale, y.bw.n)
	}
	if y.iops.n > 0 {
		fmt.Fprintf(b, "   iops        : min=%5d, max=%5d, avg=%5.02f, stdev=%5.02f, samples=%d\n",
			y.iops.min, y.iops.max, y.iops.mean, y.iops.stddev(), y.iops.n)
	}
}

// sampleUnit is the unit for a mean in KiB/s, and what to multiply by.
func (s style) sampleUnit(mean float64) (unit string, scale float64) {
	scale = 1
	switch {
	case s.bits && s.base == 1024:
		unit = "Kibit"
	case s.bits:
		unit = "kbit"
	case s.base == 1024:
		unit = "KiB"
	default:
		unit = "kB"
	}
	if s.bits {
		scale = 8
	}
	if mean*scale > s.base*s.base {
		scale /= s.base
		unit = map[bool]string{true: "Mibit", false: "MiB"}[s.bits]
	}
	return unit, scale
}

const sharesPerLine = 5

func normalSpread(b *bytes.Buffer, e *entry) {
	ns, us, ms := e.spread()
	for i, list := range [][]float64{ns, us, ms} {
		normalSpreadOf(b, []string{"nsec", "usec", "msec"}[i], list)
	}
}

func normalSpreadOf(b *bytes.Buffer, unit string, list []float64) {
	var parts []string
	for i, s := range list {
		if s > 0 {
			parts = append(parts, fmt.Sprintf("%s=%3.2f%%", timeNames[i], s))
		}
	}
	for len(parts) > 0 {
		n := min(len(parts), sharesPerLine)
		fmt.Fprintf(b, "  lat (%s)   : %s\n", unit, strings.Join(parts[:n], ", "))
		parts = parts[n:]
	}
}

func normalUsage(b *bytes.Buffer, e *entry) {
	user, system := e.cpu()
	fmt.Fprintf(b, "  cpu          : usr=%3.2f%%, sys=%3.2f%%, ctx=%d, majf=%d, minf=%d\n",
		user, system, e.usage.Switches, e.usage.MajorFaults, e.usage.MinorFaults)
	normalShares(b, "  IO depths    : ", depthNames, e.depths[:])
	normalShares(b, "     submit    : ", batchNames, e.submits[:])
	normalShares(b, "     complete  : ", batchNames, e.reaps[:])
	var ios, short [directions]int64
	for i := range e.ways {
		ios[i], short[i] = e.ways[i].ios+e.ways[i].failed, e.ways[i].short
	}
	fmt.Fprintf(b, "     issued rwts: total=%d,%d,%d,%d short=%d,%d,%d,0 dropped=0,0,0,0\n",
		ios[reads], ios[writes], ios[trims], e.synced, short[reads], short[writes], short[trims])
	if e.counts() {
		fmt.Fprintf(b, "     errors    : total=%d, first_error=%d/<%s>\n", e.failed, e.first, errnoText(e.first))
	}
	normalTarget(b, e)
	normalSteady(b, e)
}

// errnoText is an error's meaning as C has it.
func errnoText(e int) string {
	if e == 0 {
		return "Success"
	}
	text := syscall.Errno(e).Error()
	return strings.ToUpper(text[:1]) + text[1:]
}

func normalShares(b *bytes.Buffer, head string, names []string, counts []int64) {
	b.WriteString(head)
	for i, s := range shares(counts, sum(counts), 0.1) {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(b, "%s=%3.1f%%", names[i], s)
	}
	b.WriteByte('\n')
}

func normalTarget(b *bytes.Buffer, e *entry) {
	t := e.target()
	fmt.Fprintf(b, "     latency   : target=%d, window=%d, percentile=%.2f%%, depth=%d\n",
		t.ns, t.window, t.percentile, e.depth)
}

var groupNames = [directions]string{"   READ", "  WRITE", "   TRIM"}

func (g *group) normal(b *bytes.Buffer) {
	fmt.Fprintf(b, "\nRun status group %d (all jobs):\n", g.number)
	for i := range g.ways {
		name := groupNames[i]
		if g.has(func(e *entry) bool { return e.mixed }) {
			name = "  MIXED"
		}
		g.ways[i].normal(b, name, g.style)
	}
	if g.has(func(e *entry) bool { return e.both != nil }) {
		all := g.all()
		all.normal(b, "  MIXED", g.style)
	}
}

func (g *group) has(f func(*entry) bool) bool { return slices.ContainsFunc(g.entries, f) }

func (g *groupWay) normal(b *bytes.Buffer, name string, s style) {
	if g.longest == 0 {
		return
	}
	fmt.Fprintf(b, "%s: bw=%s (%s), %s-%s (%s-%s), io=%s (%s), run=%d-%dmsec\n", name,
		s.rate(uint64(g.total)), s.rateElse(uint64(g.total)),
		s.rate(uint64(g.slowest)), s.rate(uint64(g.fastest)), s.rateElse(uint64(g.slowest)), s.rateElse(uint64(g.fastest)),
		s.size(uint64(g.bytes)), s.other(uint64(g.bytes)), g.shortest, g.longest)
}

// all sums the group's directions.
func (g *group) all() (all groupWay) {
	for i := range g.ways {
		y := &g.ways[i]
		if y.longest == 0 {
			continue
		}
		if all.longest == 0 {
			all.slowest, all.shortest = y.slowest, y.shortest
		}
		all.bytes += y.bytes
		all.total += y.total
		all.slowest, all.fastest = min(all.slowest, y.slowest), max(all.fastest, y.fastest)
		all.shortest, all.longest = min(all.shortest, y.shortest), max(all.longest, y.longest)
	}
	return all
}
