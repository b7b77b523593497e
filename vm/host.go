package vm

import (
	"context"
	"io"
	"sync"
	"time"

	"moonio/engine"
	"moonio/engine/fault"
	"moonio/engine/report"
	"moonio/engine/run"
	"moonio/engine/workdir"
)

// Run is one run of a script: what it runs on and with. The caller sets it and
// then leaves it alone.
type Run struct {
	Session  *run.Session
	Guard    *workdir.Guard                    // of the run's directory; nil if no storage is touched
	Brim     func(string) error                // refuses to fill the file system that a file is in to the last byte; nil: it may be
	Space    func(string, int64) error         // refuses to lay out more bytes of a file than there is room for; nil: no limit
	Devices  []*Device                         // that the user named
	Interval time.Duration                     // of time series, unless a phase says otherwise; 0: a second, or more in long phases
	Faults   []*fault.Rule                     // injected in every phase
	Params   map[string]string                 // values of the script's parameters that the user gave
	Place    Place                             // where it takes place
	Require  Resolver                          // finds modules; nil: there are none
	Trace    func(path string) (string, error) // the file of a trace that the script names, if it may read it; nil: none
	Out      io.Writer                         // what the script prints
	Err      io.Writer                         // what it logs, and notes on the way
	Plan     *Plan                             // if set, nothing is done, and what would be is noted here

	ctx       context.Context
	rehearsal *rehearsal // nil unless the script is only tried
	director  *director
	mu        sync.Mutex
	machines  map[*machine]bool // that have not been closed
	closers   []io.Closer       // what the script has left open
	sources   map[string]string // of chunks, by the name that errors call them
	kept      map[string]error  // why files could be opened for reading only, by name
}

// Resolver finds the source of a module, and what errors are to call it.
type Resolver func(name string) (source, chunk string, err error)

// Device is a block device that the user named.
type Device struct {
	Path     string
	FD       int
	Size     int64
	ReadOnly bool
	Align    engine.Align // of direct operations; the descriptor is opened with O_DIRECT

	file *file
}

// Plan is what a script would do.
type Plan struct {
	Files  []PlannedFile
	Phases []*run.Phase
	Notes  []string // lines on what captured workloads would be played, and how
}

// PlannedFile is a file that would be opened.
type PlannedFile struct {
	Name   string
	Size   int64  // that it would be laid out to; 0 if it would not be
	Layout string // how
	Found  bool   // it is there already, or the run fails
	Empty  bool   // it would be emptied
	Direct bool
	Write  bool
	Sync   string // "dsync", "sync" or "none"
}

// Outcome is what came of a run. Whatever happened, it holds what there was until then.
type Outcome struct {
	Phases       []*report.Phase
	Expectations []report.Expectation
	Params       map[string]any // every parameter with its value
	Log          []report.LogLine
	Err          error // what ended the run early; a script's own fault is a *luaerr.Error
}

// file is the device of that name as a script holds it, or nil.
func (r *Run) device(name string) *file {
	for _, d := range r.Devices {
		if d.Path != name {
			continue
		}
		if d.file == nil {
			f := r.Session.Device(d.Path, d.FD, d.Size, d.Align)
			f.ReadOnly = d.ReadOnly
			d.file = &file{File: f, path: d.Path}
		}
		return d.file
	}
	return nil
}

// keep notes why a file was opened for reading only, though that was not asked for.
func (r *Run) keep(name string, why error) {
	if why == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.kept[name] = why
}

// whyKept is why a file was opened for reading only; nil if the script wanted it so.
func (r *Run) whyKept(name string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.kept[name]
}

// hidden says whether a name in the run's directory is the program's own record.
func (r *Run) hidden(name string) bool { return r.Guard != nil && workdir.Hidden(name) }

// room refuses to lay out more than there is room for.
func (r *Run) room(name string, n int64) error {
	if r.Space == nil {
		return nil
	}
	return r.Space(name, n)
}

// wrapEngine puts the faults of the run and of the phase around its engines.
func (r *Run) wrapEngine(p *run.Phase, faults []*fault.Rule) {
	rules := append(append([]*fault.Rule{}, r.Faults...), faults...)
	if len(rules) == 0 {
		return
	}
	p.Wrap = func(e engine.Engine, seed uint64) engine.Engine { return fault.Wrap(e, rules, seed) }
}

// closeAll closes what the script has left open.
func (r *Run) closeAll() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range r.closers {
		c.Close()
	}
	r.closers = nil
}
