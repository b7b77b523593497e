package run

import (
	"strings"
	"testing"
	"time"

	"moonio/engine"
	"moonio/engine/dist"
	"moonio/engine/pace"
	"moonio/engine/report"
)

// What a script holds a stream back by is one of its conditions.
func TestHeld(t *testing.T) {
	s := simSession(t, steady)
	st := stream4K(t, engine.Read, 8, s.testFile(t, "f", 1<<20))
	for want, change := range map[string]func(){
		"":                                    func() {},
		"thinks 1ms after every 8 operations": func() { st.Think = &Think{Time: dist.Delay{From: time.Millisecond, To: time.Millisecond}, Every: 8} },
		"thinks 0s after every 1ms of work, filled up from depth 2": func() { st.Think, st.Low = &Think{After: time.Millisecond}, 2 },
		"filled up from depth 2, waits for 4 completions at a time": func() { st.Low, st.Batch = 2, 4 },
	} {
		st.Think, st.Low, st.Batch = nil, 0, 0
		change()
		r := play(t, s, &Phase{Duration: 10 * time.Millisecond, Jobs: oneStream(st)})
		if c := r.Jobs[0].Conditions; c.Held != want {
			t.Errorf("held by %q, want %q", c.Held, want)
		}
	}
}

// A stream's condition is the region that its offsets are drawn from, and not the file that lies in.
func TestRegion(t *testing.T) {
	s := simSession(t, steady)
	f, log := s.testFile(t, "f", 1<<20), s.testFile(t, "log", 0)
	st := stream4K(t, engine.Read, 1, f)
	st.Read.Offset, st.Read.Size = 256<<10, 64<<10
	st.Write = st.Read
	r := play(t, s, &Phase{Ops: 100, Jobs: []Job{{Name: "reads", Stream: st}, {Name: "log", Stream: stream4K(t, engine.Append, 1, log)}}})
	if n := r.Jobs[0].Conditions.SizeBytes; n != 64<<10 {
		t.Errorf("reads are from %d bytes, want %d", n, 64<<10)
	}
	if n := r.Jobs[1].Conditions.SizeBytes; n != r.Jobs[1].Ops["append"].Bytes {
		t.Errorf("a file of %d bytes was appended to, want %d", n, r.Jobs[1].Ops["append"].Bytes)
	}
}

// In a closed loop the time that operations take together is what the depth and the
// duration make.
func TestLittlesLaw(t *testing.T) {
	t.Parallel()
	threadCounts := []int{1, 3}
	if testing.Short() {
		threadCounts = threadCounts[1:]
	}
	for _, c := range []struct {
		device string
		size   int64
		time   time.Duration
		depths []int
	}{
		{"nvme", 1 << 30, 25 * time.Millisecond, []int{1, 32, 256}},
		{"sata-ssd", 1 << 30, 200 * time.Millisecond, []int{1, 32}},
		{"hdd", 1 << 40, 50 * time.Second, []int{1, 16}},
		{"cloud-volume", 1 << 30, time.Second, []int{1, 64}},
		{"nvme,gc-period=20ms,gc-length=2ms", 1 << 30, 100 * time.Millisecond, []int{16}},
	} {
		for _, depth := range c.depths {
			for _, threads := range threadCounts {
				p := &Phase{Warmup: c.time / 4, Duration: c.time, Threads: threads}
				s := simSession(t, c.device)
				f := s.testFile(t, "f", c.size)
				p.Jobs = oneStream(stream4K(t, engine.Read, depth, f))
				checkLittle(t, play(t, s, p), depth, c.device)

				p.Jobs = oneCrew(depth, func(c *cli) {
					_, err := c.do(read(f, int64(c.Rand.Uint64n(uint64(f.Size()/4096)))*4096))
					c.must(err)
				})
				r := play(t, s, p)
				checkLittle(t, r, depth, c.device+" clients")
				// A turn that was under way at the end was not made.
				if turns, reads := count(t, r, "c", "iteration"), count(t, r, "c", "read"); turns > reads || turns < reads-int64(depth) {
					t.Errorf("%s: %d clients made %d turns of one read, and %d reads", c.device, depth, turns, reads)
				}
			}
		}
	}
}

func checkLittle(t *testing.T, r *report.Phase, depth int, what string) {
	t.Helper()
	j := r.Jobs[0]
	op := j.Ops["read"]
	got, want := op.Service.MeanNS*float64(op.Count), float64(depth)*float64(j.DurationNS)
	if !within(got, want, 0.05) {
		t.Errorf("%s at depth %d: operations took %.3f s together, want %.3f s", what, depth, got/1e9, want/1e9)
	}
	if r.End != endDuration {
		t.Errorf("%s: ended by %s", what, r.End)
	}
}

// What is in flight at the end is waited for and counted, and nothing begins after it.
func TestEnd(t *testing.T) {
	each(t, func(t *testing.T, threads int) {
		s := simSession(t, steady)
		f := s.testFile(t, "f", 1<<30)
		var a tape
		const warmup, length = 10 * time.Millisecond, 100*time.Millisecond + 50*time.Microsecond
		p := &Phase{Warmup: warmup, Duration: length, Threads: threads, Wrap: a.wrap, Jobs: []Job{
			{Name: "s", Stream: stream4K(t, engine.Read, 8, f)},
			{Name: "c", Clients: crewOf(8, func(c *cli) { _, err := c.do(read(f, 0)); c.must(err) })},
			{Name: "late", Stream: stream4K(t, engine.Read, 4, f), Start: 20 * time.Millisecond, Duration: 30 * time.Millisecond},
			{Name: "lateclients", Clients: crewOf(4, func(c *cli) { _, err := c.do(read(f, 0)); c.must(err) }), Start: 20 * time.Millisecond, Duration: 30 * time.Millisecond},
		}}
		r := play(t, s, p)
		var before, first int64
		from := a.events[0].at + int64(warmup)
		for _, e := range a.events {
			switch {
			case !e.done && e.at >= from+int64(length):
				t.Fatalf("an operation was submitted %d ns after the end", e.at-from-int64(length))
			case !e.done && e.at < from:
				before++
			case !e.done && first == 0:
				first = e.at
			}
		}
		var counted int64
		for _, j := range r.Jobs {
			counted += j.Ops["read"].Count
		}
		if all := int64(len(a.submitted(engine.Read))); counted != all-before {
			t.Errorf("%d reads counted, of %d submitted %d before the measured time", counted, all, before)
		}
		for _, name := range []int{2, 3} {
			j := r.Jobs[name]
			if j.StartNS != 20e6 || j.DurationNS < 30e6 || j.DurationNS > 30e6+1e6 {
				t.Errorf("%s measured from %d for %d", j.Name, j.StartNS, j.DurationNS)
			}
		}
		if r.DurationNS < int64(length) || r.DurationNS > int64(length)+1e6 {
			t.Errorf("the phase took %d ns, want %d and what was in flight", r.DurationNS, int64(length))
		}
	})
}

// A client whose job is over does nothing more, and holds the phase up by no sleep.
func TestJobEndsSleepers(t *testing.T) {
	each(t, func(t *testing.T, threads int) {
		s := simSession(t, steady)
		f := s.testFile(t, "f", 1<<20)
		sem, ev := NewSemaphore(0), &Event{}
		p := &Phase{Threads: threads, Jobs: []Job{
			{Name: "sleepers", Duration: time.Second, Clients: crewOf(5, func(c *cli) { c.sleep(time.Hour) })},
			{Name: "parked", Duration: time.Second, Clients: crewOf(5, func(c *cli) { sem.Acquire(c.Task, 1); c.settle() })},
			{Name: "late", Start: 2 * time.Second, Duration: time.Second, Clients: crewOf(1, func(c *cli) {
				sem.Release(c.Task, 1)
				_, err := c.do(read(f, 0))
				c.must(err)
				ev.Set(c.Task)
			})},
		}}
		r := play(t, s, p)
		if r.End != endDone || r.DurationNS < 3e9 || r.DurationNS > 3e9+1e6 {
			t.Errorf("ended by %s after %d ns", r.End, r.DurationNS)
		}
		// Nobody whose job is over took what was released.
		if n := sem.Value(); n != count(t, r, "late", "read") || n < 9999 {
			t.Errorf("%d units, %d were released", n, count(t, r, "late", "read"))
		}
	})
}

// Buffers that the machine has no memory for are refused, and not allocated.
func TestValidateBuffers(t *testing.T) {
	s := simSession(t, steady)
	st := stream4K(t, engine.Read, MaxInFlight, s.testFile(t, "f", 1<<20))
	var err error
	if st.Read.Block, err = dist.OneSize(maxTransfer); err != nil {
		t.Fatal(err)
	}
	const want = "depth times block size is 131072.0 GiB of buffers, more than half of the machine's memory"
	if _, err := s.Run(t.Context(), &Phase{Ops: 1, Threads: 1, Interval: time.Second, Name: "p", Jobs: oneStream(st)}); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v\nwant %s", err, want)
	}
}

func TestValidate(t *testing.T) {
	s := simSession(t, steady)
	f := s.testFile(t, "f", 1<<20)
	good := func() *Phase {
		return (&Phase{Duration: time.Second, Jobs: oneStream(stream4K(t, engine.Read, 1, f))}).defaults()
	}
	for want, spoil := range map[string]func(p *Phase){
		`phase "p": the phase has no jobs`:                                                                      func(p *Phase) { p.Jobs = nil },
		`phase "p": threads = 0: from 1 to 1024 are possible`:                                                   func(p *Phase) { p.Threads = 0 },
		`phase "p": interval = 1ms: the shortest is 10ms`:                                                       func(p *Phase) { p.Interval = time.Millisecond },
		`phase "p": two jobs are named "s": results are found by name`:                                          func(p *Phase) { p.Jobs = append(p.Jobs, p.Jobs[0]) },
		`phase "p": job "s": start = 1s is not before the phase's end at 1s`:                                    func(p *Phase) { p.Jobs[0].Start = time.Second },
		`phase "p": job "s": depth = 0: at least 1 is needed`:                                                   func(p *Phase) { p.Jobs[0].Stream.Depth = 0 },
		`phase "p": job "s": no file`:                                                                           func(p *Phase) { p.Jobs[0].Stream.Files = nil },
		`phase "p": job "s": a stream cannot be made of rename`:                                                 func(p *Phase) { p.Jobs[0].Stream.Mix[0].Op = engine.Rename },
		`phase "p": job "s": passes = 1: random() has no passes; sequential, reverse, strided and permute have`: func(p *Phase) { p.Jobs[0].Stream.Passes = 1 },
		`phase "p": job "s": arrival closed has no schedule: a rate needs uniform or poisson`: func(p *Phase) {
			r := constant(t, 1)
			p.Jobs[0].Stream.Rate = &r
		},
		`phase "p": job "s": rate = 1B/s: it is in bytes, and fsync moves none: give it in operations, as in "100/s"`: func(p *Phase) {
			r := constant(t, 1)
			r.Bytes = true
			p.Jobs[0].Stream.Rate, p.Jobs[0].Stream.Arrival, p.Jobs[0].Stream.Mix[0].Op = &r, pace.Uniform, engine.Fsync
		},
		`phase "p": nothing would end the phase: give it duration, ops, bytes or iterations, or each of its jobs an end (endless: "s")`: func(p *Phase) { p.Duration, p.Iterations = 0, 5 },
		`phase "p": nothing would end the phase: bytes = 5 counts bytes read and written, and none of its jobs moves any`: func(p *Phase) {
			p.Duration, p.Ops, p.Bytes, p.Jobs[0].Stream.Mix[0].Op = 0, 0, 5, engine.Trim
		},
		`phase "p": job "s": file "f" has 1048576 bytes, and the stream's region is from 1048576 to 1052672: open the file with a size`: func(p *Phase) { p.Jobs[0].Stream.Read.Offset = 1 << 20 },
		`phase "p": job "s": too many operations at once: 131073; the depths and clients of a phase's jobs can come to 131072 together`: func(p *Phase) {
			p.Jobs[0].Stream.Depth = MaxInFlight + 1
		},
		`phase "p": job "c": too many operations at once: 131072; the depths and clients of a phase's jobs can come to 131072 together`: func(p *Phase) {
			p.Jobs = append(p.Jobs, Job{Name: "c", Clients: &Clients{Count: MaxInFlight}})
		},
	} {
		p := good()
		spoil(p)
		if _, err := s.Run(t.Context(), p); err == nil || err.Error() != want {
			t.Errorf("%v\nwant %s", err, want)
		}
	}
}
