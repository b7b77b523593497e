package run

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"moonio/engine"
	"moonio/engine/units"
)

// ErrPlan is wrapped by the error for a phase that cannot be played as it is planned. Nothing
// has been done then.
var ErrPlan = errors.New("phase")

// misfit is an error for a plan whose parts do not fit together.
type misfit struct{ error }

func (misfit) Is(target error) bool { return target == ErrPlan }

// ErrStuck says that every client waits for another one.
var ErrStuck = errors.New("every client waits for another client: nothing can go on; check the order of acquire, release, wait and set")

// ErrRunaway is what a client is stopped with that did not come back to its
// worker although it should have.
var ErrRunaway = errors.New("stopped in the middle of a computation")

// ErrEOF says that a read found nothing at its offset.
var ErrEOF = errors.New("past the end of the file")

// errEOF stands for a read that found nothing at its offset. No kernel returns 0 as an errno's
// negative, so the number is free for it.
const errEOF = syscall.Errno(1 << 20)

// ErrLate says that an operation took longer than its stream allows.
var ErrLate = errors.New("took too long")

// errLate stands for it where there are errnos.
const errLate = syscall.Errno(1<<20 + 1)

// OpError is an operation that failed.
type OpError struct {
	Job   string
	Op    string // the operation, its file and where in it
	Errno syscall.Errno
	Off   int64
	Size  int64 // of the file
	Took  time.Duration
	Limit time.Duration // of what it may take; 0: none
	Where string        // in the script it was asked for; "" where that is not known

	Engine   string   // that did it; empty for what is done outside of phases
	Features []string // that the engine had in use
}

func (e *OpError) Error() string {
	s := e.Op + " failed"
	if e.Job != "" {
		s = fmt.Sprintf("job %q: %s", e.Job, s)
	}
	return fmt.Sprintf("%s: %s", s, e.cause())
}

// Unwrap gives the errno, ErrEOF or ErrLate.
func (e *OpError) Unwrap() error {
	switch e.Errno {
	case errEOF:
		return ErrEOF
	case errLate:
		return ErrLate
	}
	return e.Errno
}

func (e *OpError) cause() string {
	if e.Errno == errEOF {
		return e.beyond()
	}
	if e.Errno == errLate {
		return fmt.Sprintf("it took %s, and max_latency is %s", units.FormatDuration(e.Took), units.FormatDuration(e.Limit))
	}
	s := fmt.Sprintf("%s (%s)", e.Errno.Error(), errnoName(e.Errno))
	if why := e.option(); why != "" {
		return s + ": " + why
	}
	switch e.Errno {
	case syscall.ENOSPC:
		s += ": free some space, use a smaller size, or another --dir"
	case syscall.EIO:
		if e.Engine == "mmap" {
			return s + ": a page could not be had: the file system is full, the file was made shorter, or the device reports an error, of which the kernel log has more"
		}
		s += ": the device reports an error; the kernel log has more"
	case syscall.EDQUOT:
		s += ": the quota of this file system is used up: remove files, use a smaller size, or another --dir"
	case syscall.EFBIG:
		s += ": " + tooLarge()
	case syscall.EROFS:
		s += ": the file system cannot be written, or no longer: after an error of its device, of which the kernel log has more, it may have been made so"
	case syscall.EINVAL:
		s += ": the storage refuses this offset, length or flag; direct I/O must be aligned"
	case syscall.EBADF:
		s += ": the file is not open, or not open for this operation"
	case syscall.ENOENT:
		s += e.absent()
	case syscall.EISDIR:
		s += ": a directory can be listed, and synced when it is opened with write = false"
	case syscall.EMFILE, syscall.ENFILE:
		s += ": too many open files; raise `ulimit -n` or close some"
	case syscall.ECANCELED:
		s += ": the operation that it is linked to failed or fell short"
	case syscall.EOPNOTSUPP:
		s += ": the file system or device does not offer this operation"
	}
	return s
}

// tooLarge says what keeps a file from growing: a limit on the program, or the file system.
func tooLarge() string {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_FSIZE, &limit); err == nil && limit.Cur != unix.RLIM_INFINITY {
		return fmt.Sprintf("no file of this program may have more than %s: raise `ulimit -f`, or use a smaller size", units.FormatSize(int64(min(limit.Cur, math.MaxInt64))))
	}
	return "the file system takes no file of that size: use a smaller one, or another --dir"
}

// absent says which name there must be.
func (e *OpError) absent() string {
	switch op, _, _ := strings.Cut(e.Op, " "); op {
	case "create", "mkdir":
		return ": make its directory first with mkdir"
	case "rename":
		return ": neither the file nor the directory of its new name may be missing"
	}
	return ""
}

// beyond says what a read found behind the file's end.
func (e *OpError) beyond() string {
	size := fmt.Sprintf("%d bytes (%s)", e.Size, units.FormatSize(e.Size))
	if e.Off < e.Size {
		return fmt.Sprintf("the file ends before it, and had %s in this run: another program made it shorter", size)
	}
	return fmt.Sprintf("%v, which has %s", ErrEOF, size)
}

// option says which of the engine's options an errno comes of; empty if none is known.
func (e *OpError) option() string {
	has := func(name string) bool { return slices.Contains(e.Features, name) }
	switch {
	case e.Errno == syscall.EAGAIN && has("nowait"):
		return `it would have had to wait, which the engine's option nowait forbids; with on_error = "count" such operations are counted`
	case e.Errno == syscall.EOPNOTSUPP && has("nowait"):
		return "the file system or device does not offer it with the engine's option nowait: leave the option out"
	case e.Errno == syscall.EOPNOTSUPP && has("uncached"):
		return "the file system or device does not offer it with the engine's option uncached: leave the option out"
	case e.Errno == syscall.EPERM && has("ioprio"):
		return "an I/O priority of class rt needs CAP_SYS_NICE or CAP_SYS_ADMIN"
	}
	return ""
}

// errnoName is the errno's name as C knows it, "EIO".
func errnoName(e syscall.Errno) string {
	switch e {
	case errEOF:
		return "EOF"
	case errLate:
		return "LATE"
	}
	if n := unix.ErrnoName(e); n != "" {
		return n
	}
	return fmt.Sprintf("errno %d", int(e))
}

// RequestError is an operation that was refused before it was submitted.
type RequestError struct {
	Request Request
	Reason  string
}

func (e *RequestError) Error() string {
	r := &e.Request
	return fmt.Sprintf("%s of %d bytes at %d in %q: %s", r.Code, r.Len, r.Off, r.File.Name, e.Reason)
}

// opText describes an operation for a message.
func opText(op *engine.Op) string {
	switch {
	case op.Meta != nil && op.Meta.Path2 != "":
		return fmt.Sprintf("%s of %q to %q", op.Code, op.Meta.Path, op.Meta.Path2)
	case op.Meta != nil:
		return fmt.Sprintf("%s of %q", op.Code, op.Meta.Path)
	case op.File == nil:
		return op.Code.String()
	case op.Code.Transfers():
		return fmt.Sprintf("%s of %d bytes at offset %d in %q", op.Code, len(op.Buf), op.Off, op.File.Name)
	case op.Code == engine.Truncate:
		return fmt.Sprintf("truncate of %q to %d bytes", op.File.Name, op.Len)
	case op.Len > 0:
		return fmt.Sprintf("%s of %d bytes at offset %d in %q", op.Code, op.Len, op.Off, op.File.Name)
	}
	return fmt.Sprintf("%s of %q", op.Code, op.File.Name)
}

func fileSize(op *engine.Op) int64 {
	if op.File == nil {
		return 0
	}
	return op.File.Size()
}
