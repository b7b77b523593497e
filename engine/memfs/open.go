package memfs

import (
	"math"
	"sync/atomic"

	"golang.org/x/sys/unix"

	"moonio/engine"
)

// Handle is an open file. It does not change, and is safe for concurrent use.
type Handle struct {
	node     *node
	readable bool
	writable bool
	appends  bool // writes go to the end, whatever their offset
}

// Descriptors start here, so that one that was never set is EBADF.
const firstFD = 3

// Handles are kept in chunks that are made when they are needed and stay.
const (
	chunkSize = 1024
	maxChunks = 1024
)

// table maps descriptors to handles. Readers take no lock; writers hold FS.mu.
type table struct {
	chunks [maxChunks]atomic.Pointer[chunk]
	used   int   // places ever used
	free   []int // places below used that are empty
}

type chunk [chunkSize]atomic.Pointer[Handle]

// get returns fd's handle, nil if it is not open.
func (t *table) get(fd int) *Handle {
	i := uint(fd - firstFD)
	if i >= maxChunks*chunkSize {
		return nil
	}
	if c := t.chunks[i/chunkSize].Load(); c != nil {
		return c[i%chunkSize].Load()
	}
	return nil
}

// put takes a descriptor for h.
func (t *table) put(h *Handle) (int, error) {
	i := t.used
	switch n := len(t.free); {
	case n > 0:
		i = t.free[n-1]
		t.free = t.free[:n-1]
	case i == maxChunks*chunkSize:
		return 0, unix.EMFILE
	default:
		t.used++
	}
	c := &t.chunks[i/chunkSize]
	if c.Load() == nil {
		c.Store(new(chunk))
	}
	c.Load()[i%chunkSize].Store(h)
	return i + firstFD, nil
}

// drop forgets fd, and says whether it was open.
func (t *table) drop(fd int) bool {
	if t.get(fd) == nil {
		return false
	}
	i := fd - firstFD
	t.chunks[i/chunkSize].Load()[i%chunkSize].Store(nil)
	t.free = append(t.free, i)
	return true
}

// Open opens a file, or a directory for reading only.
func (fs *FS) Open(path string, flags int, _ uint32) (int, error) {
	name, err := engine.CleanName(path)
	if err != nil {
		return 0, err
	}
	if flags&unix.O_ACCMODE == unix.O_ACCMODE {
		return 0, unix.EINVAL
	}
	if flags&unix.O_TMPFILE == unix.O_TMPFILE || flags&unix.O_PATH != 0 {
		return 0, unix.EOPNOTSUPP
	}
	fs.mu.Lock()
	defer fs.mu.Unlock()
	n, err := fs.lookup(name, flags)
	if err != nil {
		return 0, err
	}
	fd, err := fs.open.put(newHandle(n, flags))
	if err == nil && flags&unix.O_TRUNC != 0 {
		n.size.Store(0)
	}
	return fd, err
}

// lookup finds what Open is to open, or makes it. The caller holds mu.
func (fs *FS) lookup(name string, flags int) (*node, error) {
	create := flags&unix.O_CREAT != 0
	n, err := fs.find(name)
	switch {
	case err == unix.ENOENT && create:
		return fs.create(name, flags)
	case err != nil:
		return nil, err
	case create && flags&unix.O_EXCL != 0:
		return nil, unix.EEXIST
	case n.dir() && (create || flags&(unix.O_ACCMODE|unix.O_TRUNC) != 0):
		return nil, unix.EISDIR
	case !n.dir() && flags&unix.O_DIRECTORY != 0:
		return nil, unix.ENOTDIR
	}
	return n, nil
}

func (fs *FS) create(name string, flags int) (*node, error) {
	if flags&unix.O_DIRECTORY != 0 {
		return nil, unix.EINVAL
	}
	dir, base, err := fs.parent(name)
	if err != nil {
		return nil, err
	}
	n := &node{}
	dir.children[base] = n
	return n, nil
}

func newHandle(n *node, flags int) *Handle {
	mode := flags & unix.O_ACCMODE
	return &Handle{
		node:     n,
		readable: mode != unix.O_WRONLY && !n.dir(),
		writable: mode != unix.O_RDONLY,
		appends:  flags&unix.O_APPEND != 0,
	}
}

// Close gives a descriptor back.
func (fs *FS) Close(fd int) error {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	if !fs.open.drop(fd) {
		return unix.EBADF
	}
	return nil
}

// Handle returns the file open as fd, nil if there is none. The compiler
// inlines it, and Read.
func (fs *FS) Handle(fd int) *Handle { return fs.open.get(fd) }

// Read is how many of n bytes at off a read gets: fewer than n at the file's
// end, 0 beyond it, minus an errno if it fails. A nil handle gives EBADF.
func (h *Handle) Read(off, n int64) int64 {
	if h == nil || !h.readable || off|n|(off+n) < 0 {
		return h.readError()
	}
	return max(0, min(n, h.node.size.Load()-off))
}

// readError says why a read fails.
func (h *Handle) readError() int64 {
	switch {
	case h == nil:
		return -int64(unix.EBADF)
	case h.node.dir():
		return -int64(unix.EISDIR)
	case !h.readable:
		return -int64(unix.EBADF)
	}
	return -int64(unix.EINVAL)
}

// ReadAt is Read of the file open as fd.
func (fs *FS) ReadAt(fd int, off, n int64) int64 { return fs.Handle(fd).Read(off, n) }

// WriteAt writes n bytes at off, growing the file, and returns n or minus an
// errno. Through a descriptor opened with O_APPEND they go to the file's end.
func (fs *FS) WriteAt(fd int, off, n int64) int64 {
	h := fs.open.get(fd)
	switch {
	case h == nil || !h.writable:
		return -int64(unix.EBADF)
	case off|n|(off+n) < 0:
		return -int64(unix.EINVAL)
	case n == 0:
		return 0
	case h.appends:
		h.node.size.Add(n)
		return n
	}
	h.node.grow(off + n)
	return n
}

// grow makes the file reach at least to end.
func (n *node) grow(end int64) {
	for {
		old := n.size.Load()
		if end <= old || n.size.CompareAndSwap(old, end) {
			return
		}
	}
}

// Sync is what fsync of fd returns: 0, or minus EBADF.
func (fs *FS) Sync(fd int) int64 {
	if fs.open.get(fd) == nil {
		return -int64(unix.EBADF)
	}
	return 0
}

// Size is an open file's size.
func (fs *FS) Size(fd int) (int64, error) {
	h := fs.open.get(fd)
	if h == nil {
		return 0, unix.EBADF
	}
	return h.node.size.Load(), nil
}

// Truncate sets an open file's size.
func (fs *FS) Truncate(fd int, size int64) error {
	h := fs.open.get(fd)
	switch {
	case h == nil:
		return unix.EBADF
	case size < 0 || !h.writable:
		return unix.EINVAL
	}
	h.node.size.Store(size)
	return nil
}

// Allocate makes the file reach at least to off + n.
func (fs *FS) Allocate(fd int, off, n int64) error {
	h, err := fs.span(fd, off, n)
	if err == nil {
		h.node.grow(off + n)
	}
	return err
}

// Trim changes no size: it only checks its arguments.
func (fs *FS) Trim(fd int, off, n int64) error {
	_, err := fs.span(fd, off, n)
	return err
}

// span checks a range as fallocate does.
func (fs *FS) span(fd int, off, n int64) (*Handle, error) {
	h := fs.open.get(fd)
	switch {
	case h == nil:
		return nil, unix.EBADF
	case off < 0 || n <= 0:
		return nil, unix.EINVAL
	case !h.writable:
		return nil, unix.EBADF
	case off > math.MaxInt64-n:
		return nil, unix.EFBIG
	}
	return h, nil
}

// Alignment is what nearly every disk asks for, so that a script that is tried in memory does not
// fail on the first one.
func (fs *FS) Alignment(fd int) (engine.Align, error) {
	if fs.open.get(fd) == nil {
		return engine.Align{}, unix.EBADF
	}
	return engine.Align{Mem: 512, Offset: 512}, nil
}
