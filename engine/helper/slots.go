package helper

import (
	"fmt"

	"moonio/engine"
)

// CheckFiles says what is wrong with a namespace for an engine that works on the operating system's files.
func CheckFiles(name string, fs engine.FS) error {
	if fs == nil || fs.Memory() {
		return fmt.Errorf("%s: files must be on storage, and not in memory", name)
	}
	return nil
}

// CheckRing says what is wrong with a configuration for an engine that works on such files and has
// a queue of at most so many operations on each thread.
func CheckRing(name string, cfg *engine.Config, most int) error {
	if err := CheckFiles(name, cfg.FS); err != nil {
		return err
	}
	if cfg.Slots < 1 || cfg.Slots > most {
		return fmt.Errorf("%s takes 1 to %d operations in flight on a thread, not %d: more threads share out what a phase's jobs have in flight, as with threads = 2", name, most, cfg.Slots)
	}
	return nil
}
