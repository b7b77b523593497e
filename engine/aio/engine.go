// Package aio is the engine "libaio": Linux's older asynchronous interface,
// through raw system calls.
//
// Each Submit is one io_submit. Completions are taken from the ring that the
// kernel maps into the program, without a call where there are some.
//
// The interface is asynchronous for direct I/O. A transfer through the page
// cache is made within Submit, and its depth is 1 in truth; so is a direct one
// where the file system has to wait for something. Reads, writes, fsync and
// fdatasync go through it. The rest, and what the kernel refuses there with
// EINVAL, as for files that know no asynchronous I/O, runs on helper threads.
//
// The FS must be one of the operating system's descriptors. Linux 4.18 or later
// is needed.
package aio

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"golang.org/x/sys/unix"

	"moonio/engine"
	"moonio/engine/helper"
)

// Name is the engine's name.
const Name = "libaio"

const maxSlots = 32767

// Engine is an open context. One goroutine owns it.
type Engine struct {
	*helper.Loop
	ctx      *context
	ops      []*engine.Op // behind ctx.list, while Submit runs
	direct   bool         // all that is in ctx.list is direct
	transfer helper.Transfers
	prio     uint16
}

var _ engine.Engine = (*Engine)(nil)

// Options are the engine's.
func Options() []engine.Option {
	return append(slices.Clone(helper.TransferOptions), helper.PrioOption)
}

// CheckOptions says what is wrong with options.
func CheckOptions(options map[string]string) error { return new(Engine).read(options) }

func (e *Engine) read(options map[string]string) error {
	s := helper.NewSettings(Name, options)
	e.transfer = helper.NewTransfers(Name, s)
	e.prio = s.Prio(helper.PrioOption.Name)
	return s.Err()
}

// Open opens a context. The error wraps engine.ErrUnavailable if this machine
// has no such interface, forbids it, or has no operations left to give.
func Open(cfg engine.Config) (engine.Engine, error) {
	e := new(Engine)
	if err := e.read(cfg.Options); err != nil {
		return nil, err
	}
	if err := helper.CheckRing(Name, &cfg, maxSlots); err != nil {
		return nil, err
	}
	var err error
	if e.ctx, err = newContext(cfg.Slots + 1); err != nil {
		return nil, err
	}
	if e.Loop, err = helper.NewLoop(kernel{e}, cfg.FS, cfg.Slots); err != nil {
		return nil, errors.Join(err, e.ctx.close())
	}
	e.ops = make([]*engine.Op, 0, cfg.Slots+1)
	return e, nil
}

// Probe says why the engine can't be had here.
func Probe() (features []string, err error) {
	c, err := newContext(1)
	if err != nil {
		return nil, err
	}
	return c.features(), c.close()
}

func (c *context) features() []string {
	if c.ring == nil {
		return nil
	}
	return []string{"completions without a call"}
}

// Info describes the engine.
func (e *Engine) Info() engine.Info {
	f := append(e.ctx.features(), e.transfer.Features()...)
	if e.prio != 0 {
		f = append(f, helper.PrioOption.Name)
	}
	return engine.Info{Name: Name, Detail: "asynchronous for direct I/O; what goes through the page cache is done one operation after the other", Features: f, Prio: true}
}

// Submit starts operations, in one system call.
func (e *Engine) Submit(ops []engine.Op, slots []uint32) error {
	if err := e.Loop.Submit(ops, slots); err != nil {
		return err
	}
	return e.flushed()
}

// flushed hands over what is queued while the operations are where they were.
func (e *Engine) flushed() error {
	if len(e.ctx.list) == 0 {
		return nil
	}
	err := e.Flush()
	clear(e.ops) // if it is still queued, what it was made from may have moved
	return err
}

// Cancel comes too late: the kernel gives up nothing that this engine gives it.
func (e *Engine) Cancel(uint32) {}

// Close waits for what is in flight and frees the context.
func (e *Engine) Close() error { return errors.Join(e.Loop.Close(), e.ctx.close()) }

// kernel is the engine as its loop drives it.
type kernel struct{ *Engine }

func (e kernel) Begin() error { return nil }

func (e kernel) StartLinked([]engine.Op, []uint32) (bool, error) { return false, nil }

func (e kernel) Unsubmitted() int { return len(e.ctx.list) }

func (e kernel) Lagging() bool { return false }

// Start queues an operation, or gives it to a helper.
func (e kernel) Start(op *engine.Op, slot uint32) error {
	switch c := &e.ctx.iocbs[slot]; {
	case op.Code == engine.Nop:
		e.Pool.Complete(slot, 0)
	case op.File == nil, op.Code.Transfers() && op.Off < 0:
		e.Pool.Start(slot, op) // a name; or one that finds the errno
	case op.Code.Transfers():
		if err := e.transfer.Check(op.File); err != nil {
			return err
		}
		e.fill(c, op, slot)
		e.queue(c, op, op.File.Direct)
	case op.Code == engine.Fsync:
		*c = iocb{opcode: cmdFsync, data: uint64(slot), fd: uint32(op.File.FD)}
		e.queue(c, op, false)
	case op.Code == engine.Fdatasync:
		*c = iocb{opcode: cmdFdsync, data: uint64(slot), fd: uint32(op.File.FD)}
		e.queue(c, op, false)
	default:
		e.Pool.Start(slot, op)
	}
	return nil
}

// fill makes the iocb of a transfer.
func (e kernel) fill(c *iocb, op *engine.Op, slot uint32) {
	*c = iocb{
		data: uint64(slot), opcode: cmdPread, rwFlags: e.transfer.Flags, fd: uint32(op.File.FD),
		buf: uint64(helper.Address(op.Buf)), n: uint64(len(op.Buf)), off: op.Off,
	}
	if op.Code != engine.Read {
		c.opcode = cmdPwrite
		if op.Flags&engine.DSync != 0 {
			c.rwFlags |= unix.RWF_DSYNC
		}
	}
	if p := cmp.Or(op.Prio, e.prio); p != 0 {
		c.prio, c.flags = int16(p), flagPrio
	}
}

func (e kernel) queue(c *iocb, op *engine.Op, direct bool) {
	e.direct = direct && (e.direct || len(e.ctx.list) == 0)
	e.ctx.list = append(e.ctx.list, addr(c))
	e.ops = append(e.ops, op)
}

// ArmWake keeps a poll of the waker's eventfd submitted.
func (e kernel) ArmWake() error {
	c := &e.ctx.iocbs[len(e.ctx.iocbs)-1]
	*c = iocb{data: helper.MarkWake, opcode: cmdPoll, fd: uint32(e.Waker.FD()), buf: unix.POLLIN}
	e.queue(c, nil, true)
	return nil
}

// Enter submits what is queued, and waits unless something was refused: that is
// complete.
func (e kernel) Enter(wait int, ns int64, raw bool) error {
	if err := e.submit(); err != nil || wait == 0 || e.Pool.Ready() > 0 {
		return err
	}
	return e.ctx.wait(wait, ns, raw)
}

// submit hands over what is queued. An operation that the kernel refuses is
// completed here, or by a helper.
func (e kernel) submit() error {
	for len(e.ctx.list) > 0 {
		n, errno := submit(e.ctx.id, e.ctx.list, e.direct)
		switch {
		case errno == unix.EAGAIN: // the kernel is short of something
			return errno
		case errno != 0:
			if err := e.refused(errno); err != nil {
				return err
			}
			n = 1
		}
		e.ctx.list = e.ctx.list[:copy(e.ctx.list, e.ctx.list[n:])]
		e.ops = e.ops[:copy(e.ops, e.ops[n:])]
	}
	return nil
}

// iocb is the one that the list has at i.
func (c *context) iocb(i int) *iocb {
	base := addr(&c.iocbs[0])
	return &c.iocbs[(c.list[i]-base)/uint64(addr(&c.iocbs[1])-base)]
}

// refused deals with the first queued operation, which the kernel does not take.
func (e kernel) refused(errno unix.Errno) error {
	c, op := e.ctx.iocb(0), e.ops[0]
	switch {
	case c.data == helper.MarkWake:
		return fmt.Errorf("libaio is %w: this kernel can't poll with it; Linux 4.18 or later is needed (%w)", engine.ErrUnavailable, errno)
	case errno == unix.EINVAL && op != nil && e.transfer.Flags == 0 && c.flags == 0:
		e.Pool.Start(uint32(c.data), op)
	default:
		e.Pool.Complete(uint32(c.data), -int64(errno))
	}
	return nil
}

// Take collects completions: what the last wait returned, then the ring's.
func (e kernel) Take(out []engine.Completion) (n int, err error) {
	for n < len(out) && err == nil {
		ev := e.ctx.next()
		if ev == nil {
			break
		}
		n, err = e.took(out, n, ev)
	}
	if e.ctx.ring == nil || n == len(out) || err != nil {
		return n, err
	}
	head, tail := e.ctx.window()
	if head == tail {
		return n, nil
	}
	for head != tail && n < len(out) && err == nil {
		n, err = e.took(out, n, &e.ctx.ready[head])
		if head++; head == uint32(len(e.ctx.ready)) {
			head = 0
		}
	}
	e.ctx.consumed(head)
	return n, err
}

// took puts an event into out, unless it is the waker's.
func (e kernel) took(out []engine.Completion, n int, ev *event) (int, error) {
	if ev.data == helper.MarkWake {
		e.Waker.Clear()
		return n, e.Own(ev.data)
	}
	out[n] = engine.Completion{Slot: uint32(ev.data), Res: ev.res}
	return n + 1, nil
}
