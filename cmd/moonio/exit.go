package main

import (
	"errors"
	"fmt"
	"strings"

	"golang.org/x/sys/unix"
)

// The exit codes.
const (
	exitDone        = 0
	exitFailed      = 1   // an I/O error, no space, no such engine
	exitUsage       = 2   // the command line is wrong; nothing was begun and nothing is reported
	exitScript      = 3   // the script is wrong
	exitExpectation = 4   // an expectation failed
	exitInterrupted = 130 // by a signal
)

const exitCodes = `Exit codes:
  0    done
  1    the run failed: an I/O error, no space, no such engine
  2    wrong usage
  3    the script is wrong: its syntax, or an error while it ran
  4    an expectation failed
  130  interrupted; a second interrupt stops at once
In every case but 2 the results so far are reported.
`

// exitError ends the program with a code of its own.
type exitError struct {
	code int
	err  error // nil if everything has been said
}

func (e *exitError) Error() string {
	if e.err == nil {
		return ""
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

// withWay adds to an error that a limit on the program is behind how to raise it.
func withWay(err error) error {
	if !errors.Is(err, unix.EMFILE) || strings.Contains(err.Error(), "ulimit -n") {
		return err
	}
	return fmt.Errorf("%w; raise `ulimit -n`, or use fewer files and threads", err)
}

// usage is an error of the command line.
func usage(format string, args ...any) error {
	return &exitError{exitUsage, fmt.Errorf(format, args...)}
}

// exit says what is still to be said and returns the exit code.
func (p *program) exit(err error) int {
	code := exitDone
	if err != nil {
		code = exitFailed
		var e *exitError
		if errors.As(err, &e) {
			code = e.code
		}
		p.complain(err)
	}
	if werr := p.stdout.failed(); werr != nil {
		if code == exitDone {
			code = exitFailed
		}
		if !readerGone(werr) {
			p.complain(fmt.Errorf("writing to standard output: %w", werr))
		}
	}
	return code
}

// complain writes an error to standard error. A script's error comes with lines
// of its own.
func (p *program) complain(err error) {
	if text := strings.TrimRight(err.Error(), "\n"); text != "" {
		fmt.Fprintf(p.stderr, "moonio: %s\n", text)
	}
}
