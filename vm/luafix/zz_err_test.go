package luafix_test

import (
	"fmt"
	lua "github.com/yuin/gopher-lua"
	"moonio/vm/luafix"
	"strings"
	"testing"
)

func TestErrs(t *testing.T) {
	m := map[string]int{}
	for i := uint64(1); i < 500; i++ {
		src := program(i, true)
		L := lua.NewState(lua.Options{CallStackSize: 4000, RegistrySize: 1 << 16, RegistryMaxSize: 1 << 18})
		L.SetGlobal("emit", L.NewFunction(func(L *lua.LState) int { return 0 }))
		run := func(s string) error {
			p, err := luafix.Compile(s, "p")
			if err != nil {
				return err
			}
			return L.CallByParam(lua.P{Fn: L.NewFunctionFromProto(p), Protect: true}, lua.LNumber(4), lua.LNumber(5))
		}
		if e := run(prelude + "reset()"); e != nil {
			t.Fatal(e)
		}
		if e := run(src); e != nil {
			s := strings.SplitN(e.Error(), "\n", 2)[0]
			if k := strings.Index(s, " "); k > 0 {
				s = s[k:]
			}
			m[s]++
		}
	}
	for k, v := range m {
		fmt.Println(v, k)
	}
}
