package format

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strings"

	"moonio/engine/suggest"
)

// source is something that can be opened and may hold a trace.
type source struct {
	name string
	// found is set for what the user did not name: it need not be a trace.
	found bool
	open  func() (io.ReadCloser, error)
	stdin bool
}

// perCPU is the name of one of blktrace's files: device, ".blktrace.", CPU.
var perCPU = regexp.MustCompile(`^(.+)\.blktrace\.[0-9]+(\.(gz|zst|bz2|xz))?$`)

// expand makes sources of what the user named: files, directories, "-", and a device's name or
// any one of its blktrace files for all of them. Each file comes once. added is
// the files that were found beside those that were named.
func expand(paths []string, stdin io.Reader) (out []source, added []string, err error) {
	if len(paths) == 0 {
		return nil, nil, errors.New("trace: no file is named")
	}
	seen := map[string]bool{}
	for _, path := range paths {
		if path == "-" {
			if !seen["-"] {
				out = append(out, source{name: "-", stdin: true, open: func() (io.ReadCloser, error) { return io.NopCloser(stdin), nil }})
			}
			seen["-"] = true
			continue
		}
		if path == "" {
			return nil, nil, errors.New("trace: a file's name is empty")
		}
		files, found, err := files(path)
		if err != nil {
			return nil, nil, fmt.Errorf("trace: %w", err)
		}
		beside := !found && has(files, filepath.Clean(path)) // of what was named
		for _, f := range files {
			clean := filepath.Clean(f)
			if seen[clean] {
				continue
			}
			seen[clean] = true
			out = append(out, source{name: f, found: found, open: func() (io.ReadCloser, error) { return openFile(f) }})
			if beside && clean != filepath.Clean(path) {
				added = append(added, f)
			}
		}
	}
	return out, added, nil
}

// files is what one path stands for. found says that they are a directory's.
func files(path string) (list []string, found bool, err error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if list := siblings(path); len(list) > 0 {
			return list, false, nil
		}
		return nil, false, absent(path, err)
	case err != nil:
		return nil, false, err
	case info.IsDir():
		list, err := inDirectory(path)
		return list, true, err
	case info.Mode()&fs.ModeDevice != 0 && info.Mode()&fs.ModeCharDevice == 0:
		return nil, false, fmt.Errorf("%s: it is a block device, not a trace of one", path)
	}
	if m := perCPU.FindStringSubmatch(filepath.Base(path)); m != nil {
		return siblings(filepath.Join(filepath.Dir(path), m[1])), false, nil
	}
	return []string{path}, false, nil
}

// absent is the error of a file that is not there, with what is near it, or else what a trace can be.
func absent(path string, err error) error {
	if target, link := os.Readlink(path); link == nil {
		return fmt.Errorf("%w: it is a link to %s, which is not there", err, target)
	}
	dir, base := filepath.Split(filepath.Clean(path))
	entries, inDir := os.ReadDir(filepath.Join(dir, "."))
	if inDir != nil {
		return fmt.Errorf("%w: there is no directory %s", err, filepath.Clean(dir))
	}
	var near []string
	for _, e := range entries {
		if near = append(near, e.Name()); perCPU.MatchString(e.Name()) {
			near = append(near, perCPU.FindStringSubmatch(e.Name())[1])
		}
	}
	if hint := suggest.Hint(base, near); hint != "" {
		return fmt.Errorf("%w%s", err, hint)
	}
	return fmt.Errorf("%w: a trace is a file in a format that `moonio trace formats` lists, a directory of such files, the name of a device whose files %s.blktrace.0 and so on are there, or - for standard input", err, path)
}

// siblings is the blktrace files of a device, such as "sdb" or "traces/sdb".
func siblings(device string) []string {
	dir, base := filepath.Split(device)
	entries, err := os.ReadDir(filepath.Join(dir, "."))
	if err != nil {
		return nil
	}
	var out []string
	for _, e := range entries {
		if m := perCPU.FindStringSubmatch(e.Name()); m != nil && m[1] == base && !e.IsDir() {
			out = append(out, dir+e.Name())
		}
	}
	return out
}

// inDirectory is a directory's files, and those of the directories in it, without hidden ones.
func inDirectory(dir string) ([]string, error) {
	var out []string
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case path != dir && strings.HasPrefix(e.Name(), "."):
			if e.IsDir() {
				return fs.SkipDir
			}
		case e.Type().IsRegular():
			out = append(out, path)
		}
		return nil
	})
	sort.Strings(out)
	if err == nil && len(out) == 0 {
		err = fmt.Errorf("%s: there is no file in it", dir)
	}
	return out, err
}

// openFile opens a file to be read from its beginning to its end.
func openFile(path string) (io.ReadCloser, error) { return os.Open(path) }
