package fiolua

import (
	"fmt"
	"strings"

	"moonio/cmd/internal/fiojob"
	"moonio/engine/units"
)

// caution warns of what misleads about a unit.
func (t *translation) caution(u *unit) {
	t.cautionDepth(u)
	t.cautionTime(u)
	t.cautionCache(u)
	t.cautionUnits(u)
	t.cautionProducts(u)
	if u.v.Has("thinktime") && (u.v.Has("rate") || u.v.Has("rate_iops")) && !u.v.Has("rate_ignore_thinktime") {
		t.warn(fmt.Sprintf("job %s: what falls due while it thinks is left out; fio makes it up in a burst, as rate_ignore_thinktime=0 asks for here", u.name))
	}
	if u.rw.random && u.v.Has("norandommap") && u.v.Text("random_generator") == "lfsr" {
		t.warn(fmt.Sprintf("job %s: lfsr visits each block once, with or without norandommap", u.name))
	}
}

func (t *translation) cautionDepth(u *unit) {
	if o, ok := u.v.Option("iodepth"); ok && u.synchronous() && u.v.Integer("iodepth") > 1 {
		engine, _ := u.v.Word("ioengine")
		t.warn(fmt.Sprintf("job %s: %s has no effect: %s does one operation at a time; libaio and io_uring do more, or numjobs", u.name, o, engine))
	}
}

func (t *translation) cautionTime(u *unit) {
	timed := u.v.On("time_based")
	o, ok := u.v.Option("runtime")
	switch {
	case u.v.Time("latency_target") > 0:
	case timed && u.v.Time("runtime") == 0:
		t.warn(fmt.Sprintf("job %s: time_based has no effect without a runtime: the job ends after %s", u.name, about(u.amountToDo())))
	case ok && timed && u.v.Integer("number_ios") > 0:
		t.warn(fmt.Sprintf("job %s: number_ios has no effect with time_based: the job goes on until %s is over", u.name, o))
	case ok && !timed && u.v.Integer("number_ios") == 0:
		t.warn(fmt.Sprintf("job %s: %s is only the longest that it takes: without time_based the job ends after %s", u.name, o, about(u.amountToDo())))
	}
}

// cautionRamp warns of jobs that would be measured from different times on.
func (t *translation) cautionRamp(units []*unit) {
	for _, u := range units {
		if a, b := units[0].v.Time("ramp_time"), u.v.Time("ramp_time"); a != b {
			t.warn(fmt.Sprintf("jobs %s and %s: they run together and have other ramp times: the longer, %v, holds for both", units[0].name, u.name, max(a, b)))
		}
	}
}

// cautionCache warns of reads that the page cache answers.
func (t *translation) cautionCache(u *unit) {
	data := u.total
	if u.own {
		data *= int64(len(u.jobs))
	}
	if !u.direct() && !u.null() && u.rw.reads && t.setup.Memory > 0 && data < t.setup.Memory {
		what := "the page cache is measured, and not the storage"
		if u.drops() {
			what = "the page cache is empty when it begins, and answers what is read ahead or read again"
		}
		t.warn(fmt.Sprintf("job %s: there is no direct=1, and its files of %s fit into the memory of %s: %s", u.name, about(data), about(t.setup.Memory), what))
	}
}

// about is a size in the largest unit of which there is at least one.
func about(n int64) string {
	names := []string{"B", "KiB", "MiB", "GiB", "TiB"}
	x, i := float64(n), 0
	for x >= 1024 && i < len(names)-1 {
		x, i = x/1024, i+1
	}
	return fmt.Sprintf("%s %s", units.Figure(x), names[i])
}

// cautionProducts warns of a product, of which fio takes the first factor.
func (t *translation) cautionProducts(u *unit) {
	for _, o := range u.jobs[0].All {
		if s, _ := fiojob.Find(o.Name); s.Numeric() && fiojob.IsProduct(o.Value) {
			t.warn(fmt.Sprintf("%s: %s: this is what the product comes to; fio takes what is before the *", o.Pos, o))
		}
	}
}

// cautionUnits warns of KiB, which fio takes for 1000 bytes.
func (t *translation) cautionUnits(u *unit) {
	if u.v.Text("kb_base") == "1000" {
		return
	}
	for _, o := range u.jobs[0].All {
		word := strings.ToLower(o.Value)
		for _, unit := range []string{"kib", "mib", "gib", "tib"} {
			if i := strings.Index(word, unit); i > 0 && word[i-1] >= '0' && word[i-1] <= '9' && numeric(o.Name) {
				t.warn(fmt.Sprintf("%s: %s: fio takes %s for a power of 1000, and %s for one of 1024", o.Pos, o, o.Value[i:i+3], o.Value[i:i+1]))
			}
		}
	}
}
