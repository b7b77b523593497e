// Package inode tells of files what statx does, where there is no statx too.
package inode

import (
	"errors"

	"golang.org/x/sys/unix"
)

// At tells of what stands at name, seen from the directory dirfd. A symbolic link is not followed; an empty name is
// dirfd itself. Before Linux 4.11, and where a filter of system calls that is older than that forbids statx (containers' do,
// with EPERM), it tells less: Mask says that there is no time of birth.
func At(dirfd int, name string) (unix.Statx_t, error) {
	return at(dirfd, name, unix.Statx)
}

// Of tells of an open file.
func Of(fd int) (unix.Statx_t, error) { return At(fd, "") }

func at(dirfd int, name string, statx func(int, string, int, int, *unix.Statx_t) error) (st unix.Statx_t, err error) {
	const flags = unix.AT_SYMLINK_NOFOLLOW | unix.AT_EMPTY_PATH
	err = statx(dirfd, name, flags, unix.STATX_BASIC_STATS|unix.STATX_BTIME, &st)
	if !errors.Is(err, unix.ENOSYS) && !errors.Is(err, unix.EPERM) { // which statx itself never is
		return st, err
	}
	var old unix.Stat_t
	if err := unix.Fstatat(dirfd, name, &old, flags); err != nil {
		return st, err
	}
	return unix.Statx_t{
		Mask:      unix.STATX_BASIC_STATS,
		Ino:       old.Ino,
		Mode:      uint16(old.Mode),
		Nlink:     uint32(old.Nlink),
		Size:      uint64(old.Size),
		Blocks:    uint64(old.Blocks),
		Mtime:     unix.StatxTimestamp{Sec: int64(old.Mtim.Sec), Nsec: uint32(old.Mtim.Nsec)},
		Ctime:     unix.StatxTimestamp{Sec: int64(old.Ctim.Sec), Nsec: uint32(old.Ctim.Nsec)},
		Dev_major: unix.Major(uint64(old.Dev)),
		Dev_minor: unix.Minor(uint64(old.Dev)),
	}, nil
}
