package record

import (
	"fmt"
	"sync/atomic"

	"moonio/engine"
	"moonio/engine/trace"
)

// Engine is an engine whose operations are recorded. Like any engine it belongs to one worker.
type Engine struct {
	engine.Engine
	r     *Recorder
	jobs  []job
	slots []slot
	files []known // by the files' IDs
	name  []byte  // scratch
	tail  *chunk  // where the next operation goes

	// low is a time before which no operation will be submitted any more. While
	// waiting is set that holds for any time that another engine's clock has shown.
	low     atomic.Int64
	waiting atomic.Bool
	closed  atomic.Bool

	// The writer's: up to where it has got.
	head *chunk
	at   int32
}

// slot is what is in flight in a slot of the engine's.
type slot struct {
	job       uint32
	client    uint32
	entry     *entry
	submitted int64
}

// job is the streams of a job.
type job struct {
	name    string
	id      trace.ID
	clients []client // by number
}

// client is a stream that has a number, or is not known yet.
type client struct {
	id    trace.ID
	known bool
}

// known is a file that has a number.
type known struct {
	file *engine.File
	id   trace.ID
}

// Job says which of the jobs the next operation in a slot belongs to, and to which of its
// clients, counted from 1; 0: to none. Each client is a stream of its own.
func (e *Engine) Job(slot, job, client uint32) {
	s := &e.slots[slot]
	s.job, s.client = job, client
}

// Submit notes the operations and submits them.
func (e *Engine) Submit(ops []engine.Op, slots []uint32) error {
	now := e.Engine.Now()
	e.low.Store(now)
	for _, i := range slots {
		if err := e.note(&ops[i], &e.slots[i], now); err != nil {
			return err
		}
	}
	return e.Engine.Submit(ops, slots)
}

func (e *Engine) note(op *engine.Op, s *slot, now int64) error {
	id, err := e.file(op)
	if err != nil {
		return err
	}
	n := e.tail.n.Load()
	if n == chunkSize {
		e.turn()
		n = 0
	}
	t := &e.tail.entries[n]
	t.rec = trace.Record{Time: now, Offset: op.Off, Length: op.Len, File: id, Op: op.Code}
	if op.Code.Transfers() {
		t.rec.Length, t.rec.Flags = int64(len(op.Buf)), cache(op.File)
	}
	if op.Flags&engine.DSync != 0 {
		t.rec.Flags |= trace.FUA
	}
	if t.rec.Stream, err = e.stream(s); err != nil {
		return err
	}
	t.latency.Store(inFlight)
	s.entry, s.submitted = t, now
	e.tail.n.Store(n + 1)
	return nil
}

// stream is the number of what has the operation in a slot made.
func (e *Engine) stream(s *slot) (trace.ID, error) {
	if int(s.job) >= len(e.jobs) {
		return 0, nil
	}
	j := &e.jobs[s.job]
	if s.client == 0 {
		return j.id, nil
	}
	for len(j.clients) <= int(s.client) {
		j.clients = append(j.clients, client{})
	}
	c := &j.clients[s.client]
	if c.known {
		return c.id, nil
	}
	e.r.mu.Lock()
	defer e.r.mu.Unlock()
	id, err := e.r.log.Streams.ID(fmt.Appendf(nil, "%s/%d", j.name, s.client))
	if err != nil {
		return 0, fmt.Errorf("recording: %w", err)
	}
	*c = client{id, true}
	return id, nil
}

// cache says whether what a file transfers goes through the page cache.
func cache(f *engine.File) trace.Flags {
	if f.Direct {
		return trace.Direct
	}
	return trace.Buffered
}

// file is the number of an operation's file.
func (e *Engine) file(op *engine.Op) (trace.ID, error) {
	f := op.File
	if f == nil || op.Code.Named() {
		if op.Meta == nil {
			return e.number(op.Code, "")
		}
		return e.number(op.Code, op.Meta.Path)
	}
	if int(f.ID) < len(e.files) && e.files[f.ID].file == f {
		return e.files[f.ID].id, nil
	}
	id, err := e.number(op.Code, f.Name)
	if err != nil {
		return 0, err
	}
	for len(e.files) <= int(f.ID) {
		e.files = append(e.files, known{})
	}
	e.files[f.ID] = known{f, id}
	return id, nil
}

func (e *Engine) number(op engine.OpCode, name string) (trace.ID, error) {
	e.r.mu.Lock()
	defer e.r.mu.Unlock()
	if op == engine.Rename {
		e.r.log.Note("renames are recorded without the new names")
	}
	e.name = append(e.name[:0], name...)
	id, err := e.r.log.Files.ID(e.name)
	if err != nil {
		return 0, fmt.Errorf("recording: %w", err)
	}
	return id, nil
}

// turn begins a new chunk.
func (e *Engine) turn() {
	c := e.r.chunk(func(wait bool) { e.waiting.Store(wait) })
	e.tail.next.Store(c)
	e.tail = c
	e.r.wake()
}

// Wait waits, and notes what has completed.
func (e *Engine) Wait(out []engine.Completion, min int, deadline int64) (int, error) {
	e.waiting.Store(true)
	n, err := e.Engine.Wait(out, min, deadline)
	now := e.Engine.Now()
	e.low.Store(now)
	e.waiting.Store(false)
	for _, c := range out[:n] {
		s := &e.slots[c.Slot]
		s.entry.latency.Store(now - s.submitted)
	}
	return n, err
}

// Close closes the engine beneath. What was in flight has no latency.
func (e *Engine) Close() error {
	err := e.Engine.Close()
	e.closed.Store(true)
	e.r.wake()
	return err
}
