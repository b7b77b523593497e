package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// replaceFile writes a file whole or not at all: it is written beside the old
// one and then takes its place.
func replaceFile(path string, write func(io.Writer) error) (err error) {
	mode := fs.FileMode(0o644)
	if st, err := os.Stat(path); err == nil {
		mode = st.Mode().Perm()
	}
	f, err := os.CreateTemp(filepath.Dir(path), temporary(path))
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			os.Remove(f.Name())
		}
	}()
	err = errors.Join(write(f), f.Chmod(mode), f.Sync(), f.Close())
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// resultFile is where --out goes.
type resultFile struct {
	path   string // with links followed
	stream bool   // a pipe or a terminal, which is written to as it is
}

// newResultFile refuses a place that cannot be written, or where something
// lies that is not a result of moonio's. Nothing is made there yet.
func newResultFile(path string) (*resultFile, error) {
	if path == "-" {
		return nil, errors.New("with --format json the result goes to standard output; a file of that name is ./-")
	}
	st, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Lstat(path); err == nil {
			return nil, errors.New("it is a link to nothing")
		}
		return &resultFile{path: path}, newFileIn(path)
	}
	if err != nil {
		return nil, err
	}
	switch mode := st.Mode(); {
	case mode&(fs.ModeNamedPipe|fs.ModeCharDevice) != 0:
		return &resultFile{path: path, stream: true}, writableFile(path)
	case !mode.IsRegular():
		return nil, errors.New("it is neither a file nor a pipe")
	case !isResult(path):
		return nil, errors.New("it exists and is not a result of moonio's: remove it, or give another name")
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, err
	}
	return &resultFile{path: real}, newFileIn(real)
}

// samePlace says whether two paths, at which there may be nothing yet, lead to one place.
func samePlace(a, b string) bool {
	if b == "" || filepath.Base(a) != filepath.Base(b) {
		return false
	}
	one, err := os.Stat(filepath.Dir(a))
	if err != nil {
		return false
	}
	other, err := os.Stat(filepath.Dir(b))
	return err == nil && os.SameFile(one, other)
}

// temporary is the pattern of the names that a file has until it is whole. Names have 255 bytes at the most.
func temporary(path string) string {
	base := filepath.Base(path)
	return "." + base[:min(len(base), 200)] + ".*"
}

// newFileIn says whether a file can be made beside path.
func newFileIn(path string) error {
	dir := filepath.Dir(path)
	if st, err := os.Stat(dir); err != nil || !st.IsDir() {
		return fmt.Errorf("there is no directory %s", dir)
	}
	if st, err := os.Stat(path); err == nil && st.IsDir() || strings.HasSuffix(path, "/") {
		return errors.New("it names a directory")
	}
	if err := unix.Access(dir, unix.W_OK|unix.X_OK); err != nil {
		return fmt.Errorf("directory %s cannot be written: %w", dir, err)
	}
	// Better now than after the run: some file systems take no files, or not of such a name.
	f, err := os.CreateTemp(dir, temporary(path))
	if err != nil {
		return fmt.Errorf("no file can be made there: %w", errors.Unwrap(err))
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

func writableFile(path string) error {
	if err := unix.Access(path, unix.W_OK); err != nil {
		return fmt.Errorf("it cannot be written: %w", err)
	}
	return nil
}

// isResult says whether a file is empty or was written by moonio as a result.
func isResult(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, 4096)
	n, err := io.ReadFull(f, head)
	if n == 0 && err == io.EOF {
		return true
	}
	return n > 0 && resultSchema(head[:n])
}

// resultSchema says whether JSON begins as results do. Of a large one only the
// beginning need be there.
func resultSchema(head []byte) bool {
	d := json.NewDecoder(bytes.NewReader(head))
	for _, want := range []string{"{", "schema"} {
		if t, err := d.Token(); err != nil || fmt.Sprint(t) != want {
			return false
		}
	}
	t, err := d.Token()
	schema, _ := t.(string)
	return err == nil && strings.HasPrefix(schema, "moonio.result/")
}

// write puts what write writes there. A pipe must have found its reader after patience.
func (f *resultFile) write(patience time.Duration, write func(io.Writer) error) error {
	if !f.stream {
		return replaceFile(f.path, write)
	}
	w, err := openStream(f.path, patience)
	if err != nil {
		return err
	}
	return errors.Join(write(w), w.Close())
}

// openStream opens a pipe or a terminal. Opening a pipe would wait for a reader for
// ever, and signals would not end that.
func openStream(path string, patience time.Duration) (*os.File, error) {
	for began := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		w, err := os.OpenFile(path, os.O_WRONLY|unix.O_NONBLOCK, 0)
		if !errors.Is(err, unix.ENXIO) {
			return w, err
		}
		if time.Since(began) >= patience {
			return nil, fmt.Errorf("nobody reads it: %w", err)
		}
	}
}
