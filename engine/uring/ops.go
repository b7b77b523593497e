package uring

import (
	"cmp"
	"math"
	"unsafe"

	"golang.org/x/sys/unix"

	"moonio/engine"
	"moonio/engine/helper"
)

// none marks operations that io_uring has no opcode for.
const none = 255

var opcodeOf = [engine.NumOpCodes]uint8{
	engine.Nop:       opNop,
	engine.Read:      opRead,
	engine.Write:     opWrite,
	engine.Append:    opWrite,
	engine.Fsync:     opFsync,
	engine.Fdatasync: opFsync,
	engine.SyncRange: opSyncFileRange,
	engine.Trim:      opFallocate,
	engine.Allocate:  opFallocate,
	engine.Truncate:  opFtruncate,
	engine.Create:    opOpenat,
	engine.Open:      opOpenat,
	engine.Close:     opClose,
	engine.Rename:    opRenameat,
	engine.Unlink:    opUnlinkat,
	engine.Stat:      opStatx,
	engine.Mkdir:     opMkdirat,
	engine.List:      none,
}

// route is where an operation runs.
type route uint8

const (
	inRing   route = iota
	byHelper       // the kernel lacks it: on a helper thread
	nowhere        // it can't start
)

// route decides where op runs, and does for it all that can fail, so that fill
// can't. With nowhere comes the completion's Res.
func (e *Engine) route(op *engine.Op, slot uint32) (route, int64) {
	switch {
	case op.Code.Transfers():
		if op.File == nil {
			return nowhere, -int64(unix.EBADF)
		}
		if op.Off < 0 { // the kernel would take -1 for the file's position
			return nowhere, -int64(unix.EINVAL)
		}
		return inRing, 0
	case op.Code >= engine.NumOpCodes:
		return nowhere, -int64(unix.EINVAL)
	case op.Code.Named():
		return e.routeNamed(op, slot)
	case op.Code == engine.Nop && !e.native[op.Code]:
		return nowhere, 0
	case op.File == nil && op.Code != engine.Nop:
		return nowhere, -int64(unix.EBADF)
	case !e.native[op.Code],
		op.Code == engine.Trim && op.File.Device,               // wants an ioctl
		op.Code == engine.SyncRange && op.Len > math.MaxUint32: // an SQE has 32 bits for it
		return byHelper, 0
	case op.Off < 0 || op.Len < 0:
		return nowhere, -int64(unix.EINVAL)
	}
	return inRing, 0
}

// fill makes op's SQE, but for its link flag.
func (e *Engine) fill(s *sqe, op *engine.Op, slot uint32) {
	switch op.Code {
	case engine.Read:
		e.fillTransfer(s, op, opRead, opReadFixed)
	case engine.Write, engine.Append:
		e.fillTransfer(s, op, opWrite, opWriteFixed)
		if op.Flags&engine.DSync != 0 {
			s.opFlags |= unix.RWF_DSYNC
		}
	default:
		*s = sqe{opcode: opcodeOf[op.Code]}
		if op.Code.Named() {
			e.fillNamed(s, op, slot)
		} else {
			e.fillFile(s, op)
		}
	}
	if e.sync++; e.sync == e.opts.async {
		e.sync = 0
		s.flags |= sqeAsync
	}
	s.userData = uint64(slot)
}

func (e *Engine) fillTransfer(s *sqe, op *engine.Op, plain, fixed uint8) {
	buf := uintptr(unsafe.Pointer(unsafe.SliceData(op.Buf)))
	n := min(len(op.Buf), helper.MaxTransfer)
	*s = sqe{opcode: plain, ioprio: cmp.Or(op.Prio, e.opts.prio), opFlags: e.opts.transfer.Flags, off: uint64(op.Off), addr: uint64(buf), len: uint32(n)}
	// Unsigned: an address below the buffer's is far above its length.
	if rel := buf - e.fixedBuf; rel < e.fixedLen && uintptr(n) <= e.fixedLen-rel {
		s.opcode = fixed // of buffer 0, the only one
	}
	e.setFile(s, op.File)
}

// fillFile is for what works on an open file and moves no data.
func (e *Engine) fillFile(s *sqe, op *engine.Op) {
	switch op.Code {
	case engine.Nop:
		return
	case engine.Close:
		e.forget(op.File)
		s.fd = int32(op.File.FD)
		return
	case engine.Fdatasync:
		s.opFlags = fsyncDatasync
	case engine.SyncRange:
		s.off, s.len, s.opFlags = uint64(op.Off), uint32(op.Len), helper.SyncRangeFlags
	case engine.Trim:
		s.off, s.addr, s.len = uint64(op.Off), uint64(op.Len), unix.FALLOC_FL_PUNCH_HOLE|unix.FALLOC_FL_KEEP_SIZE
	case engine.Allocate:
		s.off, s.addr = uint64(op.Off), uint64(op.Len)
	case engine.Truncate:
		s.off = uint64(op.Len)
	}
	e.setFile(s, op.File)
}

// setFile names the file by its place in the registered table if it has one.
func (e *Engine) setFile(s *sqe, f *engine.File) {
	if f.Pinned && e.registered(f) {
		s.fd, s.flags = int32(f.ID), sqeFixedFile
		return
	}
	s.fd = int32(f.FD)
}
