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

// Advise tells the kernel that an open file will be read at random places, and that reading ahead of
// them is in vain; or, if not, that it will be read from its beginning to its end.
func (s *Session) Advise(f *engine.File, random bool) error {
	if s.FS.Memory() {
		return nil
	}
	advice, word := unix.FADV_SEQUENTIAL, "sequential"
	if random {
		advice, word = unix.FADV_RANDOM, "random"
	}
	if err := unix.Fadvise(f.FD, 0, 0, advice); err != nil {
		return fmt.Errorf("advice %s for %q: %w", word, f.Name, err)
	}
	return nil
}

// forget makes the page cache give up what is clean of the stream's files, each time that so many
// bytes have been moved. n is what is about to be.
func (s *stream) forget(w *Worker, n int64) {
	before, limit := s.moved.Add(n)-n, s.kept.Load()
	if before < limit || !s.kept.CompareAndSwap(limit, before-before%s.spec.Forget+s.spec.Forget) || w.p.s.FS.Memory() {
		return
	}
	for _, t := range s.targets {
		if err := unix.Fadvise(t.file.FD, 0, 0, unix.FADV_DONTNEED); err != nil {
			w.p.fail(fmt.Errorf("dropping what the page cache holds of %q: %w", t.file.Name, err))
			return
		}
	}
}
