package helper

import "fmt"

// CheckSlots says what is wrong with a number of slots for an engine that has a queue of at
// most that many on each thread, and what to do.
func CheckSlots(name string, slots, most int) error {
	if slots >= 1 && slots <= most {
		return nil
	}
	return fmt.Errorf("%s takes 1 to %d operations in flight on a thread, not %d: more threads share out what a phase's jobs have in flight, as with threads = 2", name, most, slots)
}
