package enginetest

import (
	"maps"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// model is what files must look like, and what operations on them must
// return. It is written for being read, and shares nothing with any FS.
type model struct {
	root    *node
	noTrim  bool // the file system can't punch holes
	noAlloc bool // or reserve space
}

type node struct {
	dir      bool
	children map[string]*node
	data     []byte
}

// handle is an open file.
type handle struct {
	node        *node
	name        string
	read, write bool
	id          int
}

func newNode(dir bool) *node {
	return &node{dir: dir, children: map[string]*node{}}
}

// find returns the node at path, or why there is none.
func (m *model) find(path string) (*node, unix.Errno) {
	n := m.root
	if path == "." {
		return n, 0
	}
	for part := range strings.SplitSeq(path, "/") {
		if !n.dir {
			return nil, unix.ENOTDIR
		}
		if n = n.children[part]; n == nil {
			return nil, unix.ENOENT
		}
	}
	return n, 0
}

// place returns the directory that path is in, and its name there.
func (m *model) place(path string) (dir *node, base string, e unix.Errno) {
	parent, base := ".", path
	if i := strings.LastIndexByte(path, '/'); i >= 0 {
		parent, base = path[:i], path[i+1:]
	}
	dir, e = m.find(parent)
	if e == 0 && !dir.dir {
		e = unix.ENOTDIR
	}
	return dir, base, e
}

func (m *model) open(path string, flags int) (*handle, unix.Errno) {
	create, trunc := flags&unix.O_CREAT != 0, flags&unix.O_TRUNC != 0
	mode := flags & unix.O_ACCMODE
	n, e := m.find(path)
	switch {
	case e == unix.ENOENT && create:
		dir, base, e := m.place(path)
		if e != 0 {
			return nil, e
		}
		n = newNode(false)
		dir.children[base] = n
	case e != 0:
		return nil, e
	case create && flags&unix.O_EXCL != 0:
		return nil, unix.EEXIST
	case n.dir && (create || trunc || mode != unix.O_RDONLY):
		return nil, unix.EISDIR
	case !n.dir && flags&unix.O_DIRECTORY != 0:
		return nil, unix.ENOTDIR
	}
	if trunc {
		n.data = nil
	}
	return &handle{node: n, name: path, read: mode != unix.O_WRONLY, write: mode != unix.O_RDONLY}, 0
}

func (m *model) mkdir(path string) unix.Errno {
	dir, base, e := m.place(path)
	switch {
	case e != 0:
		return e
	case dir.children[base] != nil:
		return unix.EEXIST
	}
	dir.children[base] = newNode(true)
	return 0
}

func (m *model) unlink(path string) unix.Errno {
	dir, base, e := m.place(path)
	switch {
	case e != 0:
		return e
	case dir.children[base] == nil:
		return unix.ENOENT
	case dir.children[base].dir:
		return unix.EISDIR
	}
	delete(dir.children, base)
	return 0
}

func (m *model) rename(from, to string) unix.Errno {
	fromDir, fromBase, e := m.place(from)
	if e != 0 {
		return e
	}
	toDir, toBase, e := m.place(to)
	if e != 0 {
		return e
	}
	n, old := fromDir.children[fromBase], toDir.children[toBase]
	switch {
	case n == nil:
		return unix.ENOENT
	case strings.HasPrefix(to, from+"/"):
		return unix.EINVAL
	case strings.HasPrefix(from, to+"/"):
		return unix.ENOTEMPTY
	case old == n:
		return 0
	case old != nil && n.dir && !old.dir:
		return unix.ENOTDIR
	case old != nil && !n.dir && old.dir:
		return unix.EISDIR
	case old != nil && len(old.children) > 0:
		return unix.ENOTEMPTY
	}
	delete(fromDir.children, fromBase)
	toDir.children[toBase] = n
	return 0
}

func (m *model) list(path string) ([]string, unix.Errno) {
	n, e := m.find(path)
	switch {
	case e != 0:
		return nil, e
	case !n.dir:
		return nil, unix.ENOTDIR
	}
	return slices.Sorted(maps.Keys(n.children)), 0
}

// read returns what a read gets, and its result.
func (h *handle) readAt(off, n int) ([]byte, int64) {
	switch {
	case !h.read:
		return nil, errno(unix.EBADF)
	case h.node.dir:
		return nil, errno(unix.EISDIR)
	}
	size := len(h.node.data)
	got := slices.Clone(h.node.data[min(off, size):min(off+n, size)])
	return got, int64(len(got))
}

func (h *handle) writeAt(b []byte, off int) int64 {
	if !h.write {
		return errno(unix.EBADF)
	}
	if len(b) > 0 {
		h.node.reach(off + len(b))
		copy(h.node.data[off:], b)
	}
	return int64(len(b))
}

func (h *handle) truncate(size int) int64 {
	if !h.write {
		return errno(unix.EINVAL)
	}
	h.node.data = h.node.data[:min(size, len(h.node.data))]
	h.node.reach(size)
	return 0
}

func (m *model) allocate(h *handle, off, n int) int64 {
	switch {
	case !h.write:
		return errno(unix.EBADF)
	case m.noAlloc:
		return errno(unix.EOPNOTSUPP)
	}
	h.node.reach(off + n)
	return 0
}

func (m *model) trim(h *handle, off, n int) int64 {
	switch {
	case !h.write:
		return errno(unix.EBADF)
	case m.noTrim:
		return errno(unix.EOPNOTSUPP)
	}
	size := len(h.node.data)
	clear(h.node.data[min(off, size):min(off+n, size)])
	return 0
}

// reach makes the file at least size bytes long.
func (n *node) reach(size int) {
	if more := size - len(n.data); more > 0 {
		n.data = append(n.data, make([]byte, more)...)
	}
}
