package verify

import (
	"encoding/hex"
	"fmt"
)

// Kind says in what way a block is not what it must be.
type Kind string

// The kinds.
const (
	Flipped Kind = "flipped bit"   // a few bits differ
	Swapped Kind = "swapped block" // the content of another block
	Stale   Kind = "stale block"   // what was written here earlier
	Torn    Kind = "torn write"    // part new, part old or zero
	Lost    Kind = "lost write"    // zeros
	Other   Kind = "foreign data"  // something that was never written here
	Corrupt Kind = "corrupt block" // none of these, but part of it is right
)

// Mismatch is a block that is not what it must be.
type Mismatch struct {
	Kind     Kind   `json:"kind"`
	File     string `json:"file"`
	Block    int64  `json:"block"`        // its number, counted from 0
	Offset   int64  `json:"offset"`       // where it begins in the file
	At       int64  `json:"block_offset"` // of the first byte that differs, in the block
	Length   int64  `json:"length"`       // from there to the last one that does
	Expected string `json:"expected"`     // bytes from there on, in hexadecimal
	Found    string `json:"found"`
	Detail   string `json:"detail"`

	Want []byte `json:"-"` // the whole block as it would be right; one of several if writes overlapped
	Have []byte `json:"-"`

	pardoned bool // it can be right after a crash, or after writes that overlapped
}

// Error is the mismatch in one line.
func (m Mismatch) Error() string {
	return fmt.Sprintf("%s in %q: block %d at offset %d: %s; from byte %d of it %s was expected, and %s was found",
		m.Kind, m.File, m.Block, m.Offset, m.Detail, m.At, m.Expected, m.Found)
}

// excerptSize is how many bytes are shown.
const excerptSize = 16

// compare notes where the block differs from what it would be right.
func (m *Mismatch) compare(want, have []byte) {
	m.Want = append([]byte(nil), want...)
	first, last := -1, 0
	for i := range have {
		if have[i] != want[i] {
			if last = i; first < 0 {
				first = i
			}
		}
	}
	m.show(max(first, 0), want, have)
	m.Length = int64(last - max(first, 0) + 1)
}

// show takes the excerpts from byte at on.
func (m *Mismatch) show(at int, want, have []byte) {
	m.At = int64(at)
	end := min(at+excerptSize, len(have))
	m.Expected, m.Found = hex.EncodeToString(want[at:end]), hex.EncodeToString(have[at:end])
}

// Failure is the error for a run whose verification found something.
type Failure struct {
	Mismatches int64
	First      Mismatch
}

// Error begins with what the run failed for.
func (e *Failure) Error() string {
	s := "verification failed: " + e.First.Error()
	if e.Mismatches > 1 {
		s += fmt.Sprintf(" (%d mismatches in all)", e.Mismatches)
	}
	return s
}
