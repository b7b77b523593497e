package mmap

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"moonio/engine"
	"moonio/engine/helper"
)

// maxMapped is how many files an engine has mapped at a time.
const maxMapped = 1024

// headroom is how far a mapping reaches past the file's end, in bytes, so that a
// file that grows is not mapped anew with every write.
const headroom = 64 << 20

var pageSize = int64(os.Getpagesize())

// handle is an open file as the engine knows it.
type handle struct {
	file        *engine.File // nil if there is none
	node        *node        // nil if it can't be mapped: a directory, a pipe
	read, write bool
	dsync       bool
	own         int // a descriptor to map it by, if the file's own does not do; or -1
}

type inode struct{ dev, ino uint64 }

// node is a file, however often it is open.
type node struct {
	id       inode
	size     int64
	mem      []byte // reaches past size; nil if it is not mapped
	writable bool
	users    int
}

// handle finds out about a file at its first use. With nil comes a completion's
// Res, or why the engine can't go on.
func (e *Engine) handle(f *engine.File) (*handle, int64, error) {
	if f.ID < uint32(len(e.handles)) && e.handles[f.ID].file == f {
		return &e.handles[f.ID], 0, nil
	}
	if f.Direct {
		return nil, 0, fmt.Errorf("mmap: file %q is open for direct I/O, and a mapping is of the page cache: open it without, or choose another engine", f.Name)
	}
	var st unix.Stat_t
	flags, err := unix.FcntlInt(uintptr(f.FD), unix.F_GETFL, 0)
	if err == nil {
		err = unix.Fstat(f.FD, &st)
	}
	if err != nil {
		return nil, helper.Errno(err), nil
	}
	if missing := int(f.ID) + 1 - len(e.handles); missing > 0 {
		e.handles = append(e.handles, make([]handle, missing)...)
	}
	h := &e.handles[f.ID]
	e.forget(h) // a file that had the ID before
	mode := flags & unix.O_ACCMODE
	*h = handle{file: f, read: mode != unix.O_WRONLY, write: mode != unix.O_RDONLY, dsync: flags&(unix.O_DSYNC|unix.O_SYNC) != 0, own: -1}
	if kind := st.Mode & unix.S_IFMT; kind == unix.S_IFREG || kind == unix.S_IFBLK {
		h.node = e.node(inode{st.Dev, st.Ino})
		h.node.users++
		h.node.measure(f.FD)
	}
	return h, 0, nil
}

func (e *Engine) node(id inode) *node {
	n, ok := e.nodes[id]
	if !ok {
		n = &node{id: id}
		e.nodes[id] = n
	}
	return n
}

// forget drops a handle, and its file's mapping with the last.
func (e *Engine) forget(h *handle) {
	n := h.node
	_ = h.closeOwn() // nothing is written by it
	*h = handle{}
	if n == nil {
		return
	}
	if n.users--; n.users == 0 {
		e.drop(n)
		delete(e.nodes, n.id)
	}
}

// drop unmaps a file. What was stored in it stays in the page cache.
func (e *Engine) drop(n *node) {
	for i, m := range e.mapped {
		if m == n {
			e.mapped = append(e.mapped[:i], e.mapped[i+1:]...)
			_ = n.unmap() // it fails for wrong arguments only
			return
		}
	}
}

func (h *handle) closeOwn() error {
	if h.file == nil || h.own < 0 {
		return nil
	}
	fd := h.own
	h.own = -1
	return unix.Close(fd)
}

// reach makes sure that the file is mapped up to end, for storing if the handle
// is for writing.
func (e *Engine) reach(h *handle, end int64) error {
	n := h.node
	if end <= int64(len(n.mem)) && (n.writable || !h.write) {
		return nil
	}
	fd, err := h.mappable()
	if err != nil {
		return err
	}
	e.drop(n)
	if len(e.mapped) >= e.most {
		e.drop(e.mapped[0])
	}
	prot, flags := unix.PROT_READ, unix.MAP_SHARED
	if h.write {
		prot |= unix.PROT_WRITE
	}
	if e.populate {
		flags |= unix.MAP_POPULATE
	}
	if n.mem, err = unix.Mmap(fd, 0, int(n.size+headroom), prot, flags); err != nil {
		n.mem = nil
		return fmt.Errorf("mmap: mapping file %q of %d bytes: %w", h.file.Name, n.size, err)
	}
	n.writable = h.write
	e.mapped = append(e.mapped, n)
	return e.adviseOn(h)
}

// mappable is a descriptor of the file that it can be mapped by: one that is not
// for writing only.
func (h *handle) mappable() (int, error) {
	if h.read {
		return h.file.FD, nil
	}
	if h.own < 0 {
		fd, err := helper.Reopen(h.file, unix.O_RDWR)
		if err != nil {
			return -1, fmt.Errorf("mmap: file %q is open for writing only, and a mapping must be readable; opening it for that: %w", h.file.Name, err)
		}
		h.own = fd
	}
	return h.own, nil
}

func (e *Engine) adviseOn(h *handle) error {
	for _, a := range advices[1:] {
		if a.name != e.advise {
			continue
		}
		if err := unix.Madvise(h.node.mem, a.advice); err != nil {
			return fmt.Errorf("mmap: option advise=%s on file %q: %s refuses it: leave the option out, or use another file system: %w", a.name, h.file.Name, helper.FileSystem(h.file), err)
		}
	}
	return nil
}

// measure asks for the file's size.
func (n *node) measure(fd int) {
	var st unix.Stat_t
	if unix.Fstat(fd, &st) != nil {
		return // of a file that was closed: operations on it say so
	}
	n.size = st.Size
	if st.Mode&unix.S_IFMT == unix.S_IFBLK {
		n.size, _ = unix.Seek(fd, 0, unix.SEEK_END)
	}
}

// covered says whether the mapping holds all of the file.
func (n *node) covered(fd int) bool {
	n.measure(fd)
	return n.size > 0 && n.size <= int64(len(n.mem))
}

// sync makes the file durable from one offset to another; res is what the
// operation returns then.
func (n *node) sync(from, to, res int64) int64 {
	if err := n.msync(from, to); err != nil {
		return helper.Errno(err)
	}
	return res
}

// msync makes a range of the mapping durable.
func (n *node) msync(from, to int64) error {
	from -= from % pageSize
	return unix.Msync(n.mem[from:min(to, int64(len(n.mem)))], unix.MS_SYNC)
}

func (n *node) unmap() error {
	m := n.mem
	n.mem = nil
	return unix.Munmap(m)
}
