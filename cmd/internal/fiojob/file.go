package fiojob

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Sources is where job files and what they refer to come from.
type Sources struct {
	Stdin  io.Reader                           // of the job file "-"
	Open   func(string) (io.ReadCloser, error) // a job file; nil: of the file system
	Env    func(string) string                 // an environment variable; nil: none is set
	CPUs   int                                 // what $ncpus stands for
	Page   int                                 // and $pagesize, in bytes
	Memory int64                               // and $mb_memory, in bytes here
}

const (
	longestLine = 8192 // as in fio
	deepest     = 16   // includes in includes
	largestFile = 64 << 20
)

func (s *Sources) open(name string) (io.ReadCloser, error) {
	if s.Open != nil {
		return s.Open(name)
	}
	return os.Open(name)
}

// reader reads one job file, and what it includes.
type reader struct {
	*Sources
	sections []*section
	depth    int
	wall     bool // of the first section
}

// readFile reads a job file. wall says that its jobs wait for those before.
func (s *Sources) readFile(name string, arg Pos, wall bool) ([]*section, error) {
	r := &reader{Sources: s, wall: wall}
	if name == "-" {
		if s.Stdin == nil {
			return nil, &Error{Pos: arg, What: "-", Why: "there is no standard input to read jobs from"}
		}
		err := r.read(s.Stdin, "stdin")
		return r.sorted(), err
	}
	f, err := s.open(name)
	if err != nil {
		return nil, &Error{Pos: arg, What: "job file " + name, Why: cause(err) + hintFile(name)}
	}
	defer f.Close()
	err = r.read(f, name)
	return r.sorted(), err
}

// sorted are the sections as fio takes them: in each, some options come before or after all others.
func (r *reader) sorted() []*section {
	for _, s := range r.sections {
		slices.SortStableFunc(s.options, func(a, b Option) int { return turns[a.Name] - turns[b.Name] })
	}
	return r.sections
}

// turns of options in job files; 0 for those without one.
var turns = map[string]int{"lockfile": -1, "cpus_allowed_policy": -1, "kb_base": -1, "unit_base": -1, "filename": 1, "filename_format": 1}

// hintFile is what else a word may have been meant to be.
func hintFile(name string) string {
	if key, _, ok := strings.Cut(name, "="); ok {
		if _, ok := Find(key); ok {
			return fmt.Sprintf(": an option begins with two dashes, as in --%s", name)
		}
	}
	return ""
}

// cause is an error without the path that the message has already.
func cause(err error) string {
	if e, ok := err.(*os.PathError); ok {
		return e.Err.Error()
	}
	return err.Error()
}

func (r *reader) read(in io.Reader, name string) error {
	all := &io.LimitedReader{R: in, N: largestFile + 1}
	lines := bufio.NewScanner(all)
	lines.Buffer(make([]byte, 0, longestLine), longestLine+1)
	pos := Pos{File: name}
	for lines.Scan() {
		pos.Line++
		pos.Text = strings.TrimRight(lines.Text(), "\r")
		if pos.Line == 1 {
			pos.Text = strings.TrimPrefix(pos.Text, "\ufeff") // editors put it there
		}
		if err := r.line(pos); err != nil {
			return err
		}
	}
	pos.Line, pos.Text = pos.Line+1, ""
	switch err := lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return &Error{Pos: pos, What: "job file", Why: fmt.Sprintf("the line has more than %d bytes, which is the most", longestLine)}
	case err != nil:
		return &Error{Pos: pos, What: "job file", Why: cause(err)}
	case all.N == 0:
		return &Error{Pos: pos, What: "job file", Why: fmt.Sprintf("it has more than %d MiB, which is the most", largestFile>>20)}
	}
	return nil
}

// line reads one line. Comments begin with ; or #, wherever they stand.
func (r *reader) line(pos Pos) error {
	text := pos.Text
	if i := strings.IndexAny(text, ";#"); i >= 0 {
		text = text[:i]
	}
	text = strings.TrimSpace(text)
	switch {
	case text == "":
		return nil
	case text[0] == '[':
		return r.header(text, pos)
	case len(r.sections) == 0:
		return &Error{Pos: pos, What: text, Why: "options stand in a section: begin one with [global] or [name]"}
	}
	if file, ok := included(text); ok {
		return r.include(file, pos)
	}
	return r.option(text, pos)
}

// header begins a section.
func (r *reader) header(text string, pos Pos) error {
	name, rest, ok := strings.Cut(text[1:], "]")
	switch {
	case r.depth > 0:
		return &Error{Pos: pos, What: text, Why: "a file that is included has no sections of its own"}
	case !ok:
		return &Error{Pos: pos, What: text, Why: "a section's name ends with ]"}
	case strings.TrimSpace(rest) != "":
		return &Error{Pos: pos, What: text, Why: "nothing stands after a section's name", Mark: strings.TrimSpace(rest)}
	case name == "":
		return &Error{Pos: pos, What: text, Why: "a section has a name: that of its job"}
	}
	s := newSection(name, pos)
	if !s.global {
		s.wall, r.wall = r.wall, false
	}
	r.sections = append(r.sections, s)
	return nil
}

func (r *reader) option(text string, pos Pos) error {
	name, value, given := strings.Cut(text, "=")
	o := Option{Name: strings.TrimSpace(name), Value: strings.TrimSpace(value), Given: given, Pos: pos}
	o, err := r.replaced(o)
	if err != nil {
		return err
	}
	return r.sections[len(r.sections)-1].add(o)
}

// included is the file that an include line names.
func included(text string) (string, bool) {
	rest, ok := strings.CutPrefix(text, "include")
	if !ok || rest == "" || rest[0] != ' ' && rest[0] != '\t' {
		return "", false
	}
	return strings.TrimSpace(rest), true
}

// include reads a file in the middle of a section. It is looked for where the program was
// started, then beside the file that names it.
func (r *reader) include(file string, pos Pos) error {
	if r.depth == deepest {
		return &Error{Pos: pos, What: "include " + file, Why: fmt.Sprintf("files include one another more than %d deep", deepest)}
	}
	f, err := r.open(file)
	if err != nil && !filepath.IsAbs(file) {
		beside := filepath.Join(filepath.Dir(pos.File), file)
		if g, err2 := r.open(beside); err2 == nil {
			f, err, file = g, nil, beside
		}
	}
	if err != nil {
		return &Error{Pos: pos, What: "include " + file, Why: cause(err), Mark: file}
	}
	defer f.Close()
	r.depth++
	defer func() { r.depth-- }()
	return r.read(f, file)
}
