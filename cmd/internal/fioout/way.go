package fioout

import (
	"moonio/cmd/internal/fiojob"
	"moonio/engine/report"
)

// A direction of fio's: what its operations move.
type direction int

const (
	reads direction = iota
	writes
	trims
	directions
)

var directionNames = [directions]string{"read", "write", "trim"}

// directionOf is where an operation counts: a direction, a sync, or (ok false) nowhere.
func directionOf(op string) (d direction, sync, ok bool) {
	switch op {
	case "read":
		return reads, false, true
	case "write", "append":
		return writes, false, true
	case "trim":
		return trims, false, true
	case "fsync", "fdatasync", "sync_range":
		return 0, true, true
	}
	return 0, false, false
}

// way is what was done in one direction.
type way struct {
	bytes, ios, short, failed int64
	runtime                   int64 // ms
	slat, clat, lat           times
	prios                     []prioTimes // of a job that gives operations priorities of their own
	bw, iops                  samples
}

// inline says whether fio takes an operation of the job for done when it is submitted. It has no
// submission time then.
func inline(o *fiojob.Values) bool {
	engine, _ := o.Word("ioengine")
	switch engine {
	case "sync", "psync", "vsync", "pvsync", "pvsync2", "mmap":
		return true
	case "null":
		return o.Integer("iodepth") == 1
	case "io_uring":
		return o.On("sqthread_poll")
	}
	return false
}

// take adds an operation's figures, of a job that ran so many milliseconds.
func (y *way) take(op *report.Op, ran int64, inline bool) error {
	y.bytes += op.Bytes
	y.ios += op.Count
	y.short += op.Short
	y.failed += op.Errors
	y.runtime = max(y.runtime, ran)
	submission, completion := op.Submission, op.Completion
	if inline {
		submission, completion = nil, op.Service
	}
	if completion == nil {
		completion = op.Service
	}
	for _, l := range []struct {
		to   *times
		from *report.Latency
	}{{&y.slat, submission}, {&y.clat, completion}, {&y.lat, op.Service}} {
		d, err := newTimes(l.from)
		if err != nil {
			return err
		}
		l.to.add(&d)
	}
	return nil
}

// add merges another direction into a mixed one.
func (y *way) add(o *way) {
	y.bytes += o.bytes
	y.ios += o.ios
	y.short += o.short
	y.failed += o.failed
	y.runtime = max(y.runtime, o.runtime)
	y.slat.add(&o.slat)
	y.clat.add(&o.clat)
	y.lat.add(&o.lat)
	for i := range o.prios {
		y.addPrio(&o.prios[i])
	}
}

// perSecond is the direction's bytes per second.
func (y *way) perSecond() int64 {
	if y.runtime == 0 {
		return 0
	}
	return y.bytes * 1000 / y.runtime
}

// rate is the direction's operations per second.
func (y *way) rate() float64 {
	if y.runtime == 0 {
		return 0
	}
	return float64(y.ios) * 1000 / float64(y.runtime)
}
