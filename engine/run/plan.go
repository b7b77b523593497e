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
	"syscall"
	"time"

	"moonio/engine"
	"moonio/engine/content"
	"moonio/engine/dist"
	"moonio/engine/pace"
	"moonio/engine/place"
)

// Phase is a stretch of time in which jobs run side by side. It ends at its
// duration, operations, bytes or iterations, whichever comes first, or when
// its jobs are done, or one that EndsPhase. A limit of 0 is no limit; limits count from the end of the
// warm-up.
type Phase struct {
	Name       string
	Warmup     time.Duration // run and not recorded
	Duration   time.Duration
	Ops        int64           // I/O operations submitted, of any kind
	Bytes      int64           // bytes asked for by reads and writes
	Iterations int64           // turns of clients
	Threads    int             // workers that the jobs share that have none of their own
	Engine     string          // of these workers; "": the session's
	Place      place.Place     // of these workers
	Interval   time.Duration   // of the time series
	Steady     *Steady         // what ends the phase too, when it holds still; may be nil
	Count      bool            // count failed operations and go on; otherwise the first ends the phase
	Counted    []syscall.Errno // if Count: only those that fail with one of these; empty: all
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
	// After names other jobs of the phase: the job begins when all of them are over. Start and Duration count from then.
	After []string
	// Ends names other jobs of the phase, streams and replays, that begin nothing more when this job is done.
	Ends []string
	// EndsPhase makes the phase end when this job is done, whatever the others still have to do.
	EndsPhase bool
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
	Files   []*engine.File
	Order   FileOrder     // in which several files are served
	Run     int64         // operations on a file before the next is chosen; 0: 1
	Read    Access        // of reads
	Write   Access        // of writes, appends, trims and sync_ranges
	Depth   int           // most in flight, over all workers
	Rate    *pace.Rate    // nil: a closed loop
	Arrival pace.Arrival  // of a rate
	Ops     int64         // ends the job, but for the syncs that are due; 0: no limit; they count as the phase's do
	Bytes   int64         // likewise
	Passes  int64         // likewise, over each file; reads and writes have each their own
	Syncs   []SyncEvery   // after so many writes each; of those that are due at once the first is issued
	SyncEnd engine.OpCode // a sync of each file when all else of the stream has completed; Nop: none
	DSync   bool          // each write is durable when it completes
	Forget  int64         // bytes moved after which the page cache gives up what it holds of the files; 0: it keeps it
	Batch   int           // completions to wait for at a time, if all that the worker does says so; 0: 1
	Poll    bool          // likewise: wait for none, and look again and again
	Most    int           // completions to take at a time, likewise; 0: as many as there are
	Submit  int           // the most operations to hand over in one call; 0: chosen
	Low     int           // once the depth is reached, how far the operations in flight fall before there are more; 0: not at all
	Think   *Think        // pauses; nil: none

	Data   *content.Spec // what writes carry; nil: the default of content.Spec
	Verify *Verify       // how that is verified; nil: it is not

	MaxLatency time.Duration // an operation that takes longer has failed; 0: none has
	UntilFull  bool          // the stream is over, and nothing has failed, when what it writes finds no more room
	TrimWrite  bool          // every trim that succeeds is followed by a write of the same place
	Prios      []PrioShare   // of the operations that several are of each has a part

	// Instead of Rate, those of each direction of a mix of reads and writes; nil: it is a closed loop beside the other.
	ReadRate, WriteRate *pace.Rate
}

// FileOrder is the order in which a stream serves its files. The zero value draws one
// for each operation.
type FileOrder struct {
	RoundRobin bool         // one after the other, each worker on its own
	Sequential bool         // as many bytes as a file's region has, then on to the next
	At         dist.Pattern // drawn from a pattern over the files, in their order
}

// Think makes a stream pause. It lets what is in flight complete before it does. Each
// worker thinks for itself.
type Think struct {
	Time    dist.Delay                      // how long
	Program func(w *Worker) (Pauses, error) // says how long, instead of Time; may be nil
	Every   int64                           // operations from one pause to the next
	After   time.Duration                   // or time at work, if Every is 0
	Issued  bool                            // operations count when they begin, not when they complete
	Spin    time.Duration                   // of the pause, how much is spent computing
	CatchUp bool                            // what a rate made fall due meanwhile is made up for, at once
}

// Pauses says how long a stream pauses on one worker. Only that worker calls it, but for
// Interrupt.
type Pauses interface {
	Next(r *dist.Rand) (time.Duration, error)
	// Interrupt makes the call of Next that is under way, if one is, return err.
	// Any goroutine may call it.
	Interrupt(err error)
	Close()
}

// Access is where operations of one direction go and how large they are.
type Access struct {
	At     dist.Pattern
	Block  dist.Sizes
	Offset int64 // start of the region
	Size   int64 // length of the region; 0: to the file's end
	Align  int64 // offsets are multiples of it; 0: the smallest block
}

// SyncEvery issues Code on a file after every Writes writes to it have completed.
// A sync_range goes from the first to the last byte that they wrote.
type SyncEvery struct {
	Code   engine.OpCode
	Writes int64
}

// Clients are sequential programs that run concurrently.
type Clients struct {
	Count int
	Turns int64 // that each makes, besides those of the warm-up; 0: no limit
	// Rate is of turns, of all clients together: one that falls due goes to a client that is free, or waits for one. With nil, a
	// client's next turn begins when the one before is over.
	Rate    *pace.Rate
	Arrival pace.Arrival
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
	// Where is where in the script t waits, for messages; "" if that is not known.
	Where(t *Task) string
	Close()
}

// Defaults.
const (
	DefaultInterval = time.Second
	MinInterval     = 10 * time.Millisecond
	MaxThreads      = 1024    // of all of a phase's jobs
	MaxInFlight     = 1 << 17 // depths and clients of all of a phase's jobs
	MaxSpans        = 256     // names of a job's spans
)
