package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"time"

	"moonio/engine"
	"moonio/engine/backend"
	"moonio/engine/environ"
	"moonio/engine/fault"
	"moonio/engine/report"
	"moonio/engine/run"
	"moonio/engine/verify"
	"moonio/vm"
	"moonio/vm/luaerr"
)

// running is one `moonio run` from its checked command line to its report.
type running struct {
	*program
	flags    *runFlags
	script   *script
	out      *resultFile // nil without --out
	record   *recording  // nil without --record
	engine   backend.Choice
	faults   []*fault.Rule
	progress *report.Progress // nil if none is shown
	rated    string           // the phase that progress has shown a rate of
	fio      *fioRun          // nil unless fio's jobs are run
	notes    io.Writer        // for what is no error

	signals *interrupts
	storage storage
	began   int64 // on engine.Monotonic's clock
	result  report.Result
}

// do runs the script and reports it.
func (r *running) do() error {
	calm()
	r.signals = interruptible(r.notes)
	defer r.signals.release()
	r.begin()
	outcome, err := r.perform()
	err = withWay(err)
	var bad *exitError
	if errors.As(err, &bad) && bad.code == exitUsage {
		return errors.Join(err, r.dropRecord(err), r.closeStorage())
	}
	r.conclude(outcome, err)
	return r.finish(err)
}

// begin notes what is known of the result beforehand.
func (r *running) begin() {
	r.began = engine.Monotonic()
	sum := sha256.Sum256([]byte(r.script.source))
	r.result = report.Result{
		Tool:    report.Tool{Version: version()},
		Script:  report.Script{Name: r.script.name, SHA256: hex.EncodeToString(sum[:])},
		Seed:    r.flags.seed,
		Started: time.Now(),
		Engine:  r.flags.engine,
	}
}

// perform does it all but the report. What there is of an outcome is returned
// beside an error.
func (r *running) perform() (*vm.Outcome, error) {
	if err := r.chooseEngine(); err != nil {
		return nil, err
	}
	code, err := r.load()
	if err != nil {
		return nil, err
	}
	if err := code.CheckParams(r.signals.ctx, r.script.require, r.flags.params); err != nil {
		return nil, r.asFlag(scriptError(err))
	}
	if err := r.openStorage(); err != nil {
		return nil, err
	}
	if err := r.fio.permit(&r.storage); err != nil {
		return nil, err
	}
	s := &r.storage
	r.result.Engine = s.backend.Name()
	r.result.EngineInfo = report.EngineInfo{
		Why: s.backend.Why(), Detail: s.info.Detail, Features: s.info.Features,
		Virtual: s.info.Virtual, Memory: s.info.Memory,
	}
	r.nameUnused()
	r.lookAround()
	if err := r.startRecord(); err != nil {
		return nil, err
	}
	outcome := r.play(code)
	if err := r.fio.explain(r.plain(outcome.Err), len(outcome.Phases) > 0); err != nil || r.fio == nil {
		return outcome, err
	}
	return outcome, r.fio.live.failed
}

// nameUnused says which flags have no effect on an engine whose files are in memory.
func (r *running) nameUnused() {
	if !r.engine.Memory() || r.fio != nil {
		return
	}
	for _, f := range []struct {
		name string
		used bool
	}{{"--dir " + r.flags.dir, r.flags.dir != ""}, {"--keep", r.flags.keep}} {
		if f.used {
			r.note("%s has no effect: engine %s touches no storage", f.name, r.flags.engine)
		}
	}
}

// play tries the script, and runs it if there is nothing wrong with it.
func (r *running) play(code *vm.Script) *vm.Outcome {
	v := r.vmRun()
	if r.flags.own || r.fio != nil {
		return v.Do(r.signals.ctx, code)
	}
	if err := v.Rehearse(r.signals.ctx, code); err != nil {
		return &vm.Outcome{Err: r.script.refused(r.flags.params, err)}
	}
	o := v.Do(r.signals.ctx, code)
	if len(o.Phases) == 0 {
		o.Err = r.script.refused(r.flags.params, o.Err)
	}
	return o
}

// placed is where in the script replay an error comes from.
var placed = regexp.MustCompile(`^replay\.lua:\d+: (replay "replay": )?`)

// plainError is an error of a script that the user has not written.
type plainError struct {
	text string
	err  error
}

func (e *plainError) Error() string { return e.text }
func (e *plainError) Unwrap() error { return e.err }

// setByFlag is how an error about a parameter begins.
var setByFlag = regexp.MustCompile(`^wrong parameter: -p (\w+)=`)

// asFlag calls a parameter of a script that the user has not chosen what its flag is called.
func (r *running) asFlag(err error) error {
	m := setByFlag.FindStringSubmatch(err.Error())
	if !r.flags.own || m == nil {
		return err
	}
	flag := strings.ReplaceAll(m[1], "_", "-")
	if flag == "format" {
		flag = "trace-format"
	}
	return usage("--%s %s", flag, strings.TrimPrefix(err.Error(), m[0]))
}

// plain takes the script's lines out of the errors of commands that run one of moonio's own.
func (r *running) plain(err error) error {
	if err == nil || !r.flags.own {
		return err
	}
	var e *luaerr.Error
	if errors.As(err, &e) {
		return errors.New(placed.ReplaceAllString(e.Place()+": "+e.Message, ""))
	}
	return &plainError{placed.ReplaceAllString(err.Error(), ""), err}
}

// vmRun is what the script is run with.
func (r *running) vmRun() *vm.Run {
	s, o := &r.storage, r.flags
	out := r.progress.Writer(r.stdout)
	if o.format == "json" {
		out = r.notes
	}
	session := &run.Session{
		FS: s.backend.FS(), Engine: s.backend.Engine, Virtual: s.backend.Virtual(),
		Named: r.namedEngine, Check: checkEngine, Fixed: r.fixedEngine(),
		Seed: o.seed, Disk: r.deviceName(), Abandon: r.signals.abandon, Progress: r.showPhase,
	}
	if r.fio != nil {
		r.fio.live.watch(session)
	}
	if r.record != nil {
		session.Tap = r.record.tap
	}
	return &vm.Run{
		Session: session, Place: r.whereabouts(),
		Guard: s.dir.Guard(), Space: s.space(), Brim: s.brim(), Devices: s.devices,
		Interval: o.interval, Faults: r.faults, Params: o.params,
		Out: out, Err: r.notes, Require: r.script.require, Trace: r.script.traces(r.signals.ctx, o.params, r.stdin),
	}
}

// load compiles the script. With very many different constants that takes long, and an
// interrupt does not wait for it.
func (r *running) load() (*vm.Script, error) {
	type loaded struct {
		code *vm.Script
		err  error
	}
	c := make(chan loaded, 1)
	go func() {
		code, err := vm.Load(r.script.chunk, r.script.source)
		c <- loaded{code, err}
	}()
	select {
	case l := <-c:
		return l.code, l.err
	case <-r.signals.ctx.Done():
		return nil, r.signals.ctx.Err()
	}
}

// namedEngine finds an engine that a job or a phase names for its threads.
func (r *running) namedEngine(spec string) (func(engine.Config) (engine.Engine, error), error) {
	b, err := r.storage.backend.Beside(spec)
	if err != nil {
		return nil, err
	}
	return b.Engine, nil
}

func checkEngine(spec string) error {
	_, err := backend.Parse(spec)
	return err
}

// fixedEngine says why what jobs and phases name is not heeded; empty if it is.
func (r *running) fixedEngine() string {
	if r.engine.Name == backend.Auto {
		return ""
	}
	return "--engine " + r.flags.engine
}

// showPhase shows how far a phase has got.
func (r *running) showPhase(g run.Progress) {
	s := report.Snapshot{Phase: g.Phase, Share: g.Share, Left: g.Left, Rate: g.IOPS, Bytes: g.Bandwidth, P99NS: int64(g.P99)}
	switch {
	case g.Layout:
		s.Left = -1
	case g.Warmup:
		s.State = "warming up"
	}
	if g.Share < 0 {
		s.Left = -1
	}
	// Until the first interval is over there is no rate; after that, none is a stall.
	if g.IOPS > 0 {
		r.rated = g.Phase
	}
	if r.rated != g.Phase {
		s.Rate = -1
	}
	r.progress.Show(s)
}

// conclude completes the result.
func (r *running) conclude(o *vm.Outcome, err error) {
	r.progress.Clear()
	if o != nil {
		r.result.Phases, r.result.Expectations, r.result.Log = o.Phases, o.Expectations, o.Log
		r.result.Script.Params = o.Params
	}
	for _, p := range r.result.Phases {
		p.Error = firstLine(p.Error) // standard error has it whole
	}
	r.result.DurationNS = r.elapsed()
	r.result.Exit = r.verdict(err)
	r.nameIdleFaults()
	report.Diagnose(&r.result)
}

// elapsed is how long the run took, on its own clock.
func (r *running) elapsed() int64 {
	if !r.result.EngineInfo.Virtual {
		return engine.Monotonic() - r.began
	}
	var last time.Duration
	for _, p := range r.result.Phases {
		last = max(last, run.Elapsed(p))
	}
	return int64(last)
}

// verdict is how the run ended.
func (r *running) verdict(err error) report.Exit {
	var mismatch *verify.Failure
	failed := 0
	for _, e := range r.result.Expectations {
		if !e.Passed {
			failed++
		}
	}
	switch {
	case r.signals.interrupted() && (err != nil || r.cutShort()):
		return report.Exit{Code: exitInterrupted, Reason: r.signals.reason()}
	case isScriptError(err) && r.fio == nil: // fio's users have written none
		return report.Exit{Code: exitScript, Reason: reason(err)}
	case errors.As(err, &mismatch):
		return report.Exit{Code: exitFailed, Reason: reason(mismatch)}
	case err != nil:
		return report.Exit{Code: exitFailed, Reason: reason(err)}
	case r.result.Mismatches() > 0:
		return report.Exit{Code: exitFailed, Reason: fmt.Sprintf("verification failed: %d blocks are not what was written", r.result.Mismatches())}
	case failed > 0:
		return report.Exit{Code: exitExpectation, Reason: fmt.Sprintf("%d of %d expectations failed", failed, len(r.result.Expectations))}
	}
	return report.Exit{Code: exitDone, Reason: "done"}
}

// cutShort says whether a phase was interrupted.
func (r *running) cutShort() bool {
	for _, p := range r.result.Phases {
		if p.End == "interrupted" {
			return true
		}
	}
	return false
}

// lookAround notes under which conditions the run takes place, and what the
// device carries before it.
func (r *running) lookAround() {
	m := environ.Machine{}
	r.result.Environment = m.Environment(r.place())
	if device := r.deviceName(); device != "" {
		r.result.Idle = idleTraffic(m, device, r.signals.ctx)
	}
}

// idleTime is how long the device is watched before the run.
const idleTime = 200 * time.Millisecond

// idleTraffic is what a device carries while nothing is asked of it here.
func idleTraffic(m environ.Machine, device string, ctx context.Context) *report.Traffic {
	before, err := m.Counters(device)
	if err != nil {
		return nil // some devices have no counters
	}
	from := engine.Monotonic()
	select {
	case <-time.After(idleTime):
	case <-ctx.Done():
	}
	after, err := m.Counters(device)
	if err != nil {
		return nil
	}
	return &report.Traffic{Device: device, DurationNS: engine.Monotonic() - from, Counters: after.Since(before)}
}

// deviceName is the block device beneath the run, if there is one in sight.
func (r *running) deviceName() string {
	s := r.result.Environment.Storage
	if s == nil || s.Device == nil {
		return ""
	}
	return s.Device.Name
}
