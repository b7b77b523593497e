package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// interrupts are what signals ask of a run.
type interrupts struct {
	ctx     context.Context // cancelled by the first: the phase stops, and is reported
	abandon chan struct{}   // closed by the second: nothing that is in flight is waited for
	signals chan os.Signal
	done    chan struct{}
	first   os.Signal // set before ctx is cancelled; nil if no signal has come
}

// interruptible watches for signals until release is called. A third one ends
// the program where it stands; the next run names what it leaves.
func interruptible(notes io.Writer) *interrupts {
	ctx, cancel := context.WithCancel(context.Background())
	i := &interrupts{ctx: ctx, abandon: make(chan struct{}), signals: make(chan os.Signal, 3), done: make(chan struct{})}
	// Go ends on a quit (Ctrl-\) with a trace of all goroutines, and clears nothing up.
	signal.Notify(i.signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGQUIT)
	if !signal.Ignored(syscall.SIGHUP) { // as it is under nohup
		signal.Notify(i.signals, syscall.SIGHUP)
	}
	go func() {
		defer cancel()
		for _, act := range []func(os.Signal){
			func(s os.Signal) {
				i.first = s
				fmt.Fprintf(notes, "moonio: %s: waiting for what is in flight; once more stops at once\n", byWhat(s))
				cancel()
			},
			func(os.Signal) { close(i.abandon) },
			func(os.Signal) { os.Exit(exitInterrupted) },
		} {
			select {
			case s := <-i.signals:
				act(s)
			case <-i.done:
				return
			}
		}
	}()
	return i
}

// release stops watching.
func (i *interrupts) release() {
	signal.Stop(i.signals)
	close(i.done)
}

// byWhat names a signal that no key of the terminal's sends: somebody else did.
func byWhat(s os.Signal) string {
	if n, ok := s.(syscall.Signal); ok && n != syscall.SIGINT {
		return "interrupted by " + unix.SignalName(n)
	}
	return "interrupted"
}

// lastStep says that what is still to be written somebody must read: if nobody does, a second
// signal ends the program as it stands, but not before who does read can have all of it.
func (i *interrupts) lastStep() {
	go func() {
		<-i.abandon
		time.Sleep(readerPatience)
		os.Exit(exitInterrupted)
	}()
}

// reason says what an interrupted run was interrupted by.
func (i *interrupts) reason() string { return byWhat(i.first) }

// interrupted says whether a signal has come.
func (i *interrupts) interrupted() bool { return i.ctx.Err() != nil }

// abandoned says whether a second one has.
func (i *interrupts) abandoned() bool {
	select {
	case <-i.abandon:
		return true
	default:
		return false
	}
}
