package engine

import (
	"errors"
	"strings"
	"syscall"
	"testing"
)

func TestCleanName(t *testing.T) {
	for in, want := range map[string]string{
		"a": "a", ".": ".", "./a": "a", "a//b/": "a/b", "a/./b": "a/b", "..a": "..a", "a..": "a..",
	} {
		if got, err := CleanName(in); got != want || err != nil {
			t.Errorf("CleanName(%q) = %q, %v; want %q", in, got, err, want)
		}
	}
	for in, want := range map[string]syscall.Errno{
		"": syscall.ENOENT, "/": syscall.EXDEV, "/a": syscall.EXDEV, "..": syscall.EXDEV, "a/../b": syscall.EXDEV,
		"a/..": syscall.EXDEV, "a\x00b": syscall.EINVAL, "a/" + strings.Repeat("x", 256): syscall.ENAMETOOLONG,
	} {
		if _, err := CleanName(in); !errors.Is(err, want) {
			t.Errorf("CleanName(%q): %v, want %v", in, err, want)
		}
	}
	// The number is for programs; a person is told why, and no more.
	const want = `it holds "..", and names here stay beneath the run's directory`
	if _, err := CleanName("../a"); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}
