package run

import (
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"moonio/engine"
)

// Append offsets are unique and leave no gaps, over all workers.
func TestAppends(t *testing.T) {
	each(t, func(t *testing.T, threads int) {
		s := simSession(t, "nvme")
		f := s.testFile(t, "f", 0)
		var a tape
		st := stream4K(t, engine.Append, 4, f)
		play(t, s, &Phase{Duration: 20 * time.Millisecond, Threads: threads, Wrap: a.wrap, Jobs: []Job{
			{Name: "c", Clients: crewOf(8, func(c *cli) {
				_, err := c.do(Request{Code: engine.Append, File: f, Len: 512 * int64(1+c.ID)})
				c.must(err)
			})},
			{Name: "s", Stream: st},
		}})
		list := a.submitted(engine.Append)
		slices.SortFunc(list, func(a, b event) int { return int(a.op.Off - b.op.Off) })
		end := int64(0)
		for _, e := range list {
			if e.op.Off != end {
				t.Fatalf("an append at %d, want %d", e.op.Off, end)
			}
			end += int64(len(e.op.Buf))
		}
		if f.Tail() != end || f.Size() != end || len(list) < 100 {
			t.Errorf("%d appends to %d; the file has %d bytes and goes on at %d", len(list), end, f.Size(), f.Tail())
		}
	})
}

// A file that is opened again while it is appended to goes on where the others are.
func TestReopen(t *testing.T) {
	s := nullSession(t)
	f := s.testFile(t, "f", 0)
	f.Reserve(100) // in flight
	g := s.testFile(t, "f", 0)
	if off := g.Reserve(10); off != 100 || f.Node != g.Node {
		t.Errorf("the other goes on at %d, want 100", off)
	}
	s.Closed(f)
	s.Closed(g)
	if err := s.FS.Truncate(f.FD, 5000); err != nil {
		t.Fatal(err)
	}
	if h := s.testFile(t, "f", 0); h.Size() != 5000 || h.Tail() != 5000 {
		t.Errorf("%d bytes, goes on at %d: want 5000", h.Size(), h.Tail())
	}
	s.Renamed("f", "g")
	if h := s.testFile(t, "g", 0); h.Node != f.Node {
		t.Error("a renamed file is another one")
	}
	s.Unlinked("g")
	if h := s.testFile(t, "g", 0); h.Node == f.Node {
		t.Error("a new file is the one that was unlinked")
	}
}

func TestSleepAndTurns(t *testing.T) {
	each(t, func(t *testing.T, threads int) {
		s := simSession(t, steady)
		r := play(t, s, &Phase{Warmup: 100 * time.Millisecond, Duration: 10 * time.Second, Threads: threads, Jobs: oneCrew(10, func(c *cli) {
			from := c.Now()
			c.sleep(10 * time.Millisecond)
			if c.Now()-from != 10e6 {
				t.Errorf("slept for %d ns", c.Now()-from)
			}
			k, _ := c.SpanKey("nap")
			c.Span(k, from)
		})})
		turn := r.Jobs[0].Ops["iteration"]
		// The turns that begin with the measured time end within it, but for the last.
		if n := turn.Count; n < 9980 || n > 10000 || turn.Service.MinNS != 10e6 || turn.Service.MaxNS != 10e6 || !turn.Span {
			t.Errorf("%d turns, %+v", n, turn.Service)
		}
		if nap := r.Jobs[0].Ops["nap"]; nap == nil || nap.Count != turn.Count {
			t.Errorf("naps: %+v", nap)
		}
	})
}

func TestCursors(t *testing.T) {
	s := nullSession(t)
	f, g := s.testFile(t, "f", 10), s.testFile(t, "g", 100)
	var c Cursors
	var got []int64
	for _, n := range []int64{4, 4, 4, 10, 3, 20} {
		got = append(got, c.Next(f, n))
	}
	if want := []int64{0, 4, 0, 0, 0, 3}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if off := c.Next(g, 5); off != 0 {
		t.Errorf("another file goes on at %d", off)
	}
}

// A queue's depth is never exceeded, and waits end when they should.
func TestQueue(t *testing.T) {
	s := simSession(t, "nvme")
	f := s.testFile(t, "f", 1<<20)
	play(t, s, &Phase{Iterations: 20, Jobs: oneCrew(5, func(c *cli) {
		const depth = 4
		q, err := c.NewQueue(depth)
		c.must(err)
		submitted := int64(0)
		for range 20 {
			c.must(q.Submit(read(f, 0)))
			c.settle()
			submitted++
			if n := q.InFlight(); n > depth || n < 1 {
				t.Errorf("%d in flight in a queue of depth %d", n, depth)
			}
		}
		before := q.InFlight()
		c.must(q.Wait(2))
		c.settle()
		if n := q.InFlight(); n > before-2 {
			t.Errorf("%d in flight of %d after a wait for 2", n, before)
		}
		done, failed := q.Completed()
		if done != submitted-int64(q.InFlight()) || failed != 0 {
			t.Errorf("%d completed and %d failed of %d, %d in flight", done, failed, submitted, q.InFlight())
		}
		c.must(q.Wait(-1))
		c.settle()
		if q.InFlight() != 0 {
			t.Errorf("%d in flight after a wait for all", q.InFlight())
		}
		c.must(q.Wait(3))
		if c.Waiting() {
			t.Error("a wait for what is not in flight waits")
		}
	})})
	play(t, s, &Phase{Iterations: 1, Jobs: oneCrew(1, func(c *cli) {
		if _, err := c.NewQueue(0); err == nil {
			t.Error("a queue of depth 0")
		}
		q, err := c.NewQueue(2)
		c.must(err)
		linked := read(f, 0)
		linked.Flags = engine.Link
		c.must(q.Submit(linked))
		if err := q.Wait(1); err == nil {
			t.Error("a chain without an end was waited for")
		}
		c.must(q.Submit(linked))
		if err := q.Submit(linked); err == nil {
			t.Error("a chain longer than its queue")
		}
	})})
}

// Chains stay together and in order, however scarce slots are; a link that fails
// cancels what follows it.
func TestChains(t *testing.T) {
	each(t, func(t *testing.T, threads int) {
		s := simSession(t, "nvme")
		f := s.testFile(t, "f", 1<<20)
		var a tape
		const links, chains = 3, 250
		r := play(t, s, &Phase{Iterations: 16, Threads: threads, Count: true, Jobs: oneCrew(8, func(c *cli) {
			q, err := c.NewQueue(queueSlots)
			c.must(err)
			for range chains {
				for k := range links {
					req := Request{Code: engine.Write, File: f, Off: int64(k) * 4096, Len: 4096}
					if k < links-1 {
						req.Flags = engine.Link
					}
					c.must(q.Submit(req))
					c.settle()
				}
			}
			c.must(q.Wait(-1))
			c.settle()
			done, failed := q.Completed()
			if q.InFlight() != 0 || done != links*chains || failed%links != 0 {
				t.Errorf("%d in flight, %d completed, %d failed", q.InFlight(), done, failed)
			}
		}), Wrap: func(e engine.Engine, seed uint64) engine.Engine {
			return rules(t, "write:errno=EIO,every=50,offset=0..4096")(a.wrap(e, seed), seed)
		}})
		// 16 turns, in each of which 1 chain in 50 fails at its first link.
		op := r.Jobs[0].Ops["write"]
		total := int64(16 * chains * links)
		if op.Count+op.Errors != total || op.ErrorsBy["EIO"]*(links-1) != op.ErrorsBy["ECANCELED"] || op.ErrorsBy["EIO"] != 16*chains/50 {
			t.Errorf("%d done, %d failed: %v; want %d in all", op.Count, op.Errors, op.ErrorsBy, total)
		}
	})
	s := simSession(t, "nvme")
	f := s.testFile(t, "f", 1<<20)
	var a tape
	play(t, s, &Phase{Iterations: 12, Wrap: a.wrap, Jobs: oneCrew(6, func(c *cli) {
		q, err := c.NewQueue(queueSlots)
		c.must(err)
		for range 200 {
			for k := range 3 {
				req := read(f, int64(c.ID*3+k)*4096)
				if k < 2 {
					req.Flags = engine.Link
				}
				c.must(q.Submit(req))
				c.settle()
			}
		}
		c.must(q.Wait(-1))
		c.settle()
	})})
	list := a.submitted(engine.Read)
	for i := 0; i < len(list); i += 3 {
		at := list[i].op.Off / 4096
		for k := range int64(3) {
			e := list[i+int(k)]
			if e.op.Off/4096 != at+k || e.batch != list[i].batch || (e.op.Flags != 0) != (k < 2) {
				t.Fatalf("chain %d: operation %d is at block %d in batch %d with flags %d; the first at %d in %d", i/3, k, e.op.Off/4096, e.batch, e.op.Flags, at, list[i].batch)
			}
		}
	}
	if len(list) != 12*600 {
		t.Errorf("%d reads, want %d", len(list), 12*600)
	}
}

// Clients that find no slot are served in turn, and go nowhere after the end.
func TestStarvation(t *testing.T) {
	s := simSession(t, steady)
	f := s.testFile(t, "f", 1<<20)
	var a tape
	most := 0
	p := &Phase{Duration: 20 * time.Millisecond, Wrap: a.wrap, Jobs: oneCrew(20, func(c *cli) {
		q, err := c.NewQueue(500)
		c.must(err)
		for range 500 {
			c.must(q.Submit(read(f, 0)))
			c.settle()
		}
		_, err = c.do(read(f, 4096))
		c.must(err)
		c.must(q.Wait(-1))
		c.settle()
	})}
	r := play(t, s, p)
	flying := 0
	for _, e := range a.events {
		if e.done {
			flying--
		} else if flying++; e.at >= a.events[0].at+20e6 {
			t.Fatal("an operation was submitted after the end")
		}
		most = max(most, flying)
	}
	if limit := 20 + queueSlots; most != limit {
		t.Errorf("%d in flight, want %d", most, limit)
	}
	if n := count(t, r, "c", "read"); n != int64(len(a.submitted(engine.Read))) || n < 800 {
		t.Errorf("%d reads of %d", n, len(a.submitted(engine.Read)))
	}
	// First come, first served: a turn takes as long as all clients' reads, at 40 k/s.
	r = play(t, s, &Phase{Iterations: 40, Jobs: p.Jobs})
	if turn := r.Jobs[0].Ops["iteration"]; turn.Count != 40 || turn.Service.MaxNS > 20*501*25_000 {
		t.Errorf("%d turns, %+v", turn.Count, turn.Service)
	}
}

// Units of a semaphore are handed out in the order in which they are asked for, and none
// is lost.
func TestSemaphore(t *testing.T) {
	each(t, func(t *testing.T, threads int) {
		s := simSession(t, steady)
		f := s.testFile(t, "f", 1<<20)
		sem := NewSemaphore(2)
		var asked, got []int
		inside := 0
		r := play(t, s, &Phase{Iterations: 400, Threads: threads, Jobs: oneCrew(10, func(c *cli) {
			asked = append(asked, c.ID)
			sem.Acquire(c.Task, 1)
			c.settle()
			got = append(got, c.ID)
			if inside++; inside > 2 {
				t.Errorf("%d clients have 2 units", inside)
			}
			_, err := c.do(read(f, 0))
			c.must(err)
			inside--
			sem.Release(c.Task, 1)
		})})
		if threads == 1 && !slices.Equal(asked[:len(got)], got) {
			t.Error("units were not handed out in the order in which they were asked for")
		}
		// 2 at a time take 100 µs each.
		if n := count(t, r, "c", "read"); n < 400 || !within(float64(r.DurationNS), float64(n)/2*100e3, 0.05) {
			t.Errorf("%d reads in %d ns", n, r.DurationNS)
		}
	})
	sem := NewSemaphore(3)
	if !sem.TryAcquire(2) || sem.TryAcquire(2) || !sem.TryAcquire(1) || sem.Value() != 0 {
		t.Errorf("%d units are left", sem.Value())
	}
	sem.Release(nil, 5)
	if sem.Value() != 5 {
		t.Errorf("%d units, want 5", sem.Value())
	}
}

func TestEvent(t *testing.T) {
	each(t, func(t *testing.T, threads int) {
		s := simSession(t, steady)
		var ev, pulse Event
		var rounds Counter
		r := play(t, s, &Phase{Duration: 50 * time.Millisecond, Threads: threads, Jobs: []Job{
			{Name: "waiters", Clients: crewOf(12, func(c *cli) {
				pulse.Wait(c.Task)
				c.settle()
				rounds.Add(1)
			})},
			{Name: "pulser", Clients: crewOf(1, func(c *cli) {
				c.sleep(time.Millisecond)
				pulse.Pulse(c.Task)
			})},
			{Name: "once", Clients: crewOf(3, func(c *cli) {
				ev.Wait(c.Task)
				c.settle()
				c.sleep(10 * time.Millisecond)
			})},
			{Name: "setter", Start: 25 * time.Millisecond, Duration: time.Millisecond, Clients: crewOf(1, func(c *cli) { ev.Set(c.Task); c.sleep(time.Hour) })},
		}})
		if n := rounds.Get(); n != 12*49 || pulse.IsSet() || !ev.IsSet() {
			t.Errorf("%d rounds, want %d", n, 12*49)
		}
		if n := count(t, r, "once", "iteration"); n != 3*2 {
			t.Errorf("%d turns after the event, want 6", n)
		}
		ev.Reset()
		if ev.IsSet() {
			t.Error("still set after a reset")
		}
	})
}

// Who waits for a client that has no turn left ends with the phase, also when that client's worker is the last to go.
func TestWaitForNoTurn(t *testing.T) {
	s := simSession(t, steady)
	never := NewSemaphore(0)
	r := play(t, s, &Phase{Iterations: 2, Threads: 2, Jobs: oneCrew(2, func(c *cli) {
		if c.ID == 1 {
			never.Acquire(c.Task, 1)
			c.settle()
		}
		c.sleep(time.Millisecond)
	})})
	if n := count(t, r, "c", "iteration"); n != 1 || r.End != endIterations {
		t.Errorf("%d turns, ended by %s", n, r.End)
	}
}

// No wake-up between workers is lost, in real time too. Who waits for a client that has no turn left ends with the phase.
func TestPingPong(t *testing.T) {
	s := nullSession(t)
	f := s.testFile(t, "f", 1<<20)
	const pairs = 4
	var left, right [pairs]*Semaphore
	for i := range pairs {
		left[i], right[i] = NewSemaphore(1), NewSemaphore(0)
	}
	var balls atomic.Int64
	const turns = 20_000
	r := play(t, s, &Phase{Iterations: turns, Threads: 4, Jobs: oneCrew(2*pairs, func(c *cli) {
		// Clients 0 and 1 are on different workers, and so are all pairs.
		mine, other := left[c.ID/2], right[c.ID/2]
		if c.ID%2 == 1 {
			mine, other = other, mine
		}
		mine.Acquire(c.Task, 1)
		c.settle()
		balls.Add(1)
		if c.ID%3 == 0 {
			_, err := c.do(read(f, 0))
			c.must(err)
		}
		other.Release(c.Task, 1)
	})})
	if n := count(t, r, "c", "iteration"); n < turns-2*pairs || n > turns || balls.Load() < n || balls.Load() > n+2*pairs || r.End != endIterations {
		t.Errorf("%d turns of %d, %d balls; ended by %s", n, turns, balls.Load(), r.End)
	}
	for i := range pairs {
		// The ball is with a client, or lies in one of its semaphores.
		if n := left[i].Value() + right[i].Value(); n > 1 {
			t.Errorf("pair %d has %d balls", i, n)
		}
	}
}

// When every client waits for another, the phase ends with an error that says so.
func TestStuck(t *testing.T) {
	for name, s := range map[string]func() *Session{"sim": func() *Session { return simSession(t, steady) }, "null": func() *Session { return nullSession(t) }} {
		each(t, func(t *testing.T, threads int) {
			s := s()
			f := s.testFile(t, "f", 1<<20)
			sem := NewSemaphore(1)
			st := stream4K(t, engine.Read, 4, f)
			st.Ops = 100
			r, err := s.Run(t.Context(), (&Phase{Duration: 24 * time.Hour, Threads: threads, Jobs: []Job{
				{Name: "s", Stream: st},
				{Name: "c", Clients: crewOf(6, func(c *cli) {
					_, err := c.do(read(f, 0))
					c.must(err)
					sem.Acquire(c.Task, 1) // and never gives it back
					c.settle()
				})},
			}}).defaults())
			if !errors.Is(err, ErrStuck) || r == nil || r.End != endError {
				t.Fatalf("%s: %v", name, err)
			}
			if n := count(t, r, "c", "read"); n != 7 || count(t, r, "s", "read") != 100 {
				t.Errorf("%s: %d reads by clients until then, want 7", name, n)
			}
		})
	}
}

// Workers that wake each other all the time are not taken for stuck.
func TestNotStuck(t *testing.T) {
	for round := range 20 {
		s := nullSession(t)
		const clients = 7
		sems := make([]*Semaphore, clients)
		for i := range sems {
			sems[i] = NewSemaphore(0)
		}
		sems[0].Release(nil, 1)
		// One token goes round, so that all but one worker always wait for others.
		r, err := s.Run(t.Context(), (&Phase{Duration: 10 * time.Millisecond, Threads: 4, Jobs: oneCrew(clients, func(c *cli) {
			sems[c.ID].Acquire(c.Task, 1)
			c.settle()
			sems[(c.ID+1)%clients].Release(c.Task, 1)
		})}).defaults())
		if err != nil {
			t.Fatalf("round %d: %v after %d turns", round, err, count(t, r, "c", "iteration"))
		}
	}
}

// Who still waited when a phase ended has no part in the next.
func TestLeftoverWaiters(t *testing.T) {
	each(t, func(t *testing.T, threads int) {
		s := simSession(t, steady)
		sem, ev := NewSemaphore(0), &Event{}
		wait := func(c *cli) {
			if c.ID%2 == 0 {
				ev.Wait(c.Task)
			} else {
				sem.Acquire(c.Task, 1)
			}
			c.settle()
			c.sleep(time.Millisecond)
		}
		idle := Job{Name: "idle", Clients: crewOf(1, func(c *cli) { c.sleep(time.Second) })}
		p := &Phase{Duration: 10 * time.Millisecond, Threads: threads, Jobs: []Job{{Name: "c", Clients: crewOf(6, wait)}, idle}}
		play(t, s, p)
		sem.Release(nil, 2)
		ev.Pulse(nil)
		if sem.Value() != 2 {
			t.Errorf("%d units are there, want the 2 that nobody waits for", sem.Value())
		}
		r := play(t, s, p)
		if n := count(t, r, "c", "iteration"); n != 2 {
			t.Errorf("%d turns, want 2", n)
		}
	})
}

func TestRequestErrors(t *testing.T) {
	s := nullSession(t)
	f := s.testFile(t, "f", 1<<20)
	f.Direct, f.Align = true, engine.Align{Mem: 512, Offset: 512}
	for want, r := range map[string]Request{
		`read of 4096 bytes at -1 in "f": the offset is negative`:                                                                              {Code: engine.Read, File: f, Off: -1, Len: 4096},
		`read of 0 bytes at 0 in "f": one operation can transfer from 1 B to 1024 MiB`:                                                         {Code: engine.Read, File: f},
		`write of 100 bytes at 0 in "f": length 100 is not a multiple of 512, which a direct operation here needs: 0 or 512 would be aligned`:  {Code: engine.Write, File: f, Len: 100},
		`append of 100 bytes at 0 in "f": length 100 is not a multiple of 512, which a direct operation here needs: 0 or 512 would be aligned`: {Code: engine.Append, File: f, Len: 100},
	} {
		var e *RequestError
		if _, err := s.Do(r); !errors.As(err, &e) || err.Error() != want {
			t.Errorf("%v\nwant %s", err, want)
		}
		_, err := s.Run(t.Context(), (&Phase{Ops: 1, Jobs: oneCrew(1, func(c *cli) { _, _ = c.do(r) })}).defaults())
		if fmt.Sprint(err) != want {
			t.Errorf("%v\nwant %s", err, want)
		}
	}
}
