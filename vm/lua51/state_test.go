package lua51_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	lua "github.com/yuin/gopher-lua"

	"moonio/vm/lua51"
)

// runaways are scripts that never end by themselves.
var runaways = map[string]string{
	"while":             "while true do end",
	"repeat":            "repeat until false",
	"for":               "for i = 1, math.huge do end",
	"goto":              "::again:: goto again",
	"iterator":          "for _ in function() return 1 end do end",
	"pairs":             "while true do for _ in pairs { 1 } do end end",
	"tail call":         "local function f() return f() end f()",
	"mutual tail calls": "local f, g function f() return g() end function g() return f() end f()",
	"recursion":         "local function f(n) if n > 0 then f(n - 1) f(n - 1) end end f(60)",
	"pcall":             "while true do pcall(function() while true do end end) end",
	"pcall of errors":   "while true do pcall(error, 'x') end",
	"xpcall":            "while true do xpcall(function() while true do end end, function() while true do end end) end",
	"coroutine":         "while true do coroutine.wrap(function() while true do end end)() end",
	"yields":            "local f = coroutine.wrap(function() while true do coroutine.yield() end end) while true do f() end",
	"comparison":        "table.sort({ 3, 2, 1 }, function() while true do end end)",
	"replacement":       "('x'):gsub('.', function() pcall(function() while true do end end) end)",
	"metamethod":        "local t = setmetatable({}, { __index = function() while true do end end }) pcall(function() return t.x end)",
	"waits":             "while true do wait(1) end",
}

// TestInterrupt stops what would run forever; the test's own time limit is the bound.
func TestInterrupt(t *testing.T) {
	for name, source := range runaways {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, io.Discard)
			other := newWorld(t, io.Discard)
			timer := time.AfterFunc(5*time.Millisecond, func() { w.Interrupt(context.Canceled) })
			defer timer.Stop()
			if err := w.run(source, "runaway"); !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
			if err := w.run("while true do end", "again"); !errors.Is(err, context.Canceled) {
				t.Errorf("a state that was interrupted ran on: %v", err)
			}
			if err := other.run("for i = 1, 1000 do pcall(error) end", "other"); err != nil {
				t.Errorf("another state was stopped: %v", err)
			}
			if w.Stopped() != context.Canceled || other.Stopped() != nil {
				t.Error(w.Stopped(), other.Stopped())
			}
		})
	}
}

func TestInterruptedBeforehand(t *testing.T) {
	w := newWorld(t, io.Discard)
	why := errors.New("too late")
	w.Interrupt(why)
	w.Interrupt(errors.New("later still"))
	if err := w.run("while true do end", "late"); err != why {
		t.Error(err)
	}
}

// TestResults passes values through Resume and Wait.
func TestResults(t *testing.T) {
	w := newWorld(t, io.Discard)
	var got []lua.LValue
	w.L.SetGlobal("take", w.L.NewFunction(func(L *lua.LState) int {
		got = got[:0]
		for i := range L.GetTop() {
			got = append(got, L.Get(i+1))
		}
		return w.Wait(L)
	}))
	th := w.NewThread()
	fn := w.compile(t, "local a, b = ... local n = 0 while take(a, b, n) do a, b = take(b), nil n = n + 1 end")
	text := func() string {
		var b bytes.Buffer
		for _, v := range got {
			b.WriteString(v.String() + " ")
		}
		return b.String()
	}
	step := func(fn *lua.LFunction, want string, values ...lua.LValue) {
		t.Helper()
		if done, err := w.Resume(th, fn, values...); done || err != nil {
			t.Fatalf("done %v, %v", done, err)
		}
		if text() != want {
			t.Errorf("got %q, want %q", text(), want)
		}
	}
	step(fn, "1 x 0 ", lua.LNumber(1), lua.LString("x"))
	step(nil, "x ", lua.LTrue, lua.LNumber(5))
	step(nil, "nil nil 1 ")
	step(nil, "nil ", lua.LNumber(0))
	step(nil, "7 nil 2 ", lua.LNumber(7), lua.LNumber(8))
	if done, err := w.Resume(th, nil, lua.LFalse); !done || err != nil {
		t.Fatalf("done %v, %v", done, err)
	}
	// A thread that is done can be given another function.
	step(fn, "2 nil 0 ", lua.LNumber(2))
}

// TestThreadsAreApart lets many threads wait in protected calls and coroutines at once.
func TestThreadsAreApart(t *testing.T) {
	w := newWorld(t, io.Discard)
	fn := w.compile(t, `local id = ...
local sum = 0
local co = coroutine.wrap(function()
  for i = 1, 3 do
    local ok, v = pcall(function() return wait(id + i) end)
    pcall(function() wait(v); error(v) end)
    coroutine.yield(v)
  end
end)
for i = 1, 3 do sum = sum + co() end
result[id] = sum`)
	result := w.L.NewTable()
	w.L.SetGlobal("result", result)
	const n = 50
	var threads []*lua.LState
	var waits [][]lua.LValue
	for i := range n {
		th := w.NewThread()
		if done, err := w.Resume(th, fn, lua.LNumber(i+1)); done {
			t.Fatal(err)
		}
		threads, waits = append(threads, th), append(waits, w.waits)
	}
	for left := n; left > 0; {
		for i, th := range threads {
			if th == nil {
				continue
			}
			done, err := w.Resume(th, nil, waits[i]...)
			if err != nil {
				t.Fatal(err)
			}
			waits[i] = w.waits
			if done {
				threads[i] = nil
				left--
			}
		}
	}
	for i := range n {
		if got, want := result.RawGetInt(i+1), lua.LNumber(3*(i+1)+6); got != want {
			t.Errorf("thread %d: got %v, want %v", i+1, got, want)
		}
	}
}

// TestCoroutinesStayWithTheirThread lets another thread meddle with coroutines that wait, or that
// have called what waits: only the thread that waits goes on with them.
func TestCoroutinesStayWithTheirThread(t *testing.T) {
	for name, source := range map[string]string{
		"waits":               "co = coroutine.create(function() return wait(1) end) return coroutine.resume(co)",
		"waits deep":          "co = coroutine.create(function() return select(2, pcall(pcall, wait, 1)) end) local _, ok, v = coroutine.resume(co) return ok, v",
		"called what waits":   "co = coroutine.create(function() return coroutine.wrap(function() return wait(1) end)() end) return coroutine.resume(co)",
		"goes on after yield": "co = coroutine.create(function() pcall(coroutine.yield) return wait(1) end) coroutine.resume(co) return coroutine.resume(co)",
		"is called protected": "co = coroutine.create(function() return wait(1) end) return select(2, pcall(coroutine.resume, co))",
	} {
		w := newWorld(t, io.Discard)
		first, second := w.NewThread(), w.NewThread()
		if done, err := w.Resume(first, w.compile(t, "got = { (function() "+source+" end)() }")); done {
			t.Fatalf("%s: %v", name, err)
		}
		meddle := w.compile(t, `eq(coroutine.status(co), "normal")
local ok, why = coroutine.resume(co, 7)
eq(ok, false)
eq(why, "cannot resume non-suspended coroutine")`)
		if done, err := w.Resume(second, meddle); !done || err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if done, err := w.Resume(first, nil, lua.LNumber(1)); !done || err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if done, err := w.Resume(second, w.compile(t, `eq(got[1], true) eq(got[2], 1) eq(coroutine.status(co), "dead")`)); !done || err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestErrors looks at what Resume returns.
func TestErrors(t *testing.T) {
	w := newWorld(t, io.Discard)
	err := w.run("local function f()\n  local t = {}\n  t.name()\nend\npcall(error, 'old')\nf()", "wal.lua")
	var e *lua51.Error
	var api *lua.ApiError
	if !errors.As(err, &e) || !errors.As(err, &api) {
		t.Fatalf("%T", err)
	}
	if api.Object.String() != "wal.lua:3: attempt to call a nil value (field 'name')" {
		t.Error(api.Object)
	}
	if api.StackTrace != "wal.lua:3: in function 'f'\nwal.lua:6: in main chunk" {
		t.Error(api.StackTrace)
	}
	for source, hint := range map[string]string{
		"prin('x')":                          "did you mean 'print'?",
		"local x = math.flor(1)":             "did you mean 'floor'?",
		"local t = { append = 1 } t:apend()": "did you mean 'append'?",
		"for k in {} do end":                 "for … in takes an iterator: pairs(t) or ipairs(t) for a table",
		"local x local y = x.size":           "it is nil where its 'size' is asked for",
		"error('x')":                         "",
	} {
		if err := w.run(source, "a"); !errors.As(err, &e) || e.Hint() != hint {
			t.Errorf("%s: hint %q, want %q", source, e.Hint(), hint)
		}
	}
	err = w.run("local e = { code = 5 } local ok, c = pcall(error, e) error(c)", "a")
	if !errors.As(err, &api) || api.Object.(*lua.LTable).RawGetString("code") != lua.LNumber(5) {
		t.Error(err)
	}
}

// TestTracePassesThreads names calls on both sides of a protected call and a coroutine.
func TestTracePassesThreads(t *testing.T) {
	w := newWorld(t, io.Discard)
	err := w.run(`local function inner() error("x") end
local co = coroutine.wrap(function()
  local ok, e = pcall(function()
    inner()
  end)
  error(e, 0)
end)
co()`, "a")
	var api *lua.ApiError
	if !errors.As(err, &api) || api.StackTrace != "a:1: in function 'inner'\na:4: in function <a:3>\na:3: in function <a:2>\na:8: in main chunk" {
		t.Errorf("%v\n%s", err, api.StackTrace)
	}
}

func TestGoPanic(t *testing.T) {
	w := newWorld(t, io.Discard)
	w.L.SetGlobal("crash", w.Function(func(L *lua.LState) int { panic("no luck") }))
	w.L.SetGlobal("plain", w.L.NewFunction(func(L *lua.LState) int { panic("no luck") }))
	for source, wantStack := range map[string]bool{
		"crash()": true, "pcall(crash)": true, "plain()": false, "pcall(plain)": false,
		"table.sort({ 2, 1 }, function() pcall(crash) end)": true,
	} {
		err := w.run(source, "a")
		var api *lua.ApiError
		if !errors.As(err, &api) || api.Type != lua.ApiErrorPanic {
			t.Errorf("%s: %v", source, err)
			continue
		}
		if cause := api.Cause.Error(); !strings.HasPrefix(cause, "no luck") || strings.Contains(cause, "state_test.go") != wantStack {
			t.Errorf("%s: %s", source, cause)
		}
	}
}

func TestFunctionPassesErrors(t *testing.T) {
	w := newWorld(t, io.Discard)
	w.L.SetGlobal("f", w.Function(func(L *lua.LState) int { L.RaiseError("no %s", "luck"); return 0 }))
	if err := w.run("local ok, e = pcall(f) eq(e, 'no luck') f()", "a"); err == nil || err.Error() != "a:1: no luck" {
		t.Error(err)
	}
}

func TestRunCannotWait(t *testing.T) {
	w := newWorld(t, io.Discard)
	if err := w.Run(w.compile(t, "local ok = pcall(error) eq(ok, false) return 1")); err != nil {
		t.Error(err)
	}
	if err := w.Run(w.compile(t, "wait(1)")); err == nil || !strings.Contains(err.Error(), "the top level waited") {
		t.Error(err)
	}
}

func TestPrint(t *testing.T) {
	var out bytes.Buffer
	w := newWorld(t, &out)
	if err := w.run("print() print(1, nil, 'x', 0.1, 1e15, true) print(setmetatable({}, { __tostring = function() return 'mine' end }))", "a"); err != nil {
		t.Fatal(err)
	}
	if want := "\n1\tnil\tx\t0.1\t1e+15\ttrue\nmine\n"; out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
}

// TestStatesAtOnce runs states in several goroutines, for the race detector.
func TestStatesAtOnce(t *testing.T) {
	var running atomic.Int32
	finished := make(chan error)
	const n = 4
	for i := range n {
		go func() {
			w := newWorld(t, io.Discard)
			if i == 0 {
				time.AfterFunc(time.Millisecond, func() { w.Interrupt(context.Canceled) })
				if err := w.run("while true do end", "a"); !errors.Is(err, context.Canceled) {
					finished <- err
					return
				}
			}
			running.Add(1)
			finished <- newWorld(t, io.Discard).run("local t = {} for i = 1, 2000 do t[i] = pcall(wait, i) end", "a")
		}()
	}
	for range n {
		if err := <-finished; err != nil {
			t.Error(err)
		}
	}
	if running.Load() != n {
		t.Error(running.Load())
	}
}
