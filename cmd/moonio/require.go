package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"regexp"
	"strings"

	"moonio/engine/suggest"
	"moonio/stdlib"
)

var moduleName = regexp.MustCompile(`^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$`)

// require finds a module: one of the program's own, or else a file beside the
// script. a.b is the file a/b.lua. No link leads out of the script's directory.
func (s *script) require(name string) (source, chunk string, err error) {
	if source, ok := stdlib.Module(name); ok {
		return source, "stdlib/" + name + ".lua", nil
	}
	if !moduleName.MatchString(name) {
		return "", "", fmt.Errorf("module %q: a module's name is made of letters, digits, - and _, with a dot between directories", name)
	}
	if s.dir == "" {
		return "", "", fmt.Errorf("no module %q%s; there are %s", name, suggest.Hint(name, stdlib.Modules()), strings.Join(stdlib.Modules(), ", "))
	}
	file := strings.ReplaceAll(name, ".", "/") + ".lua"
	source, err = readBeneath(s.dir, file)
	chunk = path.Join(s.dir, file)
	if errors.Is(err, fs.ErrNotExist) {
		return "", "", fmt.Errorf("no module %q%s; there is no file %s, and moonio's own are %s", name, suggest.Hint(name, stdlib.Modules()), chunk, strings.Join(stdlib.Modules(), ", "))
	}
	if err != nil {
		return "", "", fmt.Errorf("module %q: %w", name, err)
	}
	return source, chunk, nil
}

// readBeneath reads a file that no link in its path leads out of dir.
func readBeneath(dir, file string) (string, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return "", err
	}
	defer root.Close()
	f, err := root.Open(file)
	if err != nil {
		return "", err
	}
	defer f.Close()
	return readScript(f)
}
