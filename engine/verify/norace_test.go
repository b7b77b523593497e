//go:build !race

package verify

// raced says that the race detector is on, under which pools of buffers drop some.
const raced = false
