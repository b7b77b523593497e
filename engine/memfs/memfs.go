// Package memfs is a namespace of files in memory: names, directories and
// sizes, but no contents. It is what engines that touch no storage work on.
//
// Errors are those that Linux gives for the same call (plain syscall.Errno, or
// one wrapped where it needs explaining), as root: permissions are accepted and
// ignored. There are no links. Every method is safe for concurrent use; the
// reads and writes of open files take no lock and allocate nothing.
package memfs

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"golang.org/x/sys/unix"

	"moonio/engine"
)

// FS is a namespace.
type FS struct {
	mu   sync.Mutex // guards the tree, and changes to the table
	root *node
	open table
}

var _ engine.FS = (*FS)(nil)

// node is a file or a directory. It lives as long as a name or a descriptor refers to it.
type node struct {
	size     atomic.Int64
	children map[string]*node // nil for a file
}

func (n *node) dir() bool { return n.children != nil }

func newDir() *node { return &node{children: map[string]*node{}} }

// New returns an empty namespace.
func New() *FS { return &FS{root: newDir()} }

// Memory is true.
func (fs *FS) Memory() bool { return true }

// find returns what name stands for. The caller holds mu.
func (fs *FS) find(name string) (*node, error) {
	n := fs.root
	if name == "." {
		return n, nil
	}
	for more := true; more; {
		var part string
		part, name, more = strings.Cut(name, "/")
		if !n.dir() {
			return nil, unix.ENOTDIR
		}
		if n = n.children[part]; n == nil {
			return nil, unix.ENOENT
		}
	}
	return n, nil
}

// parent returns the directory that holds name's last part, and that part. The caller holds mu.
func (fs *FS) parent(name string) (dir *node, base string, err error) {
	dir, base = fs.root, name
	if i := strings.LastIndexByte(name, '/'); i >= 0 {
		base = name[i+1:]
		if dir, err = fs.find(name[:i]); err != nil {
			return nil, "", err
		}
	}
	if !dir.dir() {
		return nil, "", unix.ENOTDIR
	}
	return dir, base, nil
}

// Stat tells a size and whether it is a directory's.
func (fs *FS) Stat(path string) (size int64, dir bool, err error) {
	name, err := engine.CleanName(path)
	if err != nil {
		return 0, false, err
	}
	fs.mu.Lock()
	defer fs.mu.Unlock()
	n, err := fs.find(name)
	if err != nil {
		return 0, false, err
	}
	return n.size.Load(), n.dir(), nil
}

// List returns a directory's names, sorted.
func (fs *FS) List(path string) ([]string, error) {
	name, err := engine.CleanName(path)
	if err != nil {
		return nil, err
	}
	fs.mu.Lock()
	defer fs.mu.Unlock()
	n, err := fs.find(name)
	if err != nil {
		return nil, err
	}
	if !n.dir() {
		return nil, unix.ENOTDIR
	}
	names := make([]string, 0, len(n.children))
	for name := range n.children {
		names = append(names, name)
	}
	slices.Sort(names)
	return names, nil
}

// Mkdir makes an empty directory.
func (fs *FS) Mkdir(path string, _ uint32) error {
	name, err := engine.CleanName(path)
	if err != nil {
		return err
	}
	fs.mu.Lock()
	defer fs.mu.Unlock()
	dir, base, err := fs.parent(name)
	if err != nil {
		return err
	}
	if base == "." || dir.children[base] != nil {
		return unix.EEXIST
	}
	dir.children[base] = newDir()
	return nil
}

// Unlink removes a file's name; the file lives on while it is open.
func (fs *FS) Unlink(path string) error {
	name, err := engine.CleanName(path)
	if err != nil {
		return err
	}
	fs.mu.Lock()
	defer fs.mu.Unlock()
	n, err := fs.find(name)
	if err != nil {
		return err
	}
	if n.dir() {
		return unix.EISDIR
	}
	dir, base, err := fs.parent(name)
	delete(dir.children, base)
	return err
}

// Rename gives what is at from the name to, replacing a file, or an empty
// directory by a directory.
func (fs *FS) Rename(from, to string) error {
	from, err := engine.CleanName(from)
	if err != nil {
		return err
	}
	if to, err = engine.CleanName(to); err != nil {
		return err
	}
	fs.mu.Lock()
	defer fs.mu.Unlock()
	oldDir, oldBase, err := fs.parent(from)
	if err != nil {
		return err
	}
	newDir, newBase, err := fs.parent(to)
	if err != nil {
		return err
	}
	if from == "." || to == "." {
		return unix.EBUSY
	}
	n := oldDir.children[oldBase]
	if n == nil {
		return unix.ENOENT
	}
	switch {
	case strings.HasPrefix(to, from+"/"):
		return unix.EINVAL // a directory can't move into itself
	case strings.HasPrefix(from, to+"/"):
		return unix.ENOTEMPTY
	}
	if err := replaceable(n, newDir.children[newBase]); err != nil {
		return err
	}
	delete(oldDir.children, oldBase)
	newDir.children[newBase] = n
	return nil
}

// replaceable says why n may not take the place of old, which may be nil.
func replaceable(n, old *node) error {
	switch {
	case old == nil || old == n:
		return nil
	case old.dir() && !n.dir():
		return unix.EISDIR
	case !old.dir() && n.dir():
		return unix.ENOTDIR
	case len(old.children) > 0:
		return unix.ENOTEMPTY
	}
	return nil
}
