package engine

import (
	"fmt"
	"path"
	"strings"
	"syscall"
)

// CleanName checks a name as every FS does and returns its shortest form, "."
// for the root. Names are relative to the root and stay beneath it: an absolute
// one, or one with "..", is EXDEV, an empty one ENOENT, one that holds a zero
// byte EINVAL. A slash at the end means nothing.
func CleanName(name string) (string, error) {
	switch {
	case name == "":
		return "", syscall.ENOENT
	case name[0] == '/':
		return "", fmt.Errorf("%q is absolute, and names here are relative to the run's directory: %w", name, syscall.EXDEV)
	case strings.IndexByte(name, 0) >= 0:
		return "", fmt.Errorf("%q holds a zero byte: %w", name, syscall.EINVAL)
	}
	for rest, more := name, true; more; {
		var part string
		part, rest, more = strings.Cut(rest, "/")
		if part == ".." {
			return "", fmt.Errorf("%q holds \"..\", and names here stay beneath the run's directory: %w", name, syscall.EXDEV)
		}
		if len(part) > 255 {
			return "", syscall.ENAMETOOLONG
		}
	}
	return path.Clean(name), nil
}
