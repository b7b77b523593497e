package workdir

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"unicode/utf8"

	"golang.org/x/sys/unix"

	"moonio/engine"
)

// ErrRefused is wrapped by every error of a Guard that is there to protect
// something. Its text says what, why, and what to do.
var ErrRefused = errors.New("refused")

// Guard decides what a script may do to the names in its run's directory. It is
// asked before an operation is submitted; a nil error lets it go on. It never
// carries the operation out.
//
// What the run made itself it may do anything with, and that answer costs a
// look-up, or one for each directory above, and allocates nothing. What moonio
// made in an earlier run, and left or kept, may be reused. What the user named
// with --overwrite may be overwritten. All else that exists may only be read.
// A name of the run's own is recorded in the directory's mark before nil is
// returned, which takes some system calls. One beneath a directory of the run's
// own is not: the directory covers it.
//
// A nil Guard is for engines that touch no storage: it lets every valid name
// pass. A Guard is safe for concurrent use.
type Guard struct {
	t         *tree
	w         witness
	owner     owner
	overwrite map[string]bool
	parts     []part   // of a gathered directory, which has no mark itself
	readable  sync.Map // names that exist, by string

	mark atomic.Pointer[mark] // nil until something is to be made

	// mu orders claims. It is held while marks are read and written, so what is
	// the run's already must be found without it.
	mu     sync.Mutex
	known  map[string]*found // other runs' marks, by file
	unseen []string          // names whose files' identities are still to be recorded

	signs sync.WaitGroup
	stop  chan struct{} // closed for the signs of life to end
}

// CheckName returns a name's shortest form, or says what is wrong with it. It
// adds to [engine.CleanName] what a name must be to be recorded.
func (g *Guard) CheckName(name string) (string, error) {
	clean, err := engine.CleanName(name)
	switch {
	case err != nil:
		err = fmt.Errorf("file name %q: %w", name, err)
	case len(clean) >= unix.PathMax:
		err = fmt.Errorf("file name %.40q… is %d bytes long, and the most is %d: %w", clean, len(clean), unix.PathMax-1, unix.ENAMETOOLONG)
	case !utf8.ValidString(clean):
		err = fmt.Errorf("file name %q is not UTF-8: %w", clean, unix.EINVAL)
	case Hidden(clean):
		err = fmt.Errorf("file name %q %w: moonio keeps its own records there", clean, ErrRefused)
	}
	if err != nil {
		return "", &NameError{err}
	}
	return clean, nil
}

// NameError is wrapped by the errors for names that no file of a run can have.
type NameError struct{ error }

func (e *NameError) Unwrap() error { return e.error }

// Readable says whether the name may be opened for reading, or looked at. If
// there is nothing, that is for the operation to find out.
func (g *Guard) Readable(name string) error {
	g, name, err := g.at(name)
	if err != nil || g == nil || g.mark.Load().has(name) {
		return err
	}
	if _, ok := g.readable.Load(name); ok {
		return nil
	}
	n, err := g.t.look(name)
	switch {
	case absent(err):
		return nil
	case err != nil:
		return g.refuse(name, "read", err.Error())
	case !n.regular() && !n.dir():
		return g.refuse(name, "read", "it is a "+n.kind()+advice(n))
	}
	g.readable.Store(name, nil)
	return nil
}

// Writable says whether the name may be opened for writing, truncated or
// trimmed. If there is nothing, that is for the operation to find out.
func (g *Guard) Writable(name string) error {
	g, name, err := g.at(name)
	if err != nil || g == nil {
		return err
	}
	_, err = g.enter(name, "written", false)
	return err
}

// WillCreate says whether a file may be made, or be opened for writing if it is
// there. If fresh, there is nothing yet: with O_EXCL an open is sure not to
// catch what somebody makes in between.
func (g *Guard) WillCreate(name string) (fresh bool, err error) {
	g, name, err = g.at(name)
	if err != nil || g == nil {
		return false, err
	}
	return g.enter(name, "written", true)
}

// WillMkdir says whether a directory may be made. One that exists is left for
// the operation to find out.
func (g *Guard) WillMkdir(name string) error {
	g, name, err := g.at(name)
	if err != nil || g == nil || g.mark.Load().has(name) {
		return err
	}
	if _, err := g.t.look(name); err == nil {
		return nil
	}
	_, err = g.enter(name, "made", true)
	return err
}

// WillUnlink says whether a name may be removed.
func (g *Guard) WillUnlink(name string) error {
	g, name, err := g.at(name)
	if err != nil || g == nil {
		return err
	}
	if _, err := g.enter(name, "removed", false); err != nil {
		return err
	}
	return g.moved(name)
}

// WillRename says whether from may be renamed to to, and replace what is there.
func (g *Guard) WillRename(from, to string) error {
	of, from, err := g.at(from)
	if err != nil {
		return err
	}
	g, to, err = g.at(to)
	if err != nil || g == nil {
		return err
	}
	if of != g {
		return g.refuse(to, "replaced", "what is to have the name lies in another of the run's directories")
	}
	if _, err := g.enter(from, "renamed", false); err != nil {
		return err
	}
	if !g.mark.Load().has(from) {
		return nil // there is nothing to rename
	}
	fresh, err := g.enter(to, "replaced", true)
	if err != nil {
		return err
	}
	if err := g.moved(from); err != nil || fresh {
		return err
	}
	return g.moved(to)
}

// enter is the way into every change of what stands at a clean name: at once if
// the name is the run's, by a claim otherwise.
func (g *Guard) enter(name, verb string, create bool) (fresh bool, err error) {
	if g.mark.Load().has(name) {
		return false, nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.mark.Load().has(name) {
		return false, nil
	}
	return g.claim(name, verb, create)
}

// moved records that a name of the run's may come to be another file's, so
// that an identity no longer says whose it is.
func (g *Guard) moved(name string) error {
	m := g.mark.Load()
	if !m.still(name) {
		return nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return m.record(entry{Do: doMove, Name: name})
}

func (g *Guard) refuse(name, verb, why string) error {
	return fmt.Errorf("%w: %s in %s is not %s: %s", ErrRefused, name, g.t.path, verb, why)
}

// advice is what to do about a file that is not a regular one.
func advice(n node) string {
	if n.mode == unix.S_IFBLK {
		return "; a block device is named with --device"
	}
	return ""
}
