package osfs

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"

	"moonio/engine"
)

// Size is an open file's size in bytes, or a block device's.
func (fs *FS) Size(fd int) (int64, error) {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return 0, err
	}
	if st.Mode&unix.S_IFMT == unix.S_IFBLK {
		return unix.Seek(fd, 0, unix.SEEK_END)
	}
	return st.Size, nil
}

// Truncate sets an open file's size.
func (fs *FS) Truncate(fd int, size int64) error {
	_, err := retry(func() (struct{}, error) { return struct{}{}, unix.Ftruncate(fd, size) })
	return err
}

// Allocate reserves blocks for a range; the file grows to hold it.
func (fs *FS) Allocate(fd int, off, n int64) error {
	return fallocate(fd, 0, off, n)
}

// Trim gives a range's blocks back: it punches a hole into a file, and discards
// on a block device. What was there is lost.
func (fs *FS) Trim(fd int, off, n int64) error {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return err
	}
	if st.Mode&unix.S_IFMT == unix.S_IFBLK {
		return discard(fd, off, n)
	}
	return fallocate(fd, unix.FALLOC_FL_PUNCH_HOLE|unix.FALLOC_FL_KEEP_SIZE, off, n)
}

func fallocate(fd int, mode uint32, off, n int64) error {
	_, err := retry(func() (struct{}, error) { return struct{}{}, unix.Fallocate(fd, mode, off, n) })
	return err
}

// discard is the ioctl that x/sys has no call for: it takes two 64-bit numbers.
func discard(fd int, off, n int64) error {
	span := [2]uint64{uint64(off), uint64(n)}
	_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), unix.BLKDISCARD, uintptr(unsafe.Pointer(&span)))
	if errno != 0 {
		return errno
	}
	return nil
}

// Alignment is what direct operations on fd must keep to, as the kernel says
// it (Linux 6.1 and later) or by the block size of the device or file system.
// It is zero when the file was not opened with O_DIRECT.
func (fs *FS) Alignment(fd int) (engine.Align, error) {
	flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0)
	if err != nil {
		return engine.Align{}, err
	}
	if flags&unix.O_DIRECT == 0 {
		return engine.Align{}, nil
	}
	if a, ok := dioAlign(fd); ok {
		return a, nil
	}
	n, err := blockSize(fd)
	if err != nil {
		return engine.Align{}, fmt.Errorf("asking for a block size: %w", err)
	}
	return engine.Align{Mem: n, Offset: n}, nil
}

func dioAlign(fd int) (engine.Align, bool) {
	var st unix.Statx_t
	err := unix.Statx(fd, "", unix.AT_EMPTY_PATH, unix.STATX_DIOALIGN, &st)
	if err != nil || st.Mask&unix.STATX_DIOALIGN == 0 || st.Dio_offset_align == 0 {
		return engine.Align{}, false
	}
	return engine.Align{Mem: int(st.Dio_mem_align), Offset: int(st.Dio_offset_align)}, true
}

// blockSize is a device's logical sector, or a file system's block.
func blockSize(fd int) (int, error) {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return 0, err
	}
	if st.Mode&unix.S_IFMT == unix.S_IFBLK {
		n, err := unix.IoctlGetUint32(fd, unix.BLKSSZGET)
		return int(n), err
	}
	return int(st.Blksize), nil
}
