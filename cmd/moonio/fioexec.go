package main

import (
	"fmt"
	"os"
	"os/exec"

	"moonio/cmd/internal/fiolua"
	"moonio/engine/report"
)

// before runs the commands that jobs have for the time before their phase.
func (l *fioLive) before(phase string) error { return l.commands(phase, false) }

// finished notes a phase that is over, and runs the commands for the time after it.
func (l *fioLive) finished(p *report.Phase) {
	l.phases = append(l.phases, p)
	if err := l.commands(p.Name, true); err != nil && l.failed == nil {
		l.failed = err
	}
}

func (l *fioLive) commands(phase string, after bool) error {
	for _, c := range l.f.program.Commands {
		if c.Phase != phase || c.After != after {
			continue
		}
		if err := l.shell(c); err != nil {
			return fmt.Errorf("job %s: %s: %w", c.Job, c.Option, err)
		}
	}
	return nil
}

// shell runs a command. What it prints goes to a file where the user is, as with fio.
func (l *fioLive) shell(c fiolua.Command) error {
	name := c.Job + ".prerun.txt"
	if c.After {
		name = c.Job + ".postrun.txt"
	}
	out, err := createLog(name)
	if err != nil {
		return fmt.Errorf("the file for what it prints: %w", err)
	}
	defer out.Close()
	l.r.note("%s prints to %s", c.Option, name)
	cmd := exec.CommandContext(l.r.signals.ctx, "/bin/sh", "-c", c.Option.Value)
	cmd.Stdout, cmd.Stderr, cmd.Env = out, out, os.Environ()
	return cmd.Run()
}
