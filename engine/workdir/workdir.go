// Package workdir is the directory of one run, and the record of whose is what
// in it.
//
// What a run makes carries a mark: a file in the hidden directory .moonio beside
// it, which says whose run it is and, before anything is made, under which name.
// At the end the run removes what it made and the mark, whatever else has
// happened; or it keeps both. A run that was killed leaves both, and the next
// one can name it (Stale) and remove exactly that (Clean). Whatever no mark
// vouches for belongs to the user: it is read, and never written, renamed or
// removed unless the user named it with --overwrite.
//
// A mark vouches for a file by its name and its identity (inode and birth), so
// that a file that the user puts in the place of moonio's own is the user's.
// Doubt is resolved towards leaving a file where it is, and saying so. Symbolic
// links are never followed beneath the directory.
package workdir

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"moonio/engine/units"
)

// Config is what a run says of itself.
type Config struct {
	Script    string   // the script's name
	Version   string   // moonio's
	Keep      bool     // what the run makes is to stay
	Share     bool     // with Keep: what it makes, other runs with Share may change while it is at work
	Overwrite []string // existing files in the directory that the run may overwrite
}

// Dir is the directory of one run.
type Dir struct {
	t     *tree
	guard *Guard
	made  bool
	keep  bool
	ended bool
}

// freshPrefix begins the names of directories that Create makes.
const freshPrefix = "moonio-"

// Create makes a fresh directory beneath parent for a run, named moonio- and
// the run's ID. Close removes it.
func Create(parent string, cfg Config) (*Dir, error) {
	for {
		run := newRun()
		path := filepath.Join(parent, freshPrefix+run)
		err := os.Mkdir(path, 0o755)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("making a directory for the run: %w; name another with --dir", err)
		}
		return openMade(path, run, cfg)
	}
}

// Use takes the directory that the user named. One that is missing is made,
// though not those above it, and is the run's own like one of Create.
func Use(path string, cfg Config) (*Dir, error) {
	_, err := os.Stat(path)
	if err == nil {
		return open(path, newRun(), cfg, false)
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = os.Mkdir(path, 0o755)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("directory %s: %s does not exist either; make it, or mount what should be there: %w", path, filepath.Dir(filepath.Clean(path)), err)
	}
	if _, lerr := os.Lstat(path); lerr == nil && errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("directory %s: it is a link to nothing", path)
	}
	if err != nil {
		return nil, fmt.Errorf("directory for the run: %w", err)
	}
	return openMade(path, newRun(), cfg)
}

// openMade opens a directory that was just made. It is marked at once, so that
// it can be told whose it is before anything is in it.
func openMade(path, run string, cfg Config) (*Dir, error) {
	d, err := open(path, run, cfg, true)
	if err == nil {
		if err = d.guard.begin(); err != nil {
			d.t.close()
		}
	}
	if err != nil {
		return nil, errors.Join(err, os.Remove(path))
	}
	return d, nil
}

func open(path, run string, cfg Config, made bool) (*Dir, error) {
	t, err := openTree(path)
	if err != nil {
		return nil, fmt.Errorf("directory %s: %w", path, err)
	}
	g := &Guard{t: t, w: here(), known: map[string]*found{}, overwrite: map[string]bool{}, stop: make(chan struct{})}
	g.owner = newOwner(g.w, run, cfg)
	g.owner.Made = made
	for _, name := range cfg.Overwrite {
		clean, err := g.CheckName(name)
		if err != nil {
			t.close()
			return nil, fmt.Errorf("--overwrite takes names of files in %s: %w", path, err)
		}
		g.overwrite[clean] = true
	}
	return &Dir{t: t, guard: g, made: made, keep: cfg.Keep}, nil
}

// newRun draws a run's ID: six letters and digits.
func newRun() string { return strings.ToLower(rand.Text()[:6]) }

func newOwner(w witness, run string, cfg Config) owner {
	o := owner{
		Format:  format,
		Run:     run,
		Script:  cfg.Script,
		Version: cfg.Version,
		PID:     os.Getpid(),
		place:   w.place,
		Started: time.Now().Round(time.Second),
		Keep:    cfg.Keep,
		Share:   cfg.Keep && cfg.Share,
	}
	o.Start, _ = w.started(o.PID)
	return o
}

// Path is the directory's path, as it was given or made.
func (d *Dir) Path() string { return d.t.path }

// Run is the run's ID.
func (d *Dir) Run() string { return d.guard.owner.Run }

// Guard decides what may be done in the directory; nil for a nil Dir.
func (d *Dir) Guard() *Guard {
	if d == nil {
		return nil
	}
	return d.guard
}

// String says which directory it is and what becomes of it.
func (d *Dir) String() string {
	switch {
	case d.keep:
		return d.t.path + " (what the run makes there is kept)"
	case d.made:
		return d.t.path + " (made for this run, removed at its end)"
	}
	return d.t.path + " (what the run makes there is removed at its end)"
}

// Close ends the run's hold on the directory. Nothing may be in use there any
// more. It removes what the run made, or records it as kept. The notes are what
// the user should know: what is kept, and what stays for another reason. If
// something can't be removed, the mark stays too, for Clean. Close of a nil Dir
// does nothing, nor does a second one.
func (d *Dir) Close() (notes []string, err error) {
	if d == nil || d.ended {
		return nil, nil
	}
	d.ended = true
	defer d.t.close()
	for _, p := range d.guard.parts {
		more, failed := p.dir.Close()
		notes, err = append(notes, more...), errors.Join(err, failed)
	}
	if d.guard.parts != nil {
		return notes, err
	}
	d.guard.end()
	m := d.guard.mark.Load()
	if m == nil {
		return nil, nil
	}
	if d.t.gone() {
		m.f.Close()
		return nil, fmt.Errorf("directory %s was removed while the run worked in it", d.t.path)
	}
	notes, err = d.settle(m)
	if err != nil {
		return notes, fmt.Errorf("clearing up %s: %w; `moonio clean %[1]s` tries again", d.t.path, err)
	}
	return notes, nil
}

func (d *Dir) settle(m *mark) (notes []string, err error) {
	others, err := d.guard.others()
	if err != nil {
		m.f.Close()
		return nil, err
	}
	s := &sweep{t: d.t, c: &m.claims, others: others}
	var stays []entry
	if d.keep {
		s.keeping(&stays)
	} else {
		s.removing()
	}
	s.run()
	for _, l := range s.left {
		notes = append(notes, filepath.Join(d.t.path, l))
	}
	if len(s.errs) > 0 {
		m.f.Close()
		return notes, errors.Join(s.errs...)
	}
	if len(stays) > 0 {
		notes = append(notes, fmt.Sprintf("kept in %s: %s", d.t.path, amount(s.files, s.bytes)))
	}
	stays = append(stays, s.moved...)
	err = errors.Join(forget(d.t, others), m.settle(d.t, stays))
	if err != nil || len(stays) > 0 || !d.made {
		return notes, err
	}
	return append(notes, removeMade(d.t)...), nil
}

// forget removes marks of ended runs that vouch for nothing any more.
func forget(t *tree, marks []*found) error {
	var errs []error
	for _, m := range marks {
		if m.state != Kept && m.state != Killed || m.Made {
			continue
		}
		s := (&sweep{t: t, c: &m.claims}).run()
		if s.nodes == 0 && len(s.moved) == 0 && len(s.errs) == 0 {
			errs = append(errs, dropMark(t, m.file))
		}
	}
	return errors.Join(errs...)
}

// removeMade removes a directory that a run made, if nothing is left in it. If
// something is, it says so.
func removeMade(t *tree) (notes []string) {
	names, err := t.list(".")
	switch {
	case err != nil:
	case len(names) > 0:
		return []string{fmt.Sprintf("directory %s stays: it holds %s", t.path, some(names))}
	default:
		// Its name may be another's by now.
		if now, err := stat(unix.AT_FDCWD, t.path); err != nil || now.identity != t.self.identity {
			return nil
		}
		err = os.Remove(t.path)
	}
	if err != nil {
		return []string{fmt.Sprintf("directory %s stays: %v", t.path, err)}
	}
	return nil
}

// some names at most three.
func some(names []string) string {
	if len(names) <= 3 {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:3], ", "), len(names)-3)
}

func amount(files int, bytes int64) string {
	noun := "files"
	if files == 1 {
		noun = "file"
	}
	return fmt.Sprintf("%d %s, %s", files, noun, units.ApproxSize(float64(bytes)))
}
