package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/pflag"

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
		fmt.Fprintf(w, "%9s not available: %s\n", "", s.Why)
		return
	}
	fmt.Fprintf(w, "%9s depth: %s\n", "", s.Depth)
	for _, l := range []struct {
		what string
		list []string
	}{{"features", s.Features}, {"options", s.Options}} {
		if len(l.list) > 0 {
			wrapped(w, fmt.Sprintf("%9s %s: ", "", l.what), strings.Fields(strings.Join(l.list, ", ")))
		}
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
