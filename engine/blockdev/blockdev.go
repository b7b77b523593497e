// Package blockdev opens the block device that a user named, and sees to it
// that one in use is never written.
//
// A device is opened for writing only when the user has given up what is on it,
// and then exclusively (O_EXCL): the kernel refuses that while a file system, a
// swap area, a RAID or volume manager or another program has claimed the device, a
// partition of it or the disk that it is on, and refuses them for as long as the
// descriptor stays open. Beyond that this package looks for mounts in every
// namespace that can be seen, swap areas, and devices that are set up over this
// one, to say what is in the way and to catch what makes no claim, such as a
// loop device. If it can't look, the answer is no.
package blockdev

import (
	"errors"
	"fmt"
	"strings"

	"golang.org/x/sys/unix"

	"moonio/engine/units"
)

var (
	// ErrInUse is wrapped when a device is not opened because something uses it.
	ErrInUse = errors.New("in use")
	// ErrReadOnly is wrapped when a device may not be written.
	ErrReadOnly = errors.New("read-only")

	errNoSize = errors.New("it has none; is there a medium in it?")
)

// Device is an open block device.
type Device struct {
	Path         string // as the user named it
	Size         int64  // bytes
	LogicalBlock int    // bytes; what direct transfers are a multiple of
	Writable     bool   // it is held exclusively, and what is on it may be destroyed

	fd int
}

// Open opens a block device: for reading, which disturbs nobody, or if
// destroyData for writing too. The path may be a symbolic link.
func Open(path string, destroyData bool) (*Device, error) {
	return openOn(newSystem("/"), path, destroyData)
}

// Look describes a block device by what the kernel shows of it, without opening it:
// what it returns has no handle, and need not be closed. It refuses what Open would, but
// for what only opening can tell: a lack of permission, and programs that hold the device.
func Look(path string, destroyData bool) (*Device, error) {
	return lookOn(newSystem("/"), path, destroyData)
}

func lookOn(s *system, path string, destroyData bool) (*Device, error) {
	no, err := s.identify(path, destroyData)
	if err != nil {
		return nil, err
	}
	if destroyData {
		if err := s.free(path, no); err != nil {
			return nil, err
		}
	}
	d := &Device{Path: path, Writable: destroyData, fd: -1}
	if d.Size, d.LogicalBlock, err = s.measures(no); err != nil {
		return nil, fmt.Errorf("size of device %s: %w", path, err)
	}
	return d, nil
}

// identify finds what device a path leads to, if it may be opened so.
func (s *system) identify(path string, destroyData bool) (number, error) {
	var st unix.Stat_t
	if err := unix.Stat(path, &st); err != nil {
		return number{}, fmt.Errorf("device %s: %w", path, err)
	}
	if st.Mode&unix.S_IFMT != unix.S_IFBLK {
		return number{}, fmt.Errorf("device %s: it is %s", path, otherKind(&st))
	}
	no := numberOf(st.Rdev)
	if destroyData && s.readOnly(no) {
		return number{}, fmt.Errorf("device %s is %w: the kernel lets nobody write it", path, ErrReadOnly)
	}
	return no, nil
}

func openOn(s *system, path string, destroyData bool) (*Device, error) {
	no, err := s.identify(path, destroyData)
	if err != nil {
		return nil, err
	}
	d := &Device{Path: path, Writable: destroyData}
	if d.fd, err = openFD(s, path, no, destroyData); err != nil {
		return nil, err
	}
	if err := d.begin(s); err != nil {
		unix.Close(d.fd)
		return nil, err
	}
	return d, nil
}

func openFD(s *system, path string, no number, destroyData bool) (int, error) {
	flags := unix.O_RDONLY | unix.O_CLOEXEC
	if destroyData {
		flags = unix.O_RDWR | unix.O_EXCL | unix.O_CLOEXEC
	}
	fd, err := unix.Open(path, flags, 0)
	if err == nil {
		return fd, nil
	}
	if destroyData {
		// A use explains every refusal best: of a mounted device, kernels give several.
		if err := s.free(path, no); errors.Is(err, ErrInUse) {
			return -1, err
		}
	}
	switch err {
	case unix.EBUSY:
		return -1, heldUnseen(path)
	case unix.EACCES, unix.EPERM:
		return -1, fmt.Errorf("opening device %s: %w; run as root, or as a member of the group that owns it", path, err)
	}
	return -1, fmt.Errorf("opening device %s: %w", path, err)
}

// begin checks and measures what was opened, which may be another device than
// the path led to a moment ago.
func (d *Device) begin(s *system) error {
	var st unix.Stat_t
	if err := unix.Fstat(d.fd, &st); err != nil {
		return fmt.Errorf("device %s: %w", d.Path, err)
	}
	if st.Mode&unix.S_IFMT != unix.S_IFBLK {
		return fmt.Errorf("device %s: it is %s", d.Path, otherKind(&st))
	}
	no := numberOf(st.Rdev)
	if d.Writable {
		if err := s.free(d.Path, no); err != nil {
			return err
		}
	}
	if err := d.measure(); err != nil {
		return fmt.Errorf("size of device %s: %w", d.Path, err)
	}
	return nil
}

func (d *Device) measure() error {
	size, err := unix.IoctlGetUint64(d.fd, unix.BLKGETSIZE64)
	if err != nil {
		return err
	}
	block, err := unix.IoctlGetUint32(d.fd, unix.BLKSSZGET)
	if err != nil {
		return err
	}
	if size == 0 {
		return errNoSize
	}
	d.Size, d.LogicalBlock = int64(size), int(block)
	return nil
}

// Handle is a path that leads to the very device that is open, whatever
// becomes of Path, for opening it once more with other flags.
func (d *Device) Handle() string { return fmt.Sprintf("/proc/self/fd/%d", d.fd) }

// Close gives the device free.
func (d *Device) Close() error { return unix.Close(d.fd) }

// otherKind says what a file is that is no block device, and what to do with it.
func otherKind(st *unix.Stat_t) string {
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFREG:
		return "a regular file of " + units.ApproxSize(float64(st.Size)) + ", not a block device; name the directory it is in with --dir, or make a device of it with losetup"
	case unix.S_IFDIR:
		return "a directory, not a block device; name it with --dir"
	case unix.S_IFCHR:
		return "a character device, not a block device"
	}
	return "not a block device"
}

// number identifies a device to the kernel.
type number struct{ major, minor uint32 }

func numberOf(rdev uint64) number { return number{unix.Major(rdev), unix.Minor(rdev)} }

func (n number) String() string { return fmt.Sprintf("%d:%d", n.major, n.minor) }

// rdev is the number of the block device that path leads to.
func rdev(path string) (number, bool) {
	var st unix.Stat_t
	if !strings.HasPrefix(path, "/") || unix.Stat(path, &st) != nil || st.Mode&unix.S_IFMT != unix.S_IFBLK {
		return number{}, false
	}
	return numberOf(st.Rdev), true
}
