package workdir

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// marksDir holds the marks of the directory that it is in: one for every run
	// that has made something there and has not taken it away again.
	marksDir = ".moonio"
	markExt  = ".jsonl"
	format   = 1
)

// Hidden says whether a clean name is the package's own. Scripts can't touch
// such names and are not shown them.
func Hidden(name string) bool { return within(name, marksDir) }

// mark is the file that says what a run makes, one JSON object a line: first the
// owner, then entries, each written before what it says is done. It is locked
// for as long as its owner lives.
type mark struct {
	f    *os.File
	file string // the mark's name

	mu sync.RWMutex // held for moments only
	claims
}

// newMark makes a mark in t and says in it whose it is.
func newMark(t *tree, o owner) (m *mark, err error) {
	// Another run's end may remove the directory, or a cleaner the mark, before it is locked.
	for range 10 {
		if m, err = tryMark(t, o); !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	if err != nil {
		return nil, fmt.Errorf("marking %s as used by moonio: %w", t.path, err)
	}
	return m, nil
}

func tryMark(t *tree, o owner) (*mark, error) {
	if err := t.root.Mkdir(marksDir, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	if n, err := t.look(marksDir); err != nil {
		return nil, err
	} else if !n.dir() {
		return nil, fmt.Errorf("%s, where marks are kept, is a %s", marksDir, n.kind())
	}
	m := &mark{claims: newClaims(o), file: marksDir + "/" + o.Run + markExt}
	f, err := t.root.OpenFile(m.file, os.O_CREATE|os.O_EXCL|os.O_RDWR|os.O_APPEND, 0o644)
	if err == nil {
		m.f = f
		if err = m.begin(t); err == nil {
			return m, nil
		}
		f.Close()
	}
	return nil, errors.Join(err, dropMark(t, m.file))
}

func (m *mark) begin(t *tree) error {
	m.Locked = lock(m.f) == nil
	if err := m.times(int(m.f.Fd())); err != nil {
		return err
	}
	m.last = math.MaxInt64 // it lives
	m.Dir = t.self.identity
	if err := m.write(m.owner); err != nil {
		return err
	}
	_, err := t.look(m.file)
	return err
}

// record writes entries, then holds them true.
func (m *mark) record(entries ...entry) error {
	lines := make([]any, len(entries))
	for i := range entries {
		lines[i] = entries[i]
	}
	if err := m.write(lines...); err != nil {
		return fmt.Errorf("marking what the run makes in %s: %w", m.f.Name(), err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, e := range entries {
		m.apply(e)
	}
	return nil
}

// has says whether the clean name is the run's. Nothing is a nil mark's.
func (m *mark) has(name string) bool {
	if m == nil {
		return false
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.covers(name)
}

// still says whether the clean name itself is the run's, and has not been moved.
func (m *mark) still(name string) bool {
	if m == nil {
		return false
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	moved, ok := m.names[name]
	return ok && !moved
}

// write appends lines in one call, so that no reader sees half of one.
func (m *mark) write(lines ...any) error {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	for _, l := range lines {
		if err := enc.Encode(l); err != nil {
			return err
		}
	}
	_, err := m.f.Write(buf.Bytes())
	return err
}

// settle ends the mark. If anything of what an earlier run kept, or this one
// is to keep, stays, the mark stays and says so; otherwise it goes. It is closed first, though that
// unlocks it: NFS and FUSE leave what is removed while it is open in the directory under another name.
func (m *mark) settle(t *tree, stays []entry) error {
	if len(stays) > 0 {
		defer m.f.Close()
		return m.record(append(stays, entry{Do: doEnd})...)
	}
	m.f.Close()
	return dropMark(t, m.file)
}

// dropMark removes a mark, and with the last one the directory they are in.
func dropMark(t *tree, file string) error {
	if err := ignoreAbsent(t.root.Remove(file)); err != nil {
		return fmt.Errorf("removing a mark: %w", err)
	}
	if err := t.root.Remove(marksDir); err != nil && !errors.Is(err, unix.ENOTEMPTY) && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("removing the directory of marks: %w", err)
	}
	return nil
}

func ignoreAbsent(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// found is a mark as another process sees it.
type found struct {
	claims
	file  string
	size  int64 // how far it has been read
	state State
}

// findMarks reads the marks in t but for the one called own, going on from what
// is known from earlier.
func findMarks(t *tree, w witness, own string, known map[string]*found) ([]*found, error) {
	if n, err := t.look(marksDir); absent(err) || err == nil && !n.dir() {
		return nil, nil
	}
	names, err := t.list(marksDir)
	if err != nil {
		return nil, ignoreAbsent(err)
	}
	var all []*found
	for _, file := range names {
		if file == own || !strings.HasSuffix(file, markExt) {
			continue
		}
		m, err := findMark(t, w, file, known[file])
		if err != nil {
			return nil, err
		}
		if m != nil {
			all = append(all, m)
		}
	}
	return all, nil
}

// findMark reads one mark; nil if it is gone, or is not a file at all.
func findMark(t *tree, w witness, file string, m *found) (*found, error) {
	if n, err := t.look(file); absent(err) || err == nil && !n.regular() {
		return nil, nil
	}
	f, err := t.root.Open(file)
	if err != nil {
		return nil, ignoreAbsent(err)
	}
	defer f.Close()
	if m == nil {
		m = &found{claims: newClaims(owner{}), file: file}
	}
	if err := m.read(f); err != nil {
		return nil, err
	}
	if err := m.times(int(f.Fd())); err != nil {
		return nil, err
	}
	m.state = m.stateNow(t, w, f)
	return m, nil
}

// read reads what the mark has come to say since it was last read. A last line
// that was cut off, and any that can't be understood, say nothing: what they
// would have claimed is left alone.
func (m *found) read(f *os.File) error {
	data, err := io.ReadAll(io.NewSectionReader(f, m.size, math.MaxInt64-m.size))
	if err != nil {
		return err
	}
	for line := range bytes.Lines(data) {
		if !bytes.HasSuffix(line, []byte("\n")) {
			break
		}
		var e entry
		if m.size == 0 {
			_ = json.Unmarshal(line, &m.owner)
		} else if json.Unmarshal(line, &e) == nil {
			m.apply(e)
		}
		m.size += int64(len(line))
	}
	return nil
}

func (m *found) stateNow(t *tree, w witness, f *os.File) State {
	switch {
	case held(f):
		return Live
	case m.Format != format:
		return Unreadable
	case !m.sameDir(t.self.identity):
		return Copied
	case m.ended:
		return Kept
	}
	return w.fate(m.owner)
}

// wholeFile is a lock that belongs to the open file: the kernel takes it back when
// the last process that has it open dies, and can tell others of it.
func wholeFile() *unix.Flock_t { return &unix.Flock_t{Type: unix.F_WRLCK} }

func lock(f *os.File) error { return unix.FcntlFlock(f.Fd(), unix.F_OFD_SETLK, wholeFile()) }

// held says whether another has the file locked.
func held(f *os.File) bool {
	l := wholeFile()
	return unix.FcntlFlock(f.Fd(), unix.F_OFD_GETLK, l) == nil && l.Type != unix.F_UNLCK
}

// who names a run and its process in messages.
func (o *owner) who() string {
	return fmt.Sprintf("run %s (%s, pid %d, started %s)", o.Run, o.Script, o.PID, o.Started.Local().Format(time.DateTime))
}
