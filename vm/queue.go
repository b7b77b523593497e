package vm

import (
	"maps"

	lua "github.com/yuin/gopher-lua"

	"moonio/engine"
	"moonio/engine/run"
)

// queue is a client's queue as its script holds it.
type queue struct {
	*run.Queue
	owner *run.Task
	link  bool // the next operation is linked to the one after it
}

func (m *machine) newQueue(L *lua.LState) int {
	m.clientOnly(L, "queue")
	q, err := m.task.NewQueue(int(count(L, 1, 0, "queue")))
	if err != nil {
		L.RaiseError("%v", err)
	}
	L.Push(m.wrap(&queue{Queue: q, owner: m.task}))
	return 1
}

func (m *machine) queueMethods() map[string]lua.LGFunction {
	methods := m.transfers(2, m.enqueue)
	maps.Copy(methods, map[string]lua.LGFunction{
		"link": func(L *lua.LState) int {
			m.ownQueue(L).link = true
			L.Push(L.Get(1))
			return 1
		},
		"wait":      m.waitQueue,
		"in_flight": func(L *lua.LState) int { return pushInt(L, int64(m.ownQueue(L).InFlight())) },
	})
	return methods
}

// ownQueue takes the queue that a method was called on, which must be this client's.
func (m *machine) ownQueue(L *lua.LState) *queue {
	q := self[*queue](L, "queue")
	if q.owner != m.task {
		L.RaiseError("this queue belongs to another client: make one in each client's function")
	}
	return q
}

func (m *machine) enqueue(L *lua.LState, r run.Request) int {
	q := m.ownQueue(L)
	m.waitable(L, "queue")
	if q.link {
		r.Flags |= engine.Link
		q.link = false
	}
	if err := q.Submit(r); err != nil {
		L.RaiseError("%v", err)
	}
	return m.yieldIfWaiting(L)
}

func (m *machine) waitQueue(L *lua.LState) int {
	q := m.ownQueue(L)
	n := int64(-1)
	if L.Get(2) != lua.LNil {
		n = count(L, 2, 0, "wait")
	}
	m.waitable(L, "wait")
	if err := q.Wait(int(n)); err != nil {
		L.RaiseError("%v", err)
	}
	if m.task.Waiting() {
		m.client.wait, m.client.queue = waitQueue, q.Queue
		return m.yield(L)
	}
	done, failed := q.Completed()
	L.Push(lua.LNumber(done))
	L.Push(lua.LNumber(failed))
	return 2
}
