package blk

import "moonio/engine/trace"

// maxHeld is how many records wait for their completions at most. Who waits longer than it takes for
// so many others to be issued is given without a latency.
const maxHeld = 1 << 15

// Tracker turns events, in the order of their times, into records in the same order. It
// holds a record back until its completion has come.
//
// A completion is found by its device, its kind and its first sector. One may complete several I/Os that
// were merged, and so follow each other on the device; and an I/O may be completed in parts,
// where it was split. So what is waited for are parts: a part is a range of sectors of one record.
type Tracker struct {
	pick  byte // the action that makes records
	held  [maxHeld]held
	first uint64 // number of the oldest record that is held; it is in held[first%maxHeld]
	next  uint64 // number that the next one gets
	index map[key]int32
	parts []part // linked by number, from 1; the free ones by next
	free  int32
	err   error // why there are no more events
}

// held is one record, and the sectors that are still to be completed.
type held struct {
	trace.Record
	left  uint64
	parts int32 // the first of its parts
	cuts  uint16
	done  bool
}

// key is where a completion finds what it completes.
type key struct {
	sector uint64
	device uint32
	kind   Kind
}

// part is a range that a record waits for. Parts with the same key are linked, the youngest first:
// where a completion was lost, the next I/O to the same place is not taken for the old one.
type part struct {
	key
	sectors    uint64
	record     uint64
	next, prev int32 // with the same key
	sibling    int32 // of the same record
}

// NewTracker makes records of one kind of events: 'Q' or 'D'.
func NewTracker(pick byte) *Tracker {
	return &Tracker{pick: pick, index: map[key]int32{}, parts: make([]part, 1, 64)}
}

// full says that a record has to be taken before the next event.
func (t *Tracker) full() bool { return t.next-t.first == maxHeld }

// Add takes the next event. Only the step that Read calls may call it, and only once.
func (t *Tracker) Add(e *Event) {
	if e.Wrong() != "" && e.Bytes > 0 {
		return
	}
	switch e.Action {
	case t.pick:
		t.issue(e)
	case 'C':
		t.complete(e)
	case 'X':
		if t.pick == 'Q' {
			t.split(e)
		}
	}
}

// Read gives the next record whose completion is known, or need not be waited for any longer. step is
// called for more events, until its first error; that is returned after what it had been given before.
func (t *Tracker) Read(r *trace.Record, step func() error) error {
	for !t.take(r) {
		if t.err != nil {
			return t.err
		}
		t.err = step()
	}
	return nil
}

// take gives the oldest record, if nothing has to be waited for.
func (t *Tracker) take(r *trace.Record) bool {
	if t.first == t.next {
		return false
	}
	h := &t.held[t.first%maxHeld]
	if !h.done && t.err == nil && !t.full() {
		return false
	}
	for p := h.parts; p != 0; {
		sibling := t.parts[p].sibling
		t.remove(p)
		p = sibling
	}
	*r = h.Record
	t.first++
	return true
}

func (t *Tracker) issue(e *Event) {
	h := &t.held[t.next%maxHeld]
	*h = held{Record: trace.Record{
		Time: e.Time, Length: int64(e.Bytes), Latency: trace.Unknown,
		File: e.File, Stream: e.Stream, Op: e.Kind.Op(), Flags: e.Flags,
	}}
	if e.Kind != Flush {
		h.Offset = int64(e.Sector) * SectorSize
	}
	t.next++
	h.left = sectors(e.Bytes)
	t.wait(t.next-1, keyOf(e), h.left)
}

// keyOf is where an event is looked up. Flushes have no place.
func keyOf(e *Event) key {
	if e.Bytes == 0 {
		return key{device: e.Device, kind: Flush}
	}
	return key{e.Sector, e.Device, e.Kind}
}

func sectors(bytes uint32) uint64 { return (uint64(bytes) + SectorSize - 1) / SectorSize }

// complete takes one completion. In the block layer's queue, what has no sector is the flush
// before or after some write, and nothing that was asked for.
func (t *Tracker) complete(e *Event) {
	k := keyOf(e)
	if e.Bytes == 0 {
		if p := t.index[k]; p != 0 && !(t.pick == 'Q' && e.Sector == noSector) {
			t.partDone(p, e.Time)
		}
		return
	}
	end := e.Sector + sectors(e.Bytes)
	for k.sector < end {
		p := t.index[k]
		if p == 0 {
			return
		}
		n := t.parts[p].sectors
		if k.sector+n > end && !t.cut(p, end-k.sector) { // the rest is still to come
			return
		}
		k.sector += n
		t.partDone(p, e.Time)
	}
}

// split notes that an I/O is going to be completed in two parts.
func (t *Tracker) split(e *Event) {
	p := t.index[key{e.Sector, e.Device, e.Kind}]
	if p != 0 && e.Split > e.Sector && e.Split-e.Sector < t.parts[p].sectors {
		t.cut(p, e.Split-e.Sector)
	}
}

// maxParts bounds the parts of one record, which are walked through: it is more than a request has.
const maxParts = 256

// cut makes two parts of one, the first of n sectors; unless there are too many already.
func (t *Tracker) cut(p int32, n uint64) bool {
	old := t.parts[p]
	h := &t.held[old.record%maxHeld]
	if h.cuts == maxParts {
		return false
	}
	h.cuts++
	t.parts[p].sectors = n
	old.key.sector += n
	t.wait(old.record, old.key, old.sectors-n)
	return true
}

// wait adds a part to a record.
func (t *Tracker) wait(record uint64, k key, n uint64) {
	p := t.free
	if p == 0 {
		t.parts = append(t.parts, part{})
		p = int32(len(t.parts) - 1)
	} else {
		t.free = t.parts[p].next
	}
	h := &t.held[record%maxHeld]
	after := t.index[k]
	t.parts[p] = part{key: k, sectors: n, record: record, next: after, sibling: h.parts}
	if after != 0 {
		t.parts[after].prev = p
	}
	t.index[k] = p
	h.parts = p
}

// partDone completes a part, and with the last one its record.
func (t *Tracker) partDone(p int32, now int64) {
	part := t.parts[p]
	h := &t.held[part.record%maxHeld]
	h.left -= part.sectors
	if h.left == 0 {
		h.done = true
		h.Latency = max(now-h.Time, 0)
	}
	at := &h.parts
	for *at != p {
		at = &t.parts[*at].sibling
	}
	*at = part.sibling
	t.remove(p)
}

// remove takes a part out of the index, and frees it.
func (t *Tracker) remove(p int32) {
	x := &t.parts[p]
	switch {
	case x.prev != 0:
		t.parts[x.prev].next = x.next
	case x.next != 0:
		t.index[x.key] = x.next
	default:
		delete(t.index, x.key)
	}
	if x.next != 0 {
		t.parts[x.next].prev = x.prev
	}
	*x = part{next: t.free}
	t.free = p
}
