package run

import (
	"errors"
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"moonio/engine"
	"moonio/engine/replay"
)

// Replay is a captured workload that is played into files.
type Replay struct {
	// Source begins to read a worker's share of the trace.
	Source  func(share replay.Share) *replay.Source
	Files   []*engine.File // the targets of the steps
	Timing  Timing
	Depth   int // most records in flight, over all workers
	Overlap Overlap
	Late    Late
	Limit   time.Duration // what is late, for LateDrop and LateAbort
	Resizes bool          // the trace makes files shorter, so that reads may find nothing

	Span time.Duration // about how long it takes at captured times

	// For the report: what there is to play, and how it was captured.
	Records, Bytes int64
	Speed          float64
	Captured       Captured
	Describe       string // of what is played, in a few words
}

// Captured is what is known of the workload when it was captured.
type Captured struct {
	IOPS, Depth float64 // Depth is 0 if completions were not captured
	MostDepth   int
}

// Timing says when the records of a replay are issued.
type Timing uint8

const (
	AsCaptured Timing = iota // at their times
	AsFast                   // as fast as the depth allows, in their order
	Dependent                // after those that had completed before, and as long after as then
	PerStream                // each stream of the trace is a closed loop that thinks as it did
)

var timingNames = []string{"captured", "fast", "dependent", "streams"}

func (t Timing) String() string { return timingNames[t] }

// TimingNames are the timings as users name them.
func TimingNames() []string { return timingNames }

// Overlap says what becomes of a record that overlaps one in flight.
type Overlap uint8

const (
	OverlapAllow Overlap = iota
	OverlapOrder         // it waits
	OverlapDrop
)

// OverlapNames are the policies as users name them.
func OverlapNames() []string { return []string{"allow", "order", "drop"} }

// Late says what becomes of a record that could not be issued in time.
type Late uint8

const (
	LateCatchUp Late = iota // it is issued at once
	LateShift               // and all that follow are moved by as much
	LateDrop                // it is left out if it is later than the limit
	LateAbort               // the phase fails if it is later than the limit
)

// LateNames are the policies as users name them.
func LateNames() []string { return []string{"catch-up", "shift", "drop", "abort"} }

func (r *Replay) validate() error {
	switch {
	case r.Depth < 1:
		return fmt.Errorf("depth = %d: at least 1 is needed", r.Depth)
	case r.Limit < 0:
		return fmt.Errorf("late_limit = %v is negative", r.Limit)
	case r.Timing == Dependent && r.Captured.Depth == 0:
		return errors.New(`timing = "dependent": the trace does not say when its operations completed: try "captured" or "streams"`)
	}
	return nil
}

// chainRoom is how many slots a worker has beside its depth, since a record can take
// several.
const chainRoom = 16

// feed reads a worker's share of a trace ahead, on a goroutine of its own.
type feed struct {
	src    *replay.Source
	out    chan []replay.Step
	spare  chan []replay.Step
	stop   chan struct{}
	done   chan struct{}
	hungry atomic.Bool // the worker found nothing and wants to be woken
	err    error       // what ended the reading; read it when out is closed
}

// In steps and in batches of them, what is read ahead.
const (
	feedBatch = 256
	feedAhead = 8
)

// startFeed begins to read src.
func startFeed(src *replay.Source, wake func()) *feed {
	f := &feed{
		src: src, out: make(chan []replay.Step, feedAhead), spare: make(chan []replay.Step, feedAhead+2),
		stop: make(chan struct{}), done: make(chan struct{}),
	}
	go f.run(wake)
	return f
}

func (f *feed) run(wake func()) {
	defer close(f.done)
	defer f.src.Close()
	for f.err == nil {
		batch := f.fill(f.buffer())
		select {
		case f.out <- batch:
		case <-f.stop:
			return
		}
		if f.hungry.Swap(false) {
			wake()
		}
	}
	if errors.Is(f.err, io.EOF) {
		f.err = nil
	}
	close(f.out)
	if f.hungry.Swap(false) {
		wake()
	}
}

// fill reads a batch, of whole records.
func (f *feed) fill(batch []replay.Step) []replay.Step {
	for len(batch) < feedBatch && f.err == nil {
		batch, f.err = f.src.Next(batch)
	}
	return batch
}

func (f *feed) buffer() []replay.Step {
	select {
	case b := <-f.spare:
		return b[:0]
	default:
		return make([]replay.Step, 0, feedBatch+chainRoom)
	}
}

// next takes the next batch and gives the last one back. Without wait it returns nil if there is
// none yet, and wakes the worker when there is. more is false after the last.
func (f *feed) next(old []replay.Step, wait bool) (batch []replay.Step, more bool) {
	if cap(old) > 0 {
		select {
		case f.spare <- old:
		default:
		}
	}
	if wait {
		batch, more = <-f.out
		return batch, more
	}
	for range 2 { // the second time after saying so: nothing is missed
		select {
		case batch, more = <-f.out:
			f.hungry.Store(false)
			return batch, more
		default:
			f.hungry.Store(true)
		}
	}
	return nil, true
}

// close ends the reading.
func (f *feed) close() {
	f.src.Stop()
	close(f.stop)
	<-f.done
}
