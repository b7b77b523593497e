package fioout

import (
	"bytes"
	"fmt"

	"moonio/engine"
	"moonio/engine/report"
)

// prioTimes are the latencies of one direction's operations of one I/O priority.
type prioTimes struct {
	class, level int
	times        times
}

// takePrios adds an operation's latencies by priority: those of lat if the job has percentiles of it, and else those of clat.
func (y *way) takePrios(op *report.Op, lat bool) error {
	for i := range op.Priorities {
		p := &op.Priorities[i]
		from := p.Completion
		if lat || from == nil {
			from = p.Service
		}
		one := prioTimes{}
		if p.IOPrio != "none" {
			prio, err := engine.ParsePrio(p.IOPrio)
			if err != nil {
				return err
			}
			one.class, one.level = engine.SplitPrio(prio)
		}
		var err error
		if one.times, err = newTimes(from); err != nil {
			return err
		}
		y.addPrio(&one)
	}
	return nil
}

func (y *way) addPrio(o *prioTimes) {
	for i := range y.prios {
		if p := &y.prios[i]; p.class == o.class && p.level == o.level {
			p.times.add(&o.times)
			return
		}
	}
	one := prioTimes{class: o.class, level: o.level}
	one.times.add(&o.times)
	y.prios = append(y.prios, one)
}

// byPrio is the latency that is given by priority; "" if none is, as where there is but one.
func (e *entry) byPrio(y *way) string {
	switch {
	case len(y.prios) < 2:
		return ""
	case e.ranks("lat"):
		return "lat"
	case e.without("clat"):
		return ""
	}
	return "clat"
}

// prioPercentiles says whether there are percentiles of priorities.
func (e *entry) prioPercentiles() bool {
	return e.opt.On("clat_percentiles") || e.opt.On("lat_percentiles")
}

func jsonPrios(w *writer, e *entry, y *way, plus bool) {
	latency := e.byPrio(y)
	if latency == "" {
		return
	}
	w.array("prios", func() {
		for i := range y.prios {
			p := &y.prios[i]
			w.object("", func() {
				w.int("prioclass", int64(p.class))
				w.int("prio", int64(p.level))
				jsonTimes(w, latency+"_ns", &p.times, e.opt, e.prioPercentiles(), plus)
			})
		}
	})
}

func normalPrios(b *bytes.Buffer, e *entry, y *way) {
	latency := e.byPrio(y)
	for i := range y.prios {
		if p := &y.prios[i]; latency != "" {
			normalTimes(b, fmt.Sprintf("%s prio %d/%d", latency, p.class, p.level), &p.times)
		}
	}
}

func normalPrioPercentiles(b *bytes.Buffer, e *entry, y *way) {
	latency := e.byPrio(y)
	if latency == "" || !e.prioPercentiles() {
		return
	}
	var all int64
	for i := range y.prios {
		all += y.prios[i].times.n
	}
	for i := range y.prios {
		p := &y.prios[i]
		name := fmt.Sprintf("%s prio %d/%d (%3.2f%% of IOs)", latency, p.class, p.level, 100*float64(p.times.n)/float64(all))
		normalPercentiles(b, name, &p.times, e.opt)
	}
}
