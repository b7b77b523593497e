package run

import (
	"fmt"
	"strings"
	"time"

	"moonio/engine"
	"moonio/engine/dist"
	"moonio/engine/units"
)

// brake is what holds one worker's part of a stream back: pauses to think, and a depth that has to
// fall before it is filled up again.
type brake struct {
	think    *Think
	pauses   Pauses
	left     int64 // operations until the next pause
	began    int64 // when the stretch of work began
	thinking bool
	since    int64 // when thinking began: nothing is issued from then on
	until    int64 // when it ends; 0: what is in flight has to complete first

	low      int
	draining bool

	held bool // nothing may be issued now
}

// newBrake makes the stream's brake; nil if nothing holds it back.
func (s *stream) newBrake(w *Worker) (*brake, error) {
	spec := s.spec
	if spec.Think == nil && spec.Low == 0 {
		return nil, nil
	}
	b := &brake{think: spec.Think, low: min(w.share(spec.Low), s.depth-1)}
	if spec.Low > 0 {
		b.low = max(b.low, 0)
	} else {
		b.low = -1
	}
	if spec.Think == nil {
		return b, nil
	}
	b.left = spec.Think.Every
	if spec.Think.Program != nil {
		var err error
		b.pauses, err = spec.Think.Program(w)
		return b, err
	}
	b.pauses = delays{spec.Think.Time}
	return b, nil
}

// heldText says what keeps the stream below its depth at times; "" if nothing does.
func (s *Stream) heldText() string {
	var parts []string
	if t := s.Think; t != nil {
		how := t.Time.String()
		if t.Program != nil {
			how = "as long as a function says"
		}
		every := units.FormatDuration(t.After) + " of work"
		if t.Every > 0 {
			every = fmt.Sprintf("%d operations", t.Every)
		}
		parts = append(parts, fmt.Sprintf("thinks %s after every %s", how, every))
	}
	if s.Low > 0 {
		parts = append(parts, fmt.Sprintf("filled up from depth %d", s.Low))
	}
	if s.Batch > 1 {
		parts = append(parts, fmt.Sprintf("waits for %d completions at a time", s.Batch))
	}
	return strings.Join(parts, ", ")
}

// delays are Pauses that are only drawn.
type delays struct{ dist.Delay }

func (d delays) Next(r *dist.Rand) (time.Duration, error) { return d.Delay.Next(r), nil }
func (delays) Interrupt(error)                            {}
func (delays) Close()                                     {}

// holds says whether nothing may be issued now.
func (b *brake) holds(s *stream, w *Worker) bool {
	b.held = b.think != nil && b.thinks(s, w) || b.drains(s)
	return b.held
}

// drains says whether operations in flight have to complete before there are more.
func (b *brake) drains(s *stream) bool {
	if b.low < 0 {
		return false
	}
	b.draining = b.draining && s.depth-len(s.free) > b.low
	return b.draining
}

// issued counts an operation, and says whether another may follow now.
func (b *brake) issued(s *stream, w *Worker) bool {
	b.draining = b.low >= 0 && len(s.free) == 0
	if b.think != nil && b.think.Issued {
		b.count(w)
	}
	return !b.thinking
}

func (b *brake) completed(w *Worker) {
	if b.think != nil && !b.think.Issued {
		b.count(w)
	}
}

// count begins to think after so many operations.
func (b *brake) count(w *Worker) {
	if b.left > 0 {
		if b.left--; b.left == 0 {
			b.stop(w)
		}
	}
}

func (b *brake) stop(w *Worker) {
	if !b.thinking {
		b.thinking, b.since, b.until = true, w.now, 0
	}
}

// thinks says whether the stream is thinking.
func (b *brake) thinks(s *stream, w *Worker) bool {
	if b.began == 0 {
		b.began = w.now
	}
	if b.think.After > 0 && w.now-b.began >= int64(b.think.After) {
		b.stop(w)
	}
	if !b.thinking {
		return false
	}
	if b.until == 0 {
		if len(s.free) < s.depth {
			return true
		}
		b.begin(s, w)
	}
	if w.now < b.until {
		return true
	}
	b.resume(s, w)
	return false
}

// begin draws how long the pause is, and spends the part of it that is computing.
func (b *brake) begin(s *stream, w *Worker) {
	w.watch.enter()
	d, err := b.pauses.Next(s.rand)
	w.watch.exit()
	switch {
	case err != nil:
		w.p.fail(fmt.Errorf("job %q: think: %w", w.p.plan.Jobs[s.job].Name, err))
	case d < 0:
		w.p.fail(fmt.Errorf("job %q: think: %v is negative", w.p.plan.Jobs[s.job].Name, d))
	}
	b.until = w.now + max(0, int64(d))
	if !w.p.s.Virtual {
		for end := min(s.end, w.now+min(int64(d), int64(b.think.Spin))); w.now < end && !w.p.stop.Load(); {
			w.now = w.eng.Now()
		}
	}
}

// resume goes back to work. The schedule waits for who thinks, unless it is to be caught up with.
func (b *brake) resume(s *stream, w *Worker) {
	b.thinking, b.left, b.began = false, b.think.Every, w.now
	if !s.spec.paced() || b.think.CatchUp {
		return
	}
	if lost := w.now - max(b.since, s.origin); lost > 0 {
		s.origin += lost
		s.next.due += lost
		if s.dirs != nil {
			s.dirs.shift(lost)
		}
	}
}

// batches finds how many operations are handed over, and how many completions waited for and taken at
// a time, where the script says so for all that the worker does.
func (w *Worker) batches() {
	if len(w.clients)+len(w.players) > 0 {
		return
	}
	least, most, call, streams, batched, polled := 0, 0, 0, 0, 0, 0
	for _, s := range w.streams {
		if s.depth == 0 {
			continue
		}
		streams++
		if s.spec.Batch > 0 {
			batched++
		}
		if s.spec.Poll {
			polled++
		}
		least = lower(least, s.spec.Batch)
		most = lower(most, s.spec.Most)
		call = lower(call, s.spec.Submit)
	}
	w.poll = streams > 0 && polled == streams && !w.p.s.Virtual // whose clock only moves for who waits
	if call > 0 {
		w.call = call
	}
	if most > 0 {
		w.out = w.out[:min(most, len(w.out))]
	}
	if batched == streams {
		w.batchWanted = min(least, len(w.out))
	}
}

// lower is the lower of two numbers of which 0 is none.
func lower(a, b int) int {
	if a == 0 || b > 0 && b < a {
		return b
	}
	return a
}

// wakes is when something changes of what holds the stream back; 0 if nothing does.
func (b *brake) wakes(s *stream, w *Worker) int64 {
	switch {
	case b.thinking && b.until > w.now:
		return b.until
	case b.held || b.thinking:
		return engine.NoDeadline
	}
	return 0
}
