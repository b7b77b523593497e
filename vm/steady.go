package vm

import (
	"fmt"
	"slices"
	"time"

	lua "github.com/yuin/gopher-lua"

	"moonio/engine/run"
	"moonio/engine/units"
)

// steady reads the phase option that ends a phase when it holds still.
func (o *options) steady() *run.Steady {
	v := o.get("steady")
	if v == lua.LNil {
		return nil
	}
	t, ok := v.(*lua.LTable)
	if !ok {
		o.fail("steady", "%s: write { metric = \"iops\", limit = \"5%%\", window = \"60s\" }", show(v))
	}
	in := &options{L: o.L, call: o.call + ": steady", table: t}
	s := &run.Steady{Slope: in.boolean("slope", false), Window: 60 * time.Second, Ramp: in.duration("ramp")}
	s.Metric = run.Metric(slices.Index(run.Metrics, in.choice("metric", "iops", run.Metrics...)))
	if in.has("window") {
		s.Window = in.duration("window")
	}
	limit := in.get("limit")
	in.done()
	if limit == lua.LNil {
		in.fail("limit", "how far may it be from holding still? \"5%%\" of the mean, or a figure")
	}
	var err error
	if s.Limit, s.Percent, err = steadyLimit(s.Metric, limit); err != nil {
		in.fail("limit", "%v", err)
	}
	return s
}

// steadyLimit reads per cent of the mean, or a figure of the metric.
func steadyLimit(m run.Metric, v lua.LValue) (limit float64, percent bool, err error) {
	if s, ok := v.(lua.LString); ok && len(s) > 0 && s[len(s)-1] == '%' {
		limit, err = units.Percent(string(s))
		return limit, true, err
	}
	if m == run.Latency {
		d, err := toDuration(v)
		return d.Seconds(), false, err
	}
	r, err := toRate(v)
	if _, text := v.(lua.LString); text && m == run.Bandwidth && (err != nil || !r.Bytes) {
		n, sizeErr := toSize(v) // that many bytes per second
		return float64(n), false, sizeErr
	} else if err == nil && text && r.Bytes && m == run.IOPS {
		err = fmt.Errorf("%s is a number of bytes, and not of operations", show(v))
	}
	return r.PerSecond, false, err
}
