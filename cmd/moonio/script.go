package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"moonio/engine/suggest"
	"moonio/scripts"
	"moonio/vm"
)

// script is a script's source and where it came from.
type script struct {
	name   string // as results call it
	source string
	chunk  string // as errors call it
	dir    string // where require looks for files; empty: nowhere

	builtin bool // it is in the binary
}

// findScript finds what the command line calls a script: a file, if the word
// has a slash or ends in .lua, or else a built-in script, or else a file all the
// same. "-" is standard input.
func (p *program) findScript(word string) (*script, error) {
	if word == "-" {
		source, err := readScript(p.stdin)
		if err != nil {
			return nil, fmt.Errorf("script on standard input: %w", err)
		}
		return &script{name: "stdin", source: source, chunk: "stdin"}, nil
	}
	if !strings.Contains(word, "/") {
		if source, ok := scripts.Source(word); ok {
			return &script{name: word, source: source, chunk: word + ".lua", builtin: true}, nil
		}
	}
	f, err := os.Open(word)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, noScript(word)
	} else if err != nil {
		return nil, usage("script %s: %w", word, err)
	}
	defer f.Close()
	source, err := readScript(f)
	if err != nil {
		return nil, usage("script %s: %w", word, err)
	}
	return &script{name: word, source: source, chunk: word, dir: filepath.Dir(word)}, nil
}

// compile finds a script and compiles it.
func (p *program) compile(word string) (*script, *vm.Script, error) {
	s, err := p.findScript(word)
	if err != nil {
		return nil, nil, err
	}
	code, err := vm.Load(s.chunk, s.source)
	if err != nil {
		return nil, nil, scriptError(err)
	}
	return s, code, nil
}

// longestScript is far more than people write, and little enough to be read whole
// where what was named is no script at all.
const longestScript = 16 << 20

func readScript(r io.Reader) (string, error) {
	b, err := io.ReadAll(io.LimitReader(r, longestScript+1))
	if err == nil && len(b) > longestScript {
		err = fmt.Errorf("it is no script: it has more than %d MiB", longestScript>>20)
	}
	return string(b), err
}

// noScript suggests a built-in script, or one of the files that lie where the word points.
func noScript(word string) error {
	if word == "" {
		return usage(`no script "": name a file, or a built-in script of those that ` + "`moonio list` lists")
	}
	isFile := strings.Contains(word, "/") || strings.HasSuffix(word, ".lua")
	if !isFile {
		if _, err := os.Stat(word + ".lua"); err == nil {
			return usage("no script %q (did you mean %q?)", word, word+".lua")
		}
	}
	known, err := filepath.Glob(filepath.Join(filepath.Dir(word), "*.lua"))
	if err != nil {
		known = nil
	}
	if hint := suggest.Hint(word, append(known, scriptNames()...)); hint != "" {
		return usage("no script %q%s", word, hint)
	}
	return usage("no script %q: `moonio list` lists the built-in ones, `moonio new %s` begins one", word, word)
}
