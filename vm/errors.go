package vm

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"syscall"

	lua "github.com/yuin/gopher-lua"

	"moonio/engine/run"
	"moonio/vm/luaerr"
)

var errNoModules = errors.New("there are no modules here")

// goError is a Go error on its way through Lua.
type goError struct {
	where string // the line of the script that met it
	err   error
}

// placed is the error with its place in the script, unless it names one already: the client's line
// rather than that of its phase, where it is known.
func (e *goError) placed() error {
	var fault *luaerr.Error
	if e.where == "" || errors.As(e.err, &fault) {
		return e.err
	}
	where := e.where
	if op := (*run.OpError)(nil); errors.As(e.err, &op) && op.Where != "" {
		where = op.Where
	}
	return fmt.Errorf("%s: %w", where, e.err)
}

func isAbsent(err error) bool { return errors.Is(err, syscall.ENOENT) }

func withArticle(typ string) string {
	if strings.IndexByte("aeiou", typ[0]) >= 0 {
		return "an " + typ
	}
	return "a " + typ
}

func noMethod(typ, name string, known []string) string {
	typ = withArticle(typ)
	if len(known) == 0 {
		return fmt.Sprintf("%s has no methods, and so no %q", typ, name)
	}
	return fmt.Sprintf("%s has no method %q%s; it has %s", typ, name, meant(name, known), strings.Join(known, ", "))
}

// raise throws a Go error. If nothing catches it, the run fails with it: it is
// not the script that is wrong.
func (m *machine) raise(L *lua.LState, err error) {
	u := L.NewUserData()
	file, line := m.state.Where(L)
	u.Value = &goError{fmt.Sprintf("%s:%d", file, line), err}
	u.Metatable = m.errorType
	L.Error(u, 1)
}

// explain makes of what ended a piece of Lua what the user is to be told: a Go error
// that went through it, or a fault of the script.
func (m *machine) explain(err error) error {
	if why := m.state.Stopped(); why != nil {
		return why
	}
	var api *lua.ApiError
	if errors.As(err, &api) {
		if g := thrown(api.Object); g != nil {
			return g.placed()
		}
		if text, ok := m.text(api.Object); ok {
			err = &lua.ApiError{Type: api.Type, Object: text, StackTrace: api.StackTrace}
		}
	}
	return luaerr.New(err, m.run.source, m.known())
}

// text is what an error value that is no text says of itself, by its __tostring.
func (m *machine) text(v lua.LValue) (text lua.LString, ok bool) {
	if m.L.GetMetaField(v, "__tostring") == lua.LNil {
		return "", false
	}
	err := m.call(m.L.NewFunction(func(L *lua.LState) int {
		text, ok = L.ToStringMeta(v).(lua.LString)
		return 0
	}))
	return text, ok && err == nil
}

// thrown is the Go error that a Lua error value carries, or nil.
func thrown(v lua.LValue) *goError {
	if u, ok := v.(*lua.LUserData); ok {
		if g, ok := u.Value.(*goError); ok {
			return g
		}
	}
	return nil
}

// known are what scripts can call without having made it.
func (m *machine) known() []string {
	var list []string
	for path := range m.own {
		if name, ok := strings.CutPrefix(path, "_G."); ok && !strings.Contains(name, "'s ") {
			list = append(list, name)
		}
	}
	slices.Sort(list)
	return list
}

// source is the text of a chunk, by the name that errors call it.
func (r *Run) source(file string) (string, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s, ok := r.sources[file]
	return s, ok
}

func (r *Run) addSource(file, text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sources[file] = text
}
