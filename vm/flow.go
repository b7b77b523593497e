package vm

import (
	lua "github.com/yuin/gopher-lua"

	"moonio/engine"
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

// prioShares reads { 10, "rt/0" }, per cent of the operations and their priority, or a list of such entries.
func (o *options) prioShares() []run.PrioShare {
	const name = "ioprio_share"
	v := o.get(name)
	if v == lua.LNil {
		return nil
	}
	t, ok := v.(*lua.LTable)
	if !ok || t.Len() == 0 {
		o.fail(name, "%s: write { 10, \"rt/0\" }, the per cent of the operations and their priority, or a list of such entries", show(v))
	}
	if _, ok := t.RawGetInt(1).(*lua.LTable); !ok {
		return []run.PrioShare{o.prioShare(name, t)}
	}
	var shares []run.PrioShare
	for i, v := range o.list(name, t) {
		entry, ok := v.(*lua.LTable)
		if !ok {
			o.fail(name, "entry %d is %s, and not one such as { 10, \"rt/0\", block = \"4KiB\" }", i+1, show(v))
		}
		shares = append(shares, o.prioShare(name, entry))
	}
	return shares
}

// prioShare reads { 10, "rt/0", op = "read", block = "4KiB" }.
func (o *options) prioShare(name string, t *lua.LTable) (s run.PrioShare) {
	percent, ok := t.RawGetInt(1).(lua.LNumber)
	if !ok || !(percent >= 0 && percent <= 100) {
		o.fail(name, "%s is not a number of per cent from 0 to 100", show(t.RawGetInt(1)))
	}
	s.Percent, s.Prio = float64(percent), o.prio(name, t.RawGetInt(2))
	t.ForEach(func(k, v lua.LValue) {
		var err error
		switch key := k.String(); {
		case k == lua.LNumber(1) || k == lua.LNumber(2):
		case key == "op" && v == lua.LString("read"):
			s.Op = engine.Read
		case key == "op" && v == lua.LString("write"):
			s.Op = engine.Write
		case key == "op":
			o.fail(name, "op = %s is neither \"read\" nor \"write\"", show(v))
		case key == "block":
			if s.Block, err = toSize(v); err != nil || s.Block < 1 {
				o.fail(name, "block = %s is not a size such as \"4KiB\"", show(v))
			}
		default:
			o.fail(name, "unknown key %s: an entry is { 10, \"rt/0\" }, with op and block if it is not of all operations", show(k))
		}
	})
	return s
}
