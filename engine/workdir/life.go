package workdir

import (
	"time"

	"golang.org/x/sys/unix"
)

// A run that is killed can't say then what it had made. So it says as it goes
// along which files it has made, and that it is alive: what comes later is not
// its own. Names that moved are told by the second alone, and so are those that
// come too fast.
const (
	lifeSign   = 500 * time.Millisecond
	mostUnseen = 64
)

// live gives signs of life until the run has ended.
func (g *Guard) live() {
	t := time.NewTicker(lifeSign)
	defer t.Stop()
	for {
		select {
		case <-g.stop:
			return
		case <-t.C:
			g.sign()
		}
	}
}

// sign holds no lock while the mark's times are set, which a busy file system may
// take long to do. One that fails is one that is missing: less will be taken
// for the run's.
func (g *Guard) sign() {
	_ = g.see()
	now := unix.Timespec{Nsec: unix.UTIME_NOW}
	_ = unix.UtimesNanoAt(g.t.fd(), g.mark.Load().file, []unix.Timespec{now, now}, unix.AT_SYMLINK_NOFOLLOW)
}

// see records the identities of what has been made since it was last called.
func (g *Guard) see() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	var seen []entry
	rest := g.unseen[:0]
	for _, name := range g.unseen {
		if n, err := g.t.look(name); err == nil {
			seen = append(seen, entry{Do: doSee, Name: name, identity: n.identity})
		} else {
			rest = append(rest, name)
		}
	}
	g.unseen = rest
	if len(seen) == 0 {
		return nil
	}
	return g.mark.Load().record(seen...)
}

// end stops the signs of life.
func (g *Guard) end() {
	close(g.stop)
	g.signs.Wait()
}
