package helper

import (
	"errors"

	"golang.org/x/sys/unix"

	"moonio/engine"
)

// SyncRangeFlags make a sync_range start and wait for the range's write-back,
// so that its completion means what fdatasync's does for the data alone.
const SyncRangeFlags = unix.SYNC_FILE_RANGE_WAIT_BEFORE | unix.SYNC_FILE_RANGE_WRITE | unix.SYNC_FILE_RANGE_WAIT_AFTER

// Do performs one operation with blocking calls and returns its completion's
// Res. Meta receives what the operation finds out.
func Do(fs engine.FS, op *engine.Op) int64 {
	for {
		res, err := call(fs, op)
		if err == nil {
			return res
		}
		if !errors.Is(err, unix.EINTR) {
			return Errno(err)
		}
	}
}

// Errno is an error as a completion carries it; one that holds no errno is EIO.
func Errno(err error) int64 {
	var e unix.Errno
	if errors.As(err, &e) && e != 0 {
		return -int64(e)
	}
	return -int64(unix.EIO)
}

func call(fs engine.FS, op *engine.Op) (int64, error) {
	switch {
	case op.Code == engine.Nop:
		return 0, nil
	case op.Code.Named():
		return named(fs, op.Code, op.Meta)
	case op.File == nil:
		return 0, unix.EBADF
	case op.Code.Transfers():
		return transfer(op)
	}
	return 0, openFile(fs, op)
}

func named(fs engine.FS, code engine.OpCode, m *engine.Meta) (int64, error) {
	if m == nil {
		return 0, unix.EINVAL
	}
	var err error
	switch code {
	case engine.Create, engine.Open:
		var fd int
		fd, err = fs.Open(m.Path, m.Flags, m.Perm)
		return int64(fd), err
	case engine.Rename:
		err = fs.Rename(m.Path, m.Path2)
	case engine.Unlink:
		err = fs.Unlink(m.Path)
	case engine.Stat:
		m.Size, m.Dir, err = fs.Stat(m.Path)
	case engine.Mkdir:
		err = fs.Mkdir(m.Path, m.Perm)
	case engine.List:
		m.Names, err = fs.List(m.Path)
	default:
		err = unix.EOPNOTSUPP
	}
	return 0, err
}

func transfer(op *engine.Op) (int64, error) {
	var n int
	var err error
	switch {
	case op.Code == engine.Read:
		n, err = unix.Pread(op.File.FD, op.Buf, op.Off)
	case op.Flags&engine.DSync != 0:
		n, err = unix.Pwritev2(op.File.FD, [][]byte{op.Buf}, op.Off, unix.RWF_DSYNC)
	default:
		n, err = unix.Pwrite(op.File.FD, op.Buf, op.Off)
	}
	return int64(n), err
}

func openFile(fs engine.FS, op *engine.Op) error {
	fd := op.File.FD
	switch op.Code {
	case engine.Fsync:
		return unix.Fsync(fd)
	case engine.Fdatasync:
		return unix.Fdatasync(fd)
	case engine.SyncRange:
		return unix.SyncFileRange(fd, op.Off, op.Len, SyncRangeFlags)
	case engine.Trim:
		return fs.Trim(fd, op.Off, op.Len)
	case engine.Allocate:
		return fs.Allocate(fd, op.Off, op.Len)
	case engine.Truncate:
		return fs.Truncate(fd, op.Len)
	case engine.Close:
		return fs.Close(fd)
	}
	return unix.EOPNOTSUPP
}
