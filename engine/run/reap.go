package run

import (
	"fmt"
	"slices"
	"syscall"
	"time"

	"moonio/engine"
)

func (w *Worker) wait() error {
	least, deadline := w.until()
	return w.reap(least, deadline)
}

// reap waits, and takes back what has completed.
func (w *Worker) reap(least int, deadline int64) error {
	n, err := w.eng.Wait(w.out, least, deadline)
	if err != nil {
		return fmt.Errorf("waiting for %d operations in flight: %w", w.flying, err)
	}
	if w.inline && n > 0 {
		w.now = w.took // when they completed
	} else {
		w.now = w.eng.Now()
	}
	if w.now > w.rec.next {
		if w.detail != nil {
			w.detail.use(w)
		}
		w.rec.turn(w.now)
	}
	if w.pulse != nil && w.now > w.pulse.next {
		w.pulse.turn(w)
	}
	w.last = w.now
	w.measureGap(n)
	w.flying -= n
	if w.detail != nil {
		if w.solo != nil {
			w.detail.round(w, w.solo.job, n)
		} else {
			w.detail.reaped(w, w.out[:n])
		}
	}
	for i := range w.out[:n] {
		w.complete(&w.out[i])
	}
	if w.pulse != nil && w.now == w.pulse.next { // what ends with a second belongs to it, as in the series
		w.pulse.turn(w)
	}
	return nil
}

// measureGap keeps a mean over the last few dozen completions, of which n came now.
func (w *Worker) measureGap(n int) {
	if n == 0 {
		return
	}
	gap := w.now - w.reaped
	if n > 1 {
		gap /= int64(n)
	}
	w.gap += (gap - w.gap) / 8
	w.reaped = w.now
}

// until is how many completions to wait for, and until when.
func (w *Worker) until() (least int, deadline int64) {
	if len(w.runnable) > 0 {
		return 0, w.now
	}
	deadline = w.rec.next + 1
	if w.pulse != nil {
		deadline = min(deadline, w.pulse.next)
	}
	if !w.stopping {
		deadline = min(deadline, w.p.end, w.timers.next())
		if w.now < w.p.from {
			deadline = min(deadline, w.p.from)
		}
		for _, s := range w.streams {
			deadline = min(deadline, s.until(w))
		}
		for _, y := range w.players {
			deadline = min(deadline, y.until())
		}
		for _, c := range w.clients {
			deadline = min(deadline, c.until())
		}
		if w.poll {
			return 0, w.now
		}
		if w.batchWanted > 0 {
			return w.approach(max(1, min(w.batchWanted, w.flying)), deadline)
		}
	}
	return w.approach(1, deadline)
}

// approach makes the worker wake before the deadline and look again and again until then: waking takes tens of
// microseconds, and in a virtual machine hundreds at times, which all that is due would be late by.
func (w *Worker) approach(least int, deadline int64) (int, int64) {
	left := deadline - w.now
	w.looks = false
	switch {
	case w.p.s.Virtual || deadline == engine.NoDeadline:
		return least, deadline
	case w.aim != deadline:
		w.aim, w.early = deadline, min(vigil, left/10)
	}
	if left <= w.early {
		w.looks = true
		return 0, w.now
	}
	return least, deadline - w.early
}

// vigil, in nanoseconds, is how long before a deadline the worker stays awake, if that is no more
// than a tenth of the time until then.
const vigil = 100_000

func (w *Worker) complete(c *engine.Completion) {
	s := &w.slots[c.Slot]
	res := w.settle(s, &w.ops[c.Slot], c.Res)
	if s.check != nil {
		w.verified(s, &w.ops[c.Slot], c.Res)
	}
	switch {
	case s.stream != nil:
		s.stream.completed(w, c.Slot, res)
	case s.player != nil:
		s.player.completed(w, c.Slot)
	case s.queue != nil:
		s.queue.completed(w, c.Slot, res)
	default:
		t := s.task
		if op := &w.ops[c.Slot]; op.File == nil {
			t.opened = res >= 0 && (op.Code == engine.Open || op.Code == engine.Create)
		}
		w.release(c.Slot)
		t.res = res
		w.runnable = append(w.runnable, t)
	}
}

// settle records an operation's end and what it means for its file. A read that found
// nothing has failed, but for a replay's that has made the file shorter itself: it fell short.
func (w *Worker) settle(s *slot, op *engine.Op, res int64) int64 {
	if res == 0 && op.Code == engine.Read && len(op.Buf) > 0 && !(s.player != nil && s.player.plan.Resizes) {
		res = -int64(errEOF)
	}
	if s.filled(op, res) {
		w.jobEnd[s.job] = w.now
		return res
	}
	told := res
	if res < 0 {
		if told = answer(op, res); told < 0 {
			w.failed(s, op, syscall.Errno(-res))
		}
	} else {
		if op.File != nil {
			updateNode(op, res)
		}
		if s.most > 0 && w.now-s.submitted > s.most {
			told = -int64(errLate)
			w.failed(s, op, errLate)
		}
	}
	w.jobEnd[s.job] = w.now
	if s.intended >= w.p.from {
		w.rec.complete(int(s.job), op, told, w.now-s.submitted, w.now-s.intended, s.open)
		if s.stream != nil && len(s.stream.prios) > 0 && told >= 0 {
			w.ranked(s, op)
		}
		if w.pulse != nil {
			w.pulse.note(op, told, w.now-s.submitted)
		}
		if w.detail != nil {
			w.detail.completed(w, s, op, told)
		}
	}
	return res
}

// filled says whether an operation has found no more room, where that is the stream's end. What one wrote that
// found some is all that it is taken to have been asked for.
func (s *slot) filled(op *engine.Op, res int64) bool {
	if s.stream == nil || !s.stream.spec.UntilFull {
		return false
	}
	if res > 0 && op.Code != engine.Read && op.Code.Transfers() {
		op.Buf = op.Buf[:res]
	}
	if res != -int64(syscall.ENOSPC) {
		return false
	}
	s.stream.full.Store(true)
	return true
}

// answer is what counts of a result below 0: that there is no such name is what a stat was to find out.
func answer(op *engine.Op, res int64) int64 {
	if op.Code == engine.Stat && res == -int64(syscall.ENOENT) {
		return 0
	}
	return res
}

func updateNode(op *engine.Op, res int64) {
	switch op.Code {
	case engine.Write, engine.Append:
		op.File.Grow(op.Off + res)
	case engine.Allocate:
		op.File.Grow(op.Off + op.Len)
	case engine.Truncate:
		op.File.SetSize(op.Len)
		if op.File.Tail() > op.Len {
			op.File.SetTail(op.Len)
		}
	}
}

// counts says whether the phase goes on after an operation that failed so.
func (p *Phase) counts(e syscall.Errno) bool {
	if e == errEOF {
		e = syscall.EIO // as a kernel's that finds less than there should be
	}
	return p.Count && (len(p.Counted) == 0 || slices.Contains(p.Counted, e))
}

// failed ends the phase at the first error, unless errors are counted.
func (w *Worker) failed(s *slot, op *engine.Op, e syscall.Errno) {
	if w.p.plan.counts(e) || (e == syscall.ECANCELED && w.p.stop.Load()) {
		return
	}
	info := w.eng.Info()
	if op.Prio != 0 {
		info.Features = append(slices.Clip(info.Features), "ioprio")
	}
	where := ""
	if s.task != nil && s.queue == nil { // with a queue, it goes on meanwhile
		where = s.task.crew.program.Where(s.task)
	}
	w.p.fail(&OpError{
		Job: w.p.plan.Jobs[s.job].Name, Op: opText(op), Errno: e, Off: op.Off, Size: fileSize(op), Took: time.Duration(w.now - s.submitted), Limit: time.Duration(s.most),
		Where: where, Engine: info.Name, Features: info.Features,
	})
}
