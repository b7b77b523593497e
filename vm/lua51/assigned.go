package lua51

import (
	"slices"

	lua "github.com/yuin/gopher-lua"
)

// Assigned are the names of variables outside of a function that calling it can set: locals that are still in scope where
// it was made, which it or a function that it has captured sets, and globals.
func Assigned(f *lua.LFunction) []string {
	a := assigned{seen: map[*lua.LFunction]bool{}}
	a.function(f)
	return a.names
}

type assigned struct {
	names []string
	seen  map[*lua.LFunction]bool
}

func (a *assigned) add(name string) {
	if !slices.Contains(a.names, name) {
		a.names = append(a.names, name)
	}
}

func (a *assigned) function(f *lua.LFunction) {
	if f.IsG || a.seen[f] || NoScript(f.Proto) {
		return
	}
	a.seen[f] = true
	for i, set := range a.sets(f.Proto) {
		if set && !f.Upvalues[i].IsClosed() {
			a.add(f.Proto.DbgUpvalues[i])
		}
	}
	for _, u := range f.Upvalues {
		if g, ok := u.Value().(*lua.LFunction); ok {
			a.function(g)
		}
	}
}

// sets says which of its upvalues a function sets, itself or in one that it makes. Globals are added.
func (a *assigned) sets(p *lua.FunctionProto) []bool {
	set := make([]bool, p.NumUpvalues)
	for i := 0; i < len(p.Code); i++ {
		switch inst := p.Code[i]; opcode(inst) {
		case lua.OP_SETUPVAL:
			set[argB(inst)] = true
		case lua.OP_SETGLOBAL:
			a.add(p.Constants[argBx(inst)].String())
		case lua.OP_CLOSURE:
			// Behind it stands where each of the new function's upvalues is.
			for _, inner := range a.sets(p.FunctionPrototypes[argBx(inst)]) {
				i++
				if from := p.Code[i]; inner && opcode(from) == lua.OP_GETUPVAL {
					set[argB(from)] = true
				}
			}
		}
	}
	return set
}
