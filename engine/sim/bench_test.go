package sim

import (
	"testing"

	"moonio/engine"
)

func BenchmarkDevice(b *testing.B) {
	for _, c := range []struct {
		name, config string
		code         engine.OpCode
		depth        int
	}{
		{"read/depth=1", "nvme", engine.Read, 1},
		{"read/depth=32", "nvme", engine.Read, 32},
		{"read/depth=256", "nvme", engine.Read, 256},
		{"write/depth=32", "nvme", engine.Write, 32},
		{"constant/depth=32", "nvme,distribution=constant", engine.Read, 32},
		{"gamma/depth=32", "nvme,distribution=gamma,gc-period=1s,gc-length=10ms", engine.Read, 32},
		{"hdd/depth=32", "hdd", engine.Read, 32},
	} {
		b.Run(c.name, func(b *testing.B) {
			w, f := newWorld(b, c.config)
			l := newLoop(open(b, w, c.depth), c.depth, random(f, c.code, 4096))
			b.ReportAllocs()
			b.ResetTimer()
			for n := 0; n < b.N; {
				n += l.turn()
			}
		})
	}
}

func TestHotPathAllocatesNothing(t *testing.T) {
	for _, config := range []string{"nvme", "sata-ssd,parallelism=2,gc-period=1ms,gc-length=100us", "hdd", "cloud-volume"} {
		w, f := newWorld(t, config)
		n := 0
		reads, writes := random(f, engine.Read, 4096), random(f, engine.Write, 4096)
		l := newLoop(open(t, w, 128), 128, func(op *engine.Op) {
			switch n++; {
			case n%16 == 0:
				*op = engine.Op{Code: engine.Fsync, File: f}
			case n%2 == 0:
				writes(op)
			default:
				reads(op)
			}
		})
		for range 1000 {
			l.turn()
		}
		if a := testing.AllocsPerRun(2000, func() { l.turn() }); a != 0 {
			t.Errorf("%s: %v allocations a turn", config, a)
		}
	}
}
