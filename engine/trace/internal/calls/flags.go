package calls

import (
	"bytes"

	"moonio/engine/trace/internal/scan"
)

// flag is one that a call's argument can have: as a word, with its prefix or, as perf prints it, without; or as
// bits, where the tracer was told to print numbers (strace -X raw). The bits are those of most
// architectures.
type flag struct {
	word string // the prefix can be left away if it has one or two letters
	bits int64
	long string // the word with its prefix, if that has more
}

var (
	openAppend  = flag{word: "APPEND", bits: 0o2000}
	openDirect  = flag{word: "DIRECT", bits: 0o40000}
	openSync    = flag{word: "SYNC", bits: 0o4010000}
	openDsync   = flag{word: "DSYNC", bits: 0o10000}
	openTrunc   = flag{word: "TRUNC", bits: 0o1000}
	openCloexec = flag{word: "CLOEXEC", bits: 0o2000000}

	rwfAppend = flag{word: "RWF_APPEND", bits: 0x10}
	rwfSync   = flag{word: "RWF_SYNC", bits: 4}
	rwfDsync  = flag{word: "RWF_DSYNC", bits: 2}

	punchHole    = flag{word: "PUNCH_HOLE", bits: 2, long: "FALLOC_FL_PUNCH_HOLE"}
	keepSize     = flag{word: "KEEP_SIZE", bits: 1, long: "FALLOC_FL_KEEP_SIZE"}
	fdCloexec    = flag{word: "CLOEXEC", bits: 1}
	rangeCloexec = flag{word: "CLOSE_RANGE_CLOEXEC", bits: 4}
	memfdCloexec = flag{word: "MFD_CLOEXEC", bits: 1}
	cloneFiles   = flag{word: "FILES", bits: 0x400, long: "CLONE_FILES"}
)

// in says whether an argument has the flag. A number can have its words behind it (strace -X verbose).
func (f flag) in(arg []byte) bool {
	if n, ok := bits(arg); ok {
		return n&f.bits == f.bits
	}
	return f.named(arg)
}

// named says whether an argument has the flag's word.
func (f flag) named(arg []byte) bool {
	return contains(arg, f.word) || f.long != "" && contains(arg, f.long)
}

// bits is an argument that is printed as a number. An address is none: it is of what was not printed.
func bits(arg []byte) (int64, bool) {
	n, ok := leading(arg)
	return n, ok && n < address
}

// address is beyond all flags.
const address = 1 << 32

func leading(arg []byte) (int64, bool) {
	word, _ := scan.Field(arg)
	return scan.Number(word)
}

// is says whether an argument is a command, as a number or by its word.
func (f flag) is(arg []byte) bool {
	if n, ok := bits(arg); ok {
		return n == f.bits
	}
	return contains(arg, f.word)
}

// The commands of fcntl that are of interest.
var (
	dupFD        = flag{word: "DUPFD", bits: 0}
	dupFDCloexec = flag{word: "DUPFD_CLOEXEC", bits: 1030}
	setFD        = flag{word: "SETFD", bits: 2}
	setFL        = flag{word: "SETFL", bits: 4}
)

// reserves says whether a mode of fallocate only reserves space.
func reserves(mode []byte) bool {
	if n, ok := bits(mode); ok {
		return n&^keepSize.bits == 0
	}
	return len(mode) == 0 || keepSize.named(mode) && bytes.IndexByte(mode, '|') < 0
}

// sharesFiles says whether a clone shares the table of descriptors. perf does not print what
// clone3 is told, which is how threads are made, nor does strace where it is to print numbers.
func sharesFiles(args []byte) bool {
	first, _, _ := bytes.Cut(args, []byte{','})
	if n, ok := leading(first); ok {
		return n >= address || cloneFiles.in(first)
	}
	return cloneFiles.named(args) || bytes.Contains(args, []byte("uargs: 0x"))
}
