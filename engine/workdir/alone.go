package workdir

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"golang.org/x/sys/unix"
)

// Alone waits until no other run that shares what it makes has the file to itself, and has it
// then until release is called: while it is laid out, others would overwrite what has been
// written, or begin before all is. A file that is not there, and a run that shares nothing,
// need not wait. An error is ctx's, or the system's.
func (g *Guard) Alone(ctx context.Context, name string) (release func(), err error) {
	g, name, err = g.at(name)
	if err != nil || g == nil || !g.owner.Share {
		return func() {}, err
	}
	f, err := g.t.root.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return func() {}, nil
	}
	if err != nil {
		return nil, err
	}
	for {
		switch err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); {
		case err == nil:
			return func() { f.Close() }, nil
		case !errors.Is(err, unix.EWOULDBLOCK) && !errors.Is(err, unix.EINTR):
			f.Close()
			return nil, fmt.Errorf("locking %s: %w", name, err)
		}
		select {
		case <-ctx.Done():
			f.Close()
			return nil, ctx.Err()
		case <-time.After(lockedAgain):
		}
	}
}

// lockedAgain is how often a file that another run lays out is looked at.
const lockedAgain = 5 * time.Millisecond
