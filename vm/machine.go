package vm

import (
	"fmt"
	"maps"
	"slices"

	lua "github.com/yuin/gopher-lua"

	"moonio/engine"
	"moonio/engine/dist"
	"moonio/engine/report"
	"moonio/engine/run"
	"moonio/vm/lua51"
)

// machine is one Lua state with the DSL in it: the director's, or a worker's.
// It belongs to one goroutine at a time.
type machine struct {
	L       *lua.LState
	state   *lua51.State
	run     *Run
	task    *run.Task // the client that runs now; nil at the top level
	client  *client   // what is kept of it
	sizes   map[string]int64
	cursors run.Cursors // of the top level
	chance  *dist.Rand  // of the top level
	own     map[string]lua.LValue
	types   map[string]*lua.LTable // metatables of the DSL's values

	noSuchJob, noSuchOp, noSuchFigure, noSuchParam, errorType *lua.LTable

	worker       uint64 // which worker's it is, from 1; 0 for the director's
	patternCount uint64 // patterns made so far, but for turnPatterns
	turnPatterns map[dist.Pattern]*lua.LUserData
	measured     map[*lua.LTable]measured // results of operations that the script holds

	notes  []report.Warning          // on the phase that is made
	bodies map[string]*lua.LFunction // what the clients of its jobs do

	mapping bool // it only runs a replay's map function

	files map[*engine.File]*file // that it has opened and not closed, but for devices

	// On workers.
	carrier *carrier
	body    *lua.LFunction
	turns   *lua.LUserData
	users   int // programs that have not been closed
}

// newMachine makes a state with the DSL in it.
func newMachine(r *Run) (*machine, error) {
	m := &machine{run: r, sizes: map[string]int64{}, types: map[string]*lua.LTable{}, files: map[*engine.File]*file{}}
	m.chance = dist.NewRand(dist.Derive(r.Session.Seed, 0xd17ec7))
	if err := m.newState(); err != nil {
		return nil, err
	}
	r.mu.Lock()
	r.machines[m] = true
	r.mu.Unlock()
	for _, set := range []map[string]lua.LGFunction{
		m.names(), m.patterns(), m.coupling(), m.rateMakers(), m.delays(), m.draws(), m.unitFunctions(), m.general(), m.figures(),
	} {
		for _, name := range slices.Sorted(maps.Keys(set)) { // pairs goes over them in this order
			m.L.SetGlobal(name, m.state.Function(set[name]))
		}
	}
	for name, methods := range map[string]map[string]lua.LGFunction{
		typeFile: m.fileMethods(), typeQueue: m.queueMethods(), typeSemaphore: m.semaphoreMethods(),
		typeEvent: m.eventMethods(), typeCounter: m.counterMethods(),
		typePattern: nil, typeRate: nil, typeDelay: nil, typeJob: nil, typeTrace: nil,
	} {
		m.types[name] = m.metatable(name, methods)
		lua51.FixMethods(m.types[name])
	}
	m.types[typeTrace].RawSetString("__call", m.L.NewFunction(m.nextRecord))
	m.types[typeRecord] = m.recordType()
	m.L.SetGlobal("trace", m.traceTable())
	missing := m.missing()
	m.noSuchJob = m.indexed(missing["job"])
	m.noSuchOp = m.indexed(missing["op"])
	m.noSuchFigure = m.indexed(missing["figure"])
	for _, mt := range []*lua.LTable{m.noSuchJob, m.noSuchOp, m.noSuchFigure} {
		mt.RawSetString("__tostring", m.L.NewFunction(m.resultText))
	}
	m.noSuchParam = m.indexed(missing["param"])
	m.errorType = m.metatable("error", nil)
	if err := m.installSpan(); err != nil {
		return nil, err
	}
	m.own = m.inventory()
	return m, nil
}

// indexed is a metatable whose __index is fn.
func (m *machine) indexed(fn lua.LGFunction) *lua.LTable {
	t := m.L.NewTable()
	t.RawSetString("__index", m.L.NewFunction(fn))
	return t
}

// metatable is that of a type of the DSL's values. Scripts cannot get at it.
func (m *machine) metatable(name string, methods map[string]lua.LGFunction) *lua.LTable {
	mt, index := m.L.NewTable(), m.L.NewTable()
	for method, fn := range methods {
		index.RawSetString(method, m.state.Function(fn))
	}
	m.L.SetMetatable(index, m.indexed(func(L *lua.LState) int {
		known := keys(L.CheckTable(1))
		L.RaiseError("%s", noMethod(name, L.Get(2).String(), known))
		return 0
	}))
	mt.RawSetString("__index", index)
	mt.RawSetString("__metatable", lua.LString(withArticle(name)))
	mt.RawSetString("__tostring", m.L.NewFunction(func(L *lua.LState) int {
		L.Push(lua.LString(describe(L.Get(1), name)))
		return 1
	}))
	return mt
}

// The DSL's types of values, as they are named to people.
const (
	typeFile      = "file"
	typeQueue     = "queue"
	typeSemaphore = "semaphore"
	typeEvent     = "event"
	typeCounter   = "counter"
	typePattern   = "pattern"
	typeRate      = "rate"
	typeDelay     = "delay"
	typeJob       = "job"
	typeTrace     = "trace"
	typeRecord    = "record"
)

func userTypeName(v any) string {
	switch v.(type) {
	case *file:
		return typeFile
	case *queue:
		return typeQueue
	case *run.Semaphore:
		return typeSemaphore
	case *run.Event:
		return typeEvent
	case *run.Counter:
		return typeCounter
	case *patternUse:
		return typePattern
	case *rateCurve:
		return typeRate
	case *delay:
		return typeDelay
	case *job:
		return typeJob
	case *captured:
		return typeTrace
	case *record:
		return typeRecord
	}
	return "userdata"
}

// wrap makes a Go value a Lua value of its type.
func (m *machine) wrap(v any) *lua.LUserData {
	u := m.L.NewUserData()
	u.Value = v
	u.Metatable = m.types[userTypeName(v)]
	return u
}

// perState is the Go value that another state's handle is to hold.
func perState(v any) any {
	if p, ok := v.(*patternUse); ok {
		return &patternUse{pattern: p.pattern}
	}
	return v
}

// describe is a value as tostring shows it.
func describe(v lua.LValue, name string) string {
	u, ok := v.(*lua.LUserData)
	if !ok {
		return name
	}
	switch v := u.Value.(type) {
	case *goError:
		return v.err.Error()
	case *file:
		return fmt.Sprintf("file %q", v.path)
	case *patternUse:
		return v.String()
	case *rateCurve:
		return v.String()
	case *delay:
		return v.String()
	case *job:
		return fmt.Sprintf("job %q", v.Name)
	case *captured:
		return "trace " + v.String()
	}
	return name
}

// rand is the generator of whoever runs now.
func (m *machine) rand() *dist.Rand {
	if m.task != nil {
		return m.task.Rand
	}
	return m.chance
}

// inventory lists the program's own functions and tables by where they are
// found, so that a carrier can find their twins in another state.
func (m *machine) inventory() map[string]lua.LValue {
	own := map[string]lua.LValue{}
	m.list(own, "_G", m.L.G.Global)
	m.list(own, "the metatable of texts", m.L.GetMetatable(lua.LString("")))
	for name, mt := range m.types {
		m.list(own, "type "+name, mt)
	}
	m.list(own, "no such job", m.noSuchJob)
	m.list(own, "no such op", m.noSuchOp)
	m.list(own, "no such figure", m.noSuchFigure)
	m.list(own, "no such param", m.noSuchParam)
	return own
}

func (m *machine) list(own map[string]lua.LValue, path string, v lua.LValue) {
	switch v := v.(type) {
	case *lua.LFunction:
		own[path] = v
	case *lua.LTable:
		for _, seen := range own {
			if seen == v {
				return
			}
		}
		own[path] = v
		v.ForEach(func(k, e lua.LValue) { m.list(own, path+"."+k.String(), e) })
		m.list(own, path+"'s metatable", v.Metatable)
	}
}

// waitable raises an error where the script runs in a place that cannot wait.
func (m *machine) waitable(L *lua.LState, call string) {
	m.clientOnly(L, call)
	if err := m.yieldable(L, call); err != nil {
		L.RaiseError("%v", err)
	}
}

func (m *machine) clientOnly(L *lua.LState, call string) {
	m.notThinking(L, call)
	if m.task == nil {
		L.RaiseError("%s: only clients can wait: call it in the function that clients(…) is given", call)
	}
}

func (m *machine) directorOnly(L *lua.LState, call string) {
	m.notThinking(L, call)
	if m.task != nil {
		L.RaiseError("%s: only the script's top level can do this, not a client", call)
	}
}
