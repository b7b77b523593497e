package uring

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"moonio/engine"
	"moonio/engine/helper"
)

// vet says why an option can't be had on an operation's file, at the file's
// first use.
func (e *Engine) vet(op *engine.Op) error {
	if !e.picky || !op.Code.Transfers() || op.File == nil {
		return nil
	}
	f := op.File
	if e.opts.hipri && !e.polledFiles[f] {
		if err := polled(f); err != nil {
			return fmt.Errorf("io_uring: option hipri on file %q: %w", f.Name, err)
		}
		e.polledFiles[f] = true
	}
	return e.opts.transfer.Check(f)
}

// polled says why a file can't be polled: it reads the first block so.
func polled(f *engine.File) error {
	if !f.Direct {
		return errors.New("only direct I/O can be polled for: open it with direct = true")
	}
	if device, none := unpolled(f.FD); none {
		return fmt.Errorf("device %s has no polled queues; drivers have some when they are told so, as with nvme.poll_queues=N or virtio_blk.poll_queues=N", device)
	}
	r, err := newRing(1, 2, params{flags: setupIOPoll})
	if err != nil {
		return err
	}
	res, err := r.readBlock(f)
	err = errors.Join(err, r.close())
	switch {
	case err != nil:
		return err
	case res == -int64(unix.EOPNOTSUPP), res == -int64(unix.EINVAL):
		return fmt.Errorf("%s or its device refuses it: leave the option out, or use another: %w", helper.FileSystem(f), unix.Errno(-res))
	}
	return nil
}

// unpolled says whether the device that a file lies on is known to have no polled queues.
func unpolled(fd int) (device string, none bool) {
	var st unix.Stat_t
	if unix.Fstat(fd, &st) != nil {
		return "", false
	}
	dev := st.Dev
	if st.Mode&unix.S_IFMT == unix.S_IFBLK {
		dev = st.Rdev
	}
	dir, err := filepath.EvalSymlinks(fmt.Sprintf("/sys/dev/block/%d:%d", unix.Major(dev), unix.Minor(dev)))
	if err != nil {
		return "", false
	}
	if _, err := os.Stat(filepath.Join(dir, "partition")); err == nil {
		dir = filepath.Dir(dir)
	}
	b, err := os.ReadFile(filepath.Join(dir, "queue", "io_poll"))
	return filepath.Base(dir), err == nil && strings.TrimSpace(string(b)) == "0"
}

// readBlock reads a file's first block with nothing else in the ring.
func (r *ring) readBlock(f *engine.File) (int64, error) {
	n := max(4096, f.Align.Offset)
	buf, err := r.mmap(-1, 0, n)
	if err != nil {
		return 0, err
	}
	*r.next() = sqe{opcode: opRead, fd: int32(f.FD), addr: addr(&buf[0]), len: uint32(n)}
	for {
		if err := r.submit(1, -1, false); err != nil && !errors.Is(err, unix.EINTR) {
			return 0, err
		}
		if head, tail := r.ready(); head != tail {
			return int64(r.cqes[head&r.cqMask].res), nil
		}
	}
}

// enterPolled is Enter on a ring that is polled. It knows no timeouts, and nothing
// that does not end by itself may be in it, so the waker is waited for beside it.
func (e kernel) enterPolled(wait int, ns int64, raw bool) error {
	if n := e.InKernel(); n > 0 || wait == 0 {
		return e.ring.submit(uint32(min(wait, n)), -1, raw)
	}
	if !e.Waker.Sleep(ns) {
		return unix.ETIME
	}
	return e.Own(helper.MarkWake)
}
