package calls

import (
	"bytes"
	"path"

	"moonio/engine/trace/internal/scan"
)

// state is the effect of a call on descriptors and processes. None gives a record.
func (m *Machine) state(p *Process, c *Call) error {
	err := m.change(p, c)
	if err == nil {
		err = skipState
	}
	return err
}

func (m *Machine) change(p *Process, c *Call) error {
	if c.ID == Close {
		if !c.Begun {
			m.close(p, c.arg(0))
		}
		return nil
	}
	if c.ID == Fork || c.ID == Clone {
		return m.forked(p, c)
	}
	if c.Ret < 0 {
		return nil
	}
	switch c.ID {
	case Open:
		return m.open(p, c, nil, c.arg(0), c.arg(1))
	case OpenAt:
		return m.open(p, c, c.arg(0), c.arg(1), c.arg(2))
	case Creat:
		return m.open(p, c, nil, c.arg(0), []byte("O_WRONLY|O_CREAT|O_TRUNC"))
	case Exec:
		return m.exec(p)
	case Unshare:
		if cloneFiles.in(c.arg(0)) {
			return m.unshare(p)
		}
		return nil
	case Chdir:
		m.chdir(p, c.arg(0))
		return nil
	case Fchdir:
		m.fchdir(p, c.arg(0))
		return nil
	}
	return m.descriptors(p, c)
}

// descriptors is the effect of calls that make, copy, change or close some.
func (m *Machine) descriptors(p *Process, c *Call) error {
	switch c.ID {
	case CloseRange:
		return m.closeRange(p, c)
	case Dup:
		return m.dup(p, c, false)
	case Dup2:
		return m.dup(p, c, openCloexec.in(c.arg(2)))
	case Fcntl:
		return m.fcntl(p, c)
	case Lseek:
		f, err := m.file(p, c.arg(0))
		if err == nil {
			f.position = c.Ret
		}
		return err
	case Socket:
		return m.make(p, c, socket)
	case Anon:
		return m.make(p, c, anonymous)
	case Pipe:
		return m.makePair(p, c)
	case Memfd:
		return m.memfd(p, c)
	case GetEvents:
		return m.reap(p, c)
	}
	return nil
}

// open makes a descriptor for a file. perf prints flags without their O_.
func (m *Machine) open(p *Process, c *Call, dir, name, flags []byte) error {
	m.learn(p, dir)
	f := &file{
		append: openAppend.in(flags),
		direct: openDirect.in(flags),
		sync:   openSync.in(flags) || openDsync.in(flags),
	}
	var err error
	if c.RetPath != nil {
		err = m.rename(f, c.RetPath)
	} else {
		err = m.named(p, f, dir, name)
	}
	if err != nil {
		return err
	}
	if f.kind == regular && openTrunc.in(flags) && f.known {
		m.sizes[f.id] = 0
	}
	return m.set(p.table, c.Ret, descriptor{f, openCloexec.in(flags)})
}

// named gives an open file the path that a call names it by: in a directory, or in
// the process's own, as far as they are known. A name that is no string, but an address, leaves
// it without one.
func (m *Machine) named(p *Process, f *file, dir, name []byte) error {
	quoted, ok := unquote(name)
	if !ok {
		return nil
	}
	path := m.absolute(p, dir, quoted)
	if f.kind = kindOf(path); f.kind != regular {
		return nil
	}
	var err error
	f.id, err = m.fileID(path)
	f.known = err == nil
	return err
}

// absolute is a path as a call names it, in a directory, and without the "." and ".." by which the same
// file has several names.
func (m *Machine) absolute(p *Process, dir, name []byte) []byte {
	full := unescape(nil, name)
	if len(full) > 0 && full[0] != '/' {
		full = append(m.directory(p, dir), full...)
	}
	if len(full) == 0 || !bytes.Contains(full, []byte("//")) && !bytes.Contains(full, []byte("./")) && full[len(full)-1] != '.' && full[len(full)-1] != '/' {
		return full
	}
	return []byte(path.Clean(string(full)))
}

// directory is the path that names in dir are relative to, with a slash at its end; nil
// if it is not known.
func (m *Machine) directory(p *Process, dir []byte) []byte {
	path := []byte(p.table.cwd)
	if i := bytes.IndexByte(dir, '<'); i >= 0 && dir[len(dir)-1] == '>' {
		path = unescape(nil, dir[i+1:len(dir)-1])
	} else if fd, ok := scan.Uint(dir); ok {
		path = nil
		if d, open := p.table.fds[int32(min(fd, maxFD))]; open && d.file.known {
			path = []byte(m.log.Files.Name(d.file.id))
		}
	}
	if len(path) == 0 || path[len(path)-1] == '/' {
		return path
	}
	return append(path, '/')
}

// learn takes the process's directory from an argument such as AT_FDCWD</srv>.
func (m *Machine) learn(p *Process, dir []byte) {
	path, ok := bytes.CutPrefix(dir, []byte("AT_FDCWD<"))
	if ok && len(path) > 1 && string(path[:len(path)-1]) != p.table.cwd {
		p.table.moveTo(unescape(nil, path[:len(path)-1]))
	}
}

// unquote is what is between a string's quotes; false if it is no whole string.
func unquote(b []byte) ([]byte, bool) {
	if len(b) < 2 || b[0] != '"' || b[len(b)-1] != '"' {
		return nil, false
	}
	return b[1 : len(b)-1], true
}

func (m *Machine) chdir(p *Process, name []byte) {
	quoted, ok := unquote(name)
	if !ok {
		return
	}
	p.table.moveTo(m.absolute(p, nil, quoted))
}

// fchdir moves to an open directory: as its path is printed, or as it was opened.
func (m *Machine) fchdir(p *Process, arg []byte) {
	fd, path, ok := parseFD(arg)
	if d, open := p.table.fds[int32(min(fd, maxFD))]; ok && path == nil && open && d.file.known {
		path = []byte(m.log.Files.Name(d.file.id))
	}
	p.table.moveTo(m.clean(path))
}

// moveTo changes the directory of the processes that share a table.
func (t *table) moveTo(path []byte) {
	const maxPath = 4096
	if t.cwd = ""; len(path) <= maxPath {
		t.cwd = string(path)
	}
}

func (m *Machine) close(p *Process, arg []byte) {
	fd, _, ok := parseFD(arg)
	if ok && fd >= 0 && fd <= maxFD {
		m.closes = true
		m.drop(p.table, int32(fd))
	}
}

func (m *Machine) closeRange(p *Process, c *Call) error {
	first, _, ok1 := parseFD(c.arg(0))
	last, _, ok2 := parseFD(c.arg(1))
	if !ok1 || !ok2 {
		return errBad("not a range of descriptors")
	}
	mark := rangeCloexec.in(c.arg(2))
	for fd, d := range p.table.fds {
		switch {
		case int64(fd) < first || int64(fd) > last:
		case mark:
			d.cloexec = true
			p.table.fds[fd] = d
		default:
			m.drop(p.table, fd)
		}
	}
	return nil
}

// dup makes the descriptor that a call returned share the open file of its first argument.
func (m *Machine) dup(p *Process, c *Call, cloexec bool) error {
	f, err := m.file(p, c.arg(0))
	if err != nil {
		return err
	}
	if fd, _, ok := parseFD(c.arg(0)); ok && fd == c.Ret {
		return nil
	}
	return m.set(p.table, c.Ret, descriptor{f, cloexec})
}

// fcntl is of interest where it duplicates, or changes flags.
func (m *Machine) fcntl(p *Process, c *Call) error {
	command, flags := c.arg(1), c.arg(2)
	switch {
	case dupFD.is(command):
		return m.dup(p, c, false)
	case dupFDCloexec.is(command):
		return m.dup(p, c, true)
	case setFL.is(command):
		f, err := m.file(p, c.arg(0))
		if err == nil {
			f.append, f.direct = openAppend.in(flags), openDirect.in(flags)
		}
		return err
	case setFD.is(command):
		fd, _, ok := parseFD(c.arg(0))
		if d, open := p.table.fds[int32(min(fd, maxFD))]; ok && open {
			d.cloexec = fdCloexec.in(flags)
			p.table.fds[int32(fd)] = d
		}
	}
	return nil
}

// make is a descriptor that is no file's.
func (m *Machine) make(p *Process, c *Call, k kind) error {
	return m.set(p.table, c.Ret, descriptor{file: &file{kind: k}})
}

// makePair is the two descriptors in brackets that a call gave.
func (m *Machine) makePair(p *Process, c *Call) error {
	_, pair, ok := bytes.Cut(c.Raw, []byte{'['})
	if !ok {
		return nil
	}
	for range 2 {
		number, rest, _ := bytes.Cut(pair, []byte(", "))
		i := 0
		for i < len(number) && number[i] >= '0' && number[i] <= '9' {
			i++
		}
		fd, ok := scan.Uint(number[:i])
		if !ok {
			return nil
		}
		if err := m.set(p.table, fd, descriptor{file: &file{kind: pipe}}); err != nil {
			return err
		}
		pair = rest
	}
	return nil
}

// memfd is a file in memory, which has a name of sorts.
func (m *Machine) memfd(p *Process, c *Call) error {
	f := &file{}
	name, _ := unquote(c.arg(0))
	path := append([]byte("/memfd:"), name...)
	if err := m.rename(f, path); err != nil {
		return err
	}
	return m.set(p.table, c.Ret, descriptor{f, memfdCloexec.in(c.arg(1))})
}
