package osfs

import (
	"errors"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// dirCache holds a descriptor for every directory that was used. A descriptor
// stays with its directory when that is renamed, and is never closed before the
// cache is, because an operation in a ring may hold it: those of directories
// that are gone are set aside.
type dirCache struct {
	root int

	mu   sync.Mutex
	fds  map[string]int // by clean name; with every directory, those above it
	gone []int
}

func newDirCache(root int) dirCache { return dirCache{root: root, fds: map[string]int{}} }

func split(name string) (dir, base string) {
	if i := strings.LastIndexByte(name, '/'); i >= 0 {
		return name[:i], name[i+1:]
	}
	return ".", name
}

// get returns the descriptor of the directory with the clean name dir.
func (c *dirCache) get(dir string) (int, error) {
	if dir == "." {
		return c.root, nil
	}
	c.mu.Lock()
	fd, ok := c.fds[dir]
	c.mu.Unlock()
	// Outside the lock: descriptors stay open.
	if ok && linked(fd) {
		return fd, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.walk(dir)
}

// walk opens dir from its parent. The caller holds mu.
func (c *dirCache) walk(dir string) (int, error) {
	if dir == "." {
		return c.root, nil
	}
	if fd, ok := c.fds[dir]; ok {
		if linked(fd) {
			return fd, nil
		}
		c.drop(dir)
	}
	up, base := split(dir)
	parent, err := c.walk(up)
	if err != nil {
		return -1, err
	}
	fd, err := openDir(parent, base)
	if err != nil {
		return -1, explainOpen(dir, 0, err)
	}
	c.fds[dir] = fd
	return fd, nil
}

func openDir(parent int, base string) (int, error) {
	fd, err := retry(func() (int, error) {
		return unix.Openat(parent, base, unix.O_PATH|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	})
	if err == unix.ENOTDIR && isLink(parent, base) {
		err = unix.ELOOP
	}
	return fd, err
}

func isLink(parent int, base string) bool {
	var st unix.Stat_t
	err := unix.Fstatat(parent, base, &st, unix.AT_SYMLINK_NOFOLLOW)
	return err == nil && st.Mode&unix.S_IFMT == unix.S_IFLNK
}

// linked says whether the directory still has a name.
func linked(fd int) bool {
	var st unix.Stat_t
	return unix.Fstat(fd, &st) == nil && st.Nlink > 0
}

// drop forgets dir and what is beneath it. The caller holds mu.
func (c *dirCache) drop(dir string) {
	for name, fd := range c.fds {
		if within(name, dir) {
			c.gone = append(c.gone, fd)
			delete(c.fds, name)
		}
	}
}

func within(name, dir string) bool {
	return name == dir || strings.HasPrefix(name, dir) && name[len(dir)] == '/'
}

// renamed carries what is known under the name from over to the name to.
func (c *dirCache) renamed(from, to string) {
	if from == to {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.drop(to)
	fd, ok := c.fds[from]
	if !ok {
		return
	}
	// Another directory may have been made at from, and opened, since the rename.
	if !c.leadsTo(to, fd) {
		c.drop(from)
		return
	}
	for name, fd := range c.fds {
		if within(name, from) {
			delete(c.fds, name)
			c.fds[to+name[len(from):]] = fd
		}
	}
}

// leadsTo says whether dir is the directory that fd has open. The caller holds mu.
func (c *dirCache) leadsTo(dir string, fd int) bool {
	up, base := split(dir)
	parent, err := c.walk(up)
	if err != nil {
		return false
	}
	var have, want unix.Stat_t
	if unix.Fstatat(parent, base, &have, unix.AT_SYMLINK_NOFOLLOW) != nil || unix.Fstat(fd, &want) != nil {
		return false
	}
	return have.Dev == want.Dev && have.Ino == want.Ino
}

func (c *dirCache) close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	err := unix.Close(c.root)
	for _, fd := range c.gone {
		err = errors.Join(err, unix.Close(fd))
	}
	for _, fd := range c.fds {
		err = errors.Join(err, unix.Close(fd))
	}
	c.root, c.fds, c.gone = -1, map[string]int{}, nil
	return err
}
