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
