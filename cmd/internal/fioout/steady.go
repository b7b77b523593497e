package fioout

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// steady is what the steadystate option asks for, and how far the entry came: the figures of
// the last ss_dur seconds, one a second.
type steady struct {
	metric          string // "iops", "bw" or "lat", which fio has from 3.41 on
	slope           bool
	percent         bool
	limit           float64
	iops, bw        []int64
	deviation, rise float64 // the greatest distance from the mean; the slope per second
	criterion       float64 // the one that counts, as a share of the mean if percent
	attained        bool
}

// steadyOf judges the series; nil if the job did not ask.
func (e *entry) steadyOf() *steady {
	seconds := int(e.opt.Time("steadystate_duration").Seconds())
	if seconds == 0 {
		return nil
	}
	what, limit := e.opt.Word("steadystate")
	s := &steady{metric: strings.TrimSuffix(what, "_slope"), slope: strings.HasSuffix(what, "_slope"), percent: strings.HasSuffix(limit, "%")}
	s.limit, _ = strconv.ParseFloat(strings.TrimSuffix(limit, "%"), 64)
	for _, x := range e.windows.inOrder(1e9) {
		var ios, bytes float64
		for _, y := range x.ways {
			ios += y.ios
			bytes += y.bytes
		}
		s.iops = append(s.iops, int64(ios*1e9/float64(x.ns)))
		s.bw = append(s.bw, int64(bytes*1e9/float64(x.ns)))
	}
	s.judge(seconds)
	if r := e.steady; r != nil { // what ended the phase, or did not
		s.attained = r.Reached
		if r.Value != nil && r.Percent == s.percent {
			s.criterion = math.Abs(*r.Value)
		}
	}
	return s
}

// judge looks at the last n windows. Fewer have attained nothing.
func (s *steady) judge(n int) {
	whole := len(s.iops) >= n
	s.iops, s.bw = tail(s.iops, n), tail(s.bw, n)
	if s.metric == "lat" { // the run alone has seen the latencies of each second
		return
	}
	list := s.bw
	if s.metric == "iops" {
		list = s.iops
	}
	mean := meanOf(list)
	if s.slope {
		s.rise = slopeOf(list)
		s.criterion = math.Abs(s.rise)
	} else {
		for _, v := range list {
			s.deviation = max(s.deviation, math.Abs(float64(v)-mean))
		}
		s.criterion = s.deviation
	}
	if s.percent && mean > 0 {
		s.criterion *= 100 / mean
	}
	s.attained = whole && s.criterion <= s.limit
}

// tail is the last n of a list, zeros before it where it is shorter.
func tail(list []int64, n int) []int64 {
	if len(list) >= n {
		return list[len(list)-n:]
	}
	return append(list, make([]int64, n-len(list))...)
}

func meanOf(list []int64) float64 {
	if len(list) == 0 {
		return 0
	}
	return float64(sum(list)) / float64(len(list))
}

// slopeOf is the slope of the straight line that fits best.
func slopeOf(list []int64) float64 {
	mid, mean := float64(len(list)-1)/2, meanOf(list)
	var xy, xx float64
	for i, v := range list {
		x := float64(i) - mid
		xy += x * (float64(v) - mean)
		xx += x * x
	}
	if xx == 0 {
		return 0
	}
	return xy / xx
}

func (s *steady) unit() string {
	if s.percent {
		return "%"
	}
	return ""
}

func jsonSteady(w *writer, e *entry) {
	s := e.steadyOf()
	if s == nil {
		return
	}
	name := s.metric
	if s.slope {
		name += "_slope"
	}
	w.object("steadystate", func() {
		w.string("ss", fmt.Sprintf("%s:%f%s", name, s.limit, s.unit()))
		w.int("duration", int64(len(s.iops)))
		attained := int64(0)
		if s.attained {
			attained = 1
		}
		w.int("attained", attained)
		w.string("criterion", fmt.Sprintf("%f%s", s.criterion, s.unit()))
		if s.metric != "lat" {
			w.float("max_deviation", s.deviation)
			w.float("slope", s.rise)
		}
		w.object("data", func() {
			w.int("bw_mean", int64(meanOf(s.bw)))
			w.int("iops_mean", int64(meanOf(s.iops)))
			jsonNumbers(w, "iops", s.iops)
			jsonNumbers(w, "bw", s.bw)
		})
	})
}

func jsonNumbers(w *writer, name string, list []int64) {
	w.array(name, func() {
		for _, v := range list {
			w.int("", v)
		}
	})
}

func normalSteady(b *bytes.Buffer, e *entry) {
	s := e.steadyOf()
	if s == nil {
		return
	}
	attained, kind := "no", "mean dev"
	if s.attained {
		attained = "yes"
	}
	if s.slope {
		kind = "slope"
	}
	st := styleOf(e.opt)
	bw := uint64(meanOf(s.bw))
	fmt.Fprintf(b, "  steadystate  : attained=%s, bw=%s (%s), iops=%s, %s %s=%.3f%s\n", attained,
		st.rate(bw), st.rateElse(bw), st.count(uint64(meanOf(s.iops))), s.metric, kind, s.criterion, s.unit())
}
