package lua51

import (
	"fmt"
	"io"
	"math"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"moonio/vm/luafix"
	"moonio/vm/luastr"
)

// Options are what the library needs of its surroundings.
type Options struct {
	Print   io.Writer                                              // where print writes
	Random  func() uint64                                          // draws for math.random until a script seeds its own
	Require func(name string) (source, chunk string, err error)    // finds modules; nil: there are none
	Compile func(source, chunk string) (*lua.FunctionProto, error) // compiles them
}

// maxTable is how far beyond a table's end an integer key may lie before it is kept apart
// from the array: gopher-lua makes the array as long as the largest key otherwise.
const maxTable = 1 << 20

// Open puts the library into the state's globals.
func (s *State) Open(o Options) error {
	// A package variable of gopher-lua's: with the default, t[67108863] = 1 takes
	// 1.2 GB.
	lua.MaxArrayIndex = maxTable
	L := s.L
	for _, open := range []struct {
		name string
		fn   lua.LGFunction
	}{{lua.BaseLibName, lua.OpenBase}, {lua.TabLibName, lua.OpenTable}, {lua.MathLibName, lua.OpenMath}} {
		L.Push(L.NewFunction(open.fn))
		L.Push(lua.LString(open.name))
		L.Call(1, 0)
	}
	luastr.Open(L, func(L *lua.LState, args, results int) { s.Call(L, args, results, "a function that string.gsub calls") })
	L.SetGlobal(luafix.Concat, L.NewFunction(luastr.Concat))
	if err := s.openCoroutines(); err != nil {
		return err
	}
	if err := s.openMeta(); err != nil {
		return err
	}
	s.openBase(o)
	s.openTable()
	s.openMath(o)
	s.openRequire(o)
	s.forbid()
	return nil
}

func (s *State) openBase(o Options) {
	for name, fn := range map[string]lua.LGFunction{
		"print": func(L *lua.LState) int {
			parts := make([]string, L.GetTop())
			for i := range parts {
				parts[i] = luastr.ToString(L, L.Get(i+1))
			}
			fmt.Fprintln(o.Print, strings.Join(parts, "\t"))
			return 0
		},
		"tostring": func(L *lua.LState) int {
			if L.GetTop() == 0 {
				L.RaiseError("bad argument #1 to 'tostring' (value expected)")
			}
			L.Push(lua.LString(luastr.ToString(L, L.Get(1))))
			return 1
		},
		"tonumber": toNumber,
		"unpack":   unpack,
		"rawlen":   nil,
	} {
		if fn == nil {
			s.L.SetGlobal(name, lua.LNil)
			continue
		}
		s.L.SetGlobal(name, s.L.NewFunction(fn))
	}
}

func toNumber(L *lua.LState) int {
	if L.GetTop() == 0 {
		L.RaiseError("bad argument #1 to 'tonumber' (value expected)")
	}
	base := 10
	if b, ok := L.Get(2).(lua.LNumber); ok {
		base = int(b)
	}
	if base < 2 || base > 36 {
		L.RaiseError("bad argument #2 to 'tonumber' (base out of range)")
	}
	if n, ok := luastr.ToNumber(L.Get(1), base); ok {
		L.Push(n)
	} else {
		L.Push(lua.LNil)
	}
	return 1
}

// maxUnpack is how many values one call can return.
const maxUnpack = 1 << 18

func unpack(L *lua.LState) int {
	t := L.CheckTable(1)
	first, last := L.OptInt(2, 1), L.OptInt(3, t.Len())
	if last-first >= maxUnpack {
		L.RaiseError("too many results to unpack")
	}
	for i := first; i <= last; i++ {
		L.Push(L.GetTable(t, lua.LNumber(i)))
	}
	return max(0, last-first+1)
}

func (s *State) openMath(o Options) {
	m := s.L.GetGlobal("math").(*lua.LTable)
	m.RawSetString("huge", lua.LNumber(math.Inf(1)))
	draw := o.Random
	set := func(name string, fn lua.LGFunction) { m.RawSetString(name, s.L.NewFunction(fn)) }
	set("random", func(L *lua.LState) int {
		x := float64(draw()>>11) * 0x1p-53
		lo, hi := 1.0, 1.0
		switch L.GetTop() {
		case 0:
			L.Push(lua.LNumber(x))
			return 1
		case 1:
			hi = math.Floor(float64(L.CheckNumber(1)))
		case 2:
			lo, hi = math.Floor(float64(L.CheckNumber(1))), math.Floor(float64(L.CheckNumber(2)))
		default:
			L.RaiseError("wrong number of arguments")
		}
		if !(lo <= hi) {
			L.RaiseError("bad argument #%d to 'random' (interval is empty)", L.GetTop())
		}
		L.Push(lua.LNumber(lo + math.Floor(x*(hi-lo+1))))
		return 1
	})
	set("randomseed", func(L *lua.LState) int {
		state := math.Float64bits(float64(L.CheckNumber(1)))
		draw = func() uint64 {
			// SplitMix64.
			state += 0x9e3779b97f4a7c15
			z := state
			z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
			z = (z ^ z>>27) * 0x94d049bb133111eb
			return z ^ z>>31
		}
		return 0
	})
}
