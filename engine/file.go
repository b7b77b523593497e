package engine

import (
	"fmt"
	"sync/atomic"
)

// Node is what all open files of one name share: how far the file reaches and
// where it is appended to. It is safe for concurrent use.
type Node struct {
	size atomic.Int64
	tail atomic.Int64
	wrap atomic.Int64
}

// File is an open file, shared by every worker of a run.
type File struct {
	*Node
	Name     string // relative to the FS's root, or the path that the user named
	FD       int    // descriptor in the FS
	ID       uint32 // dense and unique in a run while the file is open; engines key registrations by it
	Direct   bool   // opened with O_DIRECT
	DSync    bool   // opened with O_DSYNC or O_SYNC
	Pinned   bool   // stays open for the whole run: worth registering
	Device   bool   // a block device
	ReadOnly bool   // not opened for writing
	Align    Align  // what direct operations must keep to
}

// Align is what a direct operation must be a multiple of, in bytes. The zero
// value asks for nothing.
type Align struct {
	Mem    int // buffer addresses
	Offset int // offsets and lengths
}

// Check says why an operation on off and n bytes would be refused, and what
// would be accepted; nil if it is aligned.
func (a Align) Check(off, n int64) error {
	o := int64(a.Offset)
	if o <= 1 || (off%o == 0 && n%o == 0) {
		return nil
	}
	what, v := "offset", off
	if off%o == 0 {
		what, v = "length", n
	}
	down := v - v%o
	return fmt.Errorf("%s %d is not a multiple of %d, which a direct operation here needs: %d or %d would be aligned", what, v, o, down, down+o)
}

// Size is the file's size in bytes as far as this program knows it: offsets
// are drawn below it.
func (n *Node) Size() int64 { return n.size.Load() }

// SetSize records a new size.
func (n *Node) SetSize(size int64) { n.size.Store(size) }

// Grow records that the file reaches at least to end.
func (n *Node) Grow(end int64) {
	for {
		old := n.size.Load()
		if end <= old || n.size.CompareAndSwap(old, end) {
			return
		}
	}
}

// Tail is the append position.
func (n *Node) Tail() int64 { return n.tail.Load() }

// SetTail moves the append position.
func (n *Node) SetTail(off int64) { n.tail.Store(off) }

// SetWrap makes the append position go back to 0 rather than past end, as a
// recycled log's does. With 0, the default, the file grows.
func (n *Node) SetWrap(end int64) { n.wrap.Store(end) }

// Reserve takes length bytes at the append position and returns their offset.
func (n *Node) Reserve(length int64) int64 {
	wrap := n.wrap.Load()
	for {
		old := n.tail.Load()
		off := old
		if wrap > 0 && off+length > wrap {
			off = 0
		}
		if n.tail.CompareAndSwap(old, off+length) {
			return off
		}
	}
}

// FS is a namespace of files: a directory of the operating system, or memory.
// Its calls block; engines use them for what they cannot do asynchronously, and
// the program for what it does between phases. It is safe for concurrent use.
// Errors are errnos (syscall.Errno), possibly wrapped.
type FS interface {
	Open(path string, flags int, perm uint32) (fd int, err error)
	Close(fd int) error
	Stat(path string) (size int64, dir bool, err error)
	Size(fd int) (int64, error)
	Truncate(fd int, size int64) error
	Allocate(fd int, off, n int64) error
	Trim(fd int, off, n int64) error
	Rename(from, to string) error
	Unlink(path string) error
	Mkdir(path string, perm uint32) error
	List(path string) ([]string, error) // sorted
	// Alignment is what direct operations on the open file must keep to.
	Alignment(fd int) (Align, error)
	// Memory says that there is no storage under it.
	Memory() bool
}
