package run

import (
	"runtime"
	"testing"

	"moonio/engine"
	"moonio/engine/content"
	"moonio/engine/dist"
	"moonio/engine/pace"
)

// meter counts what the program allocates between two of its operations.
type meter struct {
	engine.Engine
	from, to      int64
	done          int64
	before, after runtime.MemStats
}

func (m *meter) Wait(out []engine.Completion, least int, deadline int64) (int, error) {
	n, err := m.Engine.Wait(out, least, deadline)
	was := m.done
	m.done += int64(n)
	if was < m.from && m.done >= m.from {
		runtime.ReadMemStats(&m.before)
	}
	if was < m.to && m.done >= m.to {
		runtime.ReadMemStats(&m.after)
	}
	return n, err
}

// allocations are how many there are for each operation of a phase that is well under way.
func allocations(t *testing.T, detail *Detail, jobs func(s *Session) []Job) float64 {
	t.Helper()
	s := nullSession(t)
	s.Detail = detail
	m := &meter{from: 10_000, to: 60_000}
	if testing.Short() {
		m.to = 30_000
	}
	p := (&Phase{Ops: m.to + 10_000, Jobs: jobs(s), Wrap: func(e engine.Engine, _ uint64) engine.Engine { m.Engine = e; return m }}).defaults()
	p.Interval = 1 << 40 // no frame changes hands meanwhile
	if _, err := s.Run(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	return float64(m.after.Mallocs-m.before.Mallocs) / float64(m.to-m.from)
}

// Operations cost no allocation, whoever makes them.
func TestOperationsDoNotAllocate(t *testing.T) {
	for name, jobs := range map[string]func(s *Session) []Job{
		"stream": func(s *Session) []Job { return oneStream(stream4K(t, engine.Read, 32, s.testFile(t, "f", 1<<20))) },
		"mix": func(s *Session) []Job {
			st := stream4K(t, engine.Read, 32, s.testFile(t, "f", 1<<20), s.testFile(t, "g", 1<<20))
			st.Mix = dist.Mix{{Op: engine.Read, Weight: 7}, {Op: engine.Write, Weight: 2}, {Op: engine.Append, Weight: 1}}
			st.Syncs = []SyncEvery{{Code: engine.Fdatasync, Writes: 3}}
			return oneStream(st)
		},
		"held back": func(s *Session) []Job {
			st := stream4K(t, engine.Write, 32, s.testFile(t, "f", 1<<20), s.testFile(t, "g", 1<<20))
			st.Order, st.Run = FileOrder{At: dist.Zipf{Theta: 1}}, 4
			st.Syncs = []SyncEvery{{Code: engine.SyncRange, Writes: 8}}
			st.Think = &Think{Time: dist.Delay{Mean: 1000}, Every: 1000}
			st.Low, st.Submit, st.Most, st.MaxLatency = 4, 8, 16, 1<<40
			return oneStream(st)
		},
		"verified": func(s *Session) []Job {
			st := stream4K(t, engine.Write, 32, s.testFile(t, "f", 1<<20))
			st.Mix = dist.Mix{{Op: engine.Read, Weight: 1}, {Op: engine.Write, Weight: 1}}
			st.Verify = &Verify{Backlog: 64, Fatal: true}
			return oneStream(st)
		},
		"contents": func(s *Session) []Job {
			st := stream4K(t, engine.Write, 32, s.testFile(t, "f", 1<<20))
			st.Data = &content.Spec{Compress: 50, Dedupe: 10, Refill: true}
			return oneStream(st)
		},
		"directions": func(s *Session) []Job {
			st := mixed(t, 32, s.testFile(t, "f", 1<<20))
			rate := constant(t, 2e6)
			st.ReadRate = &rate
			return oneStream(st)
		},
		"rated": func(s *Session) []Job {
			return oneStream(stream4K(t, engine.Read, 32, s.testFile(t, "f", 1<<20)).rated(t, constant(t, 5e6), pace.Poisson))
		},
		"clients": func(s *Session) []Job {
			f := s.testFile(t, "f", 1<<20)
			return oneCrew(32, func(c *cli) { _, err := c.do(read(f, 0)); c.must(err) })
		},
		"queues": func(s *Session) []Job {
			f := s.testFile(t, "f", 1<<20)
			return oneCrew(4, func(c *cli) {
				q, _ := c.NewQueue(8)
				for range 1000 {
					c.must(q.Submit(read(f, 0)))
					c.settle()
				}
				c.must(q.Wait(-1))
				c.settle()
			})
		},
		"semaphores": func(s *Session) []Job {
			f := s.testFile(t, "f", 1<<20)
			sem := NewSemaphore(2)
			return oneCrew(32, func(c *cli) {
				sem.Acquire(c.Task, 1)
				c.settle()
				_, err := c.do(read(f, 0))
				c.must(err)
				sem.Release(c.Task, 1)
				c.sleep(0)
			})
		},
	} {
		// What the runtime does meanwhile is not an operation's.
		if n := allocations(t, nil, jobs); n > 0.005 {
			t.Errorf("%s: %.3f allocations per operation", name, n)
		}
	}
}

// Detail costs none either, but for single operations, of which a buffer is handed over.
func TestDetailDoesNotAllocate(t *testing.T) {
	one := func(s *Session) []Job { return oneStream(stream4K(t, engine.Read, 32, s.testFile(t, "f", 1<<20))) }
	for name, d := range map[string]*Detail{"detail": {}, "samples": {Samples: func(*Samples) {}}} {
		if n := allocations(t, d, one); n > 0.005 {
			t.Errorf("%s: %.3f allocations per operation", name, n)
		}
	}
}

func BenchmarkDetailNull(b *testing.B) {
	s := nullSession(b).detailed()
	benchmark(b, s, oneStream(stream4K(b, engine.Read, 32, s.testFile(b, "f", 1<<30))))
}

func BenchmarkStreamNull(b *testing.B) {
	s := nullSession(b)
	benchmark(b, s, oneStream(stream4K(b, engine.Read, 32, s.testFile(b, "f", 1<<30))))
}

// BenchmarkClientsNull pays for the tests' coroutines too.
func BenchmarkClientsNull(b *testing.B) {
	s := nullSession(b)
	f := s.testFile(b, "f", 1<<30)
	benchmark(b, s, oneCrew(32, func(c *cli) { _, err := c.do(read(f, 0)); c.must(err) }))
}

func benchmark(b *testing.B, s *Session, jobs []Job) {
	b.ReportAllocs()
	r, err := s.Run(b.Context(), (&Phase{Ops: int64(b.N), Jobs: jobs}).defaults())
	if err != nil {
		b.Fatal(err)
	}
	if n := r.Jobs[0].Ops["read"].Count; n != int64(b.N) {
		b.Fatalf("%d reads, want %d", n, b.N)
	}
}
