package fault

import (
	"testing"

	"moonio/engine"
	"moonio/engine/enginetest"
	"moonio/engine/memfs"
	"moonio/engine/pool"
	"moonio/engine/sim"
)

func TestConformance(t *testing.T) {
	inert := []string{"*:errno=EIO,nth=1G", "*:stall=1s,at=8760h"}
	onSim := func(cfg engine.Config) (engine.Engine, error) {
		device, err := sim.Parse("nvme")
		if err != nil {
			return nil, err
		}
		return sim.NewWorld(device, 1, cfg.FS.(*memfs.FS)).Open(cfg)
	}
	for _, c := range []struct {
		name  string
		fs    func(testing.TB) engine.FS
		open  func(engine.Config) (engine.Engine, error)
		rules []string
	}{
		{"no rules", enginetest.Memory, onSim, nil},
		{"rules that do nothing", enginetest.Memory, onSim, inert},
		{"delays", enginetest.Memory, onSim, []string{"*:delay=3us,every=3", "read:delay=7us,every=5"}},
		{"rules that do nothing in real time", enginetest.Dir, pool.Open, inert},
	} {
		t.Run(c.name, func(t *testing.T) {
			enginetest.Run(t, enginetest.Target{FS: c.fs, Open: func(cfg engine.Config) (engine.Engine, error) {
				e, err := c.open(cfg)
				if err != nil {
					return nil, err
				}
				return Wrap(e, rules(t, c.rules...), 1), nil
			}})
		})
	}
}

// closedLoop keeps depth reads in flight.
func closedLoop(tb testing.TB, r *rig, depth int) func() int {
	ops := reads(depth)(r.file("f"))
	slots := make([]uint32, 0, depth)
	for i := range depth {
		slots = append(slots, uint32(i))
	}
	return func() int {
		if err := r.e.Submit(ops, slots); err != nil {
			tb.Fatal(err)
		}
		n, err := r.e.Wait(r.out[:], 1, engine.NoDeadline)
		if err != nil {
			tb.Fatal(err)
		}
		slots = slots[:0]
		for _, c := range r.out[:n] {
			slots = append(slots, c.Slot)
		}
		return n
	}
}

func TestHotPathAllocatesNothing(t *testing.T) {
	r := newRig(t, rules(t, "read:delay=50us,chance=0.1,file=f", "read:errno=EIO,every=7,offset=..1k", "*:short=100,every=11", "*:stall=100us,at=0,period=1ms"))
	turn := closedLoop(t, r, 32)
	for range 1000 {
		turn()
	}
	if a := testing.AllocsPerRun(2000, func() { turn() }); a != 0 {
		t.Errorf("%v allocations a turn", a)
	}
}

func BenchmarkInjector(b *testing.B) {
	for _, rule := range []string{"", "fsync:errno=EIO", "read:errno=EIO,every=1000", "read:delay=10us,chance=0.1,file=f*"} {
		b.Run("rule="+rule, func(b *testing.B) {
			var rs []*Rule
			if rule != "" {
				rs = rules(b, rule)
			}
			turn := closedLoop(b, newRig(b, rs), 32)
			b.ReportAllocs()
			b.ResetTimer()
			for n := 0; n < b.N; {
				n += turn()
			}
		})
	}
}
