package backend

import (
	"moonio/engine"
	"moonio/engine/sim"
)

// Status is what this machine offers of one engine.
type Status struct {
	Name      string
	About     string // what it is
	Available bool
	Why       string          // why it is not available
	Features  []string        // optional features that would be used
	Profiles  []string        // of a simulated device
	Options   []engine.Option // after a colon
	Depth     string          // what a queue depth is with it
}

// Probe tries every engine. It touches no file.
func Probe() []Status {
	var all []Status
	for _, k := range kinds() {
		s := Status{Name: k.name, About: k.about, Depth: k.depth, Options: k.options, Available: true}
		if k.name == nameSim {
			s.Profiles = sim.Profiles()
		}
		if k.probe != nil {
			features, err := k.probe()
			if s.Features = features; err != nil {
				s.Available, s.Why = false, err.Error()
			}
		}
		all = append(all, s)
	}
	return all
}
