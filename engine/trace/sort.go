package trace

import "sort"

// Sorter mends a Reader's order: it holds back a number of records and gives the one
// with the earliest time, and of equal times the one that was read first. A record
// that was displaced by more than that many others comes out late. What is in order
// already costs little.
type Sorter struct {
	r    Reader
	held []Record // held[head:] are sorted; their number is at most cap(held)/2
	head int
	size int
	err  error
}

// NewSorter holds back up to size records of r.
func NewSorter(r Reader, size int) *Sorter {
	return &Sorter{r: r, held: make([]Record, 0, 2*size), size: size}
}

// Read gives the next record in order of time.
func (s *Sorter) Read(r *Record) error {
	for s.err == nil && len(s.held)-s.head < s.size {
		var next Record
		if s.err = s.r.Read(&next); s.err == nil {
			s.insert(&next)
		}
	}
	if s.head == len(s.held) {
		return s.err
	}
	*r = s.held[s.head]
	s.head++
	return nil
}

// insert puts a record behind all that are not later.
func (s *Sorter) insert(r *Record) {
	if len(s.held) == cap(s.held) {
		s.held = s.held[:copy(s.held, s.held[s.head:])]
		s.head = 0
	}
	s.held = append(s.held, *r)
	live := s.held[s.head:]
	last := len(live) - 1
	if last == 0 || live[last-1].Time <= r.Time {
		return
	}
	at := sort.Search(last, func(i int) bool { return live[i].Time > r.Time })
	copy(live[at+1:], live[at:last])
	live[at] = *r
}
