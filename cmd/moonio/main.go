// Command moonio runs scripts that say what an application does to its storage,
// does it for real, and says what it cost.
//
// `moonio help` is its manual. Results go to standard output and nothing else
// does; progress, notes and errors go to standard error. How a run ended is in the
// exit code: see exit.go.
package main

import (
	"io"
	"os"
	"os/signal"
	"syscall"
)

func main() { os.Exit(Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

// Main runs the program with these arguments, without the program's own name,
// and returns its exit code.
func Main(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	// A reader that goes away is an error of a write, and not the end of the
	// program: what a run made must still be removed.
	signal.Ignore(syscall.SIGPIPE)
	p := &program{stdin: stdin, stdout: newOutput(stdout), stderr: stderr}
	return p.exit(p.dispatch(args))
}

// program is what all commands share: where they read and write.
type program struct {
	stdin  io.Reader
	stdout *output
	stderr io.Writer
}
