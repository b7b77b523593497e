package engine

import "fmt"

// OpCode is a kind of operation. Every kind is timed under its own name.
type OpCode uint8

// The operations. Append is a write whose offset the caller took from the
// file's append position, Create an open that must make the file; engines treat
// them as Write and Open.
const (
	Nop OpCode = iota
	Read
	Write
	Append
	Fsync
	Fdatasync
	SyncRange
	Trim     // give a range's blocks back (punch a hole, or discard)
	Allocate // reserve a range's blocks
	Truncate
	Create
	Open
	Close
	Rename
	Unlink
	Stat
	Mkdir
	List
	NumOpCodes // how many codes there are; not an operation
)

var opNames = [NumOpCodes]string{
	"nop", "read", "write", "append", "fsync", "fdatasync", "sync_range", "trim", "allocate", "truncate",
	"create", "open", "close", "rename", "unlink", "stat", "mkdir", "list",
}

// String is the operation's name in scripts and results.
func (c OpCode) String() string {
	if c < NumOpCodes {
		return opNames[c]
	}
	return fmt.Sprintf("op(%d)", uint8(c))
}

// Transfers says whether the operation moves data, so that its completion counts bytes.
func (c OpCode) Transfers() bool { return c == Read || c == Write || c == Append }

// Writes says whether the operation changes a file's data or its size.
func (c OpCode) Writes() bool {
	return c == Write || c == Append || c == Trim || c == Allocate || c == Truncate
}

// Named says whether the operation works on a name and not on an open file:
// its Meta must be set, and its File is ignored except by Open and Create.
func (c OpCode) Named() bool { return c >= Create && c != Close }

// OpFlags modify one operation.
type OpFlags uint8

const (
	// Link makes the next operation of the same Submit call start only when
	// this one has succeeded; when it fails, the next completes with ECANCELED.
	// A short transfer counts as a failure.
	Link OpFlags = 1 << iota
	// DSync makes a write durable before it completes, as O_DSYNC would.
	DSync
)

// Op is one operation, in a slot that the caller owns. The caller fills it
// before Submit and leaves it alone until its completion has come back.
type Op struct {
	Code  OpCode
	Flags OpFlags
	Prio  uint16 // a transfer's priority, from ParsePrio, on engines whose Info says that they honour it; 0: the thread's
	File  *File  // the open file, for operations on one
	Buf   []byte // what is transferred; from an Arena, so never in Go's heap
	Off   int64  // byte offset
	Len   int64  // length in bytes of a range (sync_range, trim, allocate), or the new size (truncate)
	Meta  *Meta  // names and results, for operations on names
}

// Meta is the part of an operation that works on names. Names are relative to
// the root of the engine's FS.
type Meta struct {
	Path  string
	Path2 string // rename's new name
	Flags int    // open: unix.O_* flags
	Perm  uint32 // open, mkdir

	Size  int64    // out: stat's size in bytes
	Dir   bool     // out: stat found a directory
	Names []string // out: list's names, sorted
}

// Completion is the end of one operation.
type Completion struct {
	Slot uint32
	// Res is bytes transferred, a new descriptor (open, create), 0, or minus an errno.
	Res int64
}
