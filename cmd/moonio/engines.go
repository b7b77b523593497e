package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/pflag"

	"moonio/engine"
	"moonio/engine/backend"
	"moonio/engine/osfs"
)

func enginesCommand() *command {
	return &command{
		name: "engines", summary: "say what this machine offers, and why not where it doesn't",
		details: "Engines do the I/O. `moonio run --engine NAME` chooses one; auto, the default, takes\nthe best that works here.\n",
		setup: func(*pflag.FlagSet) action {
			return func(p *program, _ []string) error {
				for _, s := range backend.Probe() {
					showEngine(p.stdout, s)
				}
				return showAutomatic(p.stdout)
			}
		},
	}
}

func showEngine(w io.Writer, s backend.Status) {
	fmt.Fprintf(w, "%-9s %s\n", s.Name, s.About)
	if !s.Available {
		wrapped(w, fmt.Sprintf("%9s not available: ", ""), strings.Fields(s.Why))
		return
	}
	wrapped(w, fmt.Sprintf("%9s depth: ", ""), strings.Fields(s.Depth))
	for _, l := range []struct {
		what string
		list []string
	}{{"features", s.Features}, {"profiles", s.Profiles}} {
		if len(l.list) > 0 {
			wrapped(w, fmt.Sprintf("%9s %s: ", "", l.what), strings.Fields(strings.Join(l.list, ", ")))
		}
	}
	showOptions(w, s.Options)
}

// showOptions explains options in a line each.
func showOptions(w io.Writer, options []engine.Option) {
	width := 0
	names := make([]string, len(options))
	for i, o := range options {
		if names[i] = o.Name; o.Value != "" {
			names[i] += "=" + o.Value
		}
		width = max(width, len(names[i]))
	}
	for i, o := range options {
		head := "         "
		if i == 0 {
			head = " options:"
		}
		wrapped(w, fmt.Sprintf("%9s%s %-*s  ", "", head, width, names[i]), strings.Fields(o.About))
	}
}

// showAutomatic says what auto picks for files in the current directory.
func showAutomatic(w io.Writer) error {
	files, err := osfs.Open(".")
	if err != nil {
		return err
	}
	defer files.Shutdown()
	b, err := backend.Open(backend.Choice{Name: backend.Auto}, files, 0)
	if err != nil {
		return fmt.Errorf("auto: %w", err)
	}
	fmt.Fprintf(w, "\nauto picks %s: %s\n", b.Name(), b.Why())
	return nil
}

// engineList names the engines for a flag's help.
func engineList() string { return strings.Join(backend.Names(), ", ") }
