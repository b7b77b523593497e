package run

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"moonio/engine"
	"moonio/engine/dist"
	"moonio/engine/hist"
	"moonio/engine/pace"
	"moonio/engine/place"
)

// tapeOf plays one stream on the steady device and returns what passed to its engine.
func tapeOf(t *testing.T, s *Session, threads int, st *Stream, limits Phase) *tape {
	t.Helper()
	var a tape
	limits.Threads, limits.Wrap, limits.Jobs = threads, a.wrap, oneStream(st)
	play(t, s, &limits)
	return &a
}

// names are the files of submissions, in order.
func names(events []event) string {
	var s string
	for _, e := range events {
		s += e.op.File.Name
	}
	return s
}

func files(t *testing.T, s *Session, size int64, list string) []*engine.File {
	t.Helper()
	var files []*engine.File
	for _, name := range list {
		files = append(files, s.testFile(t, string(name), size))
	}
	return files
}

func TestFileOrder(t *testing.T) {
	const size = 4 * 4096
	for _, c := range []struct {
		name  string
		order FileOrder
		run   int64
		ops   int64
		want  string
	}{
		{"round robin", FileOrder{RoundRobin: true}, 1, 7, "abcabca"},
		{"round robin in runs", FileOrder{RoundRobin: true}, 3, 11, "aaabbbcccaa"},
		{"sequential", FileOrder{Sequential: true}, 1, 17, "aaaabbbbccccaaaab"},
		{"sequential in runs", FileOrder{Sequential: true}, 3, 12, "aaaaaabbbbbb"},
		{"pattern", FileOrder{At: dist.Reverse{}}, 1, 7, "cbacbac"},
	} {
		s := simSession(t, steady)
		st := stream4K(t, engine.Read, 2, files(t, s, size, "abc")...)
		st.Order, st.Run, st.Ops = c.order, c.run, c.ops
		if got := names(tapeOf(t, s, 1, st, Phase{}).submitted(engine.Read)); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// With threads, a sequential order is one for all, and files whose passes are made are left out.
func TestFileOrderThreads(t *testing.T) {
	each(t, func(t *testing.T, threads int) {
		for _, o := range []FileOrder{{Sequential: true}, {RoundRobin: true}, {}} {
			s := simSession(t, steady)
			st := stream4K(t, engine.Read, 4, files(t, s, 8*4096, "abcd")...).at(dist.Sequential{})
			st.Order, st.Passes = o, 1
			got := names(tapeOf(t, s, threads, st, Phase{}).submitted(engine.Read))
			for _, f := range "abcd" {
				if n := strings.Count(got, string(f)); n != 8 {
					t.Errorf("%s: file %c read %d times: %s", o, f, n, got)
				}
			}
			if o.Sequential && got != "aaaaaaaabbbbbbbbccccccccdddddddd" {
				t.Errorf("sequential: %s", got)
			}
		}
	})
}

// A sync_range says over which bytes it goes, not how many it writes: it has no bandwidth.
func TestSyncRangeBytes(t *testing.T) {
	s := simSession(t, steady)
	st := stream4K(t, engine.Write, 2, s.testFile(t, "f", 1<<20))
	st.Syncs, st.Ops = []SyncEvery{{engine.SyncRange, 4}}, 40
	r := play(t, s, &Phase{Jobs: oneStream(st)})
	if o := r.Jobs[0].Ops["sync_range"]; o.Count != 10 || o.Bytes != 0 || o.Bandwidth != 0 {
		t.Errorf("%d sync_ranges of %d bytes, %v a second; want 10 of 0", o.Count, o.Bytes, o.Bandwidth)
	}
}

// A sync_range goes over what the writes before it covered.
func TestSyncRangeEvery(t *testing.T) {
	s := simSession(t, steady)
	st := stream4K(t, engine.Write, 1, s.testFile(t, "f", 1<<20)).at(dist.Sequential{})
	st.Syncs, st.Ops = []SyncEvery{{engine.SyncRange, 4}}, 10
	got := tapeOf(t, s, 1, st, Phase{}).submitted(engine.SyncRange)
	if len(got) != 2 {
		t.Fatalf("%d sync_ranges, want 2", len(got))
	}
	for i, e := range got {
		if e.op.Off != int64(i)*4*4096 || e.op.Len != 4*4096 {
			t.Errorf("sync_range of %d bytes at %d", e.op.Len, e.op.Off)
		}
	}
}

// Of syncs that are due at once the first is enough.
func TestSyncsOfTwoKinds(t *testing.T) {
	s := simSession(t, steady)
	st := stream4K(t, engine.Write, 1, s.testFile(t, "f", 1<<20)).at(dist.Sequential{})
	st.Syncs, st.Ops = []SyncEvery{{engine.Fsync, 4}, {engine.Fdatasync, 2}, {engine.SyncRange, 3}}, 16
	tape := tapeOf(t, s, 1, st, Phase{})
	for code, want := range map[engine.OpCode]int{engine.Fsync: 4, engine.Fdatasync: 4, engine.SyncRange: 3} {
		if n := len(tape.submitted(code)); n != want {
			t.Errorf("%d of %s, want %d", n, code, want)
		}
	}
}

// The syncs at a stream's end come once for each file, after all else has completed, however it ends.
func TestSyncAtEnd(t *testing.T) {
	each(t, func(t *testing.T, threads int) {
		for name, c := range map[string]struct {
			limits Phase
			ops    int64
		}{"its operations": {ops: 50}, "the phase's": {limits: Phase{Ops: 50}}, "time": {limits: Phase{Duration: 3 * time.Millisecond}}} {
			s := simSession(t, steady)
			st := stream4K(t, engine.Write, 8, files(t, s, 1<<20, "abcdefghijkl")...)
			st.Ops, st.SyncEnd = c.ops, engine.Fdatasync
			a := tapeOf(t, s, threads, st, c.limits)
			synced := map[string]int{}
			flying := 0
			for _, e := range a.events {
				switch {
				case e.op.Code == engine.Write && e.done:
					flying--
				case e.op.Code == engine.Write:
					flying++
					if len(synced) > 0 {
						t.Fatalf("%s: a write after a sync", name)
					}
				case !e.done:
					if synced[e.op.File.Name]++; flying > 0 {
						t.Fatalf("%s: a sync beside %d writes", name, flying)
					}
				}
			}
			if len(synced) != 12 {
				t.Errorf("%s: synced %v", name, synced)
			}
			for f, n := range synced {
				if n != 1 {
					t.Errorf("%s: %s synced %d times", name, f, n)
				}
			}
		}
	})
}

// A trimwrite writes what it trimmed, and both are operations of the stream.
func TestTrimWrite(t *testing.T) {
	s := simSession(t, steady)
	st := stream4K(t, engine.Trim, 4, s.testFile(t, "f", 1<<20))
	st.TrimWrite, st.Ops, st.Syncs = true, 40, []SyncEvery{{engine.Fsync, 10}}
	a := tapeOf(t, s, 1, st, Phase{})
	trimmed := map[int64]int{}
	for _, e := range a.events {
		switch {
		case e.op.Code == engine.Trim && e.done:
			trimmed[e.op.Off]++
		case e.op.Code == engine.Write && !e.done:
			if trimmed[e.op.Off]--; trimmed[e.op.Off] < 0 || len(e.op.Buf) != 4096 {
				t.Errorf("a write of %d bytes at %d, which was not trimmed", len(e.op.Buf), e.op.Off)
			}
		}
	}
	trims, writes, syncs := len(a.submitted(engine.Trim)), len(a.submitted(engine.Write)), len(a.submitted(engine.Fsync))
	if trims != 20 || writes != 20 || syncs != writes/10 {
		t.Errorf("%d trims, %d writes, %d syncs", trims, writes, syncs)
	}
}

// most is the most operations in flight.
func most(a *tape) int {
	flying, most := 0, 0
	for _, e := range a.events {
		if e.done {
			flying--
		} else {
			flying++
		}
		most = max(most, flying)
	}
	return most
}

// A stream that thinks lets all complete, waits, and goes on.
func TestThink(t *testing.T) {
	for _, issued := range []bool{false, true} {
		s := simSession(t, steady)
		st := stream4K(t, engine.Read, 4, s.testFile(t, "f", 1<<20))
		st.Ops = 32
		st.Think = &Think{Time: dist.Delay{From: 5 * time.Millisecond, To: 5 * time.Millisecond}, Every: 8, Issued: issued, Spin: time.Millisecond}
		a := tapeOf(t, s, 1, st, Phase{})
		flying, ops, last := 0, 0, int64(0)
		var pauses []int
		for _, e := range a.events {
			if e.done {
				flying--
				last = e.at
				continue
			}
			if last > 0 && e.at-last >= int64(5*time.Millisecond) {
				pauses = append(pauses, ops)
				wait := e.at - last
				last = e.at
				if flying != 0 || wait != int64(5*time.Millisecond) {
					t.Errorf("a pause of %d ns with %d in flight", wait, flying)
				}
			}
			flying++
			ops++
		}
		if got := fmt.Sprint(pauses); got != "[8 16 24]" {
			t.Errorf("issued %v: paused after %s operations", issued, got)
		}
	}
}

// What a rate makes fall due while the stream thinks is not made up for, unless it is asked for.
func TestThinkWithRate(t *testing.T) {
	for _, catchUp := range []bool{false, true} {
		s := simSession(t, steady)
		st := stream4K(t, engine.Read, 8, s.testFile(t, "f", 1<<20)).rated(t, constant(t, 1000), pace.Uniform)
		st.Think = &Think{Time: dist.Delay{From: 50 * time.Millisecond, To: 50 * time.Millisecond}, Every: 50, Issued: true, CatchUp: catchUp}
		r := play(t, s, &Phase{Duration: time.Second, Jobs: oneStream(st)})
		n, late := count(t, r, "s", "read"), r.Jobs[0].Lag.MaxNS
		switch {
		case !catchUp && (n < 490 || n > 510 || late > 1e6): // half of the time it thinks
			t.Errorf("%d operations, late by up to %d ns", n, late)
		case catchUp && (n < 900 || late < 40e6):
			t.Errorf("catching up: %d operations, late by up to %d ns", n, late)
		}
	}
}

func TestThinkAfterTime(t *testing.T) {
	s := simSession(t, steady)
	st := stream4K(t, engine.Read, 1, s.testFile(t, "f", 1<<20))
	st.Think = &Think{Time: dist.Delay{From: 10 * time.Millisecond, To: 20 * time.Millisecond}, After: 10 * time.Millisecond}
	r := play(t, s, &Phase{Duration: time.Second, Jobs: oneStream(st)})
	// It is at work for 10 ms of 25 on average, at 100 µs for each.
	if n := count(t, r, "s", "read"); n < 3700 || n > 4300 {
		t.Errorf("%d reads", n)
	}
}

// Once the depth is reached, it falls to the low mark before it is filled up again.
func TestDepthLow(t *testing.T) {
	s := simSession(t, steady)
	st := stream4K(t, engine.Read, 8, s.testFile(t, "f", 1<<20))
	st.Low = 2
	a := tapeOf(t, s, 1, st, Phase{Ops: 800})
	flying, full := 0, false
	for _, e := range a.events {
		if e.done {
			flying--
			full = full && flying > 2
			continue
		}
		if full {
			t.Fatalf("an operation was submitted beside %d", flying)
		}
		flying++
		full = full || flying == 8
	}
	if most(a) != 8 {
		t.Errorf("the depth was %d", most(a))
	}
}

// No call hands over more operations than the script says.
func TestSubmitBatch(t *testing.T) {
	s := simSession(t, steady)
	st := stream4K(t, engine.Read, 8, s.testFile(t, "f", 1<<20))
	st.Submit = 3
	a := tapeOf(t, s, 1, st, Phase{Ops: 300})
	batches := map[int]int{}
	for _, e := range a.submitted(engine.Read) {
		batches[e.batch]++
	}
	most := 0
	for _, n := range batches {
		most = max(most, n)
	}
	if most != 3 {
		t.Errorf("up to %d operations were handed over in a call", most)
	}
}

// Completions are taken so many at a time.
func TestBatchMax(t *testing.T) {
	s := nullSession(t)
	st := stream4K(t, engine.Read, 16, s.testFile(t, "f", 1<<20))
	st.Most = 3
	var a handed
	play(t, s, &Phase{Ops: 1000, Jobs: oneStream(st), Wrap: func(e engine.Engine, _ uint64) engine.Engine { a.Engine = e; return &a }})
	if a.most != 3 {
		t.Errorf("up to %d completions were taken at a time", a.most)
	}
}

// handed notes how many completions an engine hands out at a time.
type handed struct {
	engine.Engine
	most int
}

func (h *handed) Wait(out []engine.Completion, least int, deadline int64) (int, error) {
	n, err := h.Engine.Wait(out, least, deadline)
	h.most = max(h.most, n)
	return n, err
}

func TestMaxLatency(t *testing.T) {
	s := simSession(t, steady)
	st := stream4K(t, engine.Read, 8, s.testFile(t, "f", 1<<20))
	st.MaxLatency = 150 * time.Microsecond // of the eight, four wait for the others
	r, err := s.Run(context.Background(), (&Phase{Ops: 100, Jobs: oneStream(st)}).defaults())
	if !errors.Is(err, ErrLate) || !strings.Contains(err.Error(), "it took 200us, and max_latency is 150us") {
		t.Error(err)
	}
	if r.Jobs[0].Ops["read"].Errors == 0 || r.End != endError {
		t.Errorf("ended by %s, %+v", r.End, r.Jobs[0].Ops["read"])
	}
	r = play(t, s, &Phase{Ops: 100, Count: true, Jobs: oneStream(st)})
	if op := r.Jobs[0].Ops["read"]; op.Errors != 96 || op.Count != 4 || op.ErrorsBy["LATE"] != 96 {
		t.Errorf("%d late, %d not, %v", op.Errors, op.Count, op.ErrorsBy)
	}
}

// prioritized is an engine that honours priorities.
type prioritized struct{ engine.Engine }

func (p prioritized) Info() engine.Info {
	info := p.Engine.Info()
	info.Prio, info.Memory = true, false
	return info
}

func TestPrioShare(t *testing.T) {
	s := nullSession(t)
	st := stream4K(t, engine.Read, 4, s.testFile(t, "f", 1<<20))
	share := PrioShare{Percent: 25, Prio: 1<<13 | 4}
	st.Prios = []PrioShare{share}
	var a tape
	play(t, s, &Phase{Ops: 4000, Jobs: oneStream(st), Wrap: func(e engine.Engine, seed uint64) engine.Engine {
		return prioritized{a.wrap(e, seed)}
	}})
	n := 0
	for _, e := range a.submitted(engine.Read) {
		switch place.Prio(e.op.Prio) {
		case share.Prio:
			n++
		case 0:
		default:
			t.Fatalf("priority %d", e.op.Prio)
		}
	}
	if n < 900 || n > 1100 {
		t.Errorf("%d of 4000 have the priority", n)
	}
	if r := play(t, s, &Phase{Ops: 10, Jobs: oneStream(st)}); len(r.Warnings) != 1 || r.Warnings[0].Code != "ioprio" {
		t.Error(r.Warnings)
	}
}

// Shares are of operations of a kind, or of a size, and each priority has its latencies.
func TestPrioShares(t *testing.T) {
	s := nullSession(t)
	st := mixed(t, 4, s.testFile(t, "f", 1<<20))
	high, low := place.Prio(1<<13|4), place.Prio(2<<13|7)
	st.Prios = []PrioShare{{Percent: 50, Prio: high, Op: engine.Read}, {Percent: 25, Prio: low, Op: engine.Read}, {Percent: 25, Prio: low, Block: 8192}}
	st.Syncs = []SyncEvery{{Code: engine.Fsync, Writes: 1}}
	st.Mix[0].Weight = 9
	var a tape
	r := play(t, s, &Phase{Ops: 4000, Jobs: oneStream(st), Wrap: func(e engine.Engine, seed uint64) engine.Engine {
		return prioritized{a.wrap(e, seed)}
	}})
	seen := map[place.Prio]int64{}
	for _, e := range a.submitted(engine.Read) {
		seen[place.Prio(e.op.Prio)]++
	}
	for _, e := range append(a.submitted(engine.Write), a.submitted(engine.Fsync)...) {
		if e.op.Prio != 0 {
			t.Fatalf("%s has priority %d", e.op.Code, e.op.Prio)
		}
	}
	reads := r.Jobs[0].Ops["read"]
	if n := float64(reads.Count); !within(float64(seen[high])/n, 0.5, 0.1) || !within(float64(seen[low])/n, 0.25, 0.15) {
		t.Errorf("of %d reads %v have the priorities", reads.Count, seen)
	}
	var got []string
	for _, p := range reads.Priorities {
		h, err := hist.Decode(p.Service.HDR)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, fmt.Sprint(p.IOPrio, " ", h.Count()))
	}
	want := []string{fmt.Sprint("none ", seen[0]), fmt.Sprint("rt/4 ", seen[high]), fmt.Sprint("be/7 ", seen[low])}
	if !slices.Equal(got, want) {
		t.Errorf("priorities %v, want %v", got, want)
	}
}

// Shares that come to 100 do so though binary fractions of them don't.
func TestSharesOfAll(t *testing.T) {
	st := &Stream{}
	for _, percent := range []float64{88.2, 9.4, 2.4} {
		st.Prios = append(st.Prios, PrioShare{Percent: percent})
	}
	if err := st.validatePrios(); err != nil {
		t.Error(err)
	}
}

func TestStreamRefused(t *testing.T) {
	s := nullSession(t)
	f := s.testFile(t, "f", 1<<20)
	for want, change := range map[string]func(*Stream){
		`fsync = 3: it counts writes, and the stream makes none (op = read)`:                             func(s *Stream) { s.Syncs = []SyncEvery{{engine.Fsync, 3}} },
		`bytes = 5: it counts bytes read and written, and the stream moves none (op = trim)`:             func(s *Stream) { s.Bytes, s.Mix[0].Op = 5, engine.Trim },
		`invalidate_every = 5: it counts bytes read and written, and the stream moves none (op = fsync)`: func(s *Stream) { s.Forget, s.Mix[0].Op = 5, engine.Fsync },
		`depth_low = 4: it is below the depth, which is 4`:                                               func(s *Stream) { s.Low = 4 },
		`submit_batch = 5: it is at most the depth, which is 4`:                                          func(s *Stream) { s.Submit = 5 },
		`batch_max = 1: it is at least batch, which is 2`:                                                func(s *Stream) { s.Batch, s.Most = 2, 1 },
		`think_every: it is a number of operations, or a time`:                                           func(s *Stream) { s.Think = &Think{} },
		`think = 2s-1s: the range from 2s to 1s ends before it begins`:                                   func(s *Stream) { s.Think = &Think{Every: 1, Time: dist.Delay{From: 2e9, To: 1e9}} },
		`file_order = "sequential": fsync moves no data`:                                                 func(s *Stream) { s.Mix[0].Op, s.Order.Sequential = engine.Fsync, true },
		`file_order = permute() over 1 files`:                                                            func(s *Stream) { s.Order.At = dist.Zoned{} },
		`sync_at_end = "read": it is fsync or fdatasync`:                                                 func(s *Stream) { s.SyncEnd = engine.Read },
		`ioprio_share: the shares of the same operations come to 110 per cent`: func(s *Stream) {
			s.Prios = []PrioShare{{Percent: 60, Op: engine.Read}, {Percent: 50, Block: 4096}}
		},
		`ioprio_share: 101 per cent of the operations: from 0 to 100 are possible`: func(s *Stream) { s.Prios = []PrioShare{{Percent: 101}} },
	} {
		st := stream4K(t, engine.Read, 4, f)
		change(st)
		_, err := s.Run(context.Background(), (&Phase{Ops: 1, Jobs: oneStream(st)}).defaults())
		if strings.HasPrefix(want, "file_order = permute") {
			want = "file_order = zoned{ } over 1 files"
		}
		if err == nil || !strings.Contains(err.Error(), want) || !errors.Is(err, ErrPlan) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
