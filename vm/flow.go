package vm

import (
	lua "github.com/yuin/gopher-lua"

	"moonio/engine/run"
)

// flow reads how a stream's operations go to the engine and come back.
func (o *options) flow(s *run.Stream) {
	if n := int(o.integer("batch", -1, 0)); n >= 0 {
		s.Batch, s.Poll = n, n == 0
	}
	s.Most = int(o.integer("batch_max", 0, 1))
	s.Submit = int(o.integer("submit_batch", 0, 1))
	s.Low = int(o.integer("depth_low", 0, 1))
}

// service reads in which order the stream's files are served.
func (o *options) service(s *run.Stream) {
	s.Run = o.integer("file_run", 1, 1)
	v := o.get("file_order")
	if u, ok := v.(*lua.LUserData); ok {
		if p, ok := u.Value.(*patternUse); ok {
			s.Order.At = p.Pattern
			return
		}
		o.fail("file_order", "%s is not an order: write \"random\", \"roundrobin\", \"sequential\" or a pattern such as zipf(1.1)", show(v))
	}
	switch o.choice("file_order", "random", "random", "roundrobin", "sequential") {
	case "roundrobin":
		s.Order.RoundRobin = true
	case "sequential":
		s.Order.Sequential = true
	}
}

// prioShare reads { 10, "rt/0" }: per cent of the operations, and their priority.
func (o *options) prioShare() run.PrioShare {
	v := o.get("ioprio_share")
	if v == lua.LNil {
		return run.PrioShare{}
	}
	t, ok := v.(*lua.LTable)
	if !ok || t.Len() != 2 {
		o.fail("ioprio_share", "%s: write { 10, \"rt/0\" }, the per cent of the operations and their priority", show(v))
	}
	percent, ok := t.RawGetInt(1).(lua.LNumber)
	if !ok || !(percent >= 0 && percent <= 100) {
		o.fail("ioprio_share", "%s is not a number of per cent from 0 to 100", show(t.RawGetInt(1)))
	}
	return run.PrioShare{Percent: float64(percent), Prio: o.prio("ioprio_share", t.RawGetInt(2))}
}
