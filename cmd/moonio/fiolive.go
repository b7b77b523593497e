package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"moonio/cmd/internal/fioout"
	"moonio/engine/report"
	"moonio/engine/run"
)

// fioLive is what fio's jobs show and write: the report's beginning, the line of running jobs, a document
// every status-interval or at a SIGUSR1, the logs, and the report.
type fioLive struct {
	f      *fioRun
	r      *running
	logs   *fioout.Logs
	status *fioout.Status
	every  time.Duration // between documents; 0: there is only the last
	last   time.Time
	asked  chan os.Signal
	phases []*report.Phase // that are over
	latest run.Progress
	failed error        // of a command after a phase
	head   bytes.Buffer // what the report begins with, until it is written
}

func newFioLive(f *fioRun, r *running) (*fioLive, error) {
	l := &fioLive{f: f, r: r, asked: make(chan os.Signal, 1)}
	if v := f.general.value("status-interval"); v != "" {
		var err error
		if l.every, err = fioDuration(v); err != nil {
			return nil, usage("--status-interval=%s: %w", v, err)
		}
		if l.every == 0 {
			return nil, usage("--status-interval=%s: it is the time from one document to the next, and more than 0", v)
		}
	}
	var err error
	if l.logs, err = fioout.NewLogs(f.program.Jobs, fioout.LogSettings{Create: createLog, Wall: l.wall}); err != nil {
		return nil, &exitError{exitUsage, err}
	}
	if !f.general.has("interval") {
		r.flags.interval = fioout.Interval(f.program.Jobs, l.every)
	}
	if w := l.terminal(); w != nil {
		l.status = fioout.NewStatus(w, f.program.Jobs, l.eta(), time.Now)
		r.notes = l.status.Writer(r.notes)
	}
	if f.formats.Normal {
		if err := fioout.Header(&l.head, f.program.Jobs); err != nil {
			return nil, err
		}
	}
	if f.output == "" {
		_, err = l.head.WriteTo(r.stdout)
	}
	return l, err
}

// fioDuration is a length of time as fio's own options have it: in seconds without a unit.
func fioDuration(v string) (time.Duration, error) {
	if n, err := strconv.ParseFloat(v, 64); err == nil && n >= 0 {
		return time.Duration(n * float64(time.Second)), nil
	}
	d, err := time.ParseDuration(v)
	if err != nil || d < 0 {
		return 0, errors.New("not a length of time: seconds, or a number with ms, s, m or h")
	}
	return d, nil
}

// createLog makes a log's file where the user is, over what is there, as fio does.
func createLog(name string) (io.WriteCloser, error) {
	if st, err := os.Stat(name); err == nil && !st.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a file", filepath.Clean(name))
	}
	return os.Create(name)
}

func (l *fioLive) wall(ns int64) time.Time { return l.r.result.Started.Add(time.Duration(ns)) }

// terminal is where the line of running jobs goes; nil if it goes nowhere.
func (l *fioLive) terminal() io.Writer {
	f, ok := l.r.stderr.(*os.File)
	when := l.f.general.value("eta")
	shown := ok && report.OnTerminal(f) || when == "always"
	if !shown || when == "never" || l.r.flags.quiet || l.r.flags.noProgress {
		return nil
	}
	return l.r.stderr
}

// eta is how often the line is drawn.
func (l *fioLive) eta() time.Duration {
	if d, err := fioDuration(l.f.general.value("eta-interval")); err == nil && d > 0 {
		return d
	}
	return time.Second
}

// watch makes a session tell of its phases.
func (l *fioLive) watch(s *run.Session) {
	s.Detail = l.logs.Detail()
	s.Starting, s.Finished = l.before, l.finished
	s.Progress = func(g run.Progress) {
		l.latest = g
		l.status.Show(g)
	}
	s.Glimpse = l.glimpse
	l.last = time.Now()
	signal.Notify(l.asked, syscall.SIGUSR1)
}

// glimpse writes a document of the results so far, if one is due or was asked for.
func (l *fioLive) glimpse(take func() (*report.Phase, error)) {
	now := time.Now()
	select {
	case <-l.asked:
	default:
		if l.every == 0 || now.Sub(l.last) < l.every {
			return
		}
	}
	l.last = now
	p, err := take()
	if err == nil {
		r := l.r.result // a copy: the run's own gets its phases at the end
		r.Phases = append(append([]*report.Phase(nil), l.phases...), p)
		r.DurationNS = p.StartNS + p.DurationNS
		err = l.document(&r, fioout.Left(l.f.program.Jobs, l.latest))
	}
	if err != nil {
		l.r.complain(err)
	}
}

// document writes the result as it is.
func (l *fioLive) document(r *report.Result, left time.Duration) error {
	s := fioout.Settings{Global: l.f.global, Now: time.Now(), PID: os.Getpid(), Lines: l.every > 0, ETA: left}
	if v, err := strconv.Atoi(l.f.general.value("terse-version")); err == nil {
		s.Terse = v
	}
	l.status.Clear()
	w := io.Writer(l.r.stdout)
	if l.f.output != "" {
		w = &l.head
	}
	return fioout.Write(w, l.f.formats, r, l.f.program.Jobs, s)
}

// finish writes the last document, and the rest of the logs.
func (l *fioLive) finish(r *running) error {
	signal.Stop(l.asked)
	l.status.Clear()
	err := errors.Join(l.document(&r.result, 0), l.logs.Close())
	if l.f.output == "" || err != nil {
		return err
	}
	put := func(w io.Writer) error { _, err := l.head.WriteTo(w); return err }
	if err := replaceFile(l.f.output, put); err != nil {
		return fmt.Errorf("writing the report to %s: %w", l.f.output, err)
	}
	return nil
}
