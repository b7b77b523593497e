package lua51

import (
	lua "github.com/yuin/gopher-lua"
)

// entry is a thread on the stack, and what the one below it called it for.
type entry struct {
	th      *lua.LState
	kind    kind
	handler lua.LValue // of xpcall
}

type kind uint8

const (
	started   kind = iota // by Resume
	protected             // pcall, xpcall
	handling              // xpcall's handler
	coroutine             // coroutine.resume
)

// control is the first value that a thread yields when it wants something of the State.
// A yield without one is a wait.
type control uint8

const (
	ready  control = iota // primed; or a coroutine before its first resume
	done                  // (results…) the function has returned
	call                  // (f, args…) pcall
	xcall                 // (f, handler, args…) xpcall
	resume                // (coroutine, args…)
	yield                 // (values…) of a coroutine
)

func (control) String() string       { return "control" }
func (control) Type() lua.LValueType { return lua.LTUserData }

// ask makes the running thread yield a control with the arguments of the running Go
// function.
func ask(L *lua.LState, c control) int {
	L.Insert(c, 1)
	return -1
}

// prime starts a thread, which goes no further than to where it waits for a
// function, and takes charge of its errors.
func (s *State) prime(L, th *lua.LState, fn *lua.LFunction, arg lua.LValue) {
	L.Resume(th, fn, arg)
	th.Panic = s.raise
}

// drive resumes the innermost thread with values, and whatever thread its controls
// ask for, until the stack is back to its height before the innermost drive, or
// the thread waits. L is the thread that drives. It returns what the last thread hands
// to who called it.
func (s *State) drive(L *lua.LState, values []lua.LValue) (out []lua.LValue, waits bool, err *thrown) {
	for {
		th := s.stack[len(s.stack)-1].th
		got, ok := s.pass(L, th, values)
		if !ok {
			values, err = s.failed(got[0])
		} else if len(got) == 0 {
			return nil, true, nil
		} else {
			values = s.obey(got[0].(control), got)
		}
		if err != nil || len(s.stack) == s.base {
			return values, false, err
		}
	}
}

// pass lets a primed thread go on with values until it yields, and returns what it
// yields, in memory that is good until the next pass; or, not ok, the value of the error
// that ended it, such as that it has no room for the values. It is LState.Resume without
// what a started thread and a wait do not need: an allocation, and looks at what is known.
func (s *State) pass(L, th *lua.LState, values []lua.LValue) (got []lua.LValue, ok bool) {
	if registryOf(th).top+len(values)+mostWanted > th.Options.RegistryMaxSize {
		th.Dead = true
		s.got = append(s.got[:0], lua.LString(registryFull))
		return s.got, false
	}
	pad(th, len(values))
	th.Parent = L
	L.G.CurrentThread = th
	for _, v := range values {
		th.Push(v)
	}
	top := L.GetTop()
	threadRun(th)
	ok = L.Get(top+1) == lua.LTrue
	clear(s.got)
	s.got = s.got[:0]
	for i := top + 2; i <= L.GetTop(); i++ {
		s.got = append(s.got, L.Get(i))
	}
	L.SetTop(top)
	return s.got, ok
}

// mostWanted is more than a call can want of results.
const mostWanted = 256

// pad makes room for the results that a waiting call wants and does not get.
// gopher-lua leaves their registers as they are: they would hold anything.
func pad(th *lua.LState, given int) {
	inst := frameOf(th).current()
	if wanted := argC(inst) - 1; opcode(inst) == lua.OP_CALL && wanted > given {
		th.SetTop(th.GetTop() + wanted)
		th.Pop(wanted)
	}
}

// obey does what a thread asks for. got is the control and its values; obey
// returns what the thread that is innermost then gets, in the same memory.
func (s *State) obey(c control, got []lua.LValue) []lua.LValue {
	switch c {
	case call:
		s.push(entry{th: s.thread(), kind: protected})
		return got[1:]
	case xcall:
		s.push(entry{th: s.thread(), kind: protected, handler: got[2]})
		got[2] = got[1]
		return got[2:]
	case resume:
		s.enter(got[1].(*lua.LState))
		return got[2:]
	case yield:
		s.leave()
		got[0] = lua.LTrue
		return got
	}
	return s.finished(got)
}

// finished takes a thread that has returned off the stack.
func (s *State) finished(got []lua.LValue) []lua.LValue {
	e := s.pop()
	got[0] = lua.LTrue
	switch e.kind {
	case started:
		return got[1:]
	case coroutine:
		e.th.Dead = true
		return got
	case handling:
		got = append(got, lua.LNil)[:2] // a handler has one result
		got[0] = lua.LFalse
	}
	if len(s.spare) < maxSpare {
		s.spare = append(s.spare, e.th)
	}
	return got
}

// failed takes a thread that ended with an error off the stack. Who called it gets the
// error as values if it can be caught; otherwise every thread of this drive is
// given up.
func (s *State) failed(failure lua.LValue) ([]lua.LValue, *thrown) {
	err := s.describe(s.stack[len(s.stack)-1].th, failure)
	e := s.pop()
	if err.cause != nil || e.kind == started {
		s.stack = s.stack[:s.base]
		return nil, err
	}
	if e.kind == protected && e.handler != nil {
		s.push(entry{th: s.thread(), kind: handling})
		return []lua.LValue{e.handler, err.value, lua.LString(err.traceback())}, nil
	}
	return []lua.LValue{lua.LFalse, err.value}, nil
}

func (s *State) push(e entry) { s.stack = append(s.stack, e) }

func (s *State) pop() entry {
	e := s.stack[len(s.stack)-1]
	s.stack = s.stack[:len(s.stack)-1]
	return e
}

// maxSpare bounds how many threads are kept for calls to come.
const maxSpare = 64

// thread is one that waits for a function.
func (s *State) thread() *lua.LState {
	if n := len(s.spare); n > 0 {
		th := s.spare[n-1]
		s.spare = s.spare[:n-1]
		return th
	}
	L := s.L
	if len(s.stack) > 0 {
		L = s.stack[len(s.stack)-1].th
	}
	th, _ := L.NewThread()
	s.prime(s.driver(), th, s.loop, s.idle)
	return th
}

// driver is the thread that runs the innermost drive.
func (s *State) driver() *lua.LState { return s.L.G.CurrentThread }

// beneath runs one control of a thread that cannot yield, since Go code or an
// operator called what runs there: the State drives from within the Go function. cause
// says what that code is.
func (s *State) beneath(L *lua.LState, cause string, c control) int {
	got := make([]lua.LValue, 1, L.GetTop()+1)
	got[0] = c
	for i := range L.GetTop() {
		got = append(got, L.Get(i+1))
	}
	base := s.base
	s.base = len(s.stack)
	s.causes = append(s.causes, cause)
	out, waits, err := s.drive(L, s.obey(c, got))
	s.causes = s.causes[:len(s.causes)-1]
	if waits {
		s.stack = s.stack[:s.base]
	}
	s.base = base
	switch {
	case err != nil:
		// It cannot be caught: the drive around this one ends with it as well.
		panic(&lua.ApiError{Type: lua.ApiErrorRun, Object: err.value})
	case waits:
		L.RaiseError("cannot wait inside %s", cause)
	}
	for _, v := range out {
		L.Push(v)
	}
	return len(out)
}
