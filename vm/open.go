package vm

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"syscall"

	lua "github.com/yuin/gopher-lua"
	"golang.org/x/sys/unix"

	"moonio/engine"
	"moonio/engine/run"
	"moonio/engine/units"
)

// opening is a file that is being opened.
type opening struct {
	name      string
	size      int64 // to lay out
	layout    string
	direct    bool
	sync      string
	create    bool
	fresh     bool // there must be nothing yet
	asksFresh bool // the script says so
	empty     bool
	write     bool
	asked     bool        // the script said whether it writes
	kept      error       // why moonio may not write it; nil: the script does not ask to
	verify    *run.Verify // how what is written is verified; nil: it is not
	drop      bool        // from the page cache
	advice    string      // for it; "": none
}

func (m *machine) open(L *lua.LState) int {
	name, ok := L.Get(1).(lua.LString)
	if !ok {
		L.RaiseError("open: a file's name is a text, and this is %s", show(L.Get(1)))
	}
	call := fmt.Sprintf("open %q", string(name))
	op := m.opening(optionsAt(L, 2, call), string(name))
	m.notThinking(L, call)
	if m.task == nil {
		L.Push(m.wrap(m.openOutside(L, op, call)))
		return 1
	}
	if option, why := op.outside(); option != "" {
		L.RaiseError("%s: option %s: %s", call, option, why)
	}
	op.name = m.nameArg(L, 1, "open")
	code := m.permit(L, op, call)
	m.client.opening = op
	return m.doNamed(L, waitOpen, run.Request{Code: code, Meta: &engine.Meta{Path: op.name, Flags: op.flags(), Perm: 0o644}})
}

// opening reads how a file is to be opened.
func (m *machine) opening(o *options, name string) *opening {
	op := &opening{
		name:   name,
		size:   o.size("size", 0),
		layout: o.choice("layout", "write", "write", "allocate", "sparse"),
		direct: o.boolean("direct", false),
		sync:   o.choice("sync", "none", "none", "dsync", "sync"),
		create: o.boolean("create", true),
		fresh:  o.boolean("exclusive", false),
		empty:  o.boolean("truncate", false),
		write:  o.boolean("write", true),
		drop:   o.boolean("invalidate", false),
		advice: o.choice("advice", "", "random", "sequential"),
	}
	op.asked, op.asksFresh = o.has("write"), op.fresh
	if op.verify = m.verification(o, false); op.verify != nil {
		o.needsPattern(op.verify, op.verify.Data)
	}
	if f := m.run.device(op.name); f != nil {
		o.device(op, f)
	}
	if op.direct && op.advice != "" {
		o.fail("advice", "it is for the page cache, which direct I/O goes past")
	}
	o.agree(op)
	o.done()
	return op
}

// agree refuses what cannot be had together: a file that is only read is not emptied, and one that is not
// made cannot be new.
func (o *options) agree(op *opening) {
	without := "create = false"
	if !op.write {
		without = "write = false"
	}
	switch {
	case o.has("layout") && !o.has("size"):
		o.fail("layout", "it says how the file is laid out, and without a size it is not: give it size too")
	case op.empty && !op.write:
		o.fail("truncate", "emptying a file writes to it, and write = false opens it for reading only: leave one of them out")
	case op.fresh && (!op.create || !op.write):
		o.fail("exclusive", "the file must not be there, and with %s it is not made either: leave one of them out", without)
	}
}

// outside is an option that only the script's top level can give, and why; "" if there is none.
func (op *opening) outside() (option, why string) {
	switch {
	case op.verify != nil:
		return "verify", "a file that is verified is opened at the script's top level, before the phase"
	case op.size > 0:
		return "size", "a file is laid out at the script's top level, before the phase"
	case op.drop:
		return "invalidate", "only the script's top level can drop what the page cache holds"
	case op.advice != "":
		return "advice", "only the script's top level can give it"
	}
	return "", ""
}

// openOutside opens a file at the script's top level, and does there what only that can.
func (m *machine) openOutside(L *lua.LState, op *opening, call string) *file {
	f := m.openNow(L, op, call)
	if err := m.verifyFile(f, op.verify); err != nil {
		m.raise(L, fmt.Errorf("%s: %w", call, err))
	}
	if op.drop {
		m.dropCache(L, f)
	}
	if op.advice != "" && m.run.Plan == nil {
		if err := m.run.Session.Advise(f.File, op.advice == "random"); err != nil {
			m.raise(L, fmt.Errorf("%s: %w", call, err))
		}
	}
	return f
}

// device refuses what a device can't be opened with.
func (o *options) device(op *opening, f *file) {
	switch size := f.Size(); {
	case op.size > size:
		o.fail("size", "the device has %s, and %s are asked for", units.FormatSize(size), units.FormatSize(op.size))
	case o.has("direct") && !op.direct:
		o.fail("direct", "a device is always opened for direct I/O: leave the option out")
	case op.advice != "":
		o.fail("advice", "it is for the page cache, and a device is opened for direct I/O")
	case op.sync != "none":
		o.fail("sync", "a device is not opened with it: give streams dsync = true, or sync the device")
	case op.fresh:
		o.fail("exclusive", "the device is there already")
	case op.empty:
		o.fail("truncate", "a device can't be emptied: trim it")
	}
}

// permit asks the guard, and says whether the open makes the file. A file that
// may only be read is opened for reading, unless the script insists.
func (m *machine) permit(L *lua.LState, op *opening, call string) engine.OpCode {
	g := m.run.Guard
	if !op.write {
		op.create = false
		m.readable(L, call, op.name)
		return engine.Open
	}
	var err error
	if op.create {
		var fresh bool
		fresh, err = g.WillCreate(op.name)
		// What somebody else makes there in between must not be taken for ours.
		op.fresh = op.fresh || fresh
	} else {
		err = g.Writable(op.name)
	}
	if err == nil {
		return m.openCode(op)
	}
	if op.asked || op.empty || op.fresh || g.Readable(op.name) != nil {
		m.refuse(L, call, err)
	}
	op.write, op.create, op.kept = false, false, err
	return engine.Open
}

// openCode says whether an open has to make its file.
func (m *machine) openCode(op *opening) engine.OpCode {
	s := m.run.Session
	if !op.create || s.Knows(op.name) {
		return engine.Open
	}
	if _, _, err := s.FS.Stat(op.name); isAbsent(err) {
		return engine.Create
	}
	return engine.Open
}

func (op *opening) flags() int {
	flags := unix.O_RDONLY
	for _, f := range []struct {
		on   bool
		flag int
	}{
		{op.write, unix.O_RDWR}, {op.create, unix.O_CREAT}, {op.fresh, unix.O_EXCL | unix.O_CREAT}, {op.empty, unix.O_TRUNC},
		{op.direct, unix.O_DIRECT}, {op.sync == "dsync", unix.O_DSYNC}, {op.sync == "sync", unix.O_SYNC},
	} {
		if f.on {
			flags |= f.flag
		}
	}
	return flags
}

// openNow opens a file at the top level, laying it out if it is asked to.
func (m *machine) openNow(L *lua.LState, op *opening, call string) *file {
	if f := m.run.device(op.name); f != nil {
		m.planDevice(f)
		return f
	}
	clean, err := m.run.Guard.CheckName(op.name)
	if err != nil {
		if strings.HasPrefix(op.name, "/dev/") {
			err = fmt.Errorf("%w; --device %s lets the script open this device", err, op.name)
		}
		m.refuse(L, "open", err)
	}
	op.name = clean
	m.permit(L, op, call)
	if m.run.Plan != nil {
		if !op.create {
			m.beyondRehearsal(L) // whether it is there is not known
		}
		return m.openPlanned(op)
	}
	if err := m.create(op); err != nil {
		m.raise(L, err)
	}
	flags := op.flags()
	if op.size > 0 {
		m.layout(L, op, call)
		flags &^= unix.O_TRUNC // it has been emptied before
	}
	fd, err := m.run.Session.FS.Open(op.name, flags, 0o644)
	if err != nil {
		m.raise(L, openError(op, err))
	}
	f, err := m.opened(op, fd)
	if err != nil {
		m.raise(L, err)
	}
	f.Pinned = true
	if op.size > 0 {
		f.SetTail(0)
		f.SetWrap(op.size)
	}
	return f
}

// create makes a file that must not be there yet, before anything is laid out in it. What a run
// that shares it has made first is as good.
func (m *machine) create(op *opening) error {
	if !op.fresh {
		return nil
	}
	fs := m.run.Session.FS
	fd, err := fs.Open(op.name, unix.O_RDWR|unix.O_CREAT|unix.O_EXCL, 0o644)
	if errors.Is(err, syscall.EEXIST) && !op.asksFresh && m.run.Guard.Shared(op.name) == nil {
		op.fresh = false
		return nil
	}
	if err != nil {
		return openError(op, err)
	}
	op.fresh = false
	return fs.Close(fd)
}

var errNotWritten = errors.New("write = false keeps it from being laid out")

const hintMkdir = "; make its directory first with mkdir"

func openError(op *opening, err error) error {
	hint := ""
	switch {
	case errors.Is(err, syscall.EINVAL) && op.direct:
		hint = "; the file system may not offer direct I/O: try direct = false, or another --dir"
	case errors.Is(err, syscall.EEXIST) && op.asksFresh:
		hint = ", and exclusive = true wants it not to"
	case errors.Is(err, syscall.EEXIST):
		hint = ": another program made it at this moment; give each run a --dir of its own"
	case errors.Is(err, syscall.EISDIR):
		hint = "; write = false opens a directory, to sync it"
	case errors.Is(err, syscall.ENOENT) && op.kept != nil:
		err = op.kept
	case errors.Is(err, syscall.ENOENT) && op.create:
		hint = hintMkdir
	case errors.Is(err, syscall.ENOENT):
		hint = "; a file that moonio is to make needs create = true and write = true"
	}
	return fmt.Errorf("opening %q: %w%s", op.name, err, hint)
}

// opened makes a file of a new descriptor.
func (m *machine) opened(op *opening, fd int) (*file, error) {
	s := m.run.Session
	opened, err := s.Opened(op.name, fd, op.flags())
	if err != nil {
		return nil, errors.Join(err, s.FS.Close(fd))
	}
	opened.ReadOnly = !op.write
	m.run.keep(op.name, op.kept)
	f := &file{File: opened, path: op.name}
	m.files[opened] = f
	return f, nil
}

// closed takes note that a file has been closed.
func (m *machine) closed(f *engine.File) {
	delete(m.files, f)
	m.run.Session.Closed(f)
}

// closeFiles closes what has been left open: the next phase must not lack the descriptors, and there are file
// systems in which a directory can't be removed while a file is open that was in it. What operations may be in flight
// on still stays open.
func (m *machine) closeFiles() {
	if m.run.abandoned() {
		return
	}
	for _, f := range m.files {
		if !f.closed.Swap(true) {
			// An error of what was written comes from a sync; a close that matters is the script's own.
			_ = m.run.Session.FS.Close(f.FD)
			m.run.Session.Closed(f.File)
		}
	}
	clear(m.files)
}

// layout brings a file to the size that was asked for, with what was asked for in it.
func (m *machine) layout(L *lua.LState, op *opening, call string) {
	s := m.run.Session
	release, err := m.run.Guard.Alone(m.run.ctx, op.name)
	if err != nil {
		m.raise(L, fmt.Errorf("%s: %w", call, err))
	}
	defer release()
	have, dir, err := s.FS.Stat(op.name)
	switch {
	case errors.Is(err, syscall.ENOENT) && op.kept != nil:
		m.raise(L, fmt.Errorf("%s: %w", call, op.kept))
	case errors.Is(err, syscall.ENOENT) && !op.create:
		m.raise(L, openError(op, err))
	case errors.Is(err, syscall.ENOENT):
		have = 0
	case err != nil:
		m.raise(L, fmt.Errorf("%s: %w", call, err))
	case dir:
		m.raise(L, fmt.Errorf("%s: it is a directory", call))
	case op.empty:
		if have, err = 0, m.empty(op); err != nil {
			m.raise(L, err)
		}
	}
	if have >= op.size {
		return
	}
	if !op.write {
		m.raise(L, fmt.Errorf("%s: it has %d bytes, and %d are asked for: %w", call, have, op.size, cmp.Or(op.kept, errNotWritten)))
	}
	if op.layout != "sparse" {
		if err := m.run.room(op.name, op.size-have); err != nil {
			m.raise(L, fmt.Errorf("%s: %w", call, err))
		}
	}
	err = m.fillFile(op, have)
	if errors.Is(err, syscall.ENOENT) {
		err = fmt.Errorf("%w%s", err, hintMkdir)
	}
	if err != nil {
		m.raise(L, err)
	}
}

// empty empties a file that is laid out anew.
func (m *machine) empty(op *opening) error {
	fd, err := m.run.Session.FS.Open(op.name, unix.O_RDWR|unix.O_TRUNC, 0)
	if err != nil {
		return openError(op, err)
	}
	return m.run.Session.FS.Close(fd)
}

// fillFile gives a file the bytes from have to the size that was asked for.
func (m *machine) fillFile(op *opening, have int64) error {
	s := m.run.Session
	if op.layout == "write" {
		return s.Layout(m.run.ctx, op.name, have, op.size)
	}
	fd, err := s.FS.Open(op.name, unix.O_RDWR|unix.O_CREAT, 0o644)
	if err != nil {
		return fmt.Errorf("laying out %q: %w", op.name, err)
	}
	if op.layout == "allocate" {
		err = s.FS.Allocate(fd, have, op.size-have)
	} else {
		err = s.FS.Truncate(fd, op.size)
	}
	if cerr := s.FS.Close(fd); err == nil {
		err = cerr
	}
	if err != nil {
		return fmt.Errorf("laying out %q: %w", op.name, err)
	}
	return nil
}

// openPlanned notes the file, and gives the script one of that size that is not there.
func (m *machine) openPlanned(op *opening) *file {
	p := PlannedFile{Name: op.name, Size: op.size, Direct: op.direct, Write: op.write, Sync: op.sync, Found: !op.create || !op.write, Empty: op.empty || op.asksFresh}
	if op.size > 0 {
		p.Layout = op.layout
	}
	m.run.Plan.Files = append(m.run.Plan.Files, p)
	size, s := op.size, m.run.Session
	if size == 0 && (op.empty || !s.Knows(op.name)) {
		size = plannedSize
	}
	node := s.Planned(op.name, size, op.empty)
	return &file{File: &engine.File{Node: node, Name: op.name, Direct: op.direct, ReadOnly: !op.write}, path: op.name}
}

// planDevice notes that a device is opened, where nothing is done.
func (m *machine) planDevice(f *file) {
	if p := m.run.Plan; p != nil {
		p.Files = append(p.Files, PlannedFile{Name: f.path, Size: f.Size(), Direct: true, Write: !f.ReadOnly})
	}
}

// plannedSize is that of a file in a plan that is not laid out: what it holds is not known.
const plannedSize = 1 << 40
