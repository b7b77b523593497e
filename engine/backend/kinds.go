package backend

import (
	"moonio/engine"
	"moonio/engine/aio"
	"moonio/engine/mmap"
	"moonio/engine/null"
	"moonio/engine/pool"
	"moonio/engine/psync"
	"moonio/engine/sim"
	"moonio/engine/uring"
)

// The engines by name, as users write them.
const (
	nameURing    = uring.Name
	nameGiouring = "giouring"
	nameLibaio   = aio.Name
	namePool     = "pool"
	nameNull     = "null"
	nameSim      = "sim"
)

// kind is what is known of an engine beforehand.
type kind struct {
	name    string
	about   string // what it is
	depth   string // what a queue depth is with it
	memory  bool   // there is no storage under it
	options []engine.Option
	check   func(options map[string]string) error // says what is wrong with them; nil if there are none
	open    func(engine.Config) (engine.Engine, error)
	probe   func() (features []string, err error) // nil if it works everywhere
}

// kinds are the engines, in the order in which they are listed.
func kinds() []kind { return append(onStorage(), inMemory()...) }

func onStorage() []kind {
	return []kind{
		{
			name:    nameURing,
			about:   "the kernel's ring, with batches of operations in one system call",
			depth:   "operations in the kernel at once",
			options: uring.Options(),
			check:   uring.CheckOptions,
			open:    uring.Open,
			probe:   uring.Probe,
		},
		{
			name:  nameGiouring,
			about: "io_uring by the giouring library, to compare with",
			depth: "operations in the kernel at once",
			open:  openGiouring,
			probe: probeGiouring,
		},
		{
			name:    nameLibaio,
			about:   "Linux's older asynchronous interface, for direct I/O",
			depth:   "operations in the kernel at once, with direct I/O; through the page cache it is 1",
			options: aio.Options(),
			check:   aio.CheckOptions,
			open:    aio.Open,
			probe:   aio.Probe,
		},
		{
			name:    namePool,
			about:   "threads that make synchronous calls",
			depth:   "threads in a call at once, 1024 at most unless threads=N says otherwise",
			options: pool.Options(),
			check:   pool.CheckOptions,
			open:    pool.Open,
		},
		synchronous(psync.Psync, "pread and pwrite by the worker itself"),
		synchronous(psync.Sync, "lseek, read and write by the worker itself"),
		synchronous(psync.Pvsync2, "preadv2 and pwritev2 by the worker itself, with the kernel's flags"),
		{
			name:    mmap.Name,
			about:   "loads and stores in mapped files, by the worker itself",
			depth:   depthOne,
			options: mmap.Options(),
			check:   mmap.CheckOptions,
			open:    mmap.Open,
		},
	}
}

func inMemory() []kind {
	return []kind{
		{
			name:   nameNull,
			about:  "completes every operation at once: shows what all but the storage costs",
			depth:  "operations that the engine holds at once; there is no storage",
			memory: true,
			open:   null.Open,
		},
		{
			name:    nameSim,
			about:   "a device made of arithmetic, with a virtual clock",
			depth:   "operations queued at the simulated device",
			memory:  true,
			options: simOptions(),
		},
	}
}

// depthOne is what depth means where one call is made after the other.
const depthOne = "always 1: one operation after the other, whatever the script asks for"

func synchronous(name, about string) kind {
	return kind{
		name:    name,
		about:   about,
		depth:   depthOne,
		options: psync.Options(name),
		check:   func(o map[string]string) error { return psync.CheckOptions(name, o) },
		open:    func(cfg engine.Config) (engine.Engine, error) { return psync.Open(name, cfg) },
	}
}

// find is the engine of that name.
func find(name string) (kind, bool) {
	for _, k := range kinds() {
		if k.name == name {
			return k, true
		}
	}
	return kind{}, false
}

func simOptions() []engine.Option {
	var all []engine.Option
	for _, o := range sim.Options() {
		all = append(all, engine.Option{Name: o.Name, Value: o.Value, About: o.Help})
	}
	return all
}
