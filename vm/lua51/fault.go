package lua51

import (
	"fmt"
	"runtime/debug"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// Error is an error that a script did not catch. It wraps a *lua.ApiError with the
// value that was thrown.
type Error struct {
	api  *lua.ApiError
	hint string
}

func (e *Error) Error() string { return e.api.Object.String() }

// Unwrap is the *lua.ApiError. Its StackTrace lists the calls that led there, the
// innermost first, one a line.
func (e *Error) Unwrap() error { return e.api }

// Hint says what may have been meant; empty if nothing is known.
func (e *Error) Hint() string { return e.hint }

// goPanic is a panic of a Go function, on its way out of the script.
type goPanic struct {
	value any
	stack []byte
}

// guarded keeps where a Go function panicked.
func guarded(fn lua.LGFunction) lua.LGFunction {
	return func(L *lua.LState) int {
		defer func() {
			switch r := recover().(type) {
			case nil:
			case *lua.ApiError:
				panic(r)
			default:
				panic(&lua.ApiError{Type: lua.ApiErrorPanic, Object: &lua.LUserData{Value: &goPanic{r, debug.Stack()}, Metatable: lua.LNil}})
			}
		}()
		return fn(L)
	}
}

// fault is what was noted when an error was raised, while the frames were there.
type fault struct {
	thread *lua.LState
	value  lua.LValue
	hint   string
	trace  []place
}

// place is where a call is.
type place struct {
	source string
	line   int
	inside string // the function
}

// raise is what gopher-lua calls to raise the error on top of a thread's stack.
func (s *State) raise(L *lua.LState) {
	f := &fault{thread: L, value: L.Get(-1)}
	if again := s.fault; again != nil && same(again.value, f.value) {
		f.hint, f.trace = again.hint, again.trace // a script throws on what it caught
	} else {
		if text, ok := f.value.(lua.LString); ok {
			f.value, f.hint = s.reword(L, string(text))
		}
		f.trace = s.trace(L)
	}
	s.fault = f
	panic(&lua.ApiError{Type: lua.ApiErrorRun, Object: f.value})
}

// thrown is an error on its way to who catches it.
type thrown struct {
	value lua.LValue
	fault *fault
	cause error // what ended the script from outside; it cannot be caught
}

// describe says what a thread ended with.
func (s *State) describe(th *lua.LState, value lua.LValue) *thrown {
	t := &thrown{value: value, cause: s.stop.Err()}
	if t.cause != nil {
		return t
	}
	if f := s.fault; f != nil && f.thread == th && same(f.value, t.value) {
		t.fault = f
		return t
	}
	// No Lua error: a Go function has panicked, or there were too many calls.
	if u, ok := t.value.(*lua.LUserData); ok {
		if p, ok := u.Value.(*goPanic); ok {
			t.cause = &lua.ApiError{Type: lua.ApiErrorPanic, Object: lua.LString(fmt.Sprint(p.value)), Cause: fmt.Errorf("%v\n%s", p.value, p.stack)}
			return t
		}
	}
	text := t.value.String()
	if text == "lua callstack overflow" || text == registryFull {
		t.fault = &fault{thread: th, trace: s.trace(th)}
		t.value = lua.LString(firstPlace(t.fault.trace) + stackOverflow)
		return t
	}
	t.cause = &lua.ApiError{Type: lua.ApiErrorPanic, Object: t.value, Cause: fmt.Errorf("%s", text)}
	return t
}

// same says whether two values are one. A number that is none equals nothing, itself included.
func same(a, b lua.LValue) bool { return a == b || a != a && b != b }

const (
	registryFull  = "registry overflow" // in gopher-lua's words
	stackOverflow = "stack overflow: too many calls within calls"
)

func firstPlace(trace []place) string {
	if len(trace) == 0 {
		return ""
	}
	return fmt.Sprintf("%s:%d: ", trace[0].source, trace[0].line)
}

// public is the error as Resume returns it.
func (t *thrown) public() error {
	if t.cause != nil {
		return t.cause
	}
	e := &Error{api: &lua.ApiError{Type: lua.ApiErrorRun, Object: t.value, StackTrace: t.traceback()}}
	if t.fault != nil {
		e.hint = t.fault.hint
	}
	return e
}

func (t *thrown) traceback() string {
	if t.fault == nil {
		return ""
	}
	var b strings.Builder
	for _, p := range t.fault.trace {
		fmt.Fprintf(&b, "%s:%d: in %s\n", p.source, p.line, p.inside)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// maxTrace bounds how many calls are noted.
const maxTrace = 20

// trace lists the calls of Lua functions that are under way, the innermost first.
func (s *State) trace(L *lua.LState) []place {
	list := addPlaces(nil, frameOf(L))
	for i := len(s.stack) - 1; i >= 0; i-- {
		if th := s.stack[i].th; th != L {
			list = addPlaces(list, frameOf(th))
		}
	}
	return list
}

// Where is the line of a script from which the running Go function was called, if it was called
// from one. What of the library is written in Lua is no script.
func (s *State) Where(L *lua.LState) (source string, line int) {
	if list := s.trace(L); len(list) > 0 {
		return list[0].source, list[0].line
	}
	return "", 0
}

// WaitsAt is the line of a script in which a thread waits that Resume has returned from.
func (s *State) WaitsAt(th *lua.LState) (source string, line int) {
	inner := []entry{{th: th}}
	if rest, ok := s.waiting[th]; ok {
		inner = rest
	}
	for i := len(inner) - 1; i >= 0; i-- {
		if list := addPlaces(nil, frameOf(inner[i].th)); len(list) > 0 {
			return list[0].source, list[0].line
		}
	}
	return "", 0
}

func addPlaces(list []place, f *callFrame) []place {
	for ; f != nil && len(list) < maxTrace; f = f.Parent {
		if f.Fn.IsG || f.Pc == 0 || NoScript(f.Fn.Proto) {
			continue
		}
		p := f.Fn.Proto
		list = append(list, place{p.SourceName, f.line(), functionName(f)})
	}
	return list
}

// NoScript says whether a function is of Lua that the program brings itself, by its chunk's name, which
// begins with "=": it is nothing to show to people.
func NoScript(p *lua.FunctionProto) bool { return strings.HasPrefix(p.SourceName, "=") }

// line is the one that a Lua function's frame is at.
func (f *callFrame) line() int { return f.Fn.Proto.DbgSourcePositions[f.Pc-1] }

func functionName(f *callFrame) string {
	p := f.Fn.Proto
	if p.LineDefined == 0 {
		return "main chunk"
	}
	if name := calledName(f); name != "" && name[0] != '(' && f.TailCall == 0 {
		return "function '" + name + "'"
	}
	return fmt.Sprintf("function <%s:%d>", p.SourceName, p.LineDefined)
}
