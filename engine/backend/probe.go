package backend

import (
	"moonio/engine/sim"
	"moonio/engine/uring"
)

// Status is what this machine offers of one engine.
type Status struct {
	Name      string
	About     string // what it is
	Available bool
	Why       string   // why it is not available
	Features  []string // optional features that would be used; profiles, of a simulated device
	Options   []string // names of options, after a colon
	Depth     string   // what a queue depth is with it
}

// Probe tries every engine. It touches no file.
func Probe() []Status {
	const noStorage = "operations that the engine holds at once; there is no storage"
	all := []Status{
		{
			Name:  nameURing,
			About: "the kernel's ring, with batches of operations in one system call",
			Depth: "operations in the kernel at once",
		},
		{
			Name:  nameLibaio,
			About: "Linux's older asynchronous interface, for direct I/O",
			Why:   notInThisVersion,
		},
		{
			Name:      namePool,
			About:     "threads that make synchronous calls",
			Available: true,
			Depth:     "threads in a call at once, 1024 at most unless threads=N says otherwise",
		},
		{
			Name:  nameMmap,
			About: "loads and stores in mapped files",
			Why:   notInThisVersion,
		},
		{
			Name:      nameNull,
			About:     "completes every operation at once: shows what all but the storage costs",
			Available: true,
			Depth:     noStorage,
		},
		{
			Name:      nameSim,
			About:     "a device made of arithmetic, with a virtual clock",
			Available: true,
			Features:  sim.Profiles(),
			Options:   simOptions(),
			Depth:     "operations queued at the simulated device",
		},
		{
			Name:  nameGiouring,
			About: "io_uring by the giouring library, to compare with",
			Why:   giouringWhyNot,
			Depth: "operations in the kernel at once",
		},
	}
	for i := range all {
		s := &all[i]
		if s.Options == nil {
			s.Options = optionsOf(s.Name)
		}
		if s.Name == nameURing || s.Name == nameGiouring && s.Why == "" {
			s.probeRing()
		}
	}
	return all
}

// probeRing asks the kernel for a ring.
func (s *Status) probeRing() {
	features, err := uring.Probe()
	if err != nil {
		s.Why = err.Error()
		return
	}
	s.Available = true
	if s.Name == nameURing {
		s.Features = features
	}
}

func simOptions() []string {
	var names []string
	for _, o := range sim.Options() {
		names = append(names, o.Name)
	}
	return names
}
