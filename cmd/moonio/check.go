package main

import (
	"context"
	"errors"

	"github.com/spf13/pflag"

	"moonio/engine"
	"moonio/engine/memfs"
	"moonio/engine/run"
	"moonio/vm"
)

func checkCommand() *command {
	return &command{
		name: "check", args: "SCRIPT|NAME [flags]", least: 1, most: 1, ofScript: true,
		summary: "compile a script and print what it would do; touches no storage",
		details: `The script is run with phases and layouts that do nothing: what depends on what was
measured is decided as if nothing had been. Of a --device is said what the kernel
shows of it, and whether it could be written now; it is not opened.
`,
		setup: func(fs *pflag.FlagSet) action {
			o := &checkFlags{}
			o.scriptFlags.define(fs)
			o.deviceFlags.define(fs)
			return func(p *program, args []string) error { return p.check(o, args[0]) }
		},
	}
}

// checkFlags are those of `moonio check`: what tells the script what it has.
type checkFlags struct {
	scriptFlags
	deviceFlags
}

// check is `moonio check`.
func (p *program) check(o *checkFlags, word string) error {
	if err := o.deviceFlags.validate(); err != nil {
		return err
	}
	s, code, err := p.compile(word)
	if err != nil {
		return err
	}
	devices, err := lookAtDevices(o.devices, o.destroy)
	if err != nil {
		return err
	}
	signals := interruptible(p.stderr)
	defer signals.release()
	if err := code.CheckParams(signals.ctx, s.require, o.params); err != nil {
		return scriptError(err)
	}
	plan, outcome := s.plan(signals.ctx, code, o.params, devices, p)
	switch {
	case signals.interrupted():
		return &exitError{exitInterrupted, errors.New("interrupted")}
	case outcome.Err != nil:
		return s.refused(o.params, outcome.Err)
	}
	showPlan(p.stdout, s, plan, outcome)
	return nil
}

// plan notes what the script would do.
func (s *script) plan(ctx context.Context, code *vm.Script, params map[string]string, devices []*vm.Device, p *program) (*vm.Plan, *vm.Outcome) {
	files := memfs.New()
	plan := &vm.Plan{}
	r := &vm.Run{
		Session: &run.Session{FS: files, Engine: noEngine, Check: checkEngine},
		Devices: devices, Params: params, Interval: run.DefaultInterval, Plan: plan,
		Out: p.stderr, Err: p.stderr, Require: s.require, Trace: s.traces(ctx, params, p.stdin),
	}
	return plan, r.Do(ctx, code)
}

// noEngine is for a session in which nothing is to be done.
func noEngine(engine.Config) (engine.Engine, error) { return nil, engine.ErrUnavailable }
