package vm

import (
	"context"
	"errors"
	"io"
	"strings"
	"time"

	lua "github.com/yuin/gopher-lua"
	"golang.org/x/sys/unix"

	"moonio/engine/memfs"
	"moonio/engine/run"
	"moonio/vm/luaerr"
)

// rehearsalTime is as long as a rehearsal computes at the most. What a script computes takes
// as long again when it is run.
const (
	rehearsalTime    = time.Second
	longestRehearsal = 30 * time.Second // on a machine that is busy otherwise
)

// rehearsal is how far a script has been tried before it is run.
type rehearsal struct {
	played bool  // a phase has been planned: what follows may depend on its result
	fault  error // of a phase's plan
}

// Rehearse tries the script before it is run, as a plan, and returns the fault of its own
// that the run would end with. It goes as far as the script is the same in any case: up to where it
// asks for what only the run can tell. Nothing is touched, printed or logged.
func (r *Run) Rehearse(ctx context.Context, s *Script) error {
	ctx, cancel := shortly(ctx)
	defer cancel()
	try := &Run{
		Session: &run.Session{FS: memfs.New(), Check: r.Session.Check, Seed: r.Session.Seed},
		Devices: unopened(r.Devices), Interval: r.Interval, Params: r.Params, Require: r.Require,
		Out: io.Discard, Err: io.Discard, Plan: &Plan{}, rehearsal: &rehearsal{},
	}
	err := try.Do(ctx, s).Err
	var fault *luaerr.Error
	switch t := try.rehearsal; {
	case ctx.Err() != nil, !errors.As(err, &fault):
		return nil
	case t.played && (t.fault == nil || !strings.Contains(fault.Message, t.fault.Error())):
		return nil
	}
	return err
}

// shortly is a context for a script that is only tried.
func shortly(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithTimeout(ctx, longestRehearsal)
	go limitComputing(ctx, cancel, rehearsalTime)
	return ctx, cancel
}

// limitComputing cancels when the process has computed for so long. While it waits for a processor
// it does not.
func limitComputing(ctx context.Context, cancel func(), limit time.Duration) {
	begin := processorTime()
	for left := limit; left > 0; left = limit - (processorTime() - begin) {
		select {
		case <-ctx.Done():
			return
		case <-time.After(left):
		}
	}
	cancel()
}

// processorTime is what the process has used so far.
func processorTime() time.Duration {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// unopened are the devices without what a session knows of them.
func unopened(devices []*Device) []*Device {
	list := make([]*Device, len(devices))
	for i, d := range devices {
		c := *d
		c.file = nil
		list[i] = &c
	}
	return list
}

// beyondRehearsal ends a rehearsal where the script asks for what only a run can tell.
func (m *machine) beyondRehearsal(L *lua.LState) {
	if m.run.rehearsal == nil {
		return
	}
	m.interrupt(errStopHere)
	L.Error(stopHere(L), 0)
}

// unmeasured is the result of a phase in a rehearsal: asking it for anything ends that.
func (m *machine) unmeasured() lua.LValue {
	u := m.L.NewUserData()
	u.Metatable = m.indexed(func(L *lua.LState) int {
		m.beyondRehearsal(L)
		return 0
	})
	return u
}
