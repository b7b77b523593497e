package lua51

import (
	"fmt"

	lua "github.com/yuin/gopher-lua"
)

// State is a Lua state whose threads can wait. It belongs to one goroutine at a time; only
// Interrupt may be called from elsewhere.
type State struct {
	L *lua.LState // for making values and setting globals; Lua code runs in threads

	stop    *stop
	stack   []entry                   // the threads that run: each was called by the one before
	stacks  [][]entry                 // memory for more of them
	got     []lua.LValue              // what the last pass returned
	base    int                       // where in the stack the innermost drive began
	causes  []string                  // why the calls of drive under way cannot wait, the innermost last
	waiting map[*lua.LState][]entry   // stacks of more than one thread, by their first, while they wait
	away    map[*lua.LState]bool      // coroutines on the stacks of waiting threads: only those go on with them
	spare   []*lua.LState             // threads that wait for a function to call
	loop    *lua.LFunction            // what threads run
	hold    *lua.LFunction            // what coroutines run
	idle    *lua.LFunction            // a function that does nothing
	wrapper *lua.LFunction            // makes what coroutine.wrap returns
	fault   *fault                    // the latest error
	random  func() uint64             // math.random's generator
	natives map[*lua.LFunction]string // what the functions that call back are doing
}

// A state's own thread may need a deep stack; a client's is one of thousands.
var (
	deepThread = lua.Options{
		SkipOpenLibs:        true,
		RegistrySize:        256,
		RegistryGrowStep:    1024,
		RegistryMaxSize:     1 << 20,
		CallStackSize:       8000,
		MinimizeStackMemory: true,
	}
	lightThread = lua.Options{
		SkipOpenLibs:        true,
		RegistrySize:        64,
		RegistryGrowStep:    64,
		RegistryMaxSize:     1 << 18,
		CallStackSize:       1600,
		MinimizeStackMemory: true,
	}
)

// NewState makes a state without any library. It panics if it is built with another
// gopher-lua than it knows.
func NewState() *State {
	if err := inside(); err != nil {
		panic(err)
	}
	s := &State{
		L:       lua.NewState(deepThread),
		stop:    &stop{},
		waiting: map[*lua.LState][]entry{},
		away:    map[*lua.LState]bool{},
		natives: map[*lua.LFunction]string{},
	}
	s.L.Options = lightThread // threads take their options from their state
	self := s.L.NewUserData()
	self.Value = s
	s.L.G.Registry.RawSetString(registryKey, self)
	// gopher-lua takes the first thread that calls anything for the main one.
	s.L.Push(s.L.NewFunction(func(*lua.LState) int { return 0 }))
	s.L.Call(0, 0)
	return s
}

// registryKey is where a state's registry holds its State.
const registryKey = "moonio/vm/lua51"

// stateOf is the State of a thread, nil if it has none.
func stateOf(L *lua.LState) *State {
	u, ok := L.G.Registry.RawGetString(registryKey).(*lua.LUserData)
	if !ok {
		return nil
	}
	return u.Value.(*State)
}

// Close frees the state. Nothing of it may run.
func (s *State) Close() {
	s.stop.clear()
	s.L.Close()
}

// NewThread makes a thread that Resume can run. It costs about 5 KB.
func (s *State) NewThread() *lua.LState {
	th, _ := s.L.NewThread()
	return th
}

// Resume makes a thread call fn with values, or, if it waits, lets it go on with them
// as the results of what it waited in; fn is nil then. It returns when the thread waits
// or fn has returned. An error that the script did not catch ends the thread; it is
// an *Error, or what the state was interrupted with. A thread that is done without an
// error can be given another function.
func (s *State) Resume(th *lua.LState, fn *lua.LFunction, values ...lua.LValue) (done bool, err error) {
	if frameOf(th) == nil {
		s.prime(s.L, th, s.loop, s.idle)
	}
	if fn != nil {
		values = append([]lua.LValue{fn}, values...)
	}
	s.stack = append(s.stack[:0], entry{th: th})
	if len(s.waiting) > 0 {
		s.unpark(th)
	}
	s.base = 0
	_, waits, failure := s.drive(s.L, values)
	if waits && len(s.stack) > 1 {
		s.park(th)
	}
	s.stack = s.stack[:0]
	if failure != nil {
		return true, failure.public()
	}
	return !waits, nil
}

// park keeps the threads that a waiting thread has called.
func (s *State) park(th *lua.LState) {
	s.waiting[th] = s.stack
	for _, e := range s.stack {
		if e.kind == coroutine {
			s.away[e.th] = true
		}
	}
	s.stack = nil
	if n := len(s.stacks); n > 0 {
		s.stack, s.stacks = s.stacks[n-1], s.stacks[:n-1]
	}
}

// unpark puts them back.
func (s *State) unpark(th *lua.LState) {
	if rest, ok := s.waiting[th]; ok {
		delete(s.waiting, th)
		for _, e := range rest {
			if e.kind == coroutine {
				delete(s.away, e.th)
			}
		}
		s.stacks = append(s.stacks, s.stack)
		s.stack = rest
	}
}

// Wait makes the running thread wait: Resume returns. A Go function that Lua calls ends with
// it, as in "return s.Wait(L)". What Resume is given next becomes that function's results.
func (s *State) Wait(L *lua.LState) int {
	L.SetTop(0)
	return -1
}

// CheckWait says why the running thread cannot wait where it is; what is what it wants to
// do. It costs a few nanoseconds for each call that is under way.
func (s *State) CheckWait(L *lua.LState, what string) error {
	cause := s.blocked(L)
	if cause == "" {
		if len(s.causes) == 0 {
			return nil
		}
		cause = s.causes[len(s.causes)-1]
	}
	return fmt.Errorf("%s: cannot wait inside %s, which Lua cannot interrupt: do it before or after", what, cause)
}

// Run calls a function at the top level, where nothing can wait.
func (s *State) Run(fn *lua.LFunction, args ...lua.LValue) error {
	s.L.Options = deepThread
	th := s.NewThread()
	s.L.Options = lightThread
	done, err := s.Resume(th, fn, args...)
	if !done {
		return fmt.Errorf("the top level waited for something")
	}
	return err
}

// Function makes a Go function for Lua. A panic in it ends the script with the Go
// stack in the error; without Function, gopher-lua forgets where a panic was.
func (s *State) Function(fn lua.LGFunction) *lua.LFunction { return s.L.NewFunction(guarded(fn)) }
