package blktrace

// Before says whether f's next event is earlier than g's.
func (f *file) Before(g *file) bool {
	if f.event.time != g.event.time {
		return f.event.time < g.event.time
	}
	return f.index < g.index
}

// counter is what numbers events: a CPU, for a device.
type counter struct{ device, cpu uint32 }

// maxCounters bounds how many counters of one file are followed.
const maxCounters = 1 << 12

// sequences finds the gaps in the numbers of a file's events.
type sequences struct {
	last    map[counter]uint32
	recent  counter
	number  uint32 // of recent's latest event
	any     bool
	missing int64 // in all gaps so far
}

// maxLate bounds by how much an event's number can be behind; more is a new beginning.
const maxLate = 1 << 12

// lost is how many events are missing before one; -1 if it is one that was counted as
// missing and only comes late.
func (s *sequences) lost(device, cpu, seq uint32) (n int64) {
	c := counter{device, cpu}
	if (!s.any || c != s.recent) && !s.turn(c) {
		s.number = seq
		return 0
	}
	switch step := int32(seq - s.number); { // numbers wrap
	case step > 0:
		n, s.number = int64(step)-1, seq
	case step < -maxLate:
		s.number = seq
	case step < 0 && s.missing > 0:
		n = -1
	}
	s.missing += n
	return n
}

// turn makes another counter the recent one.
func (s *sequences) turn(c counter) (known bool) {
	if s.any {
		s.last[s.recent] = s.number
	}
	if len(s.last) >= maxCounters {
		clear(s.last)
	}
	s.recent, s.any = c, true
	s.number, known = s.last[c]
	return known
}
