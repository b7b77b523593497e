// Package replay turns the records of a captured workload into the steps of a
// replay: what to issue, on which target, where in it, and when.
//
// It works in two passes, both streaming. A [Survey] reads the trace once and says
// how long it is, what it touches and how large the targets must be. A [Source] then
// reads it again, as often as it is to be played, and gives the steps in the
// order of their times. Between the two the caller makes the targets. Every record of the
// trace's window becomes steps or is counted under the reason why not.
//
// Nothing here performs I/O on a target or looks at a clock: engine/run plays the steps.
package replay

import (
	"fmt"
	"slices"
	"time"

	"moonio/engine/trace"
)

// Options say what of a trace is played, and where it goes.
type Options struct {
	Speed  float64       // 2 is twice as fast; 0 is as captured
	From   time.Duration // records from here on, since the trace's first; in the trace's time
	To     time.Duration // and before here; 0: to the end
	MaxGap time.Duration // an idle time that is longer is cut to it; 0: none is
	Loops  int           // how often it is played; 0 is once

	Address Address
	Align   Alignment
	Chunk   int64 // the unit that Compact moves, a multiple of 4 KiB; 0: DefaultChunk
}

// Opener begins to read the trace anew. It must give the same records every time.
type Opener func() (*Trace, error)

// Trace is an open trace.
type Trace struct {
	trace.Reader
	Log   *trace.Log
	Close func() error
}

// DefaultChunk is what Compact moves at a time unless it is told otherwise.
const DefaultChunk = 64 << 10

// maxChunk is the largest chunk.
const maxChunk = 1 << 30

// Block is the unit in which targets are sized and addresses are scaled, in bytes.
const Block = 4096

// Address says what happens to offsets.
type Address uint8

const (
	Keep    Address = iota // as captured; what lies beyond the target is an error
	Wrap                   // modulo the target's size
	Scale                  // in proportion to the target's size
	Compact                // extents in the order in which they are first touched
	Clamp                  // what lies beyond the end goes to the end
	Skip                   // what lies beyond the end is left out
)

// addressNames are the policies', and one that names the first by what it does with what does not fit.
var addressNames = []string{"keep", "wrap", "scale", "compact", "clamp", "skip", "error"}

func (a Address) String() string { return addressNames[a] }

// AddressNames are the policies as users name them.
func AddressNames() []string { return addressNames }

// ParseAddress reads a policy's name.
func ParseAddress(s string) (Address, error) {
	i := slices.Index(addressNames, s)
	if i < 0 {
		return 0, fmt.Errorf("%q is not one of %v", s, addressNames)
	}
	return Address(i % (int(Skip) + 1)), nil
}

// Alignment says what happens to operations that are not aligned as the target
// needs it.
type Alignment uint8

const (
	Expand  Alignment = iota // outwards, to whole blocks
	Nearest                  // both ends to the nearest block
	Split                    // into an aligned middle, and its ends expanded
	Drop                     // left out
)

var alignNames = []string{"expand", "nearest", "split", "drop"}

func (a Alignment) String() string { return alignNames[a] }

// AlignmentNames are the policies as users name them.
func AlignmentNames() []string { return alignNames }

// Validate says what is wrong with the options.
func (o *Options) Validate() error {
	switch {
	case !(o.Speed >= 0) || o.Speed > 1e9:
		return fmt.Errorf("speed = %v: it must be above 0, and at most 1e9", o.Speed)
	case o.Speed > 0 && o.Speed < 1e-6:
		return fmt.Errorf("speed = %v: the slowest is 1e-6", o.Speed)
	case o.From < 0 || o.To < 0 || o.MaxGap < 0:
		return fmt.Errorf("from = %v, to = %v, max_gap = %v: none can be negative", o.From, o.To, o.MaxGap)
	case o.To > 0 && o.To <= o.From:
		return fmt.Errorf("to = %v is not after from = %v: nothing would be left", o.To, o.From)
	case o.Loops < 0:
		return fmt.Errorf("loops = %d is negative", o.Loops)
	case o.Chunk < 0 || o.Chunk%Block != 0 || o.Chunk > maxChunk:
		return fmt.Errorf("chunk = %d is not a multiple of %d up to %d", o.Chunk, Block, maxChunk)
	}
	return nil
}

func (o *Options) loops() int { return max(o.Loops, 1) }

func (o *Options) chunk() int64 {
	if o.Chunk == 0 {
		return DefaultChunk
	}
	return o.Chunk
}

// scaled is a length of the trace's time in the replay's.
func (o *Options) scaled(ns int64) int64 {
	if o.Speed == 0 || o.Speed == 1 {
		return ns
	}
	return int64(float64(ns) / o.Speed)
}
