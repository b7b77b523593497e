package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/pflag"
)

func versionCommand() *command {
	return &command{
		name: "version", summary: "print the version",
		setup: func(*pflag.FlagSet) action {
			return func(p *program, _ []string) error {
				fmt.Fprintf(p.stdout, "moonio %s, %s %s/%s\n", version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
				return nil
			}
		},
	}
}

// version is the module's, or that of the source control that it was built from.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" || info.Main.Version == "(devel)" {
		return "devel"
	}
	return info.Main.Version
}
