package run

import (
	"context"
	"testing"
	"time"

	"moonio/engine"
	"moonio/engine/dist"
	"moonio/engine/memfs"
	"moonio/engine/null"
	"moonio/engine/report"
)

func nullSession(t testing.TB) *Session {
	t.Helper()
	return &Session{FS: memfs.New(), Engine: func(c engine.Config) (engine.Engine, error) { return null.Open(c) }, Seed: 1}
}

func (s *Session) testFile(t testing.TB, name string, size int64) *engine.File {
	t.Helper()
	if err := s.Layout(context.Background(), name, 0, size); err != nil {
		t.Fatal(err)
	}
	fd, err := s.FS.Open(name, 2, 0)
	if err != nil {
		t.Fatal(err)
	}
	f, err := s.Opened(name, fd, 2)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func sizes(t testing.TB, n int64) dist.Sizes {
	t.Helper()
	s, err := dist.OneSize(n)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func readStream(t testing.TB, f *engine.File, depth int) *Stream {
	a := Access{At: dist.Uniform{}, Block: sizes(t, 4096)}
	return &Stream{Mix: dist.Mix{{Op: engine.Read, Weight: 1}}, Files: []*engine.File{f}, Read: a, Write: a, Depth: depth}
}

func play(t testing.TB, s *Session, p *Phase) *report.Phase {
	t.Helper()
	if p.Threads == 0 {
		p.Threads = 1
	}
	if p.Interval == 0 {
		p.Interval = DefaultInterval
	}
	r, err := s.Run(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func BenchmarkStreamNull(b *testing.B) {
	b.ReportAllocs()
	s := nullSession(b)
	f := s.testFile(b, "f", 1<<30)
	r := play(b, s, &Phase{Name: "p", Ops: int64(b.N), Jobs: []Job{{Name: "s", Stream: readStream(b, f, 32)}}})
	if n := r.Jobs[0].Ops["read"].Count; n != int64(b.N) {
		b.Fatalf("%d reads, want %d", n, b.N)
	}
	_ = time.Second
}
