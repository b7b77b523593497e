package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"moonio/stdlib"
)

const (
	luarc       = ".luarc.json"
	annotations = ".luals"   // beside it, where the annotations are
	ourMark     = "---@meta" // how each of them begins
)

func editorCommand() *command {
	return &command{
		name: "editor", args: "DIR", least: 1, most: 1,
		summary: "make editors complete scripts in a directory",
		details: `Writes annotations of everything that scripts can use to DIR/.luals, and a
.luarc.json that names them to LuaLS, the language server that editors use for
Lua. Settings of your own in .luarc.json stay as they are.
`,
		setup: func(*pflag.FlagSet) action {
			return func(p *program, args []string) error { return p.editor(args[0]) }
		},
	}
}

func (p *program) editor(dir string) error {
	if st, err := os.Stat(dir); err != nil || !st.IsDir() {
		return usage("editor: %s is not a directory", dir)
	}
	if err := p.configure(filepath.Join(dir, luarc)); err != nil {
		return fmt.Errorf("setting up LuaLS: %w", err)
	}
	files := stdlib.Annotations()
	if err := os.MkdirAll(filepath.Join(dir, annotations), 0o777); err != nil {
		return fmt.Errorf("writing annotations: %w", err)
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := p.annotate(filepath.Join(dir, annotations, name), files[name]); err != nil {
			return fmt.Errorf("writing annotations: %w", err)
		}
	}
	return nil
}

// annotate writes a file of annotations, over an older one of ours at most.
func (p *program) annotate(path, text string) error {
	old, err := os.ReadFile(path)
	if err == nil && !strings.HasPrefix(string(old), ourMark) {
		return fmt.Errorf("%s exists, and moonio did not make it: move it away", path)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		return err
	}
	fmt.Fprintln(p.stdout, "wrote", path)
	return nil
}

// configure makes .luarc.json, or adds to one what is missing in it.
func (p *program) configure(path string) error {
	old, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		old = nil
	case err != nil:
		return err
	}
	text, err := mergeSettings(old)
	if err != nil {
		return fmt.Errorf("%s is left alone: %w; add these to it yourself:\n%s", path, err, settingsText(ours))
	}
	if string(text) == string(old) {
		fmt.Fprintln(p.stdout, path, "is set up already")
		return nil
	}
	if err := replaceFile(path, func(w io.Writer) error { _, err := w.Write(text); return err }); err != nil {
		return err
	}
	fmt.Fprintln(p.stdout, "wrote", path)
	return nil
}
