package lua51

import (
	"fmt"
	"reflect"
	"sync"
	"unsafe"

	lua "github.com/yuin/gopher-lua"
)

// This file is the only one that knows what gopher-lua does not export: where a
// thread's frame and registers are, and the table of instructions. gopher-lua
// offers no other way to tell whether a yield can work, what an instruction that
// failed was about, or to stop a loop at no cost. inside checks before first use
// that things are where they are expected.

// callFrame mirrors gopher-lua's.
type callFrame struct {
	Idx        int
	Fn         *lua.LFunction
	Parent     *callFrame
	Pc         int
	Base       int
	LocalBase  int
	ReturnBase int
	NArgs      int
	NRet       int
	TailCall   int
}

// registry mirrors the beginning of gopher-lua's: a thread's registers.
type registry struct {
	array []lua.LValue
	top   int // beyond the last that is in use
}

// set gives a register of the running function a value.
func (r *registry) set(i int, v lua.LValue) {
	r.array[i] = v
	r.top = max(r.top, i+1)
}

// instruction carries one instruction out. It returns 1 to leave the loop.
type instruction func(L *lua.LState, inst uint32, base *callFrame) int

//go:linkname jumpTable github.com/yuin/gopher-lua.jumpTable
var jumpTable [lua.OP_NOP + 1]instruction

// threadRun runs a thread until it yields, returns or fails, and puts whether it did not fail,
// and its values, on its parent's stack.
//
//go:linkname threadRun github.com/yuin/gopher-lua.threadRun
func threadRun(*lua.LState)

var frameOffset, registryOffset uintptr

// frameOf is the innermost frame of a thread, nil before it has begun.
func frameOf(L *lua.LState) *callFrame {
	return *(**callFrame)(unsafe.Add(unsafe.Pointer(L), frameOffset))
}

func registryOf(L *lua.LState) *registry {
	return *(**registry)(unsafe.Add(unsafe.Pointer(L), registryOffset))
}

// current is the instruction that the frame of a Lua function is at.
func (f *callFrame) current() uint32 { return f.Fn.Proto.Code[f.Pc-1] }

// value is what an RK operand of the frame's instruction stands for.
func (f *callFrame) value(r *registry, rk int) lua.LValue {
	if rk&0x100 != 0 {
		return f.Fn.Proto.Constants[rk&0xff]
	}
	return r.array[f.LocalBase+rk]
}

// Fields of an instruction.
func opcode(inst uint32) int { return int(inst >> 26) }
func argA(inst uint32) int   { return int(inst>>18) & 0xff }
func argB(inst uint32) int   { return int(inst & 0x1ff) }
func argC(inst uint32) int   { return int(inst>>9) & 0x1ff }
func argBx(inst uint32) int  { return int(inst & 0x3ffff) }
func argSbx(inst uint32) int { return int(inst&0x3ffff) - 0x1ffff }

// inside finds the parts and puts the package's own instructions in place, once.
var inside = sync.OnceValue(func() error {
	state := reflect.TypeFor[lua.LState]()
	frame, err := part(state, "currentFrame", reflect.TypeFor[callFrame]())
	if err != nil {
		return err
	}
	registers, err := part(state, "reg", reflect.TypeFor[registry]())
	if err != nil {
		return err
	}
	for op, fn := range jumpTable {
		if fn == nil {
			return fmt.Errorf("gopher-lua's instruction %d is not where it was in v1.1.2", op)
		}
	}
	frameOffset, registryOffset = frame, registers
	replaceInstructions()
	return nil
})

// part is the offset of a field that points to a struct beginning as mirror does.
func part(state reflect.Type, name string, mirror reflect.Type) (uintptr, error) {
	f, ok := state.FieldByName(name)
	if !ok || f.Type.Kind() != reflect.Pointer {
		return 0, fmt.Errorf("gopher-lua's LState.%s is not what it was in v1.1.2", name)
	}
	for i := range mirror.NumField() {
		want := mirror.Field(i)
		have, ok := f.Type.Elem().FieldByName(want.Name)
		if !ok || have.Offset != want.Offset || have.Type.Kind() != want.Type.Kind() {
			return 0, fmt.Errorf("gopher-lua's LState.%s.%s is not what it was in v1.1.2", name, want.Name)
		}
	}
	return f.Offset, nil
}
