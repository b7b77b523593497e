package vm

import (
	"bytes"
	"fmt"
	"os"
	"runtime/metrics"
	"strconv"
	"strings"
	"time"

	"moonio/engine/units"
	"moonio/vm/luaerr"
)

// A script that collects without end must not take the machine down with it: it is
// stopped when it has half of the memory that was free when the run began.
const (
	memoryLook  = 50 * time.Millisecond
	memoryFloor = 512 << 20 // so much is allowed on any machine
)

// watchMemory stops the run's Lua when the program's heap passes limit bytes, until the
// returned function is called.
func (r *Run) watchMemory(limit uint64, script string) (stop func()) {
	done := make(chan struct{})
	go func() {
		tick := time.NewTicker(memoryLook)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
			}
			if heap() > limit {
				r.interruptAll(&luaerr.Error{File: script, Message: fmt.Sprintf(
					"the script holds more than %s of memory, half of what was free, and was stopped: keep fewer values, or count instead of collecting",
					units.ApproxSize(float64(limit)))})
				return
			}
		}
	}()
	return func() { close(done) }
}

// interruptAll stops the Lua of the director and of all workers.
func (r *Run) interruptAll(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for m := range r.machines {
		m.interrupt(err)
	}
}

// heap is how much memory the program's values take, what is to be collected included.
func heap() uint64 {
	s := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}

// memoryLimit is how much the program may use.
func memoryLimit() uint64 {
	free := availableMemory()
	if b, err := os.ReadFile("/sys/fs/cgroup/memory.max"); err == nil {
		if n, err := strconv.ParseUint(string(bytes.TrimSpace(b)), 10, 64); err == nil {
			free = min(free, n)
		}
	}
	return max(free/2, memoryFloor)
}

func availableMemory() uint64 {
	b, _ := os.ReadFile("/proc/meminfo")
	for line := range strings.Lines(string(b)) {
		if f := strings.Fields(line); len(f) >= 2 && f[0] == "MemAvailable:" {
			if kib, err := strconv.ParseUint(f[1], 10, 54); err == nil {
				return kib << 10
			}
		}
	}
	return 0
}
