package run

import (
	"context"
	"fmt"
	"time"

	"moonio/engine"
)

// A worker that computes for so long in its clients' code is running away.
const (
	look         = 50 * time.Millisecond
	runawayOver  = 300 * time.Millisecond // once the phase should be over
	runawayStill = 2 * time.Second        // while virtual time stands still
)

// guard waits for the workers, passes interruptions on, and stops clients that
// don't come back.
func (p *phase) guard(ctx context.Context, abandon, finished <-chan struct{}) {
	tick := time.NewTicker(look)
	defer tick.Stop()
	interrupted := ctx.Done()
	if !p.s.Virtual {
		p.stops.begin(engine.Monotonic())
		defer func() { p.stops.end(engine.Monotonic(), p.from) }()
	}
	for {
		select {
		case <-finished:
			return
		case <-p.stops.continued:
			p.stops.look(engine.Monotonic(), p.from, true)
		case <-abandon:
			p.finish(endInterrupted)
			return
		case <-interrupted:
			interrupted = nil
			p.finish(endInterrupted)
		case <-tick.C:
			p.stops.look(engine.Monotonic(), p.from, false)
			p.catchRunaways()
			if p.s.Progress != nil {
				p.s.Progress(p.progress())
			}
			if p.s.Glimpse != nil {
				p.s.Glimpse(p.glimpse)
			}
		}
	}
}

func (p *phase) catchRunaways() {
	over := p.over()
	for _, w := range p.workers {
		switch stalled := w.watch.stalled(); {
		case over && stalled >= runawayOver:
			w.interrupt(ErrRunaway)
		case p.s.Virtual && stalled >= runawayStill:
			w.interrupt(fmt.Errorf("a client has computed for %v without waiting for I/O or for time, while simulated time stands still: %w", runawayStill, ErrRunaway))
		}
	}
}

// over says that no client should be at work any more.
func (p *phase) over() bool {
	return p.stop.Load() || !p.s.Virtual && engine.Monotonic() > p.clientsEnd
}

// runaway takes note of a client that had to be stopped. Where the phase was over
// anyway it is only a warning.
func (p *phase) runaway(err error) {
	if !p.over() {
		p.fail(err)
		return
	}
	p.runaways.Add(1)
}

// interrupt stops the client that is running now. Any goroutine may call it.
func (w *Worker) interrupt(err error) {
	for _, c := range w.clients {
		c.program.Interrupt(err)
	}
	for _, s := range w.streams {
		if s.brake != nil && s.brake.pauses != nil {
			s.brake.pauses.Interrupt(err)
		}
	}
}
