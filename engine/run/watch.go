package run

import (
	"sync/atomic"

	"golang.org/x/sys/unix"

	"moonio/engine/report"
)

// watch is how a worker observes itself: what share of its time it was busy
// and for how long completions may have waited to be reaped.
type watch struct {
	turns     atomic.Uint64 // odd while clients run; see step
	seen      uint64        // turns when the guard last looked; the guard's, like looks
	looks     int           // for how many of its looks in a row turns has stood still and odd
	measuring bool
	began     int64
	left      int64 // when the worker last went into Wait
	busy      int64 // outside Wait
	longest   int64 // the longest stretch outside Wait
	loops     int64
}

// Clients run between enter and exit. step counts those that have run, so that many
// clients that each take a little are not taken for one that never comes back.
func (v *watch) enter() { v.turns.Add(1) }
func (v *watch) step()  { v.turns.Add(2) }
func (v *watch) exit()  { v.turns.Add(1) }

// stalled is for how many looks in a row the worker has been in one and the same
// stretch of its clients' code. Only the phase's guard calls it.
func (v *watch) stalled() int {
	turns := v.turns.Load()
	if turns%2 == 0 || turns != v.seen {
		v.looks = 0
	} else {
		v.looks++
	}
	v.seen = turns
	return v.looks
}

func (v *watch) begin(now int64) { v.measuring, v.began = true, now }

// leave notes that the worker is about to wait. Turns of the loop that only look at the clock are no work.
func (v *watch) leave(w *Worker) {
	v.left = w.eng.Now()
	if !v.measuring || w.looks && len(w.queue) == 0 && w.reaped != w.now {
		return
	}
	d := v.left - w.now
	v.busy += d
	v.longest = max(v.longest, d)
	v.loops++
}

// usage is what a process or a thread has used so far.
func usage(who int) report.Usage {
	var ru unix.Rusage
	if err := unix.Getrusage(who, &ru); err != nil {
		return report.Usage{}
	}
	return report.Usage{
		CPU:      report.CPU{UserNS: ru.Utime.Nano(), SystemNS: ru.Stime.Nano()},
		Switches: ru.Nvcsw + ru.Nivcsw, MajorFaults: ru.Majflt, MinorFaults: ru.Minflt,
	}
}
