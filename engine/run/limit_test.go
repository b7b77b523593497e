package run

import (
	"testing"
	"time"

	"moonio/engine"
	"moonio/engine/dist"
	"moonio/engine/fault"
)

// A phase's limits are met exactly, and count from the end of the warm-up.
func TestPhaseLimits(t *testing.T) {
	each(t, func(t *testing.T, threads int) {
		for _, warmup := range []time.Duration{0, 7 * time.Millisecond} {
			s := simSession(t, steady)
			f := s.testFile(t, "f", 1<<30)
			jobs := []Job{
				{Name: "s", Stream: stream4K(t, engine.Read, 8, f)},
				{Name: "c", Clients: crewOf(8, func(c *cli) { _, err := c.do(read(f, 0)); c.must(err) })},
			}
			r := play(t, s, &Phase{Warmup: warmup, Ops: 1003, Threads: threads, Jobs: jobs})
			if n := count(t, r, "s", "read") + count(t, r, "c", "read"); n != 1003 || r.End != endOps {
				t.Errorf("%d operations, want 1003; ended by %s", n, r.End)
			}
			r = play(t, s, &Phase{Warmup: warmup, Bytes: 777 * 4096, Threads: threads, Jobs: jobs})
			if n := count(t, r, "s", "read") + count(t, r, "c", "read"); n != 777 || r.End != endBytes {
				t.Errorf("%d operations, want 777; ended by %s", n, r.End)
			}
			r = play(t, s, &Phase{Warmup: warmup, Iterations: 501, Threads: threads, Jobs: jobs})
			if n := count(t, r, "c", "iteration"); n != 501 || r.End != endIterations {
				t.Errorf("%d turns, want 501; ended by %s", n, r.End)
			}
			for _, lim := range []*Stream{{Ops: 301}, {Bytes: 301 * 4096}} {
				st := stream4K(t, engine.Read, 8, f)
				st.Ops, st.Bytes = lim.Ops, lim.Bytes
				r = play(t, s, &Phase{Warmup: warmup, Threads: threads, Jobs: oneStream(st)})
				if n := count(t, r, "s", "read"); n != 301 || r.End != endDone {
					t.Errorf("%d operations, want 301; ended by %s", n, r.End)
				}
			}
		}
	})
}

// A limit ends the phase with its last operation, whoever sleeps meanwhile, and a
// chain that it cuts is linked to nothing.
func TestLimitEndsAtOnce(t *testing.T) {
	s := simSession(t, steady)
	f := s.testFile(t, "f", 1<<20)
	r := play(t, s, &Phase{Ops: 10, Jobs: oneCrew(10, func(c *cli) {
		_, err := c.do(read(f, 0))
		c.must(err)
		c.sleep(time.Hour)
	})})
	if n := count(t, r, "c", "read"); n != 10 || r.DurationNS > 1e6 {
		t.Errorf("%d operations in %d ns", n, r.DurationNS)
	}
	var a tape
	play(t, s, &Phase{Ops: 7, Wrap: a.wrap, Jobs: oneCrew(1, func(c *cli) {
		q, err := c.NewQueue(4)
		c.must(err)
		for _, flags := range []engine.OpFlags{engine.Link, engine.Link, engine.Link, 0} {
			req := read(f, 0)
			req.Flags = flags
			c.must(q.Submit(req))
			c.settle()
		}
		c.must(q.Wait(-1))
		c.settle()
	})})
	list := a.submitted(engine.Read)
	if len(list) != 7 || list[6].op.Flags != 0 || list[5].op.Flags != engine.Link {
		t.Errorf("%d submitted, the last two with flags %v", len(list), list[len(list)-2:])
	}
}

// Patterns with passes visit every block as often as they are told to.
func TestPasses(t *testing.T) {
	patterns := map[string]dist.Pattern{"permute": dist.Permute{}, "sequential": dist.Sequential{}, "reverse": dist.Reverse{}}
	for name, at := range patterns {
		for _, passes := range []int64{1, 3} {
			each(t, func(t *testing.T, threads int) {
				const blocks = 257
				s := simSession(t, steady)
				files := []*engine.File{s.testFile(t, "f", blocks*4096), s.testFile(t, "g", blocks*4096)}
				var a tape
				st := stream4K(t, engine.Write, 8, files...).at(at)
				st.Mix = dist.Mix{{Op: engine.Read, Weight: 1}, {Op: engine.Write, Weight: 3}}
				st.Passes = passes
				r := play(t, s, &Phase{Threads: threads, Wrap: a.wrap, Jobs: oneStream(st)})
				if r.End != endDone {
					t.Errorf("%s: ended by %s", name, r.End)
				}
				for _, c := range []engine.OpCode{engine.Read, engine.Write} {
					checkVisits(t, a.submitted(c), blocks, passes)
				}
			})
		}
	}
}

// Without passes, the reads and writes of a mix visit each block once between them.
func TestMixCovers(t *testing.T) {
	each(t, func(t *testing.T, threads int) {
		const blocks = 257
		s := simSession(t, steady)
		var a tape
		st := stream4K(t, engine.Write, 8, s.testFile(t, "f", blocks*4096), s.testFile(t, "g", blocks*4096)).at(dist.Permute{})
		st.Mix = dist.Mix{{Op: engine.Read, Weight: 1}, {Op: engine.Write, Weight: 3}}
		st.Order = FileOrder{Sequential: true}
		st.Ops = 2 * blocks
		play(t, s, &Phase{Threads: threads, Wrap: a.wrap, Jobs: oneStream(st)})
		checkVisits(t, append(a.submitted(engine.Read), a.submitted(engine.Write)...), blocks, 1)
	})
}

func checkVisits(t *testing.T, list []event, blocks int, passes int64) {
	t.Helper()
	seen := map[string]map[int64]int64{}
	for _, e := range list {
		if seen[e.op.File.Name] == nil {
			seen[e.op.File.Name] = map[int64]int64{}
		}
		seen[e.op.File.Name][e.op.Off]++
	}
	for name, visits := range seen {
		for off, n := range visits {
			if n != passes {
				t.Errorf("%s: offset %d visited %d times, want %d", name, off, n, passes)
			}
		}
		if len(visits) != blocks {
			t.Errorf("%s: %d blocks visited, want %d", name, len(visits), blocks)
		}
	}
	if len(seen) != 2 {
		t.Errorf("%d files visited", len(seen))
	}
}

// A sync covers writes that have completed, and comes after every so many of a file.
func TestSyncEvery(t *testing.T) {
	for _, depth := range []int{1, 32} {
		for _, limit := range []Stream{{Ops: 1000}, {Passes: 1}} {
			each(t, func(t *testing.T, threads int) {
				const every = 7
				s := simSession(t, steady)
				var a tape
				st := stream4K(t, engine.Write, depth, s.testFile(t, "f", 400*4096), s.testFile(t, "g", 400*4096), s.testFile(t, "h", 400*4096))
				st.at(dist.Sequential{})
				st.Syncs = []SyncEvery{{Code: engine.Fdatasync, Writes: every}}
				st.Ops, st.Passes = limit.Ops, limit.Passes
				play(t, s, &Phase{Threads: threads, Wrap: a.wrap, Jobs: oneStream(st)})
				written, synced := map[string]int64{}, map[string]int64{}
				for _, e := range a.events {
					name := e.op.File.Name
					switch {
					case e.done && e.op.Code == engine.Write:
						written[name]++
					case !e.done && e.op.Code == engine.Fdatasync:
						if synced[name]++; written[name] < synced[name]*every {
							t.Fatalf("sync %d of %s was submitted after %d writes", synced[name], name, written[name])
						}
					}
				}
				for name, n := range written {
					if synced[name] != n/every {
						t.Errorf("depth %d: %s has %d writes and %d syncs, want one after every %d", depth, name, n, synced[name], every)
					}
				}
			})
		}
	}
}

// A stream that goes on until there is no more room ends there on all its workers, and nothing has failed.
func TestUntilFull(t *testing.T) {
	each(t, func(t *testing.T, threads int) {
		s := nullSession(t)
		st := stream4K(t, engine.Append, 4, s.testFile(t, "f", 1<<20))
		st.UntilFull = true
		rule, err := fault.Parse("append:errno=ENOSPC,after=200")
		if err != nil {
			t.Fatal(err)
		}
		r := play(t, s, &Phase{Threads: threads, Jobs: oneStream(st), Wrap: func(e engine.Engine, seed uint64) engine.Engine {
			return fault.Wrap(e, []*fault.Rule{rule}, seed)
		}})
		op := r.Jobs[0].Ops["append"]
		if op.Count < 200 || op.Count > 200*int64(threads) || op.Errors != 0 || r.End != endDone {
			t.Errorf("%d appends, %d errors, ended by %s", op.Count, op.Errors, r.End)
		}
	})
}
