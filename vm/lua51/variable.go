package lua51

import (
	"fmt"

	lua "github.com/yuin/gopher-lua"
)

// variable is where the value in a register came from.
type variable struct {
	kind string // local, global, upvalue, field, method, constant; empty if unknown
	name string

	// What a field or method was looked up in: a register, or a global if that is not "".
	from   int
	global string
}

func (v variable) String() string {
	if v.kind == "" || v.name == "" || v.name[0] == '(' {
		return ""
	}
	return fmt.Sprintf(" (%s '%s')", v.kind, v.name)
}

// container is the value that a field or method was looked up in.
func (s *State) container(v variable, f *callFrame, r *registry) lua.LValue {
	if v.global != "" {
		return s.L.G.Global.RawGetString(v.global)
	}
	return r.array[f.LocalBase+v.from]
}

func variableAt(f *callFrame, rk int) variable {
	if rk&0x100 != 0 {
		return variable{}
	}
	return variableOf(f, rk)
}

// variableOf finds what a register of a frame holds at its instruction.
func variableOf(f *callFrame, reg int) variable { return find(f.Fn.Proto, f.Pc-1, reg) }

// find looks for the instruction that set a register last before pc, in the order of the
// code, and says what it fetched; or the local that lives there.
func find(p *lua.FunctionProto, pc, reg int) variable {
	if p.SourceName == ownSource {
		return variable{}
	}
	name, since := localAt(p, pc, reg)
	at := setter(p, pc, reg)
	if name != "" && (at < since || at < 0) {
		return variable{kind: "local", name: name}
	}
	if at >= 0 {
		if v := fetched(p, at); v.kind != "" {
			return v
		}
	}
	if name != "" {
		return variable{kind: "local", name: name}
	}
	return variable{}
}

// localAt is the local in a register at pc, and from which instruction on. luafix has
// made the compiler's list of them true.
func localAt(p *lua.FunctionProto, pc, reg int) (name string, since int) {
	for _, l := range p.DbgLocals {
		if l.StartPc > pc {
			break
		}
		if pc < l.EndPc {
			if reg == 0 {
				return l.Name, l.StartPc
			}
			reg--
		}
	}
	return "", 0
}

// fetched says what the instruction at pc put into its register.
func fetched(p *lua.FunctionProto, pc int) variable {
	inst := p.Code[pc]
	switch opcode(inst) {
	case lua.OP_MOVE, lua.OP_MOVEN:
		if b := argB(inst); b < argA(inst) {
			return find(p, pc, b)
		}
	case lua.OP_GETGLOBAL:
		return variable{kind: "global", name: p.Constants[argBx(inst)].String()}
	case lua.OP_GETUPVAL:
		return variable{kind: "upvalue", name: p.DbgUpvalues[argB(inst)]}
	case lua.OP_GETTABLEKS:
		v := variable{kind: "field", name: constantAt(p, argC(inst)), from: argB(inst)}
		if base := find(p, pc, argB(inst)); base.kind == "global" {
			v.global = base.name
		}
		return v
	case lua.OP_SELF:
		// The register of the object may be overwritten by the method; its copy is behind it.
		return variable{kind: "method", name: constantAt(p, argC(inst)), from: argA(inst) + 1}
	}
	return variable{}
}

func constantAt(p *lua.FunctionProto, rk int) string {
	if rk&0x100 == 0 {
		return ""
	}
	return p.Constants[rk&0xff].String()
}

// setter is the last instruction before pc that sets a register, -1 if none does.
func setter(p *lua.FunctionProto, pc, reg int) int {
	last := -1
	for i := 0; i < pc; i++ {
		inst := p.Code[i]
		if sets(inst, reg) {
			last = i
		}
		if opcode(inst) == lua.OP_CLOSURE {
			i += int(p.FunctionPrototypes[argBx(inst)].NumUpvalues)
		}
	}
	return last
}

func sets(inst uint32, reg int) bool {
	a := argA(inst)
	switch opcode(inst) {
	case lua.OP_LOADNIL:
		return a <= reg && reg <= argB(inst)
	case lua.OP_SELF:
		return reg == a || reg == a+1
	case lua.OP_CALL, lua.OP_VARARG:
		return reg >= a
	case lua.OP_TFORLOOP:
		return reg >= a+2
	case lua.OP_FORLOOP, lua.OP_FORPREP:
		return reg == a || reg == a+3
	case lua.OP_SETGLOBAL, lua.OP_SETUPVAL, lua.OP_SETTABLE, lua.OP_SETTABLEKS, lua.OP_SETLIST, lua.OP_JMP, lua.OP_EQ, lua.OP_LT,
		lua.OP_LE, lua.OP_TEST, lua.OP_TAILCALL, lua.OP_RETURN, lua.OP_CLOSE, lua.OP_NOP:
		return false
	}
	return reg == a
}
