package helper

import (
	"fmt"

	"moonio/engine"
)

// CheckSlots says what is wrong with a number of slots for an engine that has a queue of at
// most that many on each thread, and what to do.
func CheckSlots(name string, slots, most int) error {
	if slots >= 1 && slots <= most {
		return nil
	}
	return fmt.Errorf("%s takes 1 to %d operations in flight on a thread, not %d: more threads share out what a phase's jobs have in flight, as with threads = 2", name, most, slots)
}

// CheckFiles says what is wrong with a namespace for an engine that works on the operating system's files.
func CheckFiles(name string, fs engine.FS) error {
	if fs == nil || fs.Memory() {
		return fmt.Errorf("%s: files must be on storage, and not in memory", name)
	}
	return nil
}

// CheckRing is both, for an engine with such a queue on such files.
func CheckRing(name string, cfg *engine.Config, most int) error {
	if err := CheckFiles(name, cfg.FS); err != nil {
		return err
	}
	return CheckSlots(name, cfg.Slots, most)
}
