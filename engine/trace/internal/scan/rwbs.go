package scan

import (
	"moonio/engine"
	"moonio/engine/trace"
)

// RWBS parses the letters by which the kernel's block layer says what a request is:
// [F]{R|W|D|F|N}[F][A][S][M], where an F first is a flush before it, one later is FUA, and B an old
// kernel's barrier. ok is false if they name nothing that could be replayed. A
// flush without data is an fsync, whatever its letters.
func RWBS(b []byte, sectors int64) (op engine.OpCode, flags trace.Flags, ok bool) {
	if len(b) > 1 && b[0] == 'F' || len(b) == 1 && b[0] == 'F' {
		flags, b = trace.Preflush, b[1:]
	}
	if len(b) > 0 {
		op, ok = rwbsOps[b[0]]
		b = b[1:]
	}
	for _, c := range b {
		switch c {
		case 'F':
			flags |= trace.FUA
		case 'B':
			flags |= trace.Preflush | trace.FUA
		case 'A':
			flags |= trace.Readahead
		case 'S':
			flags |= trace.Sync
		case 'M':
			flags |= trace.Meta
		}
	}
	if op == engine.Fsync || flags&trace.Preflush != 0 && sectors == 0 {
		return engine.Fsync, flags &^ (trace.Preflush | trace.FUA), true
	}
	return op, flags, ok
}

// rwbsOps are the letters for operations: F is a flush.
var rwbsOps = map[byte]engine.OpCode{'R': engine.Read, 'W': engine.Write, 'D': engine.Trim, 'F': engine.Fsync}
