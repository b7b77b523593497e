package fiolua

import (
	"fmt"
	"strings"

	"moonio/cmd/internal/fiojob"
)

// rw is what the option of that name says.
type rw struct {
	random              bool
	reads, writes, trim bool
	both                bool  // trimwrite: each block is trimmed, then written
	run                 int64 // operations until a new place is drawn; 1: each time
	gap                 int64 // between sequential blocks
	mix                 int64 // per cent of reads
}

func readRW(v *fiojob.Values) (rw, error) {
	word, suffix := v.Word("rw")
	r := rw{run: 1, mix: 50}
	kind, random := strings.CutPrefix(word, "rand")
	r.random = random
	switch kind {
	case "read":
		r.reads = true
	case "write":
		r.writes = true
	case "trim":
		r.trim = true
	case "rw", "readwrite":
		r.reads, r.writes = true, true
	case "trimwrite":
		r.writes, r.trim, r.both = true, true, true
	}
	r.readMix(v)
	if suffix == "" {
		return r, nil
	}
	return r.modify(v, suffix)
}

// modify reads what follows a colon: of random operations how many go in a row, of
// sequential ones by how much each is away from the one before.
func (r rw) modify(v *fiojob.Values, suffix string) (rw, error) {
	o, _ := v.Option("rw")
	digits, back := strings.CutPrefix(suffix, "-")
	n, err := v.Bytes(o, digits)
	switch {
	case err != nil:
		return r, err
	case r.random && (back || n < 1):
		return r, o.Fail(suffix, "it is the number of operations until a new place is drawn")
	case r.random:
		r.run = n
	case back:
		r.gap = -n
	default:
		r.gap = n
	}
	return r, nil
}

// readMix finds the share of reads. Of rwmixread and rwmixwrite the one that comes
// later holds.
func (r *rw) readMix(v *fiojob.Values) {
	read, hasRead := v.Option("rwmixread")
	write, hasWrite := v.Option("rwmixwrite")
	switch {
	case hasWrite && (!hasRead || later(write, read)):
		r.mix = 100 - v.Integer("rwmixwrite")
	case hasRead:
		r.mix = v.Integer("rwmixread")
	}
	if r.reads && r.writes {
		r.reads, r.writes = r.mix > 0, r.mix < 100
	}
}

// later says whether a was given after b.
func later(a, b fiojob.Option) bool {
	return a.Pos.File == b.Pos.File && a.Pos.Line > b.Pos.Line
}

// mixed says whether reads and writes are drawn.
func (r rw) mixed() bool { return r.reads && r.writes }

// changes says whether the job changes what is in its files.
func (r rw) changes() bool { return r.writes || r.trim }

// part is the part of an option's value that the job goes by.
func (r rw) part() int {
	switch {
	case r.reads:
		return fiojob.Reads
	case r.writes:
		return fiojob.Writes
	}
	return fiojob.Trims
}

// op is the Lua value for the option op.
func (r rw) op() string {
	switch {
	case r.both:
		return `"trimwrite"`
	case r.mixed():
		return fmt.Sprintf("{ read = %d, write = %d }", r.mix, 100-r.mix)
	case r.reads:
		return `"read"`
	case r.writes:
		return `"write"`
	}
	return `"trim"`
}
