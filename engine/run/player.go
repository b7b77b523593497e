package run

import (
	"fmt"
	"time"

	"moonio/engine"
	"moonio/engine/hist"
	"moonio/engine/replay"
	"moonio/engine/trace"
)

// player is one worker's part of a replay.
type player struct {
	job   int
	plan  *Replay
	depth int // most records in flight
	order order
	feed  *feed
	batch []replay.Step
	at    int  // the next of batch
	read  bool // the feed has no more

	first   uint32 // of its slots
	free    []uint32
	flights []flight // by slot, from first on
	active  []uint32 // slots in flight, in no order
	records int      // in flight
	bytes   int64    // of buffers in flight

	// The record that is being issued, if some of it has to wait for slots.
	whole, rest []replay.Step
	restDue     int64
	owner       uint32

	begin, end, origin int64
	due                int64 // of the record that waits for its time
	closed             bool  // nothing more begins

	late   *hist.Histogram // submitted − due, of records
	counts played
}

// flight is a step in flight.
type flight struct {
	step   replay.Step
	owner  uint32 // the slot of its record's first step, which stays taken as long as the record
	left   int    // of the owner: steps in flight
	active int    // its place in active
}

// played is what became of the records that were reached.
type played struct {
	records, bytes                int64 // issued; bytes as captured
	parted, grown, extra, flushes int64
	late                          int64 // issued later than lateAfter
	slip                          int64 // of the latest one that was issued
	most                          int   // records in flight
	drops                         map[string]int64
	dropBytes                     int64
}

// lateAfter is from when a record counts as late.
const lateAfter = int64(time.Millisecond)

// maxFlying is how many bytes of buffers a player may have in flight.
const maxFlying = 128 << 20

// Reasons of a player's for leaving a record out.
const (
	dropLate    = "too late"
	dropOverlap = "overlaps one in flight"
)

func (w *Worker) addPlayer(i int, j *Job) error {
	r := j.Replay
	y := &player{job: i, plan: r, depth: w.share(r.Depth), order: newOrder(r.Timing), late: hist.New(), first: uint32(len(w.ops))}
	if w.depth > 0 {
		y.depth = min(y.depth, w.depth)
	}
	y.counts.drops = map[string]int64{}
	w.players = append(w.players, y)
	if y.depth == 0 {
		y.read = true
		return nil
	}
	for k := range y.depth + chainRoom {
		y.free = append(y.free, y.first+uint32(k))
		w.ops = append(w.ops, engine.Op{})
		w.slots = append(w.slots, slot{player: y, job: int32(i), open: r.Timing != AsFast})
	}
	y.flights = make([]flight, len(y.free))
	share := replay.Share{Index: w.member, Of: min(r.Depth, w.group.threads.Count), ByStream: r.Timing == PerStream}
	y.feed = startFeed(r.Source(share), w.wake)
	return nil
}

// schedule sets the replay's window. It has no part in the warm-up.
func (y *player) schedule(w *Worker) {
	y.begin, y.end = w.p.window(y.job)
	y.begin = max(y.begin, w.p.from)
	y.origin = y.begin
}

// fill issues what is due by now.
func (y *player) fill(w *Worker) {
	y.due = y.end
	switch {
	case y.closed || w.stopping:
		return
	case w.now < y.begin:
		y.due = y.begin
		return
	case w.now >= y.end:
		y.closed = true
		return
	}
	if len(y.rest) > 0 && !y.goOn(w) {
		return
	}
	for {
		rec, due, ok := y.order.next(y, w)
		if !ok {
			return
		}
		if due > w.now {
			y.due = min(due, y.end)
			return
		}
		if !y.play(w, rec, due) {
			return
		}
	}
}

// head is the next record that was read; nil if there is none yet, or no more.
func (y *player) head(w *Worker) []replay.Step {
	for y.at == len(y.batch) && !y.read {
		batch, more := y.feed.next(y.batch, w.p.s.Virtual)
		y.batch, y.at = batch, 0
		if !more {
			y.readAll(w)
		} else if batch == nil {
			return nil
		}
	}
	if y.at == len(y.batch) {
		return nil
	}
	n := y.at
	for y.batch[n].Marks&replay.Last == 0 {
		n++
	}
	return y.batch[y.at : n+1]
}

// skip goes on to the record after head's.
func (y *player) skip(rec []replay.Step) { y.at += len(rec) }

func (y *player) readAll(w *Worker) {
	y.read, y.batch = true, nil
	if err := y.feed.err; err != nil {
		w.p.fail(fmt.Errorf("reading the trace of replay %q: %w", w.p.plan.Jobs[y.job].Name, err))
	}
}

// play issues a record or leaves it out. It says false if that has to wait, or if the
// phase is over.
func (y *player) play(w *Worker, rec []replay.Step, due int64) bool {
	if why := y.refuse(w, due); why != "" {
		y.drop(rec, why)
		return true
	}
	if w.stopping || w.p.stop.Load() || !y.room(rec) {
		return false
	}
	if y.plan.Overlap != OverlapAllow && y.overlaps(rec) {
		if y.plan.Overlap == OverlapOrder {
			return false
		}
		y.drop(rec, dropOverlap)
		return true
	}
	return y.issue(w, rec, due)
}

// refuse is why a record that is due is left out; "" if it is not.
func (y *player) refuse(w *Worker, due int64) string {
	late := w.now - due
	if late <= int64(y.plan.Limit) {
		return ""
	}
	switch y.plan.Late {
	case LateDrop:
		return dropLate
	case LateAbort:
		w.p.fail(fmt.Errorf("replay %q: an operation would be issued %v late, and late = \"abort\" allows %v: the storage is slower than the trace; raise depth or late_limit, or lower speed",
			w.p.plan.Jobs[y.job].Name, time.Duration(late), y.plan.Limit))
	}
	return ""
}

func (y *player) drop(rec []replay.Step, why string) {
	y.counts.drops[why]++
	y.counts.dropBytes += rec[len(rec)-1].Length
	y.order.took(y, rec, false)
}

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

// over says whether nothing is left to issue.
func (y *player) over() bool {
	return y.closed || y.read && y.at == len(y.batch) && len(y.rest) == 0 && y.order.held() == 0
}

// until is when the player has something to do, whatever completes.
func (y *player) until() int64 {
	if y.over() {
		return engine.NoDeadline
	}
	return y.due
}

// close ends the reading.
func (y *player) close() {
	if y.feed != nil {
		y.feed.close()
	}
}

// captured is when a step had completed in the captured workload, in the replay's time;
// never if that is not known.
func captured(s *replay.Step) int64 {
	if s.Latency == trace.Unknown {
		return engine.NoDeadline
	}
	return s.Due + s.Latency
}
