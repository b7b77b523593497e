package null

import (
	"fmt"
	"testing"

	"golang.org/x/sys/unix"

	"moonio/engine"
	"moonio/engine/enginetest"
	"moonio/engine/memfs"
	"moonio/engine/osfs"
)

func TestConformance(t *testing.T) {
	enginetest.Run(t, enginetest.Target{
		FS:   enginetest.Memory,
		Open: Open,
	})
}

func TestOpenErrors(t *testing.T) {
	fs, err := osfs.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer fs.Shutdown()
	for want, cfg := range map[string]engine.Config{
		"null: files must be in memory, and not in a *osfs.FS": {Slots: 1, FS: fs},
		`null: unknown option "depth"; it has none`:            {Slots: 1, FS: memfs.New(), Options: map[string]string{"depth": "1"}},
	} {
		if _, err := Open(cfg); err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	}
	e, err := Open(engine.Config{Slots: 1, FS: memfs.New()})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if err := e.Submit(make([]engine.Op, 2), []uint32{0, 1}); err == nil {
		t.Error("two operations in one slot were taken")
	}
}

func BenchmarkReads(b *testing.B) {
	for _, batch := range []int{1, 32, 256} {
		b.Run(fmt.Sprintf("batch=%d", batch), func(b *testing.B) { benchmark(b, batch) })
	}
}

func benchmark(b *testing.B, batch int) {
	fs := memfs.New()
	fd, err := fs.Open("f", unix.O_RDWR|unix.O_CREAT, 0o644)
	if err != nil {
		b.Fatal(err)
	}
	if err := fs.Truncate(fd, 1<<30); err != nil {
		b.Fatal(err)
	}
	e, err := Open(engine.Config{Slots: batch, FS: fs})
	if err != nil {
		b.Fatal(err)
	}
	defer e.Close()
	f := &engine.File{Node: &engine.Node{}, Name: "f", FD: fd}
	ops := make([]engine.Op, batch)
	slots := make([]uint32, batch)
	buf := make([]byte, 4096)
	for i := range ops {
		ops[i] = engine.Op{Code: engine.Read, File: f, Buf: buf, Off: int64(i) * 4096}
		slots[i] = uint32(i)
	}
	out := make([]engine.Completion, batch)
	b.ReportAllocs()
	b.ResetTimer()
	for i := 0; i < b.N; i += batch {
		_ = e.Submit(ops, slots)
		if n, _ := e.Wait(out, batch, engine.NoDeadline); n != batch || out[0].Res != 4096 {
			b.Fatal(n, out[0])
		}
	}
}
