package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/pflag"

	"moonio/engine"
	"moonio/engine/backend"
	"moonio/engine/run"
	"moonio/engine/trace"
	"moonio/engine/trace/model"
	"moonio/engine/trace/profile"
	"moonio/engine/trace/record"
	"moonio/vm"
)

func traceScriptCommand() *command {
	return &command{
		name: "trace script", args: "FILE… [flags]", least: 1, most: anyNumber,
		summary: "write a script that behaves like a captured workload",
		details: `The script goes to standard output. It is run on a simulated device, what it does is profiled
and compared with the trace, and the script is mended, a few times over; how trace and
script differ in the end is said on standard error.
`,
		more: `Examples:
  moonio trace script sda.blktrace.* > model.lua
  moonio run model.lua -p rate=5k/s --dir /mnt/new
  moonio trace script app.strace --compare
`,
		setup: func(fs *pflag.FlagSet) action {
			o := &traceFlags{}
			o.define(fs, "to")
			compare := fs.Bool("compare", false, "print the comparison of trace and script, and not the script")
			noRun := fs.Bool("no-run", false, "write the script as it comes from the profile; run and compare nothing")
			return func(p *program, args []string) error {
				if *compare && *noRun {
					return usage("--compare and --no-run: what is not run cannot be compared")
				}
				return p.traceScript(o, args, *compare, *noRun)
			}
		},
	}
}

// traceScript is `moonio trace script`.
func (p *program) traceScript(o *traceFlags, paths []string, compare, noRun bool) error {
	captured, t, err := p.profileTrace(o, paths)
	if err != nil {
		return err
	}
	p.traceDamage(t.Log)
	m, err := model.New(captured, traceTitle(t))
	if err != nil {
		return err
	}
	if noRun {
		_, err := io.WriteString(p.stdout, m.Script())
		return err
	}
	signals := interruptible(p.stderr)
	defer signals.release()
	best, err := bestScript(signals.ctx, m, captured)
	switch {
	case signals.interrupted():
		return &exitError{exitInterrupted, errors.New("interrupted")}
	case err != nil:
		return err
	}
	if compare {
		return model.WriteComparison(p.stdout, best.rows)
	}
	io.WriteString(p.stdout, best.script)
	return model.WriteComparison(p.stderr, best.rows)
}

// attempt is a script with what came of it.
type attempt struct {
	script string
	rows   []model.Row
}

// attempts is how often a script is mended: the fewer, the more there is to do.
func attempts(ios int64) int {
	switch {
	case ios <= 20_000:
		return 16
	case ios <= 200_000:
		return 8
	case ios <= 2_000_000:
		return 3
	}
	return 0
}

// trial is a model that is tried against a trace.
type trial struct {
	ctx      context.Context
	model    *model.Model
	captured *profile.Result
	best     *attempt
}

// bestScript tries a model and mends it, and returns the script that came closest.
func bestScript(ctx context.Context, m *model.Model, captured *profile.Result) (*attempt, error) {
	t := &trial{ctx: ctx, model: m, captured: captured}
	got, err := t.arrivals()
	for range attempts(captured.IOs) {
		if err != nil {
			break
		}
		m.Fit(got)
		got, err = t.try(model.Places)
	}
	return t.best, err
}

// arrivals finds how I/Os had best arrive, and returns what the model then does.
func (t *trial) arrivals() (*profile.Result, error) {
	var chosen *profile.Result
	best := ""
	for _, how := range model.Arrivals {
		t.model.Arrive(how)
		before := t.best
		got, err := t.try(model.Rhythm)
		if err != nil {
			return nil, err
		}
		if t.best != before {
			chosen, best = got, how
		}
	}
	t.model.Arrive(best)
	return chosen, nil
}

// try runs the model's script, and keeps it if it is the best so far by some measure.
func (t *trial) try(off func([]model.Row) float64) (*profile.Result, error) {
	script := t.model.Script()
	got, err := profileScript(t.ctx, script, time.Duration(t.captured.SpanNS))
	if err != nil {
		return nil, fmt.Errorf("trying the script: %w", err)
	}
	a := &attempt{script, model.Compare(t.captured, got)}
	if t.best == nil || off(a.rows) < off(t.best.rows) {
		t.best = a
	}
	return got, nil
}

// profiler takes records into a profile.
type profiler struct{ *profile.Profile }

func (p profiler) Write(r *trace.Record) error {
	p.Add(r)
	return nil
}

func (profiler) Close() error { return nil }

// scriptSeed is what a script is tried with: it says nothing.
const scriptSeed = 1

// profileScript runs a script on a simulated device for about so long, and profiles what it does.
func profileScript(ctx context.Context, source string, span time.Duration) (*profile.Result, error) {
	device, err := backend.Parse("sim")
	if err != nil {
		return nil, err
	}
	b, err := backend.Open(device, nil, scriptSeed)
	if err != nil {
		return nil, err
	}
	code, err := vm.Load("model.lua", source)
	if err != nil {
		return nil, err
	}
	log, prof := &trace.Log{}, profile.New()
	rec := record.New(profiler{prof}, log)
	r := &vm.Run{
		Session: &run.Session{
			FS: b.FS(), Engine: b.Engine, Virtual: b.Virtual(), Seed: scriptSeed,
			Tap: func(e engine.Engine, slots int, jobs []string) (run.Tap, error) { return rec.Engine(e, slots, jobs) },
		},
		Interval: max(run.DefaultInterval, span/1000), Out: io.Discard, Err: io.Discard,
	}
	outcome := r.Do(ctx, code)
	if err := errors.Join(outcome.Err, rec.Close()); err != nil {
		return nil, err
	}
	return prof.Result(log), nil
}
