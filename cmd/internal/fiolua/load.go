package fiolua

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"moonio/cmd/internal/fiojob"
)

// synchronous are the engines that do one operation at a time.
var synchronous = []string{"sync", "psync", "vsync", "pvsync", "pvsync2", "mmap"}

func (u *unit) synchronous() bool {
	engine, _ := u.v.Word("ioengine")
	return slices.Contains(synchronous, engine)
}

// putDepth says how many operations are in flight, and in which batches they come.
func (t *translation) putDepth(u *unit) error {
	if err := u.checkDepth(); err != nil {
		return err
	}
	depth := u.v.Integer("iodepth")
	if u.synchronous() {
		u.put("depth", "1", "one at a time: "+u.engineNote())
		return nil
	}
	u.put("depth", integer(depth), u.sinceOr("fio's default", "iodepth"))
	for _, b := range []struct{ option, field string }{
		{"iodepth_batch", "submit_batch"}, {"iodepth_batch_complete_min", "batch"}, {"iodepth_batch_complete_max", "batch_max"}, {"iodepth_low", "depth_low"},
	} {
		n := u.v.Integer(b.option)
		if !u.v.Has(b.option) {
			continue
		}
		if n == 0 && b.option == "iodepth_batch" {
			n = depth
		}
		if n >= depth && b.field == "depth_low" { // it never waits for fewer
			continue
		}
		if n > 0 || b.field == "batch" {
			u.put(b.field, integer(min(n, depth)), u.since(b.option))
		}
	}
	return nil
}

func (u *unit) engineNote() string {
	return u.sinceOr("psync is fio's default", "ioengine")
}

// putRate limits the job's rate; of a mix, that of each direction by itself.
func (t *translation) putRate(u *unit) error {
	name, ok := u.rateOption()
	if !ok {
		return nil
	}
	if o, _ := u.v.Option(name); u.v.Has("rate") && u.v.Has("rate_iops") {
		return o.Fail("", "give rate or rate_iops, and not both")
	}
	fields := []struct {
		name string
		part int
	}{{"rate", u.rw.part()}}
	if u.rw.mixed() {
		fields[0].name = "read_rate"
		fields = append(fields, fields[0])
		fields[1].name, fields[1].part = "write_rate", fiojob.Writes
	}
	any := false
	for _, f := range fields {
		n := u.v.Part(name, f.part)
		if n == 0 {
			continue
		}
		any = true
		rate := fmt.Sprintf(`"%d/s"`, n)
		if name == "rate" {
			rate = fmt.Sprintf(`"%s/s"`, perSecond(n))
		}
		u.put(f.name, rate, u.since(name))
	}
	if any && u.v.Text("rate_process") == "poisson" {
		u.put("arrival", `"poisson"`, u.since("rate_process"))
	}
	return nil
}

// perSecond is a number of bytes with a unit, which a rate needs.
func perSecond(n int64) string {
	s := unquoted(n)
	if strings.HasSuffix(s, "B") {
		return s
	}
	return s + "B"
}

func (u *unit) rateOption() (string, bool) {
	for _, name := range []string{"rate", "rate_iops"} {
		if u.v.Has(name) {
			return name, true
		}
	}
	return "", false
}

// putThink makes the job wait between operations.
func (t *translation) putThink(u *unit) error {
	think := u.v.Time("thinktime")
	if think == 0 {
		return nil
	}
	u.put("think", duration(think), u.since("thinktime"))
	if d := u.v.Time("thinktime_iotime"); d > 0 {
		u.put("think_every", duration(d), u.since("thinktime_iotime"))
	} else if n := u.v.Integer("thinktime_blocks"); n > 1 {
		u.put("think_every", integer(n), u.since("thinktime_blocks"))
	}
	if u.v.Has("thinktime_blocks_type") {
		u.put("think_after", quote(u.v.Text("thinktime_blocks_type")), u.since("thinktime_blocks_type"))
	}
	if spin := u.v.Time("thinktime_spin"); spin > 0 {
		u.put("think_spin", duration(min(spin, think)), u.since("thinktime_spin"))
	}
	if u.v.Has("rate_ignore_thinktime") && !u.v.On("rate_ignore_thinktime") {
		u.put("think_catch_up", "true", u.since("rate_ignore_thinktime"))
	}
	return nil
}

// putSyncs says after how many writes there is a sync.
func (t *translation) putSyncs(u *unit) error {
	if !u.rw.writes {
		return nil
	}
	fsync, fdatasync := u.v.Integer("fsync"), u.v.Integer("fdatasync")
	if fsync > 0 {
		u.put("fsync", integer(fsync), u.since("fsync")+": ordered after the writes that it covers")
	}
	if fdatasync > 0 {
		u.put("fdatasync", integer(fdatasync), u.since("fdatasync")+": ordered after the writes that it covers")
	}
	if o, ok := u.v.Option("sync_file_range"); ok {
		n, err := u.rangeSync(o)
		if err != nil {
			return err
		}
		u.put("sync_range", integer(n), o.String())
	}
	if u.v.On("end_fsync") || u.v.On("fsync_on_close") {
		u.put("sync_at_end", `"fsync"`, u.since("end_fsync", "fsync_on_close"))
	}
	return nil
}

// rangeSync reads sync_file_range=flags:n.
func (u *unit) rangeSync(o fiojob.Option) (int64, error) {
	flags, count, ok := strings.Cut(o.Value, ":")
	if !ok {
		return 0, o.Fail("", "it ends with the number of writes, as in sync_file_range=write:8")
	}
	for _, f := range strings.Split(flags, ",") {
		if f != "wait_before" && f != "write" && f != "wait_after" {
			return 0, o.Fail(f, "%q is not one of wait_before, write, wait_after", f)
		}
	}
	n, err := u.v.Bytes(o, count)
	if err == nil && n < 1 {
		err = o.Fail(count, "the least is 1")
	}
	return n, err
}

// putTimes says when the job begins and ends.
func (t *translation) putTimes(u *unit) error {
	if lo, hi := u.v.TimeRange("startdelay"); hi > 0 {
		start := duration(lo)
		if lo != hi {
			start = fmt.Sprintf("%s + %s * math.random()", seconds(lo), seconds(hi-lo))
		}
		u.put("start", start, u.since("startdelay"))
	}
	if d := u.v.Time("runtime"); d > 0 {
		u.put("duration", duration(d), u.since("runtime", "time_based"))
	}
	if d := u.v.Time("max_latency"); d > 0 {
		u.put("max_latency", duration(d), u.since("max_latency"))
	}
	return nil
}

func seconds(d time.Duration) string { return decimal(d.Seconds()) }
