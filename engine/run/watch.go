package run

import (
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"moonio/engine"
	"moonio/engine/report"
)

// watch is how a worker observes itself: what share of its time it was busy
// and for how long completions may have waited to be reaped.
type watch struct {
	turns     atomic.Uint64 // odd while clients run; see step
	thread    atomic.Int64  // the worker's; 0 if it has none of its own
	seen      uint64        // turns when the guard last looked; the guard's, like had
	had       time.Duration // what the thread had computed when the guard first saw these turns
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

// stalled is how long the worker has computed in one and the same stretch of its clients'
// code. While it waits for a processor it does not compute. Only the phase's guard calls it.
func (v *watch) stalled() time.Duration {
	turns, has := v.turns.Load(), computed(v.thread.Load())
	if turns%2 == 0 || turns != v.seen {
		v.seen, v.had = turns, has
	}
	return has - v.had
}

// computed is how much of the processors' time a thread of this process has had, or the process
// if thread is 0. Where the kernel does not say so, it is the time that passes.
func computed(thread int64) time.Duration {
	clock := int32(unix.CLOCK_PROCESS_CPUTIME_ID)
	if thread > 0 {
		clock = int32(^thread<<3 | 6) // as pthread_getcpuclockid makes it
	}
	var ts unix.Timespec
	if err := unix.ClockGettime(clock, &ts); err != nil {
		return time.Duration(engine.Monotonic())
	}
	return time.Duration(ts.Nano())
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
