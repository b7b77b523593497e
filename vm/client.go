package vm

import (
	"errors"
	"fmt"

	lua "github.com/yuin/gopher-lua"

	"moonio/engine"
	"moonio/engine/run"
)

// program is the clients of one job on one worker: a coroutine for each.
type program struct {
	m  *machine
	fn *lua.LFunction // the client's function, in the worker's state
}

// client is what a program keeps of one of its clients.
type client struct {
	co      *lua.LState
	started bool
	wait    wait
	meta    *engine.Meta // of an operation on names
	queue   *run.Queue
	opening *opening
	closing *engine.File
	between bool  // its turn is over, and the next is still to come
	fault   error // in how it ended its turn

	// The last number of bytes that was returned, boxed: most operations
	// transfer as much as the one before.
	bytes int64
	boxed lua.LValue
}

// wait is what a client waits for, which says what it gets when it goes on.
type wait uint8

const (
	waitNothing wait = iota // a sleep, a semaphore, an event
	waitOp                  // an operation: what it transferred
	waitOpen
	waitClose
	waitStat
	waitList
	waitRename
	waitUnlink
	waitQueue
)

// newProgram makes the program of a job's function on a worker.
func newProgram(director *machine, w *run.Worker, j *job) (run.Program, error) {
	m, err := director.onWorker(w)
	if err != nil {
		return nil, err
	}
	fn, err := m.carrier.value(j.fn, fmt.Sprintf("the function of clients %q", j.Name))
	if err != nil {
		return nil, err
	}
	return &program{m: m, fn: fn.(*lua.LFunction)}, nil
}

// clientBody is what a client runs: the job's function, turn after turn.
const clientBody = `local fn, turns, id = ...
for id in turns, nil, id do fn(id) end`

func (p *program) Start(t *run.Task) error {
	t.Data = &client{co: p.m.newThread()}
	return nil
}

// turn goes on to the client's next turn, if this one is over and there is another.
func (m *machine) turn() bool {
	c := m.client
	if c.between, c.fault = m.task.Settle(); c.between || c.fault != nil {
		return false
	}
	var begun bool
	begun, c.between = m.task.Turn()
	return begun
}

// Resume gives the client what it waited for and lets it go on.
func (p *program) Resume(t *run.Task) (done bool, err error) {
	done, err = p.step(t)
	c := t.Data.(*client)
	if c.fault != nil {
		text := fmt.Sprintf("%s:%d: at the end of the client's turn: %v", p.fn.Proto.SourceName, p.fn.Proto.LastLineDefined, c.fault)
		return true, p.m.explain(&lua.ApiError{Type: lua.ApiErrorRun, Object: lua.LString(text)})
	}
	if done && c.between { // for the next turn it begins anew
		c.started = false
		return false, err
	}
	return done, err
}

func (p *program) step(t *run.Task) (done bool, err error) {
	m, c := p.m, t.Data.(*client)
	m.task, m.client = t, c
	if !c.started {
		c.started = true
		return m.resume(c.co, p.m.body, p.fn, p.m.turns, lua.LNumber(t.ID+1))
	}
	w := c.wait
	c.wait = waitNothing
	switch w {
	case waitOp:
		n, err := t.Result()
		if err != nil {
			return m.resumeFailed(c, err)
		}
		if n != c.bytes || c.boxed == nil {
			c.bytes, c.boxed = n, lua.LNumber(n)
		}
		return m.resume(c.co, nil, c.boxed)
	case waitNothing:
		return m.resume(c.co, nil)
	case waitQueue:
		done, failed := c.queue.Completed()
		return m.resume(c.co, nil, lua.LNumber(done), lua.LNumber(failed))
	}
	return m.resumeNamed(t, c, w)
}

// resumeFailed tells the client that its operation failed.
func (m *machine) resumeFailed(c *client, err error) (bool, error) {
	return m.resume(c.co, nil, lua.LNil, lua.LString(err.Error()))
}

// resumeNamed gives the client the result of an operation on a name.
func (m *machine) resumeNamed(t *run.Task, c *client, w wait) (bool, error) {
	res, err := t.Result()
	switch {
	case w == waitStat && isAbsent(err):
		return m.resume(c.co, nil)
	case err != nil:
		return m.resumeFailed(c, err)
	}
	switch w {
	case waitOpen:
		f, err := m.opened(c.opening, int(res))
		if err != nil {
			return m.resumeFailed(c, err)
		}
		return m.resume(c.co, nil, m.wrap(f))
	case waitClose:
		m.closed(c.closing)
		return m.resume(c.co, nil, lua.LNumber(0))
	}
	return m.resume(c.co, nil, m.metaValues(w, c.meta)...)
}

// metaValues are what an operation on names returns when it has succeeded.
func (m *machine) metaValues(w wait, meta *engine.Meta) []lua.LValue {
	switch w {
	case waitRename:
		m.run.Session.Renamed(meta.Path, meta.Path2)
	case waitUnlink:
		m.run.Session.Unlinked(meta.Path)
	case waitStat:
		return []lua.LValue{lua.LNumber(meta.Size), lua.LBool(meta.Dir)}
	case waitList:
		t := m.L.CreateTable(len(meta.Names), 0)
		for _, name := range meta.Names {
			if !m.run.hidden(name) {
				t.Append(lua.LString(name))
			}
		}
		return []lua.LValue{t}
	}
	return []lua.LValue{lua.LNumber(0)}
}

// do performs an operation on a file: in a client it yields until it has
// completed, at the top level it is done at once.
func (m *machine) do(L *lua.LState, r run.Request) int {
	if m.task == nil {
		m.notThinking(L, r.Code.String())
		return m.doNow(L, r)
	}
	m.waitable(L, r.Code.String())
	c := m.client
	c.wait = waitOp
	if r.Code == engine.Close {
		c.wait, c.closing = waitClose, r.File
	}
	if err := m.task.Do(r); err != nil {
		m.refused(L, err)
	}
	return m.yield(L)
}

// refused raises what is wrong with an operation that was not submitted.
func (m *machine) refused(L *lua.LState, err error) {
	var wrong *run.RequestError
	if errors.As(err, &wrong) {
		L.RaiseError("%v", err)
	}
	m.raise(L, err)
}

func (m *machine) doNow(L *lua.LState, r run.Request) int {
	if m.run.Plan != nil {
		return pushInt(L, r.Len)
	}
	n, err := m.run.Session.Do(r)
	if err != nil {
		m.refused(L, err)
	}
	if r.Code == engine.Close {
		m.closed(r.File)
	}
	return pushInt(L, n)
}

// doNamed performs an operation on a name.
func (m *machine) doNamed(L *lua.LState, w wait, r run.Request) int {
	if m.task != nil {
		m.waitable(L, r.Code.String())
		m.client.wait, m.client.meta = w, r.Meta
		if err := m.task.Do(r); err != nil {
			m.refused(L, err)
		}
		return m.yield(L)
	}
	m.notThinking(L, r.Code.String())
	if m.run.Plan == nil {
		if _, err := m.run.Session.Do(r); err != nil {
			if w == waitStat && isAbsent(err) {
				return 0
			}
			m.raise(L, err)
		}
	}
	values := m.metaValues(w, r.Meta)
	for _, v := range values {
		L.Push(v)
	}
	return len(values)
}

// yieldIfWaiting goes on at once where there is nothing to wait for.
func (m *machine) yieldIfWaiting(L *lua.LState) int {
	if !m.task.Waiting() {
		return 0
	}
	m.client.wait = waitNothing
	return m.yield(L)
}

func (p *program) Interrupt(err error) { p.m.interrupt(err) }

// Where is the line that made a client wait.
func (p *program) Where(t *run.Task) string {
	source, line := p.m.state.WaitsAt(t.Data.(*client).co)
	if source == "" {
		return ""
	}
	return fmt.Sprintf("%s:%d", source, line)
}

func (p *program) Close() { p.m.release() }
