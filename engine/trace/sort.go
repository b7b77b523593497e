package trace

import "moonio/engine/internal/heap"

// Sorter mends a Reader's order: it holds back a number of records and gives the one
// with the earliest time, and of equal times the one that was read first. A record
// that was displaced by more than that many others comes out late. What is in order
// already costs little: it stands in a queue, and only what is late goes to a heap.
type Sorter struct {
	r    Reader
	size int
	err  error
	next Record

	queue []Record // queue[head:] are in order; their number is at most cap(queue)/2
	head  int
	late  heap.Heap[lateRecord]
	seq   uint64 // of the late record read last
	last  int64  // time of the record queued last
	any   bool   // one was queued
}

type lateRecord struct {
	Record
	seq uint64
}

func (l lateRecord) Before(m lateRecord) bool {
	return l.Time < m.Time || l.Time == m.Time && l.seq < m.seq
}

// NewSorter holds back up to size records of r.
func NewSorter(r Reader, size int) *Sorter {
	return &Sorter{r: r, queue: make([]Record, 0, 2*size), size: size}
}

// Read gives the next record in order of time.
func (s *Sorter) Read(r *Record) error {
	for s.err == nil && len(s.queue)-s.head+len(s.late) < s.size {
		if s.err = s.r.Read(&s.next); s.err == nil {
			s.put()
		}
	}
	queued := len(s.queue) > s.head
	switch {
	case len(s.late) > 0 && (!queued || s.late[0].Time < s.queue[s.head].Time):
		*r = s.late.Pop().Record
	case queued:
		*r = s.queue[s.head]
		s.head++
	default:
		return s.err
	}
	return nil
}

// put holds back the record that was read last.
func (s *Sorter) put() {
	if s.any && s.next.Time < s.last {
		s.seq++
		s.late.Push(lateRecord{s.next, s.seq})
		return
	}
	if len(s.queue) == cap(s.queue) {
		s.queue = s.queue[:copy(s.queue, s.queue[s.head:])]
		s.head = 0
	}
	s.queue = append(s.queue, s.next)
	s.last, s.any = s.next.Time, true
}
