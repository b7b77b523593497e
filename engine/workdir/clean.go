package workdir

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// CleanOptions say how far Clean goes.
type CleanOptions struct {
	DryRun bool // say what would be removed, and remove nothing
	Kept   bool // remove also what runs have kept on purpose
	Force  bool // remove also what runs on other machines have left
}

// Clean removes what runs that were killed have left in the directories and in
// those that Create made there, and writes to w a line about everything that it
// finds. It never touches what a run that is alive has, nor anything that no
// mark vouches for. The error is of what could not be removed.
func Clean(w io.Writer, o CleanOptions, dirs ...string) error {
	var errs []error
	for _, dir := range dirs {
		c := &cleaner{w: w, o: o, dir: dir}
		err := eachMark(dir, here(), c.clean)
		errs = append(errs, err)
		if c.found == 0 && err == nil {
			fmt.Fprintf(w, "%s: nothing to clean\n", dir)
		}
	}
	return errors.Join(errs...)
}

type cleaner struct {
	w     io.Writer
	o     CleanOptions
	dir   string
	found int
}

func (c *cleaner) clean(t *tree, m *found, others []*found) error {
	c.found++
	if !c.allowed(m) {
		fmt.Fprintln(c.w, m.leftover(t, c.dir))
		return nil
	}
	f, err := t.root.OpenFile(m.file, os.O_RDWR|os.O_APPEND, 0)
	if err != nil {
		return fmt.Errorf("cleaning %s: %w", t.path, err)
	}
	own := &mark{claims: m.claims, f: f, file: m.file}
	if err := lock(f); errors.Is(err, unix.EAGAIN) || errors.Is(err, unix.EACCES) {
		fmt.Fprintf(c.w, "%s: in use by %s\n", t.path, m.who())
		return f.Close()
	}
	return c.sweep(t, own, others)
}

// allowed says whether a mark is one of those to clean.
func (c *cleaner) allowed(m *found) bool {
	switch m.state {
	case Killed:
		return c.o.Kept || !m.Keep
	case Kept:
		return c.o.Kept
	case Elsewhere:
		return c.o.Force && (c.o.Kept || !m.Keep)
	case Unreadable:
		return m.size == 0 // it was killed before it had made anything
	}
	return false
}

func (c *cleaner) sweep(t *tree, own *mark, others []*found) error {
	s := &sweep{t: t, c: &own.claims, others: others}
	did := "would remove"
	if !c.o.DryRun {
		s.removing()
		did = "removed"
	}
	s.run()
	fmt.Fprintf(c.w, "%s: %s %s of %s\n", t.path, did, amount(s.files, s.bytes), own.who())
	for _, l := range s.left {
		fmt.Fprintf(c.w, "  %s\n", filepath.Join(t.path, l))
	}
	if c.o.DryRun || len(s.errs) > 0 {
		own.f.Close()
		return errors.Join(s.errs...)
	}
	if err := own.settle(t, s.moved); err != nil || !own.Made || len(s.moved) > 0 {
		return err
	}
	for _, note := range removeMade(t) {
		fmt.Fprintf(c.w, "  %s\n", note)
	}
	return nil
}
