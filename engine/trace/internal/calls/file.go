package calls

import (
	"bytes"
	"strconv"

	"moonio/engine/trace"
	"moonio/engine/trace/internal/scan"
)

// kind is what a descriptor stands for: a file, or the reason why its I/O is none to
// replay.
type kind uint8

const (
	regular kind = iota
	socket
	pipe
	terminal
	virtual
	character
	anonymous
	standard
	numKinds
)

// reasons are why I/O on each kind is skipped.
var reasons = [numKinds]string{
	socket:    "I/O on sockets",
	pipe:      "I/O on pipes",
	terminal:  "I/O on terminals",
	virtual:   "I/O on /proc, /sys and their like",
	character: "I/O on character devices, such as /dev/null",
	anonymous: "I/O on eventfds, timers and their like",
	standard:  "I/O on standard input and output, where what they are is not known",
}

// errSkip is why a call gives no record.
type errSkip string

func (e errSkip) Error() string { return string(e) }

// errBad is why a call cannot be understood.
type errBad string

func (e errBad) Error() string { return string(e) }

// descriptor parses an argument such as 3, 3</path> or 3<pipe:[1]>: its number and the path,
// nil if there is none.
func parseFD(arg []byte) (fd int64, path []byte, ok bool) {
	i := 0
	for i < len(arg) && arg[i] != '<' {
		i++
	}
	if fd, ok = scan.Number(arg[:i]); !ok {
		return 0, nil, false
	}
	if i == len(arg) {
		return fd, nil, true
	}
	end := pathEnd(arg, i)
	if arg[i] != '<' || end < 0 {
		return 0, nil, false
	}
	return fd, arg[i+1 : end-1], true
}

// pathEnd is where what a tracer prints after a descriptor ends, from its '<' at b[at] to
// behind its '>'; -1 if there is no such end. strace escapes these within a path, perf does not: the
// end is one that something follows which can follow a path. Brackets nest around a device's numbers,
// and what is no path can have an arrow within square ones.
func pathEnd(b []byte, at int) int {
	rest := b[at:]
	if len(rest) < 2 || rest[0] != '<' {
		return -1
	}
	if rest[1] != '/' {
		if end := bytes.Index(rest, []byte("]>")); end >= 0 {
			return at + end + 2
		}
	}
	nested := false
	for i := 1; i < len(rest); i++ {
		switch {
		case rest[i] == '<':
			nested = true
		case rest[i] != '>':
		case nested && i+1 < len(rest) && rest[i+1] == '>':
			nested = false
		case i+1 == len(rest) || bytes.IndexByte([]byte(",)( ]}="), rest[i+1]) >= 0:
			return at + i + 1
		}
	}
	return -1
}

// file finds what a descriptor stands for. One whose opening was not seen is opened now,
// at position 0.
func (m *Machine) file(p *Process, arg []byte) (*file, error) {
	fd, path, ok := parseFD(arg)
	if !ok {
		return nil, errBad("not a descriptor")
	}
	if fd < 0 || fd > maxFD {
		return nil, errSkip("calls on no descriptor")
	}
	d, open := p.table.fds[int32(fd)]
	switch {
	case open && path == nil:
		return d.file, m.unnamed(p, fd, d.file)
	case open && m.isCalled(d.file, path):
		return d.file, nil
	case open && (!d.file.shown || m.closes):
		return d.file, m.rename(d.file, path) // its name was not known, or has changed
	}
	f, err := m.unseen(p, fd, path)
	if err != nil {
		return nil, err
	}
	return f, m.set(p.table, fd, descriptor{file: f})
}

// isCalled says whether a path is the one that an open file is known by.
func (m *Machine) isCalled(f *file, path []byte) bool {
	if f.kind != regular {
		return f.shown && f.kind == kindOf(path)
	}
	return f.known && string(m.clean(path)) == m.log.Files.Name(f.id)
}

// unseen is the open file of a descriptor whose opening is not in the trace.
func (m *Machine) unseen(p *Process, fd int64, path []byte) (*file, error) {
	f := &file{}
	if path != nil {
		return f, m.rename(f, path)
	}
	if fd <= 2 {
		f.kind = standard
	}
	return f, m.unnamed(p, fd, f)
}

// unnamed gives a file whose path is not known a name.
func (m *Machine) unnamed(p *Process, fd int64, f *file) (err error) {
	if f.kind != regular || f.known {
		return nil
	}
	m.log.Note("some descriptors' files are not known, since neither their opening nor their paths are in the trace: they are called fd N of PID, and read and written from 0 on; capture paths too (strace -y, and open and openat among the calls)")
	m.paths = strconv.AppendInt(append(m.paths[:0], "fd "...), fd, 10)
	m.paths = strconv.AppendInt(append(m.paths, " of "...), p.ID, 10)
	f.id, err = m.fileID(m.paths)
	f.known = err == nil
	return err
}

// rename gives an open file its path.
func (m *Machine) rename(f *file, path []byte) (err error) {
	f.shown = true
	if f.kind = kindOf(path); f.kind != regular {
		return nil
	}
	f.id, err = m.fileID(m.clean(path))
	f.known = err == nil
	return err
}

// fileID numbers a file's name.
func (m *Machine) fileID(name []byte) (trace.ID, error) {
	id, err := m.names.ID(name)
	for err == nil && int(id) >= len(m.sizes) {
		m.sizes = append(m.sizes, 0)
	}
	return id, err
}

// clean is a path without a device's numbers and without escapes.
func (m *Machine) clean(path []byte) []byte {
	for _, device := range []string{"<char ", "<block "} {
		if i := bytes.Index(path, []byte(device)); i > 0 {
			path = path[:i]
		}
	}
	if bytes.IndexByte(path, '\\') < 0 {
		return path
	}
	m.paths = unescape(m.paths[:0], path)
	return m.paths
}

// unescape appends a string with C's escapes, resolved.
func unescape(to, s []byte) []byte {
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			to = append(to, s[i])
			continue
		}
		i++
		digits, base := 0, 8
		if s[i] == 'x' {
			base, i = 16, i+1
		}
		for digits < 3 && i+digits < len(s) && isDigit(s[i+digits], base) && (base == 8 || digits < 2) {
			digits++
		}
		switch v, err := strconv.ParseUint(string(s[i:i+digits]), base, 8); {
		case err == nil:
			to = append(to, byte(v))
			i += digits - 1
		case i < len(s):
			to = append(to, simpleEscape(s[i]))
		}
	}
	return to
}

func isDigit(c byte, base int) bool {
	if base == 8 {
		return c >= '0' && c <= '7'
	}
	return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'f'
}

func simpleEscape(c byte) byte {
	switch c {
	case 'n':
		return '\n'
	case 't':
		return '\t'
	case 'r':
		return '\r'
	case 'v':
		return '\v'
	case 'f':
		return '\f'
	}
	return c
}

var kindPrefixes = []struct {
	prefix string
	kind   kind
}{
	{"/proc/", virtual}, {"/sys/", virtual}, {"/dev/pts/", terminal}, {"/dev/tty", terminal}, {"/dev/console", terminal},
	{"/dev/ptmx", terminal}, {"/dev/null", character}, {"/dev/zero", character}, {"/dev/full", character},
	{"/dev/random", character}, {"/dev/urandom", character}, {"/dev/kmsg", character}, {"/dev/fuse", character},
	{"pipe:", pipe}, {"anon_inode:", anonymous}, {"pidfd:", anonymous},
}

// kindOf is what a descriptor of a path stands for, as tracers print it.
func kindOf(path []byte) kind {
	if bytes.Contains(path, []byte("<char ")) {
		if bytes.HasPrefix(path, []byte("/dev/pts/")) || bytes.HasPrefix(path, []byte("/dev/tty")) {
			return terminal
		}
		return character
	}
	for _, k := range kindPrefixes {
		if len(path) >= len(k.prefix) && string(path[:len(k.prefix)]) == k.prefix {
			return k.kind
		}
	}
	if len(path) > 0 && path[0] != '/' && bytes.IndexByte(path, ':') > 0 && bytes.HasSuffix(path, []byte("]")) {
		return socket
	}
	return regular
}

// contains says whether a list of flags, such as O_RDWR|O_APPEND, has a word, with or without
// a prefix of one or two letters: perf leaves it out.
func contains(flags []byte, word string) bool {
	for at := 0; ; {
		i := bytes.Index(flags[at:], []byte(word))
		if i < 0 {
			return false
		}
		i += at
		at = i + len(word)
		if begins(flags, i) && (at == len(flags) || !isWord(flags[at])) {
			return true
		}
	}
}

// begins says whether flags[i] is the beginning of a word, or follows its prefix.
func begins(flags []byte, i int) bool {
	if i > 0 && flags[i-1] == '_' {
		for i, n := i-1, 0; n < 2 && i > 0 && isWord(flags[i-1]); n++ {
			i--
			if i == 0 || !isWord(flags[i-1]) {
				return true
			}
		}
		return false
	}
	return i == 0 || !isWord(flags[i-1])
}

func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z'
}
