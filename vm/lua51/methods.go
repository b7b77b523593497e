package lua51

import (
	"unsafe"

	lua "github.com/yuin/gopher-lua"
)

// methods are those of a type of userdata. They never change, and so a call finds
// again what it found before, without a hash of the name. They hang on the type's
// metatable, in the place of a metatable of its own.
type methods struct {
	index *lua.LTable
	found [16]method
}

type method struct {
	name string
	fn   lua.LValue
}

func (*methods) String() string       { return "methods" }
func (*methods) Type() lua.LValueType { return lua.LTUserData }

// FixMethods says that mt is the metatable of a type of userdata, and that neither it nor
// the table at its __index, which has to be one, will change.
func FixMethods(mt *lua.LTable) {
	mt.Metatable = &methods{index: mt.RawGetString("__index").(*lua.LTable)}
}

// methodOf is the method of that name, nil if v is of no type with fixed methods, or of
// one without that method.
func methodOf(v lua.LValue, name lua.LValue) lua.LValue {
	u, ok := v.(*lua.LUserData)
	if !ok {
		return nil
	}
	mt, ok := u.Metatable.(*lua.LTable)
	if !ok {
		return nil
	}
	m, ok := mt.Metatable.(*methods)
	if !ok {
		return nil
	}
	return m.find(string(name.(lua.LString)))
}

// find knows a name by where its text is: that of one call is always the same.
func (m *methods) find(name string) lua.LValue {
	text := unsafe.StringData(name)
	f := &m.found[uintptr(unsafe.Pointer(text))/8%uintptr(len(m.found))]
	if unsafe.StringData(f.name) == text && len(f.name) == len(name) {
		return f.fn
	}
	fn := m.index.RawGetString(name)
	if fn == lua.LNil {
		return nil
	}
	*f = method{name, fn}
	return fn
}

// self is R(A+1) := R(B); R(A) := R(B)[RK(C)].
func self(otherwise instruction) instruction {
	return func(L *lua.LState, inst uint32, base *callFrame) int {
		f, r := frameOf(L), registryOf(L)
		object := r.array[f.LocalBase+argB(inst)]
		fn := methodOf(object, f.value(r, argC(inst)))
		if fn == nil {
			return otherwise(L, inst, base)
		}
		a := f.LocalBase + argA(inst)
		r.set(a, fn)
		r.set(a+1, object)
		return 0
	}
}

// Turns is an iterator for a generic loop, where it is the value of a userdata: the loop goes on
// while it says true. Its variable is what the loop began with, as in
// "for id in turns, nil, id do". It costs less than a function that Lua calls.
type Turns func() bool

// turns is the end of a generic loop's round, when its iterator is a Turns.
func turns(otherwise instruction) instruction {
	return func(L *lua.LState, inst uint32, base *callFrame) int {
		f, r := frameOf(L), registryOf(L)
		a := f.LocalBase + argA(inst)
		u, ok := r.array[a].(*lua.LUserData)
		if !ok {
			return otherwise(L, inst, base)
		}
		next, ok := u.Value.(Turns)
		if !ok {
			return otherwise(L, inst, base)
		}
		if next() {
			r.set(a+3, r.array[a+2])
			f.Pc += argSbx(f.Fn.Proto.Code[f.Pc])
		}
		f.Pc++
		return 0
	}
}
