package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"moonio/scripts"
)

// traces says which traces a script may read: those that the user names in a parameter, alone
// or in a list with semicolons, those beside the script, and those in the binary. A trace is read twice: "-", standard
// input, and pipes are kept so that they can be.
func (s *script) traces(ctx context.Context, params map[string]string, stdin io.Reader) func(string) (string, error) {
	var named []string
	for _, v := range params {
		named = append(append(named, v), strings.Split(v, ";")...)
	}
	kept := keeper{}
	return func(path string) (string, error) {
		name, builtin := strings.CutPrefix(path, "builtin:")
		switch {
		case builtin:
			b, ok := scripts.Trace(name)
			if !ok {
				return "", fmt.Errorf("trace %q: there is none of that name in the binary; there is builtin:example", path)
			}
			return kept.keep(ctx, path, func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(b)), nil })
		case slices.Contains(named, path) && path == "-":
			return kept.keep(ctx, path, func() (io.ReadCloser, error) { return io.NopCloser(stdin), nil })
		case slices.Contains(named, path) && readOnce(path):
			return kept.keep(ctx, path, func() (io.ReadCloser, error) { return os.Open(path) })
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

// readOnce says whether what a path names can be read but once: a pipe, or what is like one.
func readOnce(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode()&(os.ModeNamedPipe|os.ModeCharDevice) != 0
}

// keeper holds what can be read but once in files without names, by what the user calls it. They stay open
// as long as the program runs.
type keeper map[string]*os.File

// keep puts what open opens into a file that has no name any more, and returns where it can be opened as
// often as need be. A reader that nothing comes from is left alone when the user interrupts.
func (k keeper) keep(ctx context.Context, name string, open func() (io.ReadCloser, error)) (string, error) {
	if f, ok := k[name]; ok {
		return reopened(f), nil
	}
	f, err := os.CreateTemp("", "moonio-trace-")
	if err == nil {
		err = os.Remove(f.Name())
	}
	if err != nil {
		return "", fmt.Errorf("keeping trace %s, which can be read but once: %w", name, err)
	}
	copied := make(chan error, 1)
	go func() { copied <- copyFrom(f, open) }()
	select {
	case <-ctx.Done():
		return "", ctx.Err()
	case err := <-copied:
		if err != nil {
			return "", fmt.Errorf("keeping trace %s, which can be read but once, in %s: %w; TMPDIR names another directory", name, os.TempDir(), err)
		}
	}
	k[name] = f
	return reopened(f), nil
}

// reopened is the path under which an open file can be opened again.
func reopened(f *os.File) string { return fmt.Sprintf("/proc/self/fd/%d", f.Fd()) }

func copyFrom(w io.Writer, open func() (io.ReadCloser, error)) error {
	r, err := open()
	if err != nil {
		return err
	}
	defer r.Close()
	_, err = io.Copy(w, r)
	return err
}
