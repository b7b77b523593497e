package engine

import (
	"fmt"
	"path"
	"strings"
	"syscall"
)

// nameError is a name that is refused before the kernel sees it: its text says why
// better than the text of the error number that it stands for.
type nameError struct {
	text  string
	errno syscall.Errno
}

func (e *nameError) Error() string { return e.text }
func (e *nameError) Unwrap() error { return e.errno }

// CleanName checks a name as every FS does and returns its shortest form, "."
// for the root. Names are relative to the root and stay beneath it: an absolute
// one, or one with "..", is EXDEV, an empty one ENOENT, one that holds a zero
// byte EINVAL. A slash at the end means nothing.
func CleanName(name string) (string, error) {
	switch {
	case name == "":
		return "", &nameError{"the name is empty", syscall.ENOENT}
	case name[0] == '/':
		return "", &nameError{"it is absolute, and names here are relative to the run's directory", syscall.EXDEV}
	case strings.IndexByte(name, 0) >= 0:
		return "", fmt.Errorf("%q holds a zero byte: %w", name, syscall.EINVAL)
	}
	for rest, more := name, true; more; {
		var part string
		part, rest, more = strings.Cut(rest, "/")
		if part == ".." {
			return "", &nameError{`it holds "..", and names here stay beneath the run's directory`, syscall.EXDEV}
		}
		if len(part) > 255 {
			return "", syscall.ENAMETOOLONG
		}
	}
	return path.Clean(name), nil
}
