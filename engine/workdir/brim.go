package workdir

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"moonio/engine/units"
)

// ErrSystem is wrapped by CheckBrim's error.
var ErrSystem = errors.New("the file system is not filled to the last byte")

// systemDirs are directories whose file systems the running system needs room in.
var systemDirs = []string{"/", "/usr", "/var", "/var/log", "/home", "/boot", "/tmp", "/run"}

// memoryShare is the part of the memory that a file system in it may take: one in so many.
const memoryShare = 4

// CheckBrim refuses to let the file system that dir is in be filled to the last byte: that of the running system must
// not be, nor one in memory that takes more than a quarter of it.
func CheckBrim(dir string, memory int64) error {
	var at, other unix.Stat_t
	if err := unix.Stat(dir, &at); err != nil {
		return fmt.Errorf("%s: %w", dir, err)
	}
	dirs := append([]string{os.TempDir()}, systemDirs...)
	if home, err := os.UserHomeDir(); err == nil {
		dirs = append(dirs, home)
	}
	for _, d := range dirs {
		if unix.Stat(d, &other) == nil && other.Dev == at.Dev {
			return fmt.Errorf("%w: %s is in that of %s, which the running system needs room in", ErrSystem, dir, d)
		}
	}
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return fmt.Errorf("%s: %w", dir, err)
	}
	if size := float64(st.Blocks) * float64(st.Bsize); inMemory(&st) && (size == 0 || size > float64(memory)/memoryShare) {
		return fmt.Errorf("%w: %s is in memory, and its %s are more than a quarter of that", ErrSystem, dir, units.ApproxSize(size))
	}
	return nil
}

func inMemory(st *unix.Statfs_t) bool {
	return st.Type == unix.TMPFS_MAGIC || st.Type == unix.RAMFS_MAGIC
}
