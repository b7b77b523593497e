package pool

import (
	"golang.org/x/sys/unix"

	"moonio/engine"
	"moonio/engine/helper"
	"moonio/engine/internal/block"
)

// call performs an operation and returns its completion's Res. vec is the
// thread's own.
func call(fs engine.FS, op *engine.Op, vec *unix.Iovec) int64 {
	if op.File == nil {
		return helper.Do(fs, op)
	}
	for {
		res, ok := enter(op, vec)
		if !ok {
			return helper.Do(fs, op)
		}
		if res != -int64(unix.EINTR) {
			return res
		}
	}
}

// enter makes the system call of an operation that can block for long; ok is
// false for any other.
func enter(op *engine.Op, vec *unix.Iovec) (res int64, ok bool) {
	fd := op.File.FD
	switch op.Code {
	case engine.Read:
		res = block.Pread(fd, op.Buf, op.Off)
	case engine.Write, engine.Append:
		if op.Flags&engine.DSync == 0 || len(op.Buf) == 0 {
			res = block.Pwrite(fd, op.Buf, op.Off)
			break
		}
		vec.Base = &op.Buf[0]
		vec.SetLen(len(op.Buf))
		res = block.Pwritev2(fd, vec, op.Off, unix.RWF_DSYNC)
	case engine.Fsync:
		res = block.Fsync(fd)
	case engine.Fdatasync:
		res = block.Fdatasync(fd)
	case engine.SyncRange:
		res = block.SyncFileRange(fd, op.Off, op.Len, helper.SyncRangeFlags)
	default:
		return 0, false
	}
	return res, true
}
