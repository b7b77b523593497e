package calls

import (
	"moonio/engine/trace"
	"moonio/engine/trace/internal/scan"
)

// waiting is a request of io_submit that has not been given yet. They are given in their order.
type waiting struct {
	trace.Record
	key
	since uint64 // how many records had been given then
	done  bool   // its completion was seen, or will not be
	void  bool   // it moved no data
}

// key is by what io_getevents says which request has completed: an application's own data, in a context. A
// context is the process's; without a table, it may be any's.
type key struct {
	table         *table
	context, data int64
}

// of says whether a request may be what a key means.
func (k key) of(w *waiting) bool {
	return !w.done && w.context == k.context && w.data == k.data && (k.table == nil || k.table == w.table)
}

// Bounds on requests that wait: how many, and for how many other records. Both are far less than what
// readers put in order.
const (
	maxWaiting = 1 << 12
	maxBehind  = 1 << 13
)

// await holds a request's record back until it completes.
func (m *Machine) await(r trace.Record, k key) {
	if len(m.waiting) == maxWaiting {
		m.release(1)
	}
	m.waiting = append(m.waiting, waiting{Record: r, key: k, since: m.given})
}

// release gives the n oldest requests, as they are.
func (m *Machine) release(n int) {
	for _, w := range m.waiting[:n] {
		if !w.void {
			m.ready = append(m.ready, w.Record)
		}
	}
	m.waiting = m.waiting[:copy(m.waiting, m.waiting[n:])]
}

// settle adds to what a call gives the requests that have completed, or have waited long enough.
func (m *Machine) settle() {
	n := 0
	for n < len(m.waiting) && (m.waiting[n].done || m.given-m.waiting[n].since > maxBehind) {
		n++
	}
	if n > 0 {
		m.release(n)
	}
	m.out = append(m.out, m.ready...)
	m.ready = m.ready[:0]
	m.given += uint64(len(m.out))
}

// Rest is the requests whose completion is not in the trace. Call it at its end; what it gives is valid until the
// next call of Do.
func (m *Machine) Rest() []trace.Record {
	m.out = m.out[:0]
	m.release(len(m.waiting))
	m.settle()
	return m.out
}

// reap takes what io_getevents returned: each event completes a request.
func (m *Machine) reap(p *Process, c *Call) error {
	rest := c.arg(3)
	k := key{table: p.table}
	k.context, _ = scan.Number(c.arg(0))
	n := int64(0)
	for ; n < c.Ret; n++ {
		event, after, ends := braced(rest)
		if !ends {
			return errBad("events that do not end")
		}
		if after == nil {
			break
		}
		rest = after
		k.data, _ = number(value(event, "data="))
		if res, ok := number(value(event, "res=")); ok {
			m.completed(p, k, res, c)
		}
	}
	m.unseenEvents(k, c.Ret-n)
	return nil
}

// completed takes an event: a request has transferred res bytes.
func (m *Machine) completed(p *Process, k key, res int64, c *Call) {
	w := m.find(k, res)
	if w == nil && !p.forked { // it may be a thread of any process that was there before the capture
		k.table = nil
		w = m.find(k, res)
	}
	if w == nil {
		return
	}
	w.done = true
	if c.Latency != trace.Unknown {
		w.Latency = max(c.Time+c.Latency-w.Time, 0)
	}
	switch {
	case res < 0:
		w.void = true
		m.log.Skip(string(skipFailed))
	case w.Op.Transfers() && res == 0:
		w.void = true
		m.log.Skip(string(skipNothing))
	case w.Op.Transfers():
		w.Length = min(w.Length, res)
	}
}

// find is the oldest request of a key, but rather one of the length that was transferred; nil if there is
// none.
func (m *Machine) find(k key, res int64) (found *waiting) {
	exact, more := false, false
	for i := range m.waiting {
		w := &m.waiting[i]
		if !k.of(w) {
			continue
		}
		more = more || found != nil
		if fits := !w.Op.Transfers() && res == 0 || w.Op.Transfers() && w.Length == res; found == nil || fits && !exact {
			found, exact = w, fits
		}
		if exact && more {
			break
		}
	}
	if more {
		m.log.Note("some requests of io_submit cannot be told from each other when they complete, as the application gives them no data of their own (aio_data): those are taken to complete in the order in which they were submitted, which leaves the sum of their latencies right")
	}
	return found
}

// unseenEvents lets n requests go of which one cannot say when they completed: their events are not printed.
func (m *Machine) unseenEvents(k key, n int64) {
	for i := range m.waiting {
		w := &m.waiting[i]
		if n <= 0 {
			return
		}
		if !w.done && w.table == k.table && w.context == k.context {
			w.done = true
			n--
		}
	}
}
