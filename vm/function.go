package vm

import (
	lua "github.com/yuin/gopher-lua"
)

// function is a function of the script's in a state of its own or a worker's, which says something and cannot wait.
type function struct {
	m    *machine
	co   *lua.LState
	body *lua.LFunction
	fn   lua.LValue
	take *lua.LFunction
	said lua.LValue
}

// functionBody hands over what the function returns.
const functionBody = `return function(fn, take, ...) take(fn(...)) end`

// function carries fn into the state. what names it in errors.
func (m *machine) function(fn *lua.LFunction, what string) (*function, error) {
	twin, err := m.carrier.value(fn, what)
	if err != nil {
		return nil, err
	}
	chunk, err := m.compiled(functionBody, "=function")
	if err != nil {
		return nil, err
	}
	m.L.Push(chunk)
	m.L.Call(0, 1)
	f := &function{m: m, co: m.newThread(), fn: twin, body: m.L.Get(-1).(*lua.LFunction)}
	m.L.Pop(1)
	f.take = m.L.NewFunction(func(L *lua.LState) int {
		f.said = L.Get(1)
		return 0
	})
	return f, nil
}

// call returns what the function returns first.
func (f *function) call(args ...lua.LValue) (lua.LValue, error) {
	if _, err := f.m.resume(f.co, f.body, append([]lua.LValue{f.fn, f.take}, args...)...); err != nil {
		return nil, err
	}
	return f.said, nil
}
