package run

import (
	"fmt"

	"golang.org/x/sys/unix"

	"moonio/engine"
)

// Invalidate makes the page cache give up what it holds of a file, after what is dirty there has
// been written back: only clean pages can be given up. In memory there is nothing to do.
func (s *Session) Invalidate(f *engine.File) error {
	if s.FS.Memory() {
		return nil
	}
	if err := unix.Fdatasync(f.FD); err != nil && err != unix.EINVAL {
		return fmt.Errorf("writing back what the page cache holds of %q: %w", f.Name, err)
	}
	if err := unix.Fadvise(f.FD, 0, 0, unix.FADV_DONTNEED); err != nil {
		return fmt.Errorf("dropping what the page cache holds of %q: %w", f.Name, err)
	}
	return nil
}
