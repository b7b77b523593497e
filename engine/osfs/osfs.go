// Package osfs is a namespace of files in a directory of the operating system.
//
// Nothing leaves the directory: a name is relative and has no "..", and no
// symbolic link beneath the root is followed, neither in the middle of a name
// nor at its end (ELOOP). Names are resolved one directory at a time, each
// opened from its parent's descriptor, so that there is no moment in which a
// link could be slipped in. The one way out is OpenPath, for what the user named.
//
// Descriptors are the kernel's own, opened with O_CLOEXEC. Errors are errnos,
// wrapped where they need explaining. Every method is safe for concurrent use.
package osfs

import (
	"errors"
	"fmt"
	"slices"

	"golang.org/x/sys/unix"

	"moonio/engine"
)

// FS is a directory and what is beneath it.
type FS struct {
	dir  string
	dirs dirCache
	mode int // what the file system wants among the flags of every open
}

var _ engine.FS = (*FS)(nil)

// Open opens the directory dir, which must exist.
func Open(dir string) (*FS, error) {
	root, err := retry(func() (int, error) {
		return unix.Open(dir, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	})
	if err != nil {
		return nil, fmt.Errorf("opening directory %s: %w", dir, err)
	}
	return &FS{dir: dir, dirs: newDirCache(root), mode: modeOf(root)}, nil
}

// modeOf is what the files of a file system are opened with besides. Those of tmpfs never
// block, but don't tell io_uring so: without O_NONBLOCK it hands each read to another
// thread, which takes longer than the read.
func modeOf(root int) int {
	var st unix.Statfs_t
	if err := unix.Fstatfs(root, &st); err == nil && st.Type == unix.TMPFS_MAGIC {
		return unix.O_NONBLOCK
	}
	return 0
}

// Root is the directory as it was opened.
func (fs *FS) Root() string { return fs.dir }

// Shutdown gives up the directories' descriptors. Files stay open.
func (fs *FS) Shutdown() error { return fs.dirs.close() }

// Memory is false.
func (fs *FS) Memory() bool { return false }

// Resolve returns the directory that holds path's last part, and that part
// ("." for the root), for calls such as openat. The descriptor belongs to fs and
// stays open until Shutdown. The calls must not follow a link at the last part:
// opens add OpenFlags, the rest AT_SYMLINK_NOFOLLOW. Who renames by these
// descriptors says so with Renamed.
func (fs *FS) Resolve(path string) (dirfd int, base string, err error) {
	name, err := engine.CleanName(path)
	if err != nil {
		return -1, "", err
	}
	dir, base := split(name)
	dirfd, err = fs.dirs.get(dir)
	return dirfd, base, err
}

// OpenFlags are what each open of a name adds to its flags.
func (fs *FS) OpenFlags() int { return fs.mode | unix.O_NOFOLLOW | unix.O_CLOEXEC }

// Renamed records that what was called from is now called to. Rename does so
// itself.
func (fs *FS) Renamed(from, to string) {
	from, err1 := engine.CleanName(from)
	to, err2 := engine.CleanName(to)
	if err1 == nil && err2 == nil {
		fs.dirs.renamed(from, to)
	}
}

// Open opens a file, or a directory for reading.
func (fs *FS) Open(path string, flags int, perm uint32) (int, error) {
	dirfd, base, err := fs.Resolve(path)
	if err != nil {
		return -1, err
	}
	fd, err := retry(func() (int, error) { return unix.Openat(dirfd, base, flags|fs.OpenFlags(), perm) })
	return fd, explainOpen(path, flags, err)
}

// OpenPath opens what the user named, wherever it is: a block device, or a file
// outside the directory. Links are followed.
func (fs *FS) OpenPath(path string, flags int) (int, error) {
	fd, err := retry(func() (int, error) { return unix.Open(path, flags|unix.O_CLOEXEC, 0o644) })
	if err != nil {
		return -1, fmt.Errorf("opening %s: %w", path, explainOpen(path, flags, err))
	}
	return fd, nil
}

// explainOpen adds to an open's errno what it does not say.
func explainOpen(path string, flags int, err error) error {
	switch {
	case err == unix.ELOOP && flags&unix.O_NOFOLLOW == 0:
		return errLink(path)
	case err == unix.EINVAL && flags&unix.O_DIRECT != 0:
		return fmt.Errorf("the file system does no direct I/O: %w", err)
	case err == unix.EBUSY:
		return fmt.Errorf("it is mounted or held by something else: %w", err)
	case err == unix.EMFILE:
		return fmt.Errorf("raise the limit with ulimit -n: %w", err)
	}
	return err
}

func errLink(path string) error {
	return fmt.Errorf("%q is a symbolic link, and links are not followed here: %w", path, unix.ELOOP)
}

// Close closes an open file.
func (fs *FS) Close(fd int) error {
	// The descriptor is gone whatever close returns, so EINTR must not be retried.
	if err := unix.Close(fd); err != nil && err != unix.EINTR {
		return err
	}
	return nil
}

// Stat tells a size in bytes and whether it is a directory's.
func (fs *FS) Stat(path string) (size int64, dir bool, err error) {
	dirfd, base, err := fs.Resolve(path)
	if err != nil {
		return 0, false, err
	}
	var st unix.Stat_t
	if err := unix.Fstatat(dirfd, base, &st, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return 0, false, err
	}
	return st.Size, st.Mode&unix.S_IFMT == unix.S_IFDIR, nil
}

// Mkdir makes a directory.
func (fs *FS) Mkdir(path string, perm uint32) error {
	dirfd, base, err := fs.Resolve(path)
	if err != nil {
		return err
	}
	return unix.Mkdirat(dirfd, base, perm)
}

// Unlink removes a file's name.
func (fs *FS) Unlink(path string) error {
	dirfd, base, err := fs.Resolve(path)
	if err != nil {
		return err
	}
	return unix.Unlinkat(dirfd, base, 0)
}

// Rename gives what is called from the name to, replacing what is there.
func (fs *FS) Rename(from, to string) error {
	fromFD, fromBase, err := fs.Resolve(from)
	if err != nil {
		return err
	}
	toFD, toBase, err := fs.Resolve(to)
	if err != nil {
		return err
	}
	if err := unix.Renameat(fromFD, fromBase, toFD, toBase); err != nil {
		return err
	}
	fs.Renamed(from, to)
	return nil
}

// List returns a directory's names, sorted.
func (fs *FS) List(path string) ([]string, error) {
	fd, err := fs.Open(path, unix.O_RDONLY|unix.O_DIRECTORY, 0)
	if err != nil {
		return nil, err
	}
	names, err := readNames(fd)
	return names, errors.Join(err, fs.Close(fd))
}

func readNames(fd int) ([]string, error) {
	names := []string{}
	buf := make([]byte, 32<<10)
	for {
		n, err := retry(func() (int, error) { return unix.ReadDirent(fd, buf) })
		if err != nil {
			return nil, err
		}
		if n <= 0 {
			slices.Sort(names)
			return names, nil
		}
		_, _, names = unix.ParseDirent(buf[:n], -1, names)
	}
}

// retry repeats a call that a signal cut short, as the Go runtime's own
// signals do on some file systems.
func retry[T any](call func() (T, error)) (T, error) {
	for {
		v, err := call()
		if err != unix.EINTR {
			return v, err
		}
	}
}
