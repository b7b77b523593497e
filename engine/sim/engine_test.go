package sim_test

import (
	"testing"

	"moonio/engine"
	"moonio/engine/enginetest"
	"moonio/engine/memfs"
	"moonio/engine/sim"
)

func TestConformance(t *testing.T) {
	for _, profile := range sim.Profiles() {
		t.Run(profile, func(t *testing.T) {
			cfg, err := sim.Parse(profile)
			if err != nil {
				t.Fatal(err)
			}
			enginetest.Run(t, enginetest.Target{FS: enginetest.Memory, Open: func(c engine.Config) (engine.Engine, error) {
				return sim.NewWorld(cfg, 1, c.FS.(*memfs.FS)).Open(c)
			}})
		})
	}
}
