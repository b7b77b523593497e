// Package content makes what writes carry: random data, zeros, a pattern, all of
// them compressible to a share and repeating to a share.
//
// A [Spec] says what, as plain data. A [Source], compiled from it once, is a pure
// function: the content of a block follows from the seed, the block's key and,
// where a pattern says so, its offset, so that it can be made again later and
// compared. A Source may be shared by goroutines; it allocates nothing after New.
//
// A buffer is made in two steps, so that what stays the same from write to
// write is not made anew: [Source.Prime] once, and again after something else
// was put into it; then [Source.Fill] for every write. [Keys] draws the keys.
package content

import (
	"errors"
	"fmt"
	"strings"

	"moonio/engine/units"
)

// Kind is what contents are in the main.
type Kind uint8

// The kinds.
const (
	Random Kind = iota // does not compress
	Zero
	Repeat // a pattern over and over
)

// String is the kind as a script writes it.
func (k Kind) String() string { return [...]string{"random", "zero", "pattern"}[k] }

// Spec describes contents. The zero value is random data that is kept from write to
// write, with a stamp of the block's own in every 4 KiB.
type Spec struct {
	Kind     Kind
	Pattern  Pattern // of Repeat; with Compress it takes the place of zeros
	Compress int     // per cent of every chunk that compresses away; only of Random
	Chunk    int64   // bytes that are compressible in the same way each; 0: 512
	Dedupe   float64 // per cent of blocks that are copies of an earlier one
	Pool     int     // how many of the latest blocks copies are made of; 0: 1
	Refill   bool    // random data is new in each block, and not only its stamps
}

// defaultChunk is the Chunk of a Spec that gives none.
const defaultChunk = 512

// maxPool bounds the memory that a Pool takes.
const maxPool = 1 << 20

// Check says what is wrong with the description.
func (s *Spec) Check() error {
	switch {
	case s.Kind == Repeat && s.Pattern.Len() == 0:
		return errors.New("kind = \"pattern\" needs a pattern, such as \"0xdeadbeef\"")
	case s.Kind == Zero && s.Pattern.Len() > 0:
		return errors.New("kind = \"zero\" has no pattern: use kind = \"pattern\"")
	case s.Kind == Random && s.Pattern.Len() > 0 && s.Compress == 0:
		return errors.New("a pattern with kind = \"random\" is what compresses: give compress too, or kind = \"pattern\"")
	case s.Compress < 0 || s.Compress > 100:
		return fmt.Errorf("compress = %d: it is a share in per cent, from 0 to 100", s.Compress)
	case s.Compress > 0 && s.Kind != Random:
		return fmt.Errorf("compress = %d: only random data has a share that compresses; %s does anyway", s.Compress, s.Kind)
	case s.Chunk < 0 || s.Chunk > 0 && s.Chunk < 16:
		return fmt.Errorf("chunk = %s: at least 16 B are needed", units.FormatSize(s.Chunk))
	case !(s.Dedupe >= 0 && s.Dedupe <= 100):
		return fmt.Errorf("dedupe = %v: it is a share in per cent, from 0 to 100", s.Dedupe)
	case s.Pool < 0 || s.Pool > maxPool:
		return fmt.Errorf("pool = %d: from 1 to %d blocks are possible", s.Pool, maxPool)
	case s.Pool > 0 && s.Dedupe == 0:
		return errors.New("pool is of the blocks that dedupe repeats: give dedupe too")
	case s.Refill && s.Kind != Random:
		return fmt.Errorf("refill: only random data can be made anew, and this is %s", s.Kind)
	}
	return nil
}

// Plain says that the contents are those of the zero value.
func (s *Spec) Plain() bool {
	return s.Kind == Random && s.Compress == 0 && s.Dedupe == 0 && !s.Refill
}

// String is the description for a reader of a result.
func (s *Spec) String() string {
	parts := []string{s.Kind.String()}
	if s.Pattern.Len() > 0 {
		parts = append(parts, s.Pattern.String())
	}
	if s.Compress > 0 {
		parts = append(parts, fmt.Sprintf("%d %% compressible", s.Compress))
	}
	if s.Dedupe > 0 {
		parts = append(parts, fmt.Sprintf("%v %% repeated", s.Dedupe))
	}
	if s.Refill {
		parts = append(parts, "refilled")
	}
	return strings.Join(parts, ", ")
}
