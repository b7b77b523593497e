package vm

import (
	lua "github.com/yuin/gopher-lua"

	"moonio/engine/run"
	"moonio/vm/luafix"
)

// onWorker is the state of a worker, made for the first of its jobs.
func (m *machine) onWorker(w *run.Worker) (*machine, error) {
	if on, ok := w.Data.(*machine); ok {
		on.users++
		return on, nil
	}
	on, err := newMachine(m.run)
	if err != nil {
		return nil, err
	}
	on.users = 1
	on.worker = uint64(w.Index()) + 1
	on.carrier = newCarrier(m, on)
	if err := on.carrier.globals(m); err != nil {
		return nil, err
	}
	proto, err := luafix.Compile(clientBody, "client")
	if err != nil {
		return nil, err
	}
	on.body = on.L.NewFunctionFromProto(proto)
	on.turn = on.L.NewFunction(func(L *lua.LState) int {
		L.Push(lua.LBool(on.task.Turn()))
		return 1
	})
	w.Data = on
	return on, nil
}

// release frees a worker's state with the last of its programs.
func (m *machine) release() {
	if m.users--; m.users == 0 {
		m.close()
	}
}
