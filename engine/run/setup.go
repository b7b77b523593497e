package run

import (
	"errors"
	"fmt"
	"math"

	"golang.org/x/sys/unix"

	"moonio/engine"
	"moonio/engine/dist"
)

func newWorker(p *phase, g *group, member int) *Worker {
	return &Worker{p: p, group: g, index: g.first + member, member: member, call: math.MaxInt, jobEnd: make([]int64, len(p.plan.Jobs))}
}

// Index is the worker's number in its phase, from 0.
func (w *Worker) Index() int { return w.index }

// setup makes everything that the loop needs. It runs on the worker's thread.
func (w *Worker) setup() error {
	if err := w.place(); err != nil {
		return err
	}
	// Without this the kernel rounds paced starts up by 50 µs.
	_ = unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0)
	var first int
	w.limit, first = w.needs()
	rng := dist.NewRand(dist.Derive(w.p.seed, uint64(w.index), 0xda7a))
	var err error
	if w.arena, err = engine.NewArena(first, func(b []byte) { fillRandom(b, rng) }); err != nil {
		return err
	}
	w.stamp = rng.Uint64()
	w.eng, err = w.group.open(engine.Config{Slots: w.limit, FS: w.p.s.FS, Arena: w.arena})
	if err != nil {
		w.eng = nil // whatever it is, it is not an engine
		if errors.Is(err, unix.EMFILE) {
			err = fmt.Errorf("%w; each thread needs a few: raise `ulimit -n`, or give the phase fewer threads", err)
		}
		return err
	}
	if w.p.plan.Wrap != nil {
		w.eng = w.p.plan.Wrap(w.eng, dist.Derive(w.p.seed, uint64(w.index), 0xfa17))
	}
	if err := w.listen(); err != nil {
		return err
	}
	info := w.eng.Info()
	w.depth, w.inline = info.Depth, info.Inline
	if w.member == 0 {
		w.group.info = info
	}
	if info.Helpers && !w.group.threads.Place.IsZero() {
		return w.p.blame(w.group, fmt.Errorf("%s: engine %s makes its operations on helper threads, which this does not reach: use psync, libaio or io_uring", &w.group.threads.Place, info.Name))
	}
	w.now = w.eng.Now()
	w.out = make([]engine.Completion, min(w.limit, batchMax))
	return w.makeJobs()
}

// Slots beyond one per client, for their queues.
const queueSlots = 1024

// needs is how many slots the worker's jobs can use, and how many bytes of
// buffers they surely need.
func (w *Worker) needs() (slots, bytes int) {
	for _, i := range w.group.jobs {
		j := &w.p.plan.Jobs[i]
		if s := j.Stream; s != nil {
			n := w.share(s.Depth)
			slots += n
			bytes += n * bufferSize(s.maxBlock())
			continue
		}
		if r := j.Replay; r != nil {
			n := w.share(r.Depth) + chainRoom
			slots += n
			bytes += n * bufferSize(4096)
			continue
		}
		n := w.share(j.Clients.Count)
		slots += n + queueSlots
		bytes += min(n, queueSlots) * bufferSize(4096)
	}
	return max(slots, 1), min(bytes, 64<<20)
}

// bufferSize is what a buffer of n bytes takes of an arena.
func bufferSize(n int64) int {
	size := 4096
	for int64(size) < n {
		size *= 2
	}
	return size
}

// share is this worker's part of n.
func (w *Worker) share(n int) int {
	t := w.group.threads.Count
	s := n / t
	if w.member < n%t {
		s++
	}
	return s
}

func (w *Worker) makeJobs() error {
	for _, i := range w.group.jobs {
		j := &w.p.plan.Jobs[i]
		if len(j.After) > 0 {
			w.waiting = append(w.waiting, i)
		}
		var err error
		switch {
		case j.Stream != nil:
			err = w.addStream(i, j)
		case j.Replay != nil:
			err = w.addPlayer(i, j)
		default:
			err = w.addClients(i, j)
		}
		if err != nil {
			return fmt.Errorf("job %q: %w", j.Name, err)
		}
	}
	w.batches()
	w.expectDepartures()
	w.alone()
	return nil
}

// schedule sets the jobs' times, now that the phase's are known.
func (w *Worker) schedule() {
	for _, c := range w.clients {
		c.schedule(w)
	}
	for _, s := range w.streams {
		s.schedule(w)
	}
	for _, y := range w.players {
		y.schedule(w)
	}
}

// close frees what setup made, as far as it got.
func (w *Worker) close() {
	w.closeInbox()
	for _, y := range w.players {
		y.close()
	}
	for _, c := range w.clients {
		c.over.Store(true)
		c.closeUnclaimed(w)
		c.program.Close()
	}
	for _, s := range w.streams {
		if s.brake != nil && s.brake.pauses != nil {
			s.brake.pauses.Close()
		}
	}
	if w.eng != nil {
		if err := w.eng.Close(); err != nil {
			w.p.fail(fmt.Errorf("closing the engine: %w", err))
		}
	}
	if w.arena != nil {
		if err := w.arena.Close(); err != nil {
			w.p.fail(err)
		}
	}
}
