package lua51_test

import (
	"io"
	"runtime"
	"testing"

	lua "github.com/yuin/gopher-lua"

	"moonio/vm/luafix"
)

// compile makes a function of a chunk in a world.
func (w *world) compile(t testing.TB, source string) *lua.LFunction {
	t.Helper()
	proto, err := luafix.Compile(source, "bench")
	if err != nil {
		t.Fatal(err)
	}
	return w.L.NewFunctionFromProto(proto)
}

// client is a thread that waits again and again in what source does.
func client(t testing.TB, source string) (w *world, th *lua.LState) {
	w = newWorld(t, io.Discard)
	pause := func(L *lua.LState) int {
		if err := w.CheckWait(L, "pause"); err != nil {
			L.RaiseError("%v", err)
		}
		return w.Wait(L)
	}
	w.L.SetGlobal("pause", w.L.NewFunction(pause))
	th = w.NewThread()
	if _, err := w.Resume(th, w.compile(t, source)); err != nil {
		t.Fatal(err)
	}
	return w, th
}

// clients are what the turns of clients look like; each waits once in a resume.
var clients = map[string]string{
	"plain":     "local pause = pause; while true do pause(4096, 8) end",
	"result":    "local pause = pause; while true do local n, err = pause(4096) if err then break end end",
	"function":  "local pause = pause; local function f(x) local n = pause(x) return n end while true do f(4096) end",
	"protected": "local pause, pcall = pause, pcall; pcall(function() while true do pause(4096, 8) end end)",
	"coroutine": "local pause = pause; coroutine.wrap(function() while true do pause(4096, 8) end end)()",
}

func BenchmarkResume(b *testing.B) {
	for name, source := range clients {
		b.Run(name, func(b *testing.B) {
			w, th := client(b, source)
			b.ReportAllocs()
			for b.Loop() {
				if done, err := w.Resume(th, nil, lua.LTrue); done {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestResumeAllocates holds a resume to gopher-lua's own one allocation.
func TestResumeAllocates(t *testing.T) {
	for name, source := range clients {
		w, th := client(t, source)
		got := testing.AllocsPerRun(1000, func() {
			if done, err := w.Resume(th, nil, lua.LTrue); done {
				t.Fatal(err)
			}
		})
		if got > 1 {
			t.Errorf("%s: a resume makes %v allocations", name, got)
		}
	}
}

// TestThreadMemory bounds what a waiting client takes: there are thousands of them.
func TestThreadMemory(t *testing.T) {
	w := newWorld(t, io.Discard)
	fn := w.compile(t, "local n = 1 while true do n = wait(n) end")
	threads := make([]*lua.LState, 2000)
	before := heap()
	for i := range threads {
		threads[i] = w.NewThread()
		if done, err := w.Resume(threads[i], fn); done {
			t.Fatal(err)
		}
	}
	if each := (heap() - before) / int64(len(threads)); each > 8<<10 {
		t.Errorf("a thread takes %d bytes", each)
	}
	runtime.KeepAlive(threads)
}

// heap is what is in use. Some of what others left goes only with a second collection.
func heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// Benchmarks of code, per round of its loop.
func BenchmarkLua(b *testing.B) {
	for name, source := range map[string]string{
		"for":       "local n = ...; local x = 0; for i = 1, n do x = x + i end",
		"while":     "local n = ...; local i = 0; while i < n do i = i + 1 end",
		"call":      "local n = ...; local function f(x) return x end; for i = 1, n do f(i) end",
		"pcall":     "local n, pcall = ..., pcall; local function f(x) return x end; for i = 1, n do pcall(f, i) end",
		"pcallfail": "local n, pcall = ..., pcall; local function f(x) error('x') end; for i = 1, n do pcall(f, i) end",
		"yield":     "local n, yield = ..., coroutine.yield; local f = coroutine.wrap(function() while true do yield(1) end end); for i = 1, n do f() end",
		"coroutine": "local n, wrap = ..., coroutine.wrap; local function f(x) return x end; for i = 1, n do wrap(f)(i) end",
		"pairs":     "local n = ...; local t = {} for i = 1, 100 do t[i] = i end for i = 1, n / 100 do for k, v in pairs(t) do end end",
		"iterator":  "local n = ...; local t = {} for i = 1, 100 do t[i] = i end for i = 1, n / 100 do for k, v in next, t do end end",
		"concat":    "local n = ...; for i = 1, n do local s = 'a' .. i .. 'b' end",
		"settable":  "local n = ...; local t = {}; for i = 1, n do t[i % 64 + 1] = i end",
	} {
		b.Run(name, func(b *testing.B) {
			w := newWorld(b, io.Discard)
			fn := w.compile(b, source)
			b.ReportAllocs()
			b.ResetTimer()
			if err := w.Run(fn, lua.LNumber(b.N)); err != nil {
				b.Fatal(err)
			}
		})
	}
}

func BenchmarkNewThread(b *testing.B) {
	w := newWorld(b, io.Discard)
	fn := w.compile(b, "while true do wait() end")
	b.ReportAllocs()
	for b.Loop() {
		if done, err := w.Resume(w.NewThread(), fn); done {
			b.Fatal(err)
		}
	}
}

func BenchmarkCheckWait(b *testing.B) {
	w := newWorld(b, io.Discard)
	w.L.SetGlobal("check", w.L.NewFunction(func(L *lua.LState) int {
		for b.Loop() {
			if err := w.CheckWait(L, "check"); err != nil {
				b.Fatal(err)
			}
		}
		return 0
	}))
	if err := w.Run(w.compile(b, "local function f() local x = check() end f()")); err != nil {
		b.Fatal(err)
	}
}
