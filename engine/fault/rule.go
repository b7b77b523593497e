// Package fault makes operations fail, take longer, stall or fall short, around
// any engine, so that users see what their script does under faults.
//
// A rule is written as the operations it is about, and what happens to which of them:
//
//	read:errno=EIO,every=1000             every thousandth read fails
//	fsync|fdatasync:delay=50ms,chance=1%  one sync in a hundred takes 50 ms longer
//	write:short=512,nth=3                 the third write transfers 512 bytes
//	*:stall=2s,at=5s                      nothing completes from 5 s on, for 2 s
//	read:errno=EIO,offset=1MiB..2MiB,file=data*,after=100,times=5
//
// # What happens
//
//   - errno=NAME: the operation fails. It is not performed.
//   - delay=TIME: its completion comes later by so much. So does what is linked to it.
//   - short=SIZE: a read, write or append is performed with SIZE bytes at most (rounded up
//     to what its file's alignment asks for), and returns what it transferred. One
//     that is no longer than that is not counted.
//   - stall=TIME: an operation that is chosen begins a stall, during which no completion
//     of any operation comes that the rule's operations, file and offset name.
//     With at=TIME it begins by the clock instead, so long after the rule's first use,
//     and with period=TIME again and again.
//
// A rule may ask for several of these, but not for errno and short.
//
// # To which operations
//
// The operations are names with | between them, or * for all. Then
// file=PATTERN (of path.Match; without a slash it is about the name's last
// part) and offset=FROM..TO (a range that the operation's must overlap;
// either end may be left out) narrow them down. What is left is counted, across all
// workers of a run, in the order in which operations start:
//
//   - after=N lets the first N pass, and the others count from there on;
//   - nth=N chooses the N-th, every=N every N-th;
//   - chance=P chooses each with that probability, 1% or 0.01;
//   - times=N is how often the rule may choose.
//
// All that are given must agree. Several rules apply together: delays add up, and
// the first errno and the shortest transfer hold.
//
// # What holds
//
// Operations complete exactly once. What is linked to an operation that a rule
// makes fail or fall short completes with ECANCELED. Cancelling an operation
// ends whatever holds its completion back. The engine beneath keeps
// its promises about links, Wake and the clock, a virtual one too. Operations that
// no rule names pass straight through.
package fault

import (
	"math/rand/v2"
	"path"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"moonio/engine"
)

// Rule says what is injected where. All workers of a run share it, and with it
// its counts; it is safe for concurrent use. Parse makes one.
type Rule struct {
	ops      opSet
	file     string // pattern; empty is any
	from, to int64  // bytes; to is 0 for any offset

	errno  unix.Errno
	delay  time.Duration
	stall  time.Duration
	short  int64
	at     time.Duration // of a stall by the clock, if clocked
	clock  bool
	period time.Duration

	after, nth, every, times int64
	chance                   float64 // 0 is always

	matched atomic.Int64
	fired   atomic.Int64
	origin  atomic.Int64 // when the rule was first used, plus 1
	until   atomic.Int64 // end of the present stall that an operation began
}

// Count is how often a rule found an operation that it is about, and how often it
// did something. A stall by the clock counts the completions that it held back.
type Count struct {
	Rule           string
	Matched, Fired int64
}

// Fired counts for each rule so far.
func Fired(rules []*Rule) []Count {
	counts := make([]Count, len(rules))
	for i, r := range rules {
		counts[i] = Count{Rule: r.String(), Matched: r.matched.Load(), Fired: r.fired.Load()}
	}
	return counts
}

// opSet is a set of operations, by bit.
type opSet uint32

const all opSet = 1<<engine.NumOpCodes - 1

func (s opSet) has(c engine.OpCode) bool { return s>>c&1 != 0 }

// names says whether the rule is about an operation, whatever the counts.
func (r *Rule) names(op *engine.Op) bool {
	return r.ops.has(op.Code) && (r.to == 0 || r.overlaps(op)) && (r.file == "" || r.inFile(op))
}

// counts says whether an operation that the rule names is one that it could change.
func (r *Rule) counts(op *engine.Op) bool {
	return !r.clock && (r.short == 0 || cut(op, r.short) < int64(len(op.Buf)))
}

// length is how many bytes of a file an operation is about; 0 if it isn't about a range.
func length(op *engine.Op) int64 {
	switch {
	case op.Code.Transfers():
		return int64(len(op.Buf))
	case ranged.has(op.Code):
		return op.Len
	}
	return 0
}

// The operations that have an offset.
const ranged = transfers | 1<<engine.SyncRange | 1<<engine.Trim | 1<<engine.Allocate

const transfers opSet = 1<<engine.Read | 1<<engine.Write | 1<<engine.Append

func (r *Rule) overlaps(op *engine.Op) bool {
	n := length(op)
	return n > 0 && op.Off < r.to && op.Off+n > r.from
}

func (r *Rule) inFile(op *engine.Op) bool {
	if !op.Code.Named() {
		return op.File != nil && r.fits(op.File.Name)
	}
	return op.Meta != nil && (r.fits(op.Meta.Path) || op.Code == engine.Rename && r.fits(op.Meta.Path2))
}

func (r *Rule) fits(name string) bool {
	if !strings.Contains(r.file, "/") {
		name = name[strings.LastIndexByte(name, '/')+1:]
	}
	ok, _ := path.Match(r.file, name) // Parse has checked the pattern
	return ok
}

// cut is how many bytes a transfer that is to be short has.
func cut(op *engine.Op, n int64) int64 {
	if op.File != nil && op.File.Direct {
		if unit := int64(op.File.Align.Offset); unit > 1 {
			n = (n + unit - 1) / unit * unit
		}
	}
	return min(n, int64(len(op.Buf)))
}

// fires counts an operation that the rule names, and says whether it is chosen.
func (r *Rule) fires(rng *rand.Rand) bool {
	n := r.matched.Add(1) - r.after
	if n <= 0 || r.nth > 0 && n != r.nth || r.every > 0 && n%r.every != 0 || r.chance > 0 && rng.Float64() >= r.chance {
		return false
	}
	for {
		fired := r.fired.Load()
		if r.times > 0 && fired >= r.times {
			return false
		}
		if r.fired.CompareAndSwap(fired, fired+1) {
			return true
		}
	}
}

// begin notes the time of the rule's first use.
func (r *Rule) begin(now int64) { r.origin.CompareAndSwap(0, now+1) }

// stalled is when a stall ends that holds now, or 0.
func (r *Rule) stalled(now int64) int64 {
	if !r.clock {
		if until := r.until.Load(); until > now {
			return until
		}
		return 0
	}
	t := now - (r.origin.Load() - 1) - int64(r.at)
	if t >= 0 && r.period > 0 {
		t %= int64(r.period)
	}
	if t < 0 || t >= int64(r.stall) {
		return 0
	}
	return now + int64(r.stall) - t
}

// stallFrom begins a stall, or lengthens the one there is.
func (r *Rule) stallFrom(now int64) {
	end := now + int64(r.stall)
	for {
		old := r.until.Load()
		if old >= end || r.until.CompareAndSwap(old, end) {
			return
		}
	}
}
