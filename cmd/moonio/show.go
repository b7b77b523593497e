package main

import (
	"io"

	"github.com/spf13/pflag"

	"moonio/engine/suggest"
	"moonio/scripts"
)

func showCommand() *command {
	return &command{
		name: "show", args: "NAME", least: 1, most: 1,
		summary: "print a built-in script's source",
		more: `A script of your own can begin as a copy:
  moonio show wal > mywal.lua
`,
		setup: func(*pflag.FlagSet) action {
			return func(p *program, args []string) error {
				source, ok := scripts.Source(args[0])
				if !ok {
					return unknownScript(args[0])
				}
				io.WriteString(p.stdout, source)
				return nil
			}
		},
	}
}

func unknownScript(name string) error {
	return usage("no built-in script %q%s: `moonio list` lists them", name, suggest.Hint(name, scriptNames()))
}
