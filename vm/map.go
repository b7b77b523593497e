package vm

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
	"time"

	lua "github.com/yuin/gopher-lua"

	"moonio/engine/replay"
	"moonio/engine/trace"
)

// mapped is a trace whose records go through a function of the script's, in a state of its
// own: the same function gives the same records every time.
type mapped struct {
	*function
	trace *replay.Trace
	io    *lua.LUserData
	rec   *record
	queue []trace.Record
	at    int

	calls atomic.Uint64 // begun and ended: odd while the function runs
	stop  chan struct{} // ends the watching
	ended chan struct{}
}

// mapTrace puts the function fn of the director's state around a trace.
func mapTrace(director *machine, t *replay.Trace, fn *lua.LFunction) (*replay.Trace, error) {
	m, err := director.alone()
	if err != nil {
		return nil, errors.Join(err, t.Close())
	}
	m.mapping = true
	f, err := m.function(fn, "the replay's map function")
	if err != nil {
		m.close()
		return nil, errors.Join(err, t.Close())
	}
	r := &mapped{function: f, trace: t, stop: make(chan struct{}), ended: make(chan struct{})}
	r.rec = &record{log: t.Log, emit: r.emit}
	r.io = m.wrap(r.rec)
	go r.watch(director.run.ctx)
	return &replay.Trace{Reader: r, Log: t.Log, Close: r.close}, nil
}

func (r *mapped) close() error {
	close(r.stop)
	<-r.ended
	r.m.close()
	return r.trace.Close()
}

// longestCall is how long a function may work on one record.
const longestCall = 5 * time.Second

// watch stops the function when the run is interrupted, or when it does not come to an end.
func (r *mapped) watch(ctx context.Context) {
	defer close(r.ended)
	tick := time.NewTicker(longestCall)
	defer tick.Stop()
	var last uint64
	for {
		select {
		case <-r.stop:
			return
		case <-ctx.Done():
			r.m.interrupt(ctx.Err())
			return
		case <-tick.C:
		}
		calls := r.calls.Load()
		if calls == last && calls%2 == 1 {
			r.m.interrupt(fmt.Errorf("the replay's map function has run for more than %v on one record, and was stopped", longestCall))
			return
		}
		last = calls
	}
}

// mostEmitted bounds what a function makes of one record.
const mostEmitted = 1 << 16

func (r *mapped) emit(c *trace.Record) error {
	if len(r.queue) == mostEmitted {
		return fmt.Errorf("emit: the map function makes more than %d operations of one record", mostEmitted)
	}
	r.queue = append(r.queue, *c)
	return nil
}

// Read gives what the function makes of the trace's records.
func (r *mapped) Read(out *trace.Record) error {
	for {
		if r.at < len(r.queue) {
			*out = r.queue[r.at]
			r.at++
			return nil
		}
		r.queue, r.at = r.queue[:0], 0
		if err := r.trace.Read(&r.rec.Record); err != nil {
			return err
		}
		r.calls.Add(1)
		v, err := r.call(r.io)
		r.calls.Add(1)
		if err != nil {
			return err
		}
		if v != lua.LFalse {
			r.queue = append(r.queue, r.rec.Record)
		}
	}
}

// checked makes a trace fail at its end if more than a share of it could not be read. If none of it needs to be,
// what was cut off ends where it does.
func checked(t *replay.Trace, share float64) *replay.Trace {
	return &replay.Trace{Reader: &checkedReader{t, share}, Log: t.Log, Close: t.Close}
}

type checkedReader struct {
	*replay.Trace
	share float64
}

func (r *checkedReader) Read(out *trace.Record) error {
	err := r.Trace.Read(out)
	if errors.Is(err, trace.ErrTruncated) && r.share == 1 {
		r.Log.Note("%v", err)
		return io.EOF
	}
	if errors.Is(err, io.EOF) {
		if bad := r.Log.Check(r.share); bad != nil {
			return fmt.Errorf("%w\nname another format with format (--trace-format), or go on without these lines with skip_bad = true (--skip-bad)", bad)
		}
	}
	return err
}
