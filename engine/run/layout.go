package run

import (
	"context"
	"fmt"
	"syscall"

	"golang.org/x/sys/unix"

	"moonio/engine"
)

const (
	layoutBlock = 1 << 20
	layoutDepth = 8
)

// Layout writes data into [from, to) of a file, which it makes if need be, and makes
// it durable, so that reads come from the medium and not from holes.
func (s *Session) Layout(ctx context.Context, name string, from, to int64) error {
	fd, err := s.openLayout(name, from, to)
	if err != nil {
		return fmt.Errorf("laying out %q: %w", name, err)
	}
	f := &engine.File{Node: new(engine.Node), Name: name, FD: fd, ID: s.ids.Take()}
	defer s.ids.Release(f.ID)
	if s.FS.Memory() {
		err = s.extend(fd, to)
	} else {
		err = s.fill(ctx, f, from, to)
	}
	if cerr := s.FS.Close(fd); err == nil {
		err = cerr
	}
	if err != nil {
		return fmt.Errorf("laying out %q: %w", name, err)
	}
	s.grown(name, to)
	return nil
}

// extend gives a file in memory, which holds no data, at least that size.
func (s *Session) extend(fd int, size int64) error {
	have, err := s.FS.Size(fd)
	if err != nil || have >= size {
		return err
	}
	return s.FS.Truncate(fd, size)
}

// openLayout opens a file to be filled: past the page cache where the file system
// and the bounds allow it, since what is written must not be read from memory later.
func (s *Session) openLayout(name string, from, to int64) (int, error) {
	const flags = unix.O_WRONLY | unix.O_CREAT
	if from%4096 == 0 && to%4096 == 0 && !s.FS.Memory() {
		if fd, err := s.FS.Open(name, flags|unix.O_DIRECT, 0o644); err == nil {
			return fd, nil
		}
	}
	return s.FS.Open(name, flags, 0o644)
}

func (s *Session) fill(ctx context.Context, f *engine.File, from, to int64) error {
	return s.with(layoutDepth, func(e engine.Engine, a *engine.Arena, stamp uint64) error {
		l := layout{s: s, e: e, f: f, from: from, next: from, to: to, stamp: stamp}
		if err := l.run(ctx, a); err != nil {
			return err
		}
		if _, err := one(e, engine.Op{Code: engine.Fsync, File: f}); err != nil {
			return err
		}
		// For what went through the page cache all the same.
		_ = unix.Fadvise(f.FD, 0, 0, unix.FADV_DONTNEED)
		return nil
	})
}

// layout is one file being filled.
type layout struct {
	s        *Session
	e        engine.Engine
	f        *engine.File
	ops      [layoutDepth]engine.Op
	bufs     [layoutDepth][]byte
	free     []uint32
	queue    []uint32 // filled, not yet submitted
	from, to int64
	next     int64
	done     int64
	flying   int
	stamp    uint64
}

func (l *layout) run(ctx context.Context, a *engine.Arena) error {
	// A buffer costs more to fill than to write: small files get no more than they need.
	size := min(layoutBlock, l.to-l.from)
	for i := uint32(0); i < layoutDepth && int64(i)*layoutBlock < l.to-l.from; i++ {
		var err error
		if l.bufs[i], err = a.Get(int(size)); err != nil {
			return err
		}
		l.free = append(l.free, i)
	}
	out := make([]engine.Completion, layoutDepth)
	for l.more(ctx) || l.flying+len(l.queue) > 0 {
		for len(l.free) > 0 && l.more(ctx) {
			l.fill()
		}
		if err := l.e.Submit(l.ops[:], l.queue); err != nil {
			return fmt.Errorf("submitting %d writes: %w", len(l.queue), err)
		}
		l.flying += len(l.queue)
		l.queue = l.queue[:0]
		n, err := l.e.Wait(out, 1, engine.NoDeadline)
		if err != nil {
			return fmt.Errorf("waiting for %d writes: %w", l.flying, err)
		}
		for _, c := range out[:n] {
			if err := l.completed(c); err != nil {
				return err
			}
		}
	}
	return ctx.Err()
}

func (l *layout) more(ctx context.Context) bool { return l.next < l.to && ctx.Err() == nil }

// fill queues the next write in a free slot.
func (l *layout) fill() {
	i := l.free[len(l.free)-1]
	l.free = l.free[:len(l.free)-1]
	n := min(layoutBlock, l.to-l.next)
	buf := l.bufs[i][:n]
	l.stamp = stampBlocks(buf, l.stamp)
	l.ops[i] = engine.Op{Code: engine.Write, File: l.f, Buf: buf, Off: l.next}
	l.queue = append(l.queue, i)
	l.next += n
}

// completed takes a write back. What it left over is written next, which says why if it
// cannot be.
func (l *layout) completed(c engine.Completion) error {
	l.flying--
	op := &l.ops[c.Slot]
	switch {
	case c.Res < 0:
		return &OpError{Op: opText(op), Errno: syscall.Errno(-c.Res)}
	case c.Res == 0:
		return &OpError{Op: opText(op), Errno: syscall.ENOSPC}
	case c.Res < int64(len(op.Buf)):
		op.Buf, op.Off = op.Buf[c.Res:], op.Off+c.Res
		l.queue = append(l.queue, c.Slot)
	default:
		l.free = append(l.free, c.Slot)
	}
	l.done += c.Res
	if l.s.Progress != nil {
		l.s.Progress(Progress{Phase: "laying out " + l.f.Name, Share: float64(l.done) / float64(l.to-l.from), Layout: true})
	}
	return nil
}
