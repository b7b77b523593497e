package lua51

import (
	lua "github.com/yuin/gopher-lua"

	"moonio/vm/luastr"
)

// replaceInstructions puts the package's instructions into gopher-lua's table. Every
// endless run of Lua goes backwards, returns or calls in tail position again and
// again: those look whether the state is to stop.
func replaceInstructions() {
	jumpTable[lua.OP_SELF] = self(jumpTable[lua.OP_SELF])
	jumpTable[lua.OP_TFORLOOP] = turns(jumpTable[lua.OP_TFORLOOP])
	for _, op := range []int{lua.OP_FORLOOP, lua.OP_TFORLOOP, lua.OP_RETURN, lua.OP_TAILCALL} {
		original := jumpTable[op]
		jumpTable[op] = func(L *lua.LState, inst uint32, base *callFrame) int {
			if stops.Load() != 0 {
				checkStop(L)
			}
			return original(L, inst, base)
		}
	}
	jumpTable[lua.OP_JMP] = jump
	jumpTable[lua.OP_CONCAT] = concat
	forPrep := jumpTable[lua.OP_FORPREP]
	jumpTable[lua.OP_FORPREP] = func(L *lua.LState, inst uint32, base *callFrame) int {
		numbersFromTexts(L, argA(inst))
		return forPrep(L, inst, base)
	}
	setTable := jumpTable[lua.OP_SETTABLE]
	jumpTable[lua.OP_SETTABLE] = func(L *lua.LState, inst uint32, base *callFrame) int {
		f, r := frameOf(L), registryOf(L)
		if n, ok := f.value(r, argB(inst)).(lua.LNumber); ok && n > farKey {
			if t, ok := f.value(r, argA(inst)).(*lua.LTable); ok {
				checkKey(L, t, n)
			}
		}
		return setTable(L, inst, base)
	}
}

func jump(L *lua.LState, inst uint32, _ *callFrame) int {
	by := argSbx(inst)
	if by < 0 && stops.Load() != 0 {
		checkStop(L)
	}
	frameOf(L).Pc += by
	return 0
}

// numbersFromTexts makes numbers of a for loop's start, limit and step.
func numbersFromTexts(L *lua.LState, first int) {
	for reg := first; reg < first+3; reg++ {
		if text, ok := L.Get(reg + 1).(lua.LString); ok {
			if n, ok := number(text); ok {
				L.Replace(reg+1, n)
			}
		}
	}
}

// farKey is the least integer key that is looked at more closely. gopher-lua keeps
// integer keys in an array, as long as the largest of them.
const farKey = 1 << 20

// checkKey refuses an integer key that lies far beyond the end of a table.
func checkKey(L *lua.LState, t *lua.LTable, n lua.LNumber) {
	if n < farKey || n >= lua.LNumber(lua.MaxArrayIndex) || n != lua.LNumber(int(n)) {
		return // kept apart from the array
	}
	if length := t.Len(); n > 2*lua.LNumber(length)+farKey {
		L.RaiseError("integer key %.0f is far beyond the table's %d elements, and a table is as long as its largest key: use tostring(key)", float64(n), length)
	}
}

// concat is "..": R(A) := R(B).. ... ..R(C).
func concat(L *lua.LState, inst uint32, _ *callFrame) int {
	f, r := frameOf(L), registryOf(L)
	operands := r.array[f.LocalBase+argB(inst) : f.LocalBase+argC(inst)+1]
	size := 0
	for _, v := range operands {
		switch v := v.(type) {
		case lua.LString:
			size += len(v)
		case lua.LNumber:
			size += 24
		default:
			L.Replace(argA(inst)+1, concatPairs(L, argB(inst), len(operands)))
			return 0
		}
	}
	if size > luastr.MaxResult {
		L.RaiseError("the result of .. is too long: %d bytes, and %d are the limit", size, luastr.MaxResult)
	}
	buf := make([]byte, 0, size)
	for _, v := range operands {
		if n, ok := v.(lua.LNumber); ok {
			buf = append(buf, luastr.NumberText(n)...)
		} else {
			buf = append(buf, v.(lua.LString)...)
		}
	}
	L.Replace(argA(inst)+1, lua.LString(buf))
	return 0
}

// concatPairs joins from the right, pair by pair, and asks metamethods.
func concatPairs(L *lua.LState, first, n int) lua.LValue {
	right := L.Get(first + n)
	for i := n - 1; i > 0; i-- {
		right = concatPair(L, L.Get(first+i), right)
	}
	return right
}

func concatPair(L *lua.LState, left, right lua.LValue) lua.LValue {
	if lua.LVCanConvToString(left) && lua.LVCanConvToString(right) {
		return lua.LString(luastr.ToString(L, left) + luastr.ToString(L, right))
	}
	fn := L.GetMetaField(left, "__concat")
	if fn == lua.LNil {
		fn = L.GetMetaField(right, "__concat")
	}
	if fn == lua.LNil {
		L.RaiseError("cannot perform concat operation between %s and %s", left.Type(), right.Type())
	}
	L.Push(fn)
	L.Push(left)
	L.Push(right)
	L.Call(2, 1)
	v := L.Get(-1)
	L.Pop(1)
	return v
}
