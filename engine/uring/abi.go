package uring

// The kernel's interface, as linux/io_uring.h gives it. x/sys has the system
// calls' numbers and nothing else of it.

// sqe is struct io_uring_sqe.
type sqe struct {
	opcode   uint8
	flags    uint8
	ioprio   uint16
	fd       int32
	off      uint64 // or addr2
	addr     uint64
	len      uint32
	opFlags  uint32 // rw_flags, fsync_flags, open_flags …
	userData uint64
	bufIndex uint16
	persona  uint16
	fileSlot uint32
	addr3    uint64
	_        uint64
}

// cqe is struct io_uring_cqe.
type cqe struct {
	userData uint64
	res      int32
	flags    uint32
}

// params is struct io_uring_params.
type params struct {
	sqEntries, cqEntries uint32
	flags                uint32
	sqThreadCPU          uint32
	sqThreadIdle         uint32
	features             uint32
	wqFD                 uint32
	_                    [3]uint32
	sqOff                sqOffsets
	cqOff                cqOffsets
}

type sqOffsets struct {
	head, tail, ringMask, ringEntries, flags, dropped, array, _ uint32
	_                                                           uint64
}

type cqOffsets struct {
	head, tail, ringMask, ringEntries, overflow, cqes, flags, _ uint32
	_                                                           uint64
}

// timespec is struct __kernel_timespec.
type timespec struct{ sec, nsec int64 }

// geteventsArg is struct io_uring_getevents_arg.
type geteventsArg struct {
	sigmask   uint64
	sigmaskSz uint32
	minWait   uint32
	ts        uint64
}

// rsrcUpdate is struct io_uring_rsrc_update, and io_uring_files_update.
type rsrcUpdate struct {
	offset, _ uint32
	data      uint64
}

// probe is struct io_uring_probe with room for every opcode.
type probe struct {
	lastOp, opsLen uint8
	_              uint16
	_              [3]uint32
	ops            [256]probeOp
}

type probeOp struct {
	op, _ uint8
	flags uint16
	_     uint32
}

const opSupported = 1 << 0

// io_uring_setup's flags.
const (
	setupIOPoll       = 1 << 0
	setupSQPoll       = 1 << 1
	setupSQAff        = 1 << 2
	setupCQSize       = 1 << 3  // Linux 5.5
	setupDisabled     = 1 << 6  // 5.10
	setupSubmitAll    = 1 << 7  // 5.18
	setupCoopTaskrun  = 1 << 8  // 5.19
	setupTaskrunFlag  = 1 << 9  // 5.19
	setupSingleIssuer = 1 << 12 // 6.0
	setupDeferTaskrun = 1 << 13 // 6.1
	setupNoSQArray    = 1 << 16 // 6.6
)

// io_uring_params' features.
const (
	featSingleMmap = 1 << 0
	featNoDrop     = 1 << 1
	featFastPoll   = 1 << 5 // 5.7
	featExtArg     = 1 << 8 // 5.11
)

// io_uring_enter's flags, and the submission ring's.
const (
	enterGetEvents      = 1 << 0
	enterSQWakeup       = 1 << 1
	enterSQWait         = 1 << 2
	enterExtArg         = 1 << 3
	enterRegisteredRing = 1 << 4

	sqNeedWakeup = 1 << 0
	sqCQOverflow = 1 << 1
	sqTaskrun    = 1 << 2
)

// io_uring_register's operations.
const (
	registerBuffers     = 0
	unregisterBuffers   = 1
	registerFiles       = 2
	unregisterFiles     = 3
	registerFilesUpdate = 6
	registerProbe       = 8
	registerEnableRings = 12
	registerIOWQWorkers = 19 // 5.15
	registerRingFDs     = 20 // 5.18
	unregisterRingFDs   = 21
)

// sqe flags.
const (
	sqeFixedFile = 1 << 0
	sqeLink      = 1 << 2
	sqeAsync     = 1 << 4
)

// Opcodes.
const (
	opNop           = 0
	opFsync         = 3
	opReadFixed     = 4
	opWriteFixed    = 5
	opSyncFileRange = 8
	opAsyncCancel   = 14
	opFallocate     = 17
	opOpenat        = 18
	opClose         = 19
	opStatx         = 21
	opRead          = 22
	opWrite         = 23
	opRenameat      = 35 // 5.11
	opUnlinkat      = 36 // 5.11
	opMkdirat       = 37 // 5.15
	opFtruncate     = 55 // 6.9
)

const fsyncDatasync = 1 << 0

// Offsets at which the rings are mapped.
const (
	offRings = 0
	offSQEs  = 0x10000000
)
