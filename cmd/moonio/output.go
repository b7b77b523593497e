package main

import (
	"errors"
	"io"
	"sync"
	"syscall"
)

// output is standard output. It keeps the first error for the end, so that
// those who write to it need not care. It is safe for concurrent use.
type output struct {
	mu  sync.Mutex
	w   io.Writer
	err error
}

func newOutput(w io.Writer) *output { return &output{w: w} }

// Write writes b; after an error it does nothing.
func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err == nil {
		_, o.err = o.w.Write(b)
	}
	return len(b), nil
}

// failed is the first error.
func (o *output) failed() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.err
}

// readerGone says that nobody reads the output any more, as after `| head`.
func readerGone(err error) bool { return errors.Is(err, syscall.EPIPE) }
