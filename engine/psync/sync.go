package psync

import (
	"fmt"

	"golang.org/x/sys/unix"

	"moonio/engine"
	"moonio/engine/helper"
)

// own is a file as sync has opened it for itself.
type own struct {
	file *engine.File // nil if it is not open
	fd   int
	at   int64 // the position; -1: unknown
}

func (o *own) close() error {
	if o.file == nil {
		return nil
	}
	o.file = nil
	return unix.Close(o.fd)
}

// sequential is the engine sync's way.
func (e *Engine) sequential(op *engine.Op) (int64, error) {
	switch {
	case op.File != nil && op.Code == engine.Close:
		if o := e.known(op.File); o != nil {
			if err := o.close(); err != nil {
				return 0, fmt.Errorf("sync: closing its own descriptor of file %q: %w", op.File.Name, err)
			}
		}
		return helper.Do(e.fs, op), nil
	case op.File == nil || !op.Code.Transfers() || op.Flags&engine.DSync != 0:
		return e.other(op), nil
	}
	o, res, err := e.open(op.File)
	if o == nil {
		return res, err
	}
	if o.at != op.Off || op.Off < 0 { // which lseek refuses
		if res := again(unix.SYS_LSEEK, o.fd, uintptr(op.Off), unix.SEEK_SET, 0, 0); res < 0 {
			return res, nil
		}
	}
	call := uintptr(unix.SYS_WRITE)
	if op.Code == engine.Read {
		call = unix.SYS_READ
	}
	o.at = -1
	res = again(call, o.fd, helper.Address(op.Buf), len(op.Buf), 0, 0)
	if res >= 0 {
		o.at = op.Off + res
	}
	return res, nil
}

func (e *Engine) known(f *engine.File) *own {
	if f.ID < uint32(len(e.own)) && e.own[f.ID].file == f {
		return &e.own[f.ID]
	}
	return nil
}

// open finds the file's own descriptor, and opens it at the first use. Without
// one it returns a completion's Res, or why the engine can't go on.
func (e *Engine) open(f *engine.File) (*own, int64, error) {
	if o := e.known(f); o != nil {
		return o, 0, nil
	}
	flags, err := unix.FcntlInt(uintptr(f.FD), unix.F_GETFL, 0)
	if err != nil {
		return nil, helper.Errno(err), nil
	}
	fd, err := helper.Reopen(f, flags&keep)
	if err != nil {
		return nil, 0, fmt.Errorf("sync: opening file %q a second time, for a position of its own: %w; engine psync needs none", f.Name, err)
	}
	if missing := int(f.ID) + 1 - len(e.own); missing > 0 {
		e.own = append(e.own, make([]own, missing)...)
	}
	o := &e.own[f.ID]
	err = o.close() // of a file that had the ID before
	*o = own{file: f, fd: fd}
	return o, 0, err
}

// keep are the flags of a descriptor that one beside it needs too.
const keep = unix.O_ACCMODE | unix.O_DIRECT | unix.O_DSYNC | unix.O_SYNC | unix.O_NONBLOCK | unix.O_NOATIME | unix.O_LARGEFILE
