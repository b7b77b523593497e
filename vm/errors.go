package vm

import (
	"errors"
	"fmt"
	"syscall"

	lua "github.com/yuin/gopher-lua"

	"moonio/engine/suggest"
)

// goError is a Go error on its way through Lua.
type goError struct {
	err error
}

func (e *goError) String() string { return e.err.Error() }

func isAbsent(err error) bool { return errors.Is(err, syscall.ENOENT) }

func noMethod(typ, name string, known []string) string {
	if len(known) == 0 {
		return fmt.Sprintf("a %s has no methods, and so no %q", typ, name)
	}
	return fmt.Sprintf("a %s has no method %q%s", typ, name, suggest.Hint(name, known))
}

// raise throws a Go error. If nothing catches it, the run fails with it: it is
// not the script that is wrong.
func (m *machine) raise(L *lua.LState, err error) {
	u := L.NewUserData()
	u.Value = &goError{err}
	u.Metatable = m.errorType
	L.Error(u, 1)
}
