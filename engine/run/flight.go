package run

import (
	"moonio/engine"
	"moonio/engine/replay"
)

// flight is a step in flight.
type flight struct {
	step   replay.Step
	owner  uint32 // the slot of its record's first step, which stays taken as long as the record
	left   int    // of the owner: steps in flight
	active int    // its place in active
}

// maxFlying is how many bytes of buffers a player may have in flight.
const maxFlying = 128 << 20

// room says whether there is room for a record's steps.
func (y *player) room(rec []replay.Step) bool {
	var bytes int64
	for i := range rec {
		if rec[i].Op.Transfers() {
			bytes += rec[i].Len
		}
	}
	// A record that is larger than any bound is played by itself.
	return y.records == 0 || y.records < y.depth && len(rec) <= len(y.free) && y.bytes+bytes <= maxFlying
}

// overlaps says whether a record touches what one in flight touches, if either
// writes.
func (y *player) overlaps(rec []replay.Step) bool {
	for i := range rec {
		a := &rec[i]
		for _, slot := range y.active {
			b := &y.flights[slot-y.first].step
			if a.Target == b.Target && (a.Op.Writes() || b.Op.Writes()) &&
				a.Off < b.Off+b.Len && b.Off < a.Off+a.Len {
				return true
			}
		}
	}
	return false
}

// issue begins a record: it queues as many of its steps as there are slots for, and
// the rest when there are more. It says false if there is a rest, or if the phase is over.
func (y *player) issue(w *Worker, rec []replay.Step, due int64) bool {
	y.owner = y.free[len(y.free)-1]
	y.flights[y.owner-y.first].left = len(rec)
	y.records++
	y.rest, y.restDue, y.whole = rec, due, rec
	y.order.took(y, rec, true)
	return y.goOn(w)
}

// goOn queues more of the record that has been begun. What is linked waits for what
// was issued before.
func (y *player) goOn(w *Worker) bool {
	owner := &y.flights[y.owner-y.first]
	linked := y.whole[0].Flags&engine.Link != 0
	if linked && owner.left > len(y.rest) {
		return false
	}
	n := y.fitting()
	for i := range n {
		s := y.rest[i]
		if i == n-1 {
			s.Flags &^= engine.Link
		}
		if !w.p.afford(s.Op, s.Len, y.restDue) {
			y.abandon(w, i)
			return false
		}
		if err := y.put(w, &s, y.restDue); err != nil {
			w.p.fail(err)
			return false
		}
	}
	if y.rest = y.rest[n:]; len(y.rest) > 0 {
		return false
	}
	y.counted()
	return true
}

// fitting is how many steps of the rest there is room for; one always fits where nothing else is in flight.
func (y *player) fitting() int {
	bytes := y.bytes
	for i := range min(len(y.rest), len(y.free)) {
		if s := &y.rest[i]; s.Op.Transfers() {
			bytes += s.Len
		}
		if bytes > maxFlying && (i > 0 || y.bytes > 0) {
			return i
		}
	}
	return min(len(y.rest), len(y.free))
}

// abandon leaves the rest of a record out, of which i more steps have been queued:
// the phase's limits allow no more.
func (y *player) abandon(w *Worker, i int) {
	y.closed = true
	if i > 0 {
		w.ops[w.queue[len(w.queue)-1]].Flags &^= engine.Link
	}
	owner := &y.flights[y.owner-y.first]
	owner.left -= len(y.rest) - i
	if begun := len(y.whole) - len(y.rest) + i; begun == 0 {
		y.records--
	}
	y.rest = nil
}

// counted notes a record that has been issued.
func (y *player) counted() {
	rec := y.whole
	c, last := &y.counts, &rec[len(rec)-1]
	c.records++
	c.bytes += last.Length
	c.extra += last.Extra
	c.most = max(c.most, y.records)
	if rec[0].Marks&replay.Added != 0 {
		c.flushes++
	}
	if last.Marks&replay.Parted != 0 {
		c.parted++
	}
	if last.Marks&replay.Grown != 0 {
		c.grown++
	}
}

// put queues one step.
func (y *player) put(w *Worker, s *replay.Step, due int64) error {
	slot := y.free[len(y.free)-1]
	op := &w.ops[slot]
	*op = engine.Op{Code: s.Op, Flags: s.Flags, File: y.plan.Files[s.Target], Off: s.Off, Len: s.Len}
	if s.Op.Transfers() {
		buf, err := w.arena.Get(int(s.Len))
		if err != nil {
			return err
		}
		op.Buf = buf
		y.bytes += int64(len(buf))
	}
	if s.Op == engine.Append {
		op.Off = op.File.Reserve(s.Len)
	}
	y.free = y.free[:len(y.free)-1]
	f := &y.flights[slot-y.first]
	f.step, f.owner, f.active = *s, y.owner, len(y.active)
	y.active = append(y.active, slot)
	w.slots[slot].intended, w.slots[slot].checking = due, checking{}
	if w.p.checks != nil && op.File != nil {
		w.slots[slot].check = w.p.checks[op.File.Node]
	}
	w.prepare(slot)
	w.queue = append(w.queue, slot)
	return nil
}

// completed takes a step back.
func (y *player) completed(w *Worker, slot uint32) {
	f := &y.flights[slot-y.first]
	if op := &w.ops[slot]; op.Buf != nil {
		y.bytes -= int64(len(op.Buf))
		w.arena.Put(op.Buf)
		op.Buf = nil
	}
	last := len(y.active) - 1
	moved := y.active[last]
	y.active[f.active] = moved
	y.flights[moved-y.first].active = f.active
	y.active = y.active[:last]
	owner := &y.flights[f.owner-y.first]
	owner.left--
	if slot != f.owner {
		y.free = append(y.free, slot)
	}
	if owner.left > 0 {
		return
	}
	y.ended(w, f.owner)
}

// ended takes note that a record has completed, whose first step is in slot.
func (y *player) ended(w *Worker, slot uint32) {
	y.free = append(y.free, slot)
	y.records--
	s := &w.slots[slot]
	if s.open {
		late := max(s.submitted-s.intended, 0)
		y.late.Record(late)
		y.counts.slip = late
		if late > lateAfter {
			y.counts.late++
		}
	}
	y.order.completed(y, &y.flights[slot-y.first].step, w.now)
}
