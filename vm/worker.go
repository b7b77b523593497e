package vm

import (
	"strings"

	lua "github.com/yuin/gopher-lua"

	"moonio/engine/run"
	"moonio/vm/lua51"
)

// onWorker is the state of a worker, made for the first of its jobs.
func (m *machine) onWorker(w *run.Worker) (*machine, error) {
	if on, ok := w.Data.(*machine); ok {
		on.users++
		return on, nil
	}
	on, err := m.alone()
	if err != nil {
		return nil, err
	}
	on.users = 1
	on.worker = uint64(w.Index()) + 1
	if on.body, err = on.compiled(clientBody, "=client"); err != nil {
		return nil, err
	}
	on.turns = on.L.NewUserData()
	on.turns.Value = lua51.Turns(on.turn)
	w.Data = on
	return on, nil
}

// alone is a new state with what the script has put into its globals, and to which more can be
// carried.
func (m *machine) alone() (*machine, error) {
	on, err := newMachine(m.run)
	if err != nil {
		return nil, err
	}
	on.carrier = newCarrier(m, on)
	if err := on.carrier.globals(m); err != nil {
		on.close()
		return nil, err
	}
	return on, nil
}

// compiled is a function of the program's own that is written in Lua. It is compiled as
// it stands, without the repairs that scripts need.
func (m *machine) compiled(source, name string) (*lua.LFunction, error) {
	return m.L.Load(strings.NewReader(source), name)
}

// release frees a worker's state with the last of its programs.
func (m *machine) release() {
	if m.users--; m.users == 0 {
		m.closeFiles()
		m.close()
	}
}
