package run

import "sync"

// post makes a waiting client of this worker runnable. Any goroutine may call it.
func (w *Worker) post(t *Task) {
	w.inbox.Lock()
	defer w.inbox.Unlock()
	if w.inbox.closed {
		return
	}
	w.inbox.tasks = append(w.inbox.tasks, t)
	w.inbox.some.Store(true)
	w.p.stuck.clear(w.index)
	w.eng.Wake()
}

// wake makes the worker look at what has changed. Any goroutine may call it.
func (w *Worker) wake() {
	w.inbox.Lock()
	defer w.inbox.Unlock()
	if w.eng != nil && !w.inbox.closed {
		w.eng.Wake()
	}
}

func (w *Worker) takeInbox() {
	if !w.inbox.some.Load() {
		return
	}
	w.inbox.Lock()
	defer w.inbox.Unlock()
	for _, t := range w.inbox.tasks {
		w.unparked(t)
	}
	clear(w.inbox.tasks)
	w.inbox.tasks = w.inbox.tasks[:0]
	w.inbox.some.Store(false)
}

// closeInbox makes the worker unreachable for those who would wake it. If it has come
// to the end of what it had to do, the others may now wait for nobody. If the phase is
// over, it does not matter for whom they wait.
func (w *Worker) closeInbox() {
	w.inbox.Lock()
	w.inbox.closed = true
	w.inbox.Unlock()
	if w.p.stuck.leave(w.index, w.stopping || w.late()) {
		w.p.halt()
	}
}

// stand tells that only clients are left that wait for others. A wake-up that is on
// its way must not be overlooked, so it happens under the inbox's lock.
func (w *Worker) stand() {
	w.inbox.Lock()
	all := len(w.inbox.tasks) == 0 && w.p.stuck.set(w.index)
	w.inbox.Unlock()
	if all && !w.late() {
		w.p.halt()
	}
}

// halt ends a phase in which every client waits for another one: for a client that may begin no further turn, or in vain.
func (p *phase) halt() {
	if p.turnsSpent() {
		p.finish(endIterations)
		return
	}
	p.fail(ErrStuck)
}

// late says that no client has anything to wait for any more. A worker may come upon its clients'
// end while it takes the phase to go on, since it reads the clock once a turn and they whenever they begin one.
func (w *Worker) late() bool {
	return w.p.stop.Load() || w.eng != nil && w.eng.Now() >= w.p.clientsEnd
}

// stuck counts the workers that have nothing but clients that wait for other
// clients. When all that are left have, none will ever go on.
type stuck struct {
	mu      sync.Mutex
	workers []bool
	n       int // of them that are true
	live    int // workers that have not finished
	over    bool
}

func newStuck(workers int) *stuck {
	return &stuck{workers: make([]bool, workers), live: workers}
}

// set adds a worker and says whether all are stuck now.
func (s *stuck) set(worker int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.workers[worker] {
		s.workers[worker] = true
		s.n++
	}
	return s.n == s.live && !s.over
}

// clear takes a worker out that can go on.
func (s *stuck) clear(worker int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drop(worker)
}

func (s *stuck) drop(worker int) {
	if s.workers[worker] {
		s.workers[worker] = false
		s.n--
	}
}

// leave takes a worker out that has finished, and says whether all others are stuck.
// When the phase is over nobody is any more.
func (s *stuck) leave(worker int, over bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drop(worker)
	s.live--
	s.over = s.over || over
	return s.n > 0 && s.n == s.live && !s.over
}
