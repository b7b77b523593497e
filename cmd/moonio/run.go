package main

import (
	"fmt"
	"io"
	"os"
	"runtime/debug"

	"github.com/spf13/pflag"

	"moonio/engine/report"
)

func runCommand() *command {
	return &command{
		name: "run", args: "SCRIPT|NAME [flags]", least: 1, most: 1, ofScript: true,
		summary: "run a script, or a built-in one by name",
		details: `Files live in a fresh directory beneath the current one, or in --dir. What the run
makes is removed at its end, unless --keep is given. What moonio did not make is
never written, unless --overwrite names it. A script "-" is read from standard input.
`,
		more: exitCodes + `
Examples:
  moonio run wal
  moonio run wal -p clients=64 -p time=30s --dir /mnt/db --out wal.json
  moonio run wal --engine sim:hdd,fsync=4ms --seed 7
  moonio run my.lua --format json | jq '.phases[].jobs[].ops'
  moonio run my.lua --fault 'fdatasync:delay=20ms,chance=1%'
`,
		setup: func(fs *pflag.FlagSet) action {
			o := &runFlags{}
			o.define(fs)
			return func(p *program, args []string) error { return p.run(o, args[0]) }
		},
	}
}

// run is `moonio run`. What can be found wrong with the command line is found
// before anything is touched; from then on the run is reported, however it ends.
func (p *program) run(o *runFlags, word string) error {
	r := &running{program: p, flags: o, notes: p.stderr}
	if err := r.check(word); err != nil {
		return err
	}
	if o.quiet {
		r.notes = io.Discard
	}
	if !o.quiet && !o.noProgress {
		r.showProgress()
	}
	return r.do()
}

// check finds what is wrong with the command line.
func (r *running) check(word string) (err error) {
	if err := r.checkFlags(); err != nil {
		return err
	}
	r.script, err = r.findScript(word)
	return err
}

// checkFlags finds what is wrong with the flags.
func (r *running) checkFlags() (err error) {
	if err := r.flags.validate(); err != nil {
		return err
	}
	if err := checkRecord(r.flags.record); err != nil {
		return err
	}
	if r.faults, err = faultRules(r.flags.faults); err != nil {
		return err
	}
	if r.flags.out != "" {
		if r.out, err = newResultFile(r.flags.out); err != nil {
			return usage("--out %s: %w", r.flags.out, err)
		}
	}
	if r.flags.out != "" && samePlace(r.flags.out, r.flags.record) {
		return usage("--record %s: the result is to go there too: name another file", r.flags.record)
	}
	return nil
}

// showProgress shows progress on standard error, and puts notes above it.
func (r *running) showProgress() {
	if f, ok := r.stderr.(*os.File); ok {
		r.progress = report.NewFileProgress(f)
	} else {
		r.progress = report.NewProgress(r.stderr, report.ProgressOptions{})
	}
	r.notes = r.progress.Writer(r.stderr)
}

// note tells the user something that is no error.
func (r *running) note(format string, args ...any) {
	fmt.Fprintf(r.notes, "moonio: "+format+"\n", args...)
}

// calm makes collections of garbage rare: none should fall into what is measured.
// Who has set GOGC knows better.
func calm() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
}
