package main

import (
	"fmt"

	"github.com/spf13/pflag"

	"moonio/engine/workdir"
)

func cleanCommand() *command {
	return &command{
		name: "clean", args: "[DIR…]", most: anyNumber,
		summary: "remove what runs that were killed have left",
		details: `Looks in the directories, and in those that moonio made there; without any, in
the current one. What a run has at work, what was kept with --keep and what
moonio did not make is left alone.
`,
		setup: func(fs *pflag.FlagSet) action {
			var o workdir.CleanOptions
			fs.BoolVarP(&o.DryRun, "dry-run", "n", false, "say what would be removed, and remove nothing")
			fs.BoolVar(&o.Kept, "kept", false, "remove also what runs have kept on purpose")
			fs.BoolVar(&o.Force, "force", false, "remove also what runs on other machines have left")
			return func(p *program, dirs []string) error {
				if len(dirs) == 0 {
					dirs = []string{"."}
				}
				if err := workdir.Clean(p.stdout, o, dirs...); err != nil {
					return fmt.Errorf("cleaning: %w", err)
				}
				return nil
			}
		},
	}
}
