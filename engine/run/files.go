package run

import (
	"fmt"
	"syscall"

	"moonio/engine"
)

// Knows says whether the run has a file of that name.
func (s *Session) Knows(name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, ok := s.nodes[name]
	return ok
}

// Renamed and Unlinked keep names and what is known of their files together.
func (s *Session) Renamed(from, to string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n, ok := s.nodes[from]; ok {
		delete(s.nodes, from)
		s.nodes[to] = n
		return
	}
	delete(s.nodes, to)
}

// Unlinked forgets a name; files that are open under it live on.
func (s *Session) Unlinked(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.nodes, name)
}

// Opened makes the file of a descriptor that an open has returned. Appending
// goes on at its end, or where those go on who have it open already: they may have
// taken places past its present end.
func (s *Session) Opened(name string, fd int, flags int) (*engine.File, error) {
	size, err := s.FS.Size(fd)
	if err != nil {
		return nil, fmt.Errorf("size of %q: %w", name, err)
	}
	f := &engine.File{
		Name: name, FD: fd,
		Direct: flags&syscall.O_DIRECT != 0,
		DSync:  flags&syscall.O_DSYNC != 0,
	}
	if f.Direct {
		if f.Align, err = s.FS.Alignment(fd); err != nil {
			return nil, fmt.Errorf("alignment of direct I/O on %q: %w", name, err)
		}
	}
	f.Node = s.node(name, size, flags&syscall.O_TRUNC != 0)
	f.ID = s.ids.Take()
	return f, nil
}

// Planned is what all who open a file of that name share where it is only planned that they do: its size is the
// largest in bytes that any of them gives it, or 0 for who leaves it as it is, from where it was emptied last.
func (s *Session) Planned(name string, size int64, emptied bool) *engine.Node {
	n := s.node(name, size, emptied)
	n.SetTail(0)
	return n
}

// node is what all open files of that name share, and counts one more of them, which
// has found that size.
func (s *Session) node(name string, size int64, emptied bool) *engine.Node {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.nodes == nil {
		s.nodes, s.users, s.anew = map[string]*engine.Node{}, map[*engine.Node]int{}, map[*engine.Node]bool{}
	}
	n, ok := s.nodes[name]
	if !ok {
		n = new(engine.Node)
		s.nodes[name] = n
	}
	switch {
	case s.users[n] > 0 && !emptied:
		n.Grow(size)
	case size != n.Size():
		n.SetSize(size)
		n.SetTail(size)
	}
	if emptied {
		s.anew[n] = true
	}
	s.users[n]++
	return n
}

// emptied says whether a file held nothing when the run began to write to it.
func (s *Session) emptied(f *engine.File) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return f.Size() == 0 || s.anew[f.Node]
}

// grown notes that a file reaches at least to end.
func (s *Session) grown(name string, end int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n, ok := s.nodes[name]; ok && s.users[n] > 0 {
		n.Grow(end)
	}
}

// Device makes the file of a block device that is open for direct operations for
// the whole run.
func (s *Session) Device(path string, fd int, size int64, align engine.Align) *engine.File {
	n := s.node(path, size, false)
	n.SetTail(0)
	n.SetWrap(size)
	return &engine.File{Node: n, Name: path, FD: fd, ID: s.ids.Take(), Direct: true, Pinned: true, Device: true, Align: align}
}

// Closed takes note that a file's descriptor has been closed.
func (s *Session) Closed(f *engine.File) {
	s.ids.Release(f.ID)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.users[f.Node]--; s.users[f.Node] <= 0 {
		delete(s.users, f.Node)
	}
}
