package main

import (
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"
)

//go:embed template.lua
var template string

func newCommand() *command {
	return &command{
		name: "new", args: "FILE", least: 1, most: 1,
		summary: "begin a script from a commented template",
		details: "An existing file is left alone. A name without an extension gets .lua.\n",
		setup: func(*pflag.FlagSet) action {
			return func(p *program, args []string) error { return p.newScript(args[0]) }
		},
	}
}

func (p *program) newScript(file string) error {
	switch base := filepath.Base(file); {
	case file == "" || strings.HasSuffix(file, "/"):
		return usage("new %q: it names no file", file)
	case filepath.Ext(base) == "":
		file += ".lua"
	}
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	switch {
	case errors.Is(err, fs.ErrExist):
		return fmt.Errorf("%s exists already, and is left alone: give another name", file)
	case err != nil:
		return fmt.Errorf("beginning a script: %w", err)
	}
	_, err = f.WriteString(strings.ReplaceAll(template, "FILE", file))
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		os.Remove(file) // it is ours, and not whole
		return fmt.Errorf("beginning a script: %w", err)
	}
	fmt.Fprintf(p.stdout, "%s is there. Try it with: moonio run %s --engine sim\n", file, file)
	return nil
}
