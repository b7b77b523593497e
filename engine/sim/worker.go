package sim

import (
	"sync/atomic"

	"golang.org/x/sys/unix"

	"moonio/engine"
	"moonio/engine/helper"
)

// poll is the virtual time that a Wait for nothing takes.
const poll = 200

// worker is the engine of one worker.
type worker struct {
	w     *World
	id    int // its place in World.byID
	alone [1]*worker

	slots  []slot
	chains *helper.Chains
	chain  []uint32            // of linked operations, while it is being submitted
	staged []uint32            // submitted, and started by the next Wait
	ready  []engine.Completion // to be collected
	flying int                 // submitted and not collected

	least    int // completions that end the present Wait,
	deadline int64
	woken    atomic.Bool
	turn     chan struct{} // says that it may go on
}

// slot is an operation in flight.
type slot struct {
	op       engine.Op
	canceled bool
	started  bool
}

func newWorker(w *World, cfg engine.Config) *worker {
	k := &worker{
		w: w, id: len(w.byID),
		slots:  make([]slot, cfg.Slots),
		chains: helper.NewChains(cfg.Slots),
		staged: make([]uint32, 0, cfg.Slots),
		ready:  make([]engine.Completion, 0, cfg.Slots),
		turn:   make(chan struct{}, 1),
	}
	k.alone[0] = k
	return k
}

func (k *worker) Info() engine.Info {
	return engine.Info{Name: "sim", Detail: k.w.cfg.String(), Virtual: true, Memory: true}
}

func (k *worker) Now() int64 { return k.w.clock.Load() }

func (k *worker) Submit(ops []engine.Op, slots []uint32) error {
	k.flying += len(slots)
	for i, s := range slots {
		op := &ops[s]
		sl := &k.slots[s]
		sl.op = *op
		sl.canceled, sl.started = false, false
		if len(k.chain) == 0 {
			k.staged = append(k.staged, s)
		}
		linked := op.Flags&engine.Link != 0 && i+1 < len(slots)
		if linked || len(k.chain) > 0 {
			k.chain = append(k.chain, s)
		}
		if !linked && len(k.chain) > 0 {
			k.chains.Hold(ops, k.chain)
			k.chain = k.chain[:0]
		}
	}
	return nil
}

func (k *worker) Wait(out []engine.Completion, least int, deadline int64) (int, error) {
	k.least, k.deadline = min(least, len(out)), deadline
	if k.least <= 0 {
		k.least, k.deadline = 1, k.Now()+poll
	}
	k.w.arrive(k)
	k.woken.Store(false)
	return k.collect(out), nil
}

func (k *worker) collect(out []engine.Completion) int {
	n := copy(out, k.ready)
	k.ready = k.ready[:copy(k.ready, k.ready[n:])]
	k.flying -= n
	return n
}

// satisfied says whether the present Wait is over.
func (k *worker) satisfied() bool {
	return len(k.ready) >= k.least || k.deadline <= k.w.now || k.woken.Load()
}

func (k *worker) Wake() {
	k.woken.Store(true)
	k.w.nudge()
}

func (k *worker) Cancel(s uint32) {
	sl := &k.slots[s]
	if !sl.started {
		sl.canceled = true
	} else if k.w.device.withdraw(newTag(k.id, s)) {
		k.finish(s, helper.Canceled)
	}
}

func (k *worker) Close() error {
	var out [64]engine.Completion
	for k.flying > 0 {
		if _, err := k.Wait(out[:], min(k.flying, len(out)), engine.NoDeadline); err != nil {
			return err
		}
	}
	k.w.leave(k)
	return nil
}

// begin starts what was submitted.
func (k *worker) begin() {
	for _, s := range k.staged {
		k.start(s)
	}
	k.staged = k.staged[:0]
}

func (k *worker) start(s uint32) {
	sl := &k.slots[s]
	if sl.canceled {
		k.finish(s, helper.Canceled)
		return
	}
	sl.started = true
	w := k.w
	r := w.request(&sl.op)
	r.tag = newTag(k.id, s)
	w.device.submit(w.gc.device(w.now), &r)
}

// completed performs an operation whose time is up.
func (k *worker) completed(s uint32) {
	k.finish(s, k.w.perform(&k.slots[s].op))
}

// finish makes a completion, and starts or cancels what is linked to it.
func (k *worker) finish(s uint32, res int64) {
	for {
		k.ready = append(k.ready, engine.Completion{Slot: s, Res: res})
		next, op, ok := k.chains.Done(s, res)
		if !ok {
			return
		}
		if op != nil {
			k.start(next)
			return
		}
		s, res = next, helper.Canceled
	}
}

// request is what an operation asks of the device.
func (w *World) request(op *engine.Op) request {
	r := request{kind: meta}
	switch op.Code {
	case engine.Read:
		r.kind = read
	case engine.Write, engine.Append:
		r.kind = write
		if op.Flags&engine.DSync != 0 || op.File != nil && op.File.DSync {
			r.kind = durable
		}
	case engine.Fsync:
		r.kind = commit
	case engine.Fdatasync:
		r.kind = flush
	case engine.Trim:
		r.kind = trim
	}
	if op.Code.Transfers() && op.File != nil {
		r.size = int64(len(op.Buf))
		r.addr = w.address(op.File, op.Off)
	}
	return r
}

// address is where on the medium a file's byte lies. Only an arm cares.
func (w *World) address(f *engine.File, off int64) int64 {
	if w.device.arm == nil {
		return 0
	}
	const prime, basis = 1099511628211, 14695981039346656037 // FNV-1a's
	h := uint64(basis)
	for i := range len(f.Name) {
		h = (h ^ uint64(f.Name[i])) * prime
	}
	stroke := uint64(w.cfg.Stroke)
	return int64((h%stroke + uint64(off)) % stroke)
}

// perform does an operation in the world's namespace and returns its
// completion's Res.
func (w *World) perform(op *engine.Op) int64 {
	if op.File == nil && op.Code != engine.Nop && !op.Code.Named() {
		return -int64(unix.EBADF)
	}
	switch op.Code {
	case engine.Read:
		return w.fs.ReadAt(op.File.FD, op.Off, int64(len(op.Buf)))
	case engine.Write, engine.Append:
		return w.space.write(op.File.FD, op.Off, int64(len(op.Buf)))
	case engine.SyncRange:
		if op.Off < 0 || op.Len < 0 {
			return -int64(unix.EINVAL)
		}
		return w.fs.Sync(op.File.FD)
	case engine.Fsync, engine.Fdatasync:
		return w.fs.Sync(op.File.FD)
	}
	return w.space.perform(op)
}
