package luafix

import (
	"fmt"

	lua "github.com/yuin/gopher-lua"
)

// Fields of gopher-lua's instructions.
func opcode(inst uint32) int { return int(inst >> 26) }
func argA(inst uint32) int   { return int(inst>>18) & 0xff }
func argB(inst uint32) int   { return int(inst & 0x1ff) }
func argC(inst uint32) int   { return int(inst>>9) & 0x1ff }

const maxCode = 1<<17 - 1 // how far a jump reaches

// mend checks a prototype, and those in it, against the limits that the compiler
// overruns in silence, and numbers the batches of table constructors.
func mend(p *lua.FunctionProto) error {
	if n := len(p.DbgUpvalues); n > 255 {
		return limit(p, fmt.Sprintf("a function uses %d locals of the functions around it", n), 255)
	}
	if n := len(p.Code); n > maxCode {
		return limit(p, fmt.Sprintf("a function has %d instructions", n), maxCode)
	}
	mendLists(p.Code)
	for _, inner := range p.FunctionPrototypes {
		if err := mend(inner); err != nil {
			return err
		}
	}
	return nil
}

func limit(p *lua.FunctionProto, what string, most int) error {
	return &SyntaxError{File: p.SourceName, Line: max(p.LineDefined, 1), Message: fmt.Sprintf("%s; %d is the limit", what, most)}
}

// mendLists repairs SETLIST, which stores a batch of a table constructor's values.
// B is how many, 0 for all there are, and C the number of the batch. The
// compiler repeats a full batch at every keyed field right behind it, when the
// values are gone, and gives what a call or ... yields right behind a full batch
// that batch's number.
func mendLists(code []uint32) {
	var last [256]int // the latest batch, by the table's register
	for pc, inst := range code {
		switch a := argA(inst); {
		case opcode(inst) == lua.OP_NEWTABLE:
			last[a] = 0
		case opcode(inst) != lua.OP_SETLIST:
		case argC(inst) != last[a]:
			last[a] = argC(inst)
		case argB(inst) == 0:
			code[pc] = inst + 1<<9
		default:
			code[pc] = uint32(lua.OP_NOP) << 26
		}
	}
}
