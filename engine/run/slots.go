package run

import "moonio/engine"

// slot is the bookkeeping beside an operation.
type slot struct {
	intended  int64 // when it was due or asked for
	submitted int64
	taken     int64   // by the engine, if the phase is measured in detail
	stream    *stream // whose it is; or
	player    *player // likewise; or
	task      *Task   // who waits for it
	queue     *Queue  // the task's queue that it went through, if any
	target    *target // of a stream's operation that others may follow
	most      int64   // how long it may take; 0: as long as it likes
	job       int32
	checking
	open  bool // has a response time beside its service time
	aside bool // others have brought it about, and no schedule
}

// ask is what a client asked for when there were no slots.
type ask struct {
	task  *Task
	queue *Queue
	chain []Request
	at    int64
}

// start queues a client's operation, or a chain of linked ones, as soon as there are
// slots for all of it.
func (w *Worker) start(t *Task, q *Queue, chain []Request) error {
	now := w.eng.Now()
	if t.over(now) {
		t.end()
		return nil
	}
	if w.starved.len() > 0 || w.room() < len(chain) {
		w.starved.push(ask{t, q, append([]Request(nil), chain...), now})
		return nil
	}
	return w.launch(t, q, chain, now)
}

// feed gives free slots to the clients that have waited longest for them.
func (w *Worker) feed() {
	for w.starved.len() > 0 && w.room() >= len(w.starved.first().chain) {
		a := w.starved.pop()
		if a.task.over(w.now) {
			a.task.end()
			continue
		}
		if err := w.launch(a.task, a.queue, a.chain, a.at); err != nil {
			w.p.fail(err)
		}
	}
}

// launch queues operations, one behind the other so that links hold. Where the phase's
// limits end a chain early, its last operation is linked to nothing.
func (w *Worker) launch(t *Task, q *Queue, chain []Request, asked int64) error {
	for k := range chain {
		r := &chain[k]
		if !w.p.afford(r.Code, r.Len, asked) {
			if k > 0 {
				w.ops[w.queue[len(w.queue)-1]].Flags &^= engine.Link
			}
			t.end()
			return nil
		}
		if err := w.put(t, q, r, asked); err != nil {
			return err
		}
	}
	return nil
}

// put fills a slot, of which one is free, and queues it.
func (w *Worker) put(t *Task, q *Queue, r *Request, asked int64) error {
	i := w.take()
	op := &w.ops[i]
	op.Code, op.Flags, op.File, op.Off, op.Len, op.Meta = r.Code, r.Flags, r.File, r.Off, r.Len, r.Meta
	if r.Code.Transfers() {
		buf, err := w.arena.Get(int(r.Len))
		if err != nil {
			return err
		}
		op.Buf = buf
	}
	if r.Code == engine.Append {
		op.Off = r.File.Reserve(r.Len)
	}
	w.slots[i] = slot{intended: asked, task: t, queue: q, job: int32(t.crew.job), open: true}
	if w.p.checks != nil && r.File != nil {
		w.slots[i].check = w.p.checks[r.File.Node]
	}
	w.prepare(i)
	w.queue = append(w.queue, i)
	return nil
}

// room is how many more operations of clients can be in flight.
func (w *Worker) room() int { return len(w.free) + w.limit - len(w.ops) }

// take finds a free slot, of which there must be one.
func (w *Worker) take() uint32 {
	if n := len(w.free); n > 0 {
		i := w.free[n-1]
		w.free = w.free[:n-1]
		return i
	}
	w.ops = append(w.ops, engine.Op{})
	w.slots = append(w.slots, slot{})
	return uint32(len(w.ops) - 1)
}

// release gives a client's slot and buffer back.
func (w *Worker) release(i uint32) {
	op := &w.ops[i]
	if op.Buf != nil {
		w.arena.Put(op.Buf)
	}
	op.Buf, op.Meta, op.File = nil, nil, nil
	s := &w.slots[i]
	s.task, s.queue = nil, nil
	w.free = append(w.free, i)
	if w.starved.len() > 0 {
		w.feed()
	}
}

// mark makes the data of a write differ from every other's.
func (w *Worker) mark(b []byte) { w.stamp = stampBlocks(b, w.stamp) }
