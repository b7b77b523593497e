package helper

import (
	"encoding/binary"
	"fmt"
	"sync"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// Waker ends an engine's wait from any goroutine. The engine keeps a read of
// the eventfd, or a poll, pending in its ring.
type Waker struct {
	asked atomic.Bool

	mu     sync.Mutex // keeps the descriptor from being closed, and its number reused, under a write
	fd     int
	closed bool
}

// newWaker makes an eventfd. Reads of it block.
func newWaker() (*Waker, error) {
	fd, err := unix.Eventfd(0, unix.EFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("eventfd for waking the engine: %w", err)
	}
	return &Waker{fd: fd}, nil
}

// FD is the descriptor to read 8 bytes from.
func (w *Waker) FD() int { return w.fd }

// Wake makes the present or the next wait return early.
func (w *Waker) Wake() {
	if !w.asked.Swap(true) {
		w.Nudge()
	}
}

// Asked says whether Wake was called since Asked was last true. The engine's
// read may still be about to complete then: a nudge that finds nothing to do is harmless.
func (w *Waker) Asked() bool { return w.asked.Load() && w.asked.Swap(false) }

// Nudge completes the engine's read without asking its wait to return.
func (w *Waker) Nudge() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return
	}
	var one [8]byte
	binary.NativeEndian.PutUint64(one[:], 1)
	// It can only fail, or block, when 2^64-2 nudges are unread.
	_, _ = unix.Write(w.fd, one[:])
}

// Clear reads the nudges, of which there must be some, for an engine that polls
// the descriptor and does not read it.
func (w *Waker) Clear() {
	var b [8]byte
	_, _ = unix.Read(w.fd, b[:])
}

// Sleep waits for a nudge for ns nanoseconds at most (below 0: without limit), for
// an engine that keeps no read pending. It says whether one came, and clears it.
func (w *Waker) Sleep(ns int64) bool {
	var ts *unix.Timespec
	if ns >= 0 {
		t := unix.NsecToTimespec(ns)
		ts = &t
	}
	n, _ := unix.Ppoll([]unix.PollFd{{Fd: int32(w.fd), Events: unix.POLLIN}}, ts, nil)
	if n != 1 {
		return false
	}
	w.Clear()
	return true
}

// Close closes the eventfd. Later calls of Wake and Nudge do nothing.
func (w *Waker) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return nil
	}
	w.closed = true
	return unix.Close(w.fd)
}
