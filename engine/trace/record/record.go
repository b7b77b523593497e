// Package record writes down what a run does as a trace.
//
// [Recorder.Engine] goes around each worker's engine and notes every operation as it is submitted, and
// its latency when it completes. Workers do no more than that, without locks and without allocating once they
// have room; a goroutine merges what they note by time and writes it. Layouts and what a script does
// outside of phases go past it.
package record

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"moonio/engine"
	"moonio/engine/trace"
)

// Recorder records a run. Its methods may be called from any goroutine.
type Recorder struct {
	to  trace.Writer
	log *trace.Log

	kick   chan struct{} // something is to be written
	done   chan struct{} // the last has been
	closed atomic.Bool
	chunks atomic.Int32 // that are not free

	freeMu sync.Mutex
	room   sync.Cond // on freeMu: a chunk has become free
	free   []*chunk

	mu      sync.Mutex // of what follows, and of the log's names
	sources []*Engine
	last    int64 // time of the record that was written last
	origin  int64 // of the first
	begun   bool
	virtual bool // the engines' clock is not this machine's
	records int64
	err     error
	out     trace.Record // what is being written
}

// New begins to record. Files and streams are named in the log, which must be the writer's; both are the
// recorder's until Close.
func New(to trace.Writer, log *trace.Log) *Recorder {
	r := &Recorder{to: to, log: log, kick: make(chan struct{}, 1), done: make(chan struct{})}
	r.room.L = &r.freeMu
	go r.write()
	return r
}

// Close writes what is left and closes the writer. The engines must have been closed. The
// error is the first that writing met, whenever that was.
func (r *Recorder) Close() error {
	r.closed.Store(true)
	r.wake()
	<-r.done
	if err := r.to.Close(); r.err == nil && err != nil {
		r.err = fmt.Errorf("writing the record: %w", err)
	}
	return r.err
}

// Records is how many operations were written. It is for after Close.
func (r *Recorder) Records() int64 { return r.records }

func (r *Recorder) wake() {
	select {
	case r.kick <- struct{}{}:
	default:
	}
}

// patience is how long what was noted lies about at the most, if what came before it is complete.
const patience = 100 * time.Millisecond

// write writes until the recorder is closed.
func (r *Recorder) write() {
	defer close(r.done)
	tick := time.NewTicker(patience)
	defer tick.Stop()
	for {
		select {
		case <-r.kick:
		case <-tick.C:
		}
		last := r.closed.Load()
		r.merge()
		if last {
			return
		}
	}
}

// put writes one record.
func (r *Recorder) put(rec *trace.Record, latency int64) {
	if !r.begun {
		r.begin(rec.Time)
	}
	// Where records had to be written before their turn, a time may lie a little back.
	r.last = max(r.last, rec.Time)
	if r.err != nil {
		return
	}
	r.out = *rec
	r.out.Time, r.out.Latency = r.last-r.origin, latency
	if err := r.to.Write(&r.out); err != nil {
		r.err = fmt.Errorf("writing the record: %w", err)
		return
	}
	r.records++
}

// begin notes when the first operation was.
func (r *Recorder) begin(at int64) {
	r.begun, r.origin, r.last = true, at, at
	if !r.virtual {
		r.log.Epoch = time.Now().Add(time.Duration(at - engine.Monotonic()))
	}
}

// Engine puts a worker's engine under record. jobs are the names that Job refers to; slots is as in engine.Config.
func (r *Recorder) Engine(e engine.Engine, slots int, jobs []string) (*Engine, error) {
	s := &Engine{Engine: e, r: r, slots: make([]slot, slots)}
	s.low.Store(e.Now())
	virtual := e.Info().Virtual
	r.mu.Lock()
	defer r.mu.Unlock()
	r.virtual = r.virtual || virtual
	for _, name := range jobs {
		id, err := r.log.Streams.ID([]byte(name))
		if err != nil {
			return nil, fmt.Errorf("recording: %w", err)
		}
		s.jobs = append(s.jobs, job{name: name, id: id})
	}
	s.tail = r.chunk(func(bool) {})
	s.head = s.tail
	r.sources = append(r.sources, s)
	return s, nil
}
