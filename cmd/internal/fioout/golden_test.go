package fioout

import (
	"testing"
	"time"

	"moonio/engine"
	"moonio/engine/run"
)

// scenes are the runs whose output is kept, in every format.
func scenes(t *testing.T) map[string]*played {
	synced := stream4K(t, 4, 2000, engine.Write)
	synced.Syncs = []run.SyncEvery{{Code: engine.Fsync, Writes: 8}}
	return map[string]*played{
		"randread": play(t, simulated(t), run.Phase{Duration: 2 * time.Second},
			load{jobOf("reads", 0, "rw", "randread", "ioengine", "libaio", "iodepth", "8"), stream4K(t, 8, 0, engine.Read)}),
		"randrw": play(t, simulated(t), run.Phase{Duration: 1200 * time.Millisecond},
			load{jobOf("mixed", 0, "rw", "randrw", "ioengine", "libaio", "percentile_list", "50:99.9", "lat_percentiles", "1", "slat_percentiles", "1"), stream4K(t, 1, 0, engine.Read, engine.Write)}),
		"fsync": play(t, simulated(t), run.Phase{},
			load{jobOf("log", 0, "rw", "randwrite", "fsync", "8", "description", "a log"), synced}),
		"trim": play(t, simulated(t), run.Phase{},
			load{jobOf("trims", 0, "rw", "randtrim"), stream4K(t, 2, 300, engine.Trim)}),
		"group": play(t, simulated(t), run.Phase{Duration: time.Second},
			load{jobOf("both", 0, "rw", "randread", "group_reporting", "1"), stream4K(t, 2, 0, engine.Read)},
			load{jobOf("other", 0, "rw", "randwrite", "group_reporting", "1"), stream4K(t, 2, 0, engine.Write)},
			load{jobOf("last", 1, "rw", "randrw", "unified_rw_reporting", "both"), stream4K(t, 2, 500, engine.Read, engine.Write)}),
	}
}

func TestGolden(t *testing.T) {
	for name, p := range scenes(t) {
		t.Run(name, func(t *testing.T) {
			set := Settings{Global: given("ioengine", "libaio", "size", "1m")}
			golden(t, name+".txt", p.write(t, "normal", set))
			golden(t, name+".json", p.write(t, "json", set))
			golden(t, name+".plus.json", p.write(t, "json+", set))
			golden(t, name+".terse", p.write(t, "terse", set))
		})
	}
}
