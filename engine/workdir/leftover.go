package workdir

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
)

// State is what has become of a run, as far as its mark tells.
type State int

const (
	Live       State = iota // at work
	Killed                  // ended without clearing up
	Kept                    // ended, and kept what it made
	Elsewhere               // another machine's, so that nothing is known of it here
	Copied                  // the mark came here with a copy of the directory
	Unreadable              // the mark says nothing that is understood
)

// Leftover is what a run has left in a directory.
type Leftover struct {
	Dir   string // where the files and the mark are
	Mark  string // the mark's path
	Run   string // the run's ID
	State State
	Files int   // how many of the run's are there
	Bytes int64 // what they take up

	owner owner
	from  string // where it was looked for
}

// String says whose it is, since when, how large, and what to do.
func (l Leftover) String() string {
	what, who := l.Dir+": "+amount(l.Files, l.Bytes), l.owner.who()
	switch l.State {
	case Live:
		return what + ", in use by " + who
	case Killed:
		if l.owner.Keep {
			return what + ", left by " + who + ", which was killed and was to keep it; " + l.remedy(" --kept")
		}
		return what + ", left by " + who + ", which was killed; " + l.remedy("")
	case Kept:
		return what + ", kept by " + who + "; " + l.remedy(" --kept")
	case Elsewhere:
		return what + ", of " + who + " on host " + l.owner.Host + ", which may be at work; if it is not, " + l.remedy(" --force")
	case Copied:
		return l.Mark + ": a copied mark of " + who + "; what is beside it is yours, and so is the mark"
	}
	return l.Mark + ": a mark that can't be read; look at what is beside it, and remove what you don't need"
}

func (l Leftover) remedy(flag string) string {
	if l.from != "." {
		flag += " " + l.from
	}
	return "`moonio clean" + flag + "` removes it"
}

// Stale finds what runs that are no more have left in dir and in the
// directories that Create made there. What was kept on purpose is not among
// it. An error does not stop the search.
func Stale(dir string) ([]Leftover, error) {
	var stale []Leftover
	err := eachMark(dir, here(), func(t *tree, m *found, _ []*found) error {
		if m.state == Killed || m.state == Elsewhere || m.state == Unreadable {
			stale = append(stale, m.leftover(t, dir))
		}
		return nil
	})
	return stale, err
}

func (m *found) leftover(t *tree, from string) Leftover {
	l := Leftover{Dir: t.path, Mark: filepath.Join(t.path, m.file), Run: m.Run, State: m.state, owner: m.owner, from: from}
	if m.state != Copied && m.state != Unreadable {
		s := (&sweep{t: t, c: &m.claims}).run()
		l.Files, l.Bytes = s.files, s.bytes
	}
	return l
}

// eachMark calls fn for every mark in dir and in the directories that Create
// made there, with the marks that are beside it.
func eachMark(dir string, w witness, fn func(t *tree, m *found, others []*found) error) error {
	errs := []error{marksIn(dir, w, fn)}
	paths, err := filepath.Glob(filepath.Join(escapeGlob(dir), freshPrefix+"*", marksDir))
	if err != nil {
		errs = append(errs, err)
	}
	for _, p := range paths {
		// What another run removes while we look is none of our business.
		if err := marksIn(filepath.Dir(p), w, fn); !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

func marksIn(dir string, w witness, fn func(t *tree, m *found, others []*found) error) error {
	t, err := openTree(dir)
	if err != nil {
		return fmt.Errorf("looking for marks: %w", err)
	}
	defer t.close()
	all, err := findMarks(t, w, "", nil)
	if err != nil {
		return fmt.Errorf("reading marks in %s: %w", dir, err)
	}
	var errs []error
	for i, m := range all {
		others := append(append([]*found{}, all[:i]...), all[i+1:]...)
		errs = append(errs, fn(t, m, others))
	}
	return errors.Join(errs...)
}

// escapeGlob makes a pattern of a path that matches just that.
func escapeGlob(path string) string {
	var b []byte
	for i := range len(path) {
		switch path[i] {
		case '*', '?', '[', '\\':
			b = append(b, '\\')
		}
		b = append(b, path[i])
	}
	return string(b)
}
