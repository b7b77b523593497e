package lua51_test

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"

	lua "github.com/yuin/gopher-lua"

	"moonio/vm/lua51"
	"moonio/vm/luafix"
	"moonio/vm/luafix/casefile"
)

// world is a state with a scheduler that gives back what a script waits for.
type world struct {
	*lua51.State
	waits  []lua.LValue // what the running thread waits for
	waited int
}

func newWorld(t testing.TB, print io.Writer) *world {
	t.Helper()
	w := &world{State: lua51.NewState()}
	t.Cleanup(w.Close)
	seed := uint64(1)
	err := w.Open(lua51.Options{
		Print:   print,
		Random:  func() uint64 { seed = seed*6364136223846793005 + 1442695040888963407; return seed },
		Compile: luafix.Compile,
		Require: func(name string) (source, chunk string, err error) {
			source, ok := modules[name]
			if !ok {
				return "", "", errors.New("no such test module")
			}
			return source, name + ".lua", nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	w.L.SetGlobal("eq", w.L.NewFunction(equal))
	w.L.SetGlobal("wait", w.L.NewFunction(w.wait))
	return w
}

var modules = map[string]string{
	"answer": "return { value = 42, name = ... }",
	"none":   "x_none = (x_none or 0) + 1",
	"a":      "return require 'b'",
	"b":      "return require 'a'",
	"broken": "return }",
	"fails":  "local x = nil\nreturn x.y",
}

// equal is eq(got, want), where NaN equals itself.
func equal(L *lua.LState) int {
	a, b := L.Get(1), L.Get(2)
	n, ok := a.(lua.LNumber)
	if !L.RawEqual(a, b) && !(ok && n != n && b != b) {
		L.RaiseError("got %s, want %s", a, b)
	}
	return 0
}

// wait waits, and returns its arguments.
func (w *world) wait(L *lua.LState) int {
	if err := w.CheckWait(L, "wait"); err != nil {
		L.RaiseError("%v", err)
	}
	w.waits = nil
	for i := range L.GetTop() {
		w.waits = append(w.waits, L.Get(i+1))
	}
	w.waited++
	return w.Wait(L)
}

// run compiles a chunk and runs it in a thread until it is done.
func (w *world) run(source, name string) error {
	proto, err := luafix.Compile(source, name)
	if err != nil {
		return err
	}
	th, fn := w.NewThread(), w.L.NewFunctionFromProto(proto)
	done, err := w.Resume(th, fn)
	for !done {
		done, err = w.Resume(th, nil, w.waits...)
	}
	return err
}

// TestCases runs testdata/lua/lua51.
func TestCases(t *testing.T) {
	files, err := filepath.Glob("../../testdata/lua/lua51/*.lua")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, file := range files {
		cases, err := casefile.Read(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range cases {
			t.Run(strings.TrimSuffix(filepath.Base(file), ".lua")+"/"+c.Name, func(t *testing.T) {
				err := newWorld(t, io.Discard).run(c.Source, "case")
				check(t, c, err)
			})
		}
	}
}

func check(t *testing.T, c casefile.Case, err error) {
	t.Helper()
	switch {
	case c.Line == 0 && err != nil:
		t.Error(err)
	case c.Line != 0 && err == nil:
		t.Errorf("no error, want line %d and %q", c.Line, c.Error)
	case c.Line != 0:
		if !strings.HasPrefix(err.Error(), fmt.Sprintf("case:%d: ", c.Line)) || !strings.Contains(err.Error(), c.Error) {
			t.Errorf("got %q, want line %d and %q", err, c.Line, c.Error)
		}
	}
}
