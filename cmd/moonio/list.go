package main

import (
	"fmt"

	"github.com/spf13/pflag"

	"moonio/scripts"
)

func listCommand() *command {
	return &command{
		name: "list", summary: "list the built-in scripts",
		setup: func(*pflag.FlagSet) action {
			return func(p *program, _ []string) error {
				width := 0
				for _, s := range scripts.Names() {
					width = max(width, len(s.Name))
				}
				for _, s := range scripts.Names() {
					fmt.Fprintf(p.stdout, "%-*s  %s\n", width, s.Name, s.Summary)
				}
				return nil
			}
		},
	}
}

func scriptNames() []string {
	var names []string
	for _, s := range scripts.Names() {
		names = append(names, s.Name)
	}
	return names
}
