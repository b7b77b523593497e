package calls

import (
	"fmt"
	"maps"
	"slices"

	"moonio/engine/trace"
)

// Bounds on what a hostile trace can make the memory hold.
const (
	maxProcesses   = 1 << 18
	maxDescriptors = 1 << 20
)

// Machine is the kernel's state, as far as the calls show it.
type Machine struct {
	log       *trace.Log
	names     *trace.Names
	processes map[int64]*Process
	forking   []fork  // forks and clones that have begun and not returned
	sizes     []int64 // of the files by their IDs: the furthest that is known of
	entries   int     // in all the tables
	closes    bool    // the trace has calls of close
	out       []trace.Record
	waiting   []waiting      // requests of io_submit, in its order
	ready     []trace.Record // those that Do will give
	given     uint64         // how many records Do has given
	paths     []byte         // where paths are put together
}

// New is a machine without processes.
func New(log *trace.Log) *Machine {
	return &Machine{log: log, names: &log.Files, processes: map[int64]*Process{}}
}

// Process is a process or thread.
type Process struct {
	ID     int64
	Stream trace.ID // of its records
	Named  bool     // Stream is set
	Begun  []byte   // the reader's: what was printed of a call that has not returned
	Since  int64    // and when that began

	table  *table
	forked bool // by whom is known
}

// table is a table of descriptors, which threads share.
type table struct {
	users int
	fds   map[int32]descriptor
	cwd   string // "" if it is not known
}

type descriptor struct {
	file    *file
	cloexec bool
}

// file is an open file: what descriptors that were duplicated share.
type file struct {
	id                   trace.ID
	kind                 kind
	position             int64
	append, direct, sync bool
	known                bool // its name is
	shown                bool // by what the tracer prints with each descriptor
}

// fork is one that has begun and not returned. Its child may show before that, and even end.
type fork struct {
	parent *Process
	shares bool
	child  int64 // 0 until one shows
}

// Process finds a process, or makes it: a child of a fork that is under way, if there is
// one.
func (m *Machine) Process(id int64) (*Process, error) {
	if p := m.processes[id]; p != nil {
		return p, nil
	}
	if len(m.processes) >= maxProcesses {
		return nil, fmt.Errorf("more than %d processes at once", maxProcesses)
	}
	p := &Process{ID: id}
	m.processes[id] = p
	if f := m.forkOf(0); f != nil {
		f.child = id
		return p, m.inherit(p, *f)
	}
	p.table = &table{users: 1}
	return p, nil
}

// forkOf is the oldest fork under way whose child that is; of child 0, whose child has not shown.
func (m *Machine) forkOf(child int64) *fork {
	i := slices.IndexFunc(m.forking, func(f fork) bool { return f.child == child })
	if i < 0 {
		return nil
	}
	return &m.forking[i]
}

// Unexpected says whether a process has not been seen, and no fork is under way whose child it
// could be.
func (m *Machine) Unexpected(id int64) bool { return m.processes[id] == nil && m.forkOf(0) == nil }

// Only is the one process that there is, or nil.
func (m *Machine) Only() *Process {
	if len(m.processes) != 1 {
		return nil
	}
	for _, p := range m.processes {
		return p
	}
	return nil
}

// Rename gives a process the id that it turns out to have.
func (m *Machine) Rename(p *Process, id int64) {
	delete(m.processes, p.ID)
	p.ID = id
	m.processes[id] = p
}

// Begin tells of a call that has begun and not yet returned. Closing takes
// effect then: another thread can be given the number before close returns.
func (m *Machine) Begin(p *Process, id ID, args []byte) {
	switch id {
	case Close:
		m.close(p, args)
	case Fork, Clone:
		const maxForking = 1 << 10
		if len(m.forking) < maxForking {
			m.forking = append(m.forking, fork{parent: p, shares: id == Clone && sharesFiles(args)})
		}
	}
}

// Exit ends a process.
func (m *Machine) Exit(p *Process) {
	m.forking = slices.DeleteFunc(m.forking, func(f fork) bool { return f.parent == p })
	m.leave(p)
	p.table = &table{users: 1}
	delete(m.processes, p.ID)
}

// leave gives up p's table.
func (m *Machine) leave(p *Process) {
	if p.table.users--; p.table.users == 0 {
		m.entries -= len(p.table.fds)
	}
}

// inherit gives a new process its parent's descriptors: the same table, or a copy.
func (m *Machine) inherit(p *Process, f fork) error {
	if p.table != nil {
		m.leave(p)
	}
	p.forked = true
	if f.shares {
		p.table = f.parent.table
		p.table.users++
		return nil
	}
	p.table = &table{users: 1, fds: maps.Clone(f.parent.table.fds), cwd: f.parent.table.cwd}
	return m.count(len(p.table.fds))
}

// count bounds the entries in all the tables.
func (m *Machine) count(n int) error {
	m.entries += n
	if m.entries > maxDescriptors {
		return fmt.Errorf("more than %d open descriptors at once", maxDescriptors)
	}
	return nil
}

// forked is a fork or clone that has returned its child in the parent.
func (m *Machine) forked(p *Process, c *Call) error {
	if m.shown(p, c.Ret) || c.Ret <= 0 {
		return nil
	}
	child := m.processes[c.Ret]
	if child != nil && child.forked || child == p {
		return nil
	}
	if child == nil {
		if len(m.processes) >= maxProcesses {
			return fmt.Errorf("more than %d processes at once", maxProcesses)
		}
		child = &Process{ID: c.Ret}
		m.processes[c.Ret] = child
	}
	return m.inherit(child, fork{parent: p, shares: c.ID == Clone && sharesFiles(c.Raw)})
}

// shown ends p's fork, and says whether its child has shown before: it may have ended since. A child that was taken
// for this fork's, and is not, must be that of another that is under way.
func (m *Machine) shown(p *Process, child int64) bool {
	i := slices.IndexFunc(m.forking, func(f fork) bool { return f.parent == p })
	if i < 0 {
		return false
	}
	taken := m.forking[i].child
	m.forking = slices.Delete(m.forking, i, i+1)
	if taken == child {
		return taken != 0
	}
	other := m.forkOf(child)
	shown := other != nil && child > 0
	if !shown {
		other = m.forkOf(0)
	}
	if other != nil {
		other.child = taken
	}
	return shown
}

// exec closes what is to be closed then, in a table of the process's own.
func (m *Machine) exec(p *Process) error {
	if err := m.unshare(p); err != nil {
		return err
	}
	for fd, d := range p.table.fds {
		if d.cloexec {
			m.drop(p.table, fd)
		}
	}
	return nil
}

// unshare gives a process a table of its own.
func (m *Machine) unshare(p *Process) error {
	if p.table.users == 1 {
		return nil
	}
	p.table.users--
	p.table = &table{users: 1, fds: maps.Clone(p.table.fds), cwd: p.table.cwd}
	return m.count(len(p.table.fds))
}

// set makes a descriptor.
func (m *Machine) set(t *table, fd int64, d descriptor) error {
	if fd < 0 || fd > maxFD {
		return nil
	}
	if t.fds == nil {
		t.fds = map[int32]descriptor{}
	}
	before := len(t.fds)
	t.fds[int32(fd)] = d
	return m.count(len(t.fds) - before)
}

// maxFD is the largest number of a descriptor.
const maxFD = 1<<31 - 1

// drop closes a descriptor.
func (m *Machine) drop(t *table, fd int32) {
	before := len(t.fds)
	delete(t.fds, fd)
	m.entries -= before - len(t.fds)
}
