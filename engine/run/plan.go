// Package run plays phases: it drives engines from workers, each a goroutine
// locked to its thread with its own engine, buffers and histograms, and turns
// what they did into results.
//
// A [Session] is one program run: one backend, one seed, one clock. A [Phase]
// says what to do, as plain Go values; [Session.Run] does it and reports it.
// Deadlines all come from one origin, the start of the phase's measured part,
// so that nothing drifts. Nothing here knows what language described a phase.
package run

import (
	"time"

	"moonio/engine"
	"moonio/engine/dist"
	"moonio/engine/pace"
	"moonio/engine/place"
)

// Phase is a stretch of time in which jobs run side by side. It ends at its
// duration, operations, bytes or iterations, whichever comes first, or when
// its jobs are done. A limit of 0 is no limit; limits count from the end of the
// warm-up.
type Phase struct {
	Name       string
	Warmup     time.Duration // run and not recorded
	Duration   time.Duration
	Ops        int64         // I/O operations submitted, of any kind
	Bytes      int64         // bytes asked for by reads and writes
	Iterations int64         // turns of clients
	Threads    int           // workers that the jobs share that have none of their own
	Engine     string        // of these workers; "": the session's
	Place      place.Place   // of these workers
	Interval   time.Duration // of the time series
	Count      bool          // count failed operations and go on; otherwise the first ends the phase
	Jobs       []Job
	Wrap       func(e engine.Engine, seed uint64) engine.Engine // put around each worker's engine; may be nil
}

// Job is one of a phase's jobs: exactly one of Stream, Clients and Replay is set.
type Job struct {
	Name     string
	Start    time.Duration // from the phase's measured start; a job with 0 also runs in the warm-up
	Duration time.Duration // 0: to the phase's end
	Stream   *Stream
	Clients  *Clients
	Replay   *Replay
	Own      *Threads // workers on which nothing else runs; nil: those that jobs share
}

// Threads are the workers of one job alone, each a thread. What the job does at once, its
// depth or its clients, is shared out over them.
type Threads struct {
	Count  int
	Engine string // "": the session's
	Place  place.Place
}

// Stream is a load that is known beforehand: a mix of operations at places drawn from
// patterns, kept at a depth or issued at a rate.
type Stream struct {
	Mix     dist.Mix
	Files   []*engine.File // one is drawn for each operation
	Read    Access         // of reads and trims
	Write   Access         // of writes and appends
	Depth   int            // most in flight, over all workers
	Rate    *pace.Rate     // nil: a closed loop
	Arrival pace.Arrival   // of a rate
	Ops     int64          // ends the job, but for the syncs that are due; 0: no limit; they count as the phase's do
	Bytes   int64          // likewise
	Passes  int64          // likewise, over each file; reads and writes have each their own
	Sync    SyncEvery      // a sync after every so many writes
	DSync   bool           // each write is durable when it completes
	Batch   int            // completions to wait for at a time, if all of the phase's jobs say so; 0: chosen
}

// Access is where operations of one direction go and how large they are.
type Access struct {
	At     dist.Pattern
	Block  dist.Sizes
	Offset int64 // start of the region
	Size   int64 // length of the region; 0: to the file's end
	Align  int64 // offsets are multiples of it; 0: the smallest block
}

// SyncEvery issues Code on a file after every Writes writes to it have completed; with
// 0 it does nothing.
type SyncEvery struct {
	Code   engine.OpCode
	Writes int64
}

// Clients are sequential programs that run concurrently.
type Clients struct {
	Count int
	// Program makes the clients of one worker. It is called on the worker's
	// thread, before the phase's clock starts.
	Program func(w *Worker) (Program, error)
}

// Program is the clients of one job on one worker. Only that worker calls it,
// but for Interrupt.
type Program interface {
	// Start makes the client that t stands for.
	Start(t *Task) error
	// Resume continues it until it waits (it has called one of Task's methods
	// that say so), or has ended.
	Resume(t *Task) (done bool, err error)
	// Interrupt stops the client that is running now, if one is, at its next
	// instruction, with err as what Resume returns. Any goroutine may call it.
	Interrupt(err error)
	Close()
}

// Defaults.
const (
	DefaultInterval = time.Second
	MinInterval     = 10 * time.Millisecond
	MaxThreads      = 1024    // of all of a phase's jobs
	MaxInFlight     = 1 << 17 // depths and clients of all of a phase's jobs
)
