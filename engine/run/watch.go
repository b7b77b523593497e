package run

import (
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// watch is how a worker observes itself: what share of its time it was busy
// and for how long completions may have waited to be reaped.
type watch struct {
	turns     atomic.Uint64 // odd while clients run
	seen      uint64        // turns when the guard last looked; the guard's, like looks
	looks     int           // for how many of its looks in a row the same client has run
	measuring bool
	began     int64
	left      int64 // when the worker last went into Wait
	busy      int64 // outside Wait
	longest   int64 // the longest stretch outside Wait
	loops     int64
	inFlight  int64 // sum over loops, for the mean depth
	cpu       time.Duration
}

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

func (v *watch) begin(now int64) {
	v.measuring, v.began = true, now
	v.cpu = threadCPU()
}

// leave notes that the worker is about to wait.
func (v *watch) leave(w *Worker) {
	v.left = w.eng.Now()
	if !v.measuring {
		return
	}
	d := v.left - w.now
	v.busy += d
	v.longest = max(v.longest, d)
	v.loops++
	v.inFlight += int64(w.flying + len(w.queue))
}

func (v *watch) finish() {
	if v.measuring {
		v.cpu = threadCPU() - v.cpu
	}
}

func threadCPU() time.Duration {
	user, system := cpuTimes(unix.RUSAGE_THREAD)
	return user + system
}

func cpuTimes(who int) (user, system time.Duration) {
	var ru unix.Rusage
	if err := unix.Getrusage(who, &ru); err != nil {
		return 0, 0
	}
	return time.Duration(ru.Utime.Nano()), time.Duration(ru.Stime.Nano())
}

// stuck counts the workers that have nothing but clients that wait for other
// clients. When all have, none will ever go on.
type stuck struct {
	mu      sync.Mutex
	workers []bool
	live    int
	found   func() // called once
}

func newStuck(workers int, found func()) *stuck {
	return &stuck{workers: make([]bool, workers), live: workers, found: found}
}

func (s *stuck) set(worker int, is bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.workers[worker] = is
	s.check()
}

// leave takes a worker out that has finished.
func (s *stuck) leave(worker int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.workers[worker] = false
	s.live--
	s.check()
}

func (s *stuck) check() {
	n := 0
	for _, is := range s.workers {
		if is {
			n++
		}
	}
	if n > 0 && n == s.live && s.found != nil {
		s.found()
		s.found = nil
	}
}
