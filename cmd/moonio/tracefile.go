package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"moonio/scripts"
)

// traces says which traces a script may read: those that the user names in a parameter, alone
// or in a list with semicolons, those beside the script, and those in the binary. "-" is standard input, which is
// kept so that it can be read again.
func (s *script) traces(params map[string]string, stdin io.Reader) func(string) (string, error) {
	var named []string
	for _, v := range params {
		named = append(append(named, v), strings.Split(v, ";")...)
	}
	kept := sync.OnceValues(func() (string, error) { return keep(stdin) })
	return func(path string) (string, error) {
		name, builtin := strings.CutPrefix(path, "builtin:")
		switch {
		case builtin:
			b, ok := scripts.Trace(name)
			if !ok {
				return "", fmt.Errorf("trace %q: there is none of that name in the binary; there is builtin:example", path)
			}
			return keep(bytes.NewReader(b))
		case slices.Contains(named, path) && path == "-":
			return kept()
		case slices.Contains(named, path):
			return path, nil
		case s.dir != "" && beside(s.dir, path):
			return filepath.Join(s.dir, path), nil
		}
		return "", fmt.Errorf("trace %q: a script reads traces that lie beside it, or that one of its parameters names: -p trace=%s", path, path)
	}
}

// beside says whether path is in dir, or beneath it, and no link leads out.
func beside(dir, path string) bool {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return false
	}
	defer root.Close()
	_, err = root.Stat(path)
	return err == nil
}

// keep puts what r gives into a file that has no name any more, and returns where it can be
// opened as often as need be.
func keep(r io.Reader) (string, error) {
	f, err := os.CreateTemp("", "moonio-trace-")
	if err != nil {
		return "", fmt.Errorf("keeping a trace: %w", err)
	}
	if err := os.Remove(f.Name()); err != nil {
		return "", fmt.Errorf("keeping a trace: %w", err)
	}
	if _, err := io.Copy(f, r); err != nil {
		return "", fmt.Errorf("keeping a trace: %w", err)
	}
	return fmt.Sprintf("/proc/self/fd/%d", f.Fd()), nil
}
