package workdir

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"moonio/engine/internal/inode"
)

// identity tells a file from every other that has had its name: inodes are
// reused, but not together with a time of birth.
type identity struct {
	Ino  uint64 `json:"ino,omitempty"`
	Born int64  `json:"born,omitempty"` // ns since 1970, 0 where the file system does not keep it
}

// node is what stands at a name.
type node struct {
	identity
	mode    uint16 // S_IFMT's bits
	dev     uint64
	bytes   int64 // on storage
	changed int64 // of the inode, ns since 1970
}

func (n node) dir() bool     { return n.mode == unix.S_IFDIR }
func (n node) regular() bool { return n.mode == unix.S_IFREG }

func (n node) kind() string {
	switch n.mode {
	case unix.S_IFREG:
		return "file"
	case unix.S_IFDIR:
		return "directory"
	case unix.S_IFLNK:
		return "symbolic link"
	case unix.S_IFBLK:
		return "block device"
	case unix.S_IFCHR:
		return "character device"
	case unix.S_IFIFO:
		return "named pipe"
	}
	return "socket"
}

func stat(dirfd int, name string) (node, error) {
	st, err := inode.At(dirfd, name)
	if err != nil {
		return node{}, err
	}
	n := node{
		identity: identity{Ino: st.Ino},
		mode:     st.Mode & unix.S_IFMT,
		dev:      unix.Mkdev(st.Dev_major, st.Dev_minor),
		bytes:    int64(st.Blocks) * 512,
		changed:  st.Ctime.Sec*1e9 + int64(st.Ctime.Nsec),
	}
	if st.Mask&unix.STATX_BTIME != 0 {
		n.Born = st.Btime.Sec*1e9 + int64(st.Btime.Nsec)
	}
	return n, nil
}

// tree is an open directory. What changes it goes through root, which lets
// nothing leave it; dir is for the calls that root does not have.
type tree struct {
	path string
	root *os.Root
	dir  *os.File
	self node
}

// gone says that the directory has been removed.
func (t *tree) gone() bool {
	var st unix.Stat_t
	return unix.Fstat(int(t.dir.Fd()), &st) == nil && st.Nlink == 0
}

func openTree(path string) (*tree, error) {
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, err
	}
	t := &tree{path: path, root: root}
	if t.dir, err = root.Open("."); err == nil {
		t.self, err = stat(t.fd(), "")
	}
	if err != nil {
		t.close()
		return nil, err
	}
	return t, nil
}

func (t *tree) fd() int { return int(t.dir.Fd()) }

func (t *tree) close() {
	if t.dir != nil {
		t.dir.Close()
	}
	t.root.Close()
}

// errLinked is for a name that a symbolic link stands in the middle of.
var errLinked = errors.New("is a symbolic link, and links are not followed here")

// look finds what stands at a clean name. The links in a name's middle are not
// followed; one at its end is what is found.
func (t *tree) look(name string) (node, error) {
	for i := range len(name) {
		if name[i] != '/' {
			continue
		}
		n, err := stat(t.fd(), name[:i])
		if err != nil {
			return node{}, err
		}
		if n.mode == unix.S_IFLNK {
			return node{}, fmt.Errorf("%s %w", name[:i], errLinked)
		}
	}
	return stat(t.fd(), name)
}

// absent says whether look found that there is nothing.
func absent(err error) bool { return errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ENOTDIR) }

// list returns the names beneath the directory called name, sorted.
func (t *tree) list(name string) ([]string, error) {
	f, err := t.root.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	names, err := f.Readdirnames(-1)
	if name != "." {
		for i := range names {
			names[i] = name + "/" + names[i]
		}
	}
	slices.Sort(names)
	return names, err
}

// within says whether name is dir or beneath it.
func within(name, dir string) bool {
	return strings.HasPrefix(name, dir) && (len(name) == len(dir) || name[len(dir)] == '/')
}
