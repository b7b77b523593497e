package lua51_test

import (
	"io"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	lua "github.com/yuin/gopher-lua"
)

// TestDroppedCoroutines drops coroutines that have yielded, wherever they did: nothing keeps
// them.
func TestDroppedCoroutines(t *testing.T) {
	const n = 100
	for name, body := range map[string]string{
		"at once":          "coroutine.yield()",
		"in pcall":         "pcall(coroutine.yield)",
		"deep":             "pcall(pcall, function() coroutine.yield() end)",
		"in a handler":     "xpcall(error, function() coroutine.yield() end)",
		"after a wait":     "pcall(function() wait() coroutine.yield() end)",
		"after a yield":    "pcall(coroutine.yield) pcall(coroutine.yield)",
		"beside its own":   "local own = coroutine.wrap(function() pcall(coroutine.yield) end) own() pcall(coroutine.yield)",
		"knowing itself":   "local co = coroutine.running() pcall(function() coroutine.yield() return co end)",
		"never resumed":    "",
		"waits afterwards": "pcall(coroutine.yield) wait()",
	} {
		w := newWorld(t, io.Discard)
		var gone atomic.Int32
		w.L.SetGlobal("watch", w.L.NewFunction(func(L *lua.LState) int {
			runtime.AddCleanup(L.CheckThread(1), func(*atomic.Int32) { gone.Add(1) }, nil)
			return 0
		}))
		w.L.SetGlobal("n", lua.LNumber(n))
		source := "for i = 1, n do local co = coroutine.create(function() " + body + " end) watch(co) coroutine.resume(co) end"
		if name == "never resumed" {
			source = strings.ReplaceAll(source, "coroutine.resume(co)", "")
		}
		if err := w.run(source, "drop"); err != nil {
			t.Fatal(err)
		}
		for range 10 {
			if runtime.GC(); gone.Load() > n/2 {
				break
			}
			runtime.Gosched()
		}
		if gone.Load() <= n/2 {
			t.Errorf("%s: of %d coroutines %d were freed", name, n, gone.Load())
		}
		runtime.KeepAlive(w)
	}
}

// TestTooManyValues hands over more values than a thread has room for: that is its
// error, which can be caught.
func TestTooManyValues(t *testing.T) {
	const source = `
local many = {}
for i = 1, 7000 do many[i] = i end
local function values() return unpack(many, 1, 7000) end
local function deep(n, f, ...)
  if n > 0 then return (deep(n - 1, f, ...)) end
  return (f())
end
for name, f in pairs {
  pcall = function() return select("#", pcall(values)) end,
  resume = function() return select("#", coroutine.resume(coroutine.create(values))) end,
  yield = function() return select("#", coroutine.wrap(function() coroutine.yield(values()) end)()) end,
  wait = function() return select("#", wait(values())) end,
} do
  local ok, why = pcall(deep, 35, f, values())
  eq(ok, false)
  eq(tostring(why):match(": stack overflow: too many calls within calls$") ~= nil, true)
  eq(f() >= 7000, true)
end`
	w := newWorld(t, io.Discard)
	th := w.NewThread()
	done, err := w.Resume(th, w.compile(t, source))
	for !done {
		done, err = w.Resume(th, nil, w.waits...)
	}
	if err != nil {
		t.Error(err)
	}
}
