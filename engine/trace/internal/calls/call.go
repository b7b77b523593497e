// Package calls turns the system calls of traced processes into records. It
// keeps what the kernel keeps for them: each process's table of descriptors (shared,
// copied or closed as fork, clone and exec have it), and each open file's flags and
// position, so that a read or write that names only a descriptor has a file and an
// offset. The tracers' own syntax is their readers' matter.
package calls

// maxArgs is how many arguments a call can have.
const maxArgs = 6

// Call is one system call that has returned, as a tracer printed it. Its parts belong to
// the caller, and are not kept.
type Call struct {
	ID      ID
	Time    int64 // of its beginning, in nanoseconds
	Latency int64 // or trace.Unknown
	Args    [maxArgs][]byte
	N       int    // how many there are
	Raw     []byte // all the arguments
	Begun   bool   // Machine.Begin was told of it
	Ret     int64  // what it returned; below 0 if it failed, or never returned
	RetPath []byte // the path of the descriptor that it returned, if it was printed
}

// arg is an argument, or nil.
func (c *Call) arg(i int) []byte {
	if i >= c.N {
		return nil
	}
	return c.Args[i]
}

// ID says what a call does.
type ID uint8

// What calls do. Other is a call of no interest here.
const (
	Other ID = iota
	Read
	Pread
	Write
	Pwrite
	Fsync
	Fdatasync
	SyncRange
	Truncate
	Ftruncate
	Fallocate
	CopyRange
	Sendfile
	Submit
	Uring
	Msync
	Sync
	Mmap
	Advise
	Receive
	Open
	OpenAt
	Creat
	Close
	CloseRange
	Dup
	Dup2
	Fcntl
	Lseek
	Fork
	Clone
	Exec
	Unshare
	Chdir
	Fchdir
	Socket
	Anon
	Pipe
	Memfd
	GetEvents
)

// Lookup is what the call of a name does.
func Lookup(name []byte) ID {
	switch string(name) {
	case "read", "readv":
		return Read
	case "pread64", "pread", "preadv", "preadv2":
		return Pread
	case "write", "writev":
		return Write
	case "pwrite64", "pwrite", "pwritev", "pwritev2":
		return Pwrite
	case "fsync":
		return Fsync
	case "fdatasync":
		return Fdatasync
	case "sync_file_range":
		return SyncRange
	case "truncate", "truncate64":
		return Truncate
	case "ftruncate", "ftruncate64":
		return Ftruncate
	case "fallocate":
		return Fallocate
	case "copy_file_range", "splice":
		return CopyRange
	case "sendfile", "sendfile64":
		return Sendfile
	case "io_submit":
		return Submit
	case "io_getevents", "io_pgetevents", "io_pgetevents_time64":
		return GetEvents
	case "io_uring_setup", "io_uring_enter", "io_uring_register":
		return Uring
	case "msync":
		return Msync
	case "sync", "syncfs":
		return Sync
	case "mmap", "mmap2":
		return Mmap
	case "fadvise64", "fadvise64_64", "posix_fadvise", "readahead":
		return Advise
	case "recvfrom", "recvmsg", "recvmmsg", "sendto", "sendmsg", "sendmmsg":
		return Receive
	}
	return lookupState(name)
}

// lookupState knows the calls that change descriptors and processes.
func lookupState(name []byte) ID {
	switch string(name) {
	case "open":
		return Open
	case "openat", "openat2":
		return OpenAt
	case "creat":
		return Creat
	case "close":
		return Close
	case "close_range":
		return CloseRange
	case "dup":
		return Dup
	case "dup2", "dup3":
		return Dup2
	case "fcntl", "fcntl64":
		return Fcntl
	case "lseek":
		return Lseek
	case "fork", "vfork":
		return Fork
	case "clone", "clone3":
		return Clone
	case "execve", "execveat":
		return Exec
	case "unshare":
		return Unshare
	case "chdir":
		return Chdir
	case "fchdir":
		return Fchdir
	case "socket", "accept", "accept4":
		return Socket
	case "epoll_create", "epoll_create1", "eventfd", "eventfd2", "timerfd_create", "signalfd", "signalfd4",
		"inotify_init", "inotify_init1", "fanotify_init", "pidfd_open", "perf_event_open", "userfaultfd":
		return Anon
	case "pipe", "pipe2", "socketpair":
		return Pipe
	case "memfd_create":
		return Memfd
	}
	return Other
}

// IO says whether the call may give a record, or is counted where it gives none.
func (id ID) IO() bool { return id >= Read && id <= Submit }
