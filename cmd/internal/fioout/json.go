package fioout

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"time"

	"moonio/cmd/internal/fiojob"
)

// json writes the document as JSON; with plus, bins beside the percentiles.
func (d *document) json(b *bytes.Buffer, plus bool) {
	w := &writer{b: b, line: d.set.Lines}
	w.enter('{')
	w.string("fio version", Version)
	w.int("timestamp", d.set.Now.Unix())
	w.int("timestamp_ms", d.set.Now.UnixMilli())
	w.string("time", d.ctime())
	jsonOptions(w, "global options", d.set.Global)
	w.array("jobs", func() {
		for _, e := range d.entries {
			w.object("", func() { d.jsonEntry(w, e, plus) })
		}
	})
	if len(d.disks) > 0 {
		w.array("disk_util", func() {
			for i := range d.disks {
				w.object("", func() { jsonDisk(w, &d.disks[i]) })
			}
		})
	}
	w.leave('}')
	b.WriteByte('\n')
}

// jsonOptions repeats the options that were given with a value.
func jsonOptions(w *writer, name string, list []fiojob.Option) {
	if len(list) == 0 {
		return
	}
	w.object(name, func() {
		for i, o := range list {
			if o.Given && !slices.ContainsFunc(list[i+1:], func(p fiojob.Option) bool { return p.Name == o.Name }) {
				w.string(o.Name, o.Value)
			}
		}
	})
}

// unknownETA is what fio writes for it.
const unknownETA = math.MaxInt32

// eta is the time left in seconds. Like fio, a run says nothing of it in its first three.
func (d *document) eta() int64 {
	if d.elapsed <= 2*time.Second || d.set.ETA < 0 {
		return unknownETA
	}
	return int64(d.set.ETA / time.Second)
}

func (d *document) seconds() int64 { return int64((d.elapsed + time.Second - 1) / time.Second) }

func (d *document) jsonEntry(w *writer, e *entry, plus bool) {
	w.string("jobname", e.name)
	w.int("groupid", int64(e.group))
	w.int("error", int64(e.err))
	w.int("eta", d.eta())
	w.int("elapsed", d.seconds())
	jsonOptions(w, "job options", e.shown)
	for i := range e.ways {
		switch {
		case !e.mixed:
			w.object(directionNames[i], func() { d.jsonWay(w, e, &e.ways[i], i, plus) })
		case i == 0:
			w.object("mixed", func() { d.jsonWay(w, e, &e.ways[i], i, plus) })
		}
	}
	if !e.mixed {
		d.jsonSyncs(w, e, plus)
	}
	if e.both != nil {
		w.object("mixed", func() { d.jsonWay(w, e, e.both, 0, plus) })
	}
	jsonUsage(w, e)
	jsonDepths(w, e)
	jsonSpread(w, e)
	jsonTarget(w, e)
	if e.description != "" {
		w.string("desc", e.description)
	}
	jsonSteady(w, e)
}

func (d *document) jsonSyncs(w *writer, e *entry, plus bool) {
	w.object("sync", func() {
		w.int("total_ios", e.synced)
		wanted := e.ranks("clat") || e.ranks("lat")
		jsonTimes(w, "lat_ns", &e.syncs, e.opt, wanted, plus)
	})
}

func (d *document) jsonWay(w *writer, e *entry, y *way, i int, plus bool) {
	w.int("io_bytes", y.bytes)
	w.int("io_kbytes", y.bytes>>10)
	w.int("bw_bytes", y.perSecond())
	w.int("bw", y.perSecond()/1024)
	w.float("iops", y.rate())
	w.int("runtime", y.runtime)
	w.int("total_ios", y.ios+y.failed)
	w.int("short_ios", y.short)
	w.int("drop_ios", 0)
	jsonTimes(w, "slat_ns", &y.slat, e.opt, e.ranks("slat"), plus)
	jsonTimes(w, "clat_ns", &y.clat, e.opt, e.ranks("clat"), plus)
	jsonTimes(w, "lat_ns", &y.lat, e.opt, e.ranks("lat"), plus)
	jsonPrios(w, e, y, plus)
	w.int("bw_min", y.bw.min)
	w.int("bw_max", y.bw.max)
	w.float("bw_agg", d.share(e, y, i))
	w.float("bw_mean", y.bw.mean)
	w.float("bw_dev", y.bw.stddev())
	w.int("bw_samples", y.bw.n)
	w.int("iops_min", y.iops.min)
	w.int("iops_max", y.iops.max)
	w.float("iops_mean", y.iops.mean)
	w.float("iops_stddev", y.iops.stddev())
	w.int("iops_samples", y.iops.n)
}

// share is the percentage that an entry's mean bandwidth is of its group's.
func (d *document) share(e *entry, y *way, i int) float64 {
	if y.bw.n == 0 {
		return 0
	}
	all := float64(d.groups[e.group].ways[i].total) / 1024
	if all <= 1 {
		return 100
	}
	return min(100*y.bw.mean/all, 100)
}

func jsonTimes(w *writer, name string, d *times, o *fiojob.Values, wanted, plus bool) {
	w.object(name, func() {
		w.int("min", d.min)
		w.int("max", d.max)
		w.float("mean", d.mean)
		w.float("stddev", d.stddev())
		w.int("N", d.n)
		if !wanted || d.n == 0 {
			return
		}
		list := percentiles(o)
		w.object("percentile", func() {
			for i, v := range d.percentiles(list) {
				w.int(fmt.Sprintf("%f", list[i]), v)
			}
		})
		if plus {
			w.object("bins", func() { jsonBins(w, d) })
		}
	})
}

func jsonBins(w *writer, d *times) {
	for i, c := range d.bins {
		if c > 0 {
			w.int(fmt.Sprint(binValue(i)), c)
		}
	}
}

func jsonUsage(w *writer, e *entry) {
	w.int("job_runtime", e.runtime)
	user, system := e.cpu()
	w.float("usr_cpu", user)
	w.float("sys_cpu", system)
	w.int("ctx", e.usage.Switches)
	w.int("majf", e.usage.MajorFaults)
	w.int("minf", e.usage.MinorFaults)
}

// cpu is the share of the run time, in percent, that was spent on a processor.
func (e *entry) cpu() (user, system float64) {
	if e.runtime == 0 {
		return 0, 0
	}
	whole := float64(e.runtime) * 1e6 / 100
	return float64(e.usage.UserNS) / whole, float64(e.usage.SystemNS) / whole
}

var (
	depthNames = []string{"1", "2", "4", "8", "16", "32", ">=64"}
	batchNames = []string{"0", "4", "8", "16", "32", "64", ">=64"}
	timeNames  = []string{"2", "4", "10", "20", "50", "100", "250", "500", "750", "1000", "2000", ">=2000"}
)

func jsonDepths(w *writer, e *entry) {
	jsonShares(w, "iodepth_level", depthNames, shares(e.depths[:], sum(e.depths[:]), 0.1))
	jsonShares(w, "iodepth_submit", batchNames, shares(e.submits[:], sum(e.submits[:]), 0.1))
	jsonShares(w, "iodepth_complete", batchNames, shares(e.reaps[:], sum(e.reaps[:]), 0.1))
}

func jsonShares(w *writer, name string, names []string, shares []float64) {
	w.object(name, func() {
		for i, s := range shares {
			w.float(names[i], s)
		}
	})
}

func sum(counts []int64) (n int64) {
	for _, c := range counts {
		n += c
	}
	return n
}

// shares are percentages of a total. What there is at all shows as the least.
func shares(counts []int64, total int64, least float64) []float64 {
	out := make([]float64, len(counts))
	for i, c := range counts {
		if c > 0 && total > 0 {
			out[i] = max(100*float64(c)/float64(total), least)
		}
	}
	return out
}

// spread is the coarse distribution of completion latencies over all directions, in percent, for
// nanoseconds, microseconds and milliseconds.
func (e *entry) spread() (ns, us, ms []float64) {
	var all times
	for i := range e.ways {
		all.add(&e.ways[i].clat)
	}
	s := &all.spread
	return shares(s[0][:10], all.n, 0.01), shares(s[1][:10], all.n, 0.01), shares(s[2][:], all.n, 0.01)
}

func jsonSpread(w *writer, e *entry) {
	ns, us, ms := e.spread()
	jsonShares(w, "latency_ns", timeNames, ns)
	jsonShares(w, "latency_us", timeNames, us)
	jsonShares(w, "latency_ms", timeNames, ms)
}

// target is what latency_target and what goes with it ask for.
type target struct {
	ns, window int64 // window: in microseconds
	percentile float64
}

func (e *entry) target() target {
	t := target{e.opt.Time("latency_target").Nanoseconds(), e.opt.Time("latency_window").Microseconds(), 100}
	if p := e.opt.Floats("latency_percentile"); len(p) > 0 {
		t.percentile = p[0]
	}
	return t
}

func jsonTarget(w *writer, e *entry) {
	if e.counts() {
		w.int("total_err", e.failed)
		w.int("first_error", int64(e.first))
	}
	t := e.target()
	w.int("latency_depth", e.depth)
	w.int("latency_target", t.ns)
	w.float("latency_percentile", t.percentile)
	w.int("latency_window", t.window)
}

func jsonDisk(w *writer, d *disk) {
	w.string("name", d.Device)
	w.int("read_ios", d.Reads)
	w.int("write_ios", d.Writes)
	w.int("read_merges", d.ReadMerges)
	w.int("write_merges", d.WriteMerges)
	w.int("read_ticks", d.ReadNS/1e6)
	w.int("write_ticks", d.WriteNS/1e6)
	w.int("in_queue", d.QueueNS/1e6)
	w.float("util", utilisation(d.BusyNS, d.DurationNS))
	if len(d.Under) == 0 {
		return
	}
	m := d.beneath()
	w.int("aggr_read_ios", m.Reads)
	w.int("aggr_write_ios", m.Writes)
	w.int("aggr_read_merges", m.ReadMerges)
	w.int("aggr_write_merge", m.WriteMerges)
	w.int("aggr_read_ticks", m.ReadNS/1e6)
	w.int("aggr_write_ticks", m.WriteNS/1e6)
	w.int("aggr_in_queue", m.QueueNS/1e6)
	w.float("aggr_util", d.busiest())
}
