package perf

import (
	"moonio/engine/trace/internal/calls"
	"moonio/engine/trace/internal/scan"
)

// params are the names of a call's arguments in the kernel, by which perf prints them, in their order:
// of those calls whose arguments matter, and no further than they do.
var params = map[string][]string{
	"pread64":         {"fd", "buf", "count", "pos"},
	"pwrite64":        {"fd", "buf", "count", "pos"},
	"preadv":          {"fd", "vec", "vlen", "pos_l"},
	"pwritev":         {"fd", "vec", "vlen", "pos_l"},
	"preadv2":         {"fd", "vec", "vlen", "pos_l", "flags"},
	"pwritev2":        {"fd", "vec", "vlen", "pos_l", "flags"},
	"openat":          {"dfd", "filename", "flags"},
	"openat2":         {"dfd", "filename", "flags"},
	"open":            {"filename", "flags"},
	"creat":           {"pathname"},
	"chdir":           {"filename"},
	"truncate":        {"path", "length"},
	"ftruncate":       {"fd", "length"},
	"fallocate":       {"fd", "mode", "offset", "len"},
	"sync_file_range": {"fd", "offset", "nbytes"},
	"copy_file_range": {"fd_in", "off_in", "fd_out", "off_out"},
	"splice":          {"fd_in", "off_in", "fd_out", "off_out"},
	"sendfile":        {"out_fd", "in_fd", "offset"},
	"sendfile64":      {"out_fd", "in_fd", "offset"},
	"dup":             {"fildes"},
	"dup2":            {"oldfd", "newfd", "flags"},
	"dup3":            {"oldfd", "newfd", "flags"},
	"fcntl":           {"fd", "cmd", "arg"},
	"close_range":     {"fd", "max_fd", "flags"},
	"mmap":            {"addr", "len", "prot", "flags", "fd"},
}

// justFD are those of all other calls.
var justFD = []string{"fd"}

var zero = []byte("0")

// arrange puts a call's arguments where they belong, without their names. perf leaves out those that
// are 0.
func arrange(c *calls.Call, name []byte) {
	c.ID = calls.Lookup(name)
	printed, n := c.Args, c.N
	names, ok := params[string(name)]
	if !ok {
		names = justFD
	}
	for i, param := range names {
		c.Args[i] = nil
		for _, arg := range printed[:n] {
			if value, ok := cutName(arg, param); ok {
				c.Args[i] = value
			}
		}
		if c.Args[i] == nil && zeroIs(param) && c.ID != calls.Mmap {
			c.Args[i] = zero
		}
	}
	c.N = len(names)
}

// zeroIs says whether a parameter that is not printed is the number 0: a descriptor, or where to
// read and write.
func zeroIs(param string) bool {
	switch param {
	case "fd", "fd_in", "fd_out", "out_fd", "in_fd", "fildes", "oldfd", "pos", "pos_l", "max_fd":
		return true
	}
	return false
}

// cutName is the value of "name: value".
func cutName(arg []byte, name string) ([]byte, bool) {
	if len(arg) <= len(name) || string(arg[:len(name)]) != name || arg[len(name)] != ':' {
		return nil, false
	}
	return scan.Trim(arg[len(name)+1:]), true
}
