package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/term"

	"moonio/engine/report"
)

// finish writes the result and clears up, and returns the error that is still
// to be told. Clearing up comes first, since its failure belongs in the result;
// but not if the run was abandoned, because then it may hang as the run did.
func (r *running) finish(err error) error {
	err = r.besides(err, r.endRecord())
	lastStep := func() {}
	if !r.signals.abandoned() {
		err = r.besides(err, r.closeStorage())
		lastStep = r.signals.lastStep
	}
	err = r.besides(err, r.write(lastStep))
	err = r.besides(err, r.closeStorage())
	e := r.result.Exit
	switch {
	case e.Code == exitDone:
		return nil
	case e.Code == exitInterrupted, err == nil:
		err = errors.New(e.Reason)
	}
	return &exitError{e.Code, err}
}

// besides takes a later error into account: it is how the run ended, if
// nothing was wrong until then.
func (r *running) besides(err, later error) error {
	switch {
	case later == nil:
		return err
	case r.result.Exit.Code == exitDone:
		r.result.Exit = report.Exit{Code: exitFailed, Reason: reason(later)}
		return later
	}
	r.complain(later)
	return err
}

// readerPatience is how long a pipe that --out names may lack a reader, and how long reading may
// still take when a second signal comes.
const readerPatience = 2 * time.Second

// write writes the result to where the user wants it. It calls lastStep when all that is left
// is what somebody must read: files are whole before.
func (r *running) write(lastStep func()) error {
	var errs []error
	if r.out != nil {
		if r.out.stream {
			lastStep()
		}
		err := r.out.write(readerPatience, func(w io.Writer) error { return report.WriteJSON(w, &r.result) })
		if err != nil {
			errs = append(errs, fmt.Errorf("writing the result to %s: %w", r.out.path, err))
		}
	}
	if r.fio == nil || r.fio.output == "" {
		lastStep()
	}
	switch {
	case r.fio != nil:
		errs = append(errs, r.fio.write(r))
	case r.flags.format == "json":
		errs = append(errs, report.WriteJSON(r.stdout, &r.result))
	case r.worthReading():
		errs = append(errs, report.WriteText(r.stdout, &r.result, textOptions(r.stdout.w)))
	}
	if err := r.stdout.failed(); readerGone(err) {
		r.complain(fmt.Errorf("nobody reads the result on standard output any more: %w", err))
	}
	return errors.Join(errs...)
}

// worthReading says whether there is anything in the result for people.
func (r *running) worthReading() bool {
	res := &r.result
	return res.Exit.Code == exitDone || len(res.Phases) > 0 || len(res.Expectations) > 0 || len(res.Log) > 0
}

// textOptions suit a terminal, if it is one.
func textOptions(w io.Writer) report.TextOptions {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return report.TextOptions{}
	}
	o := report.TextOptions{Color: os.Getenv("NO_COLOR") == "" && report.OnTerminal(f)}
	if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 0 {
		o.Width = min(max(width, narrowest), widest)
	}
	return o
}

// Prose is hard to read in columns narrower or wider than these.
const (
	narrowest = 60
	widest    = 140
)

// reason is an error in one line.
func reason(err error) string { return firstLine(err.Error()) }

func firstLine(s string) string {
	first, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return first
}
