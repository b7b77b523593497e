package run

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"moonio/engine"
	"moonio/engine/null"
	"moonio/engine/place"
	"moonio/engine/report"
)

// A job with threads of its own has them to itself, and its depth, clients and rate are
// shared out over them.
func TestOwnThreads(t *testing.T) {
	s := simSession(t, steady)
	f, g := s.testFile(t, "f", 1<<20), s.testFile(t, "g", 1<<20)
	var a tape
	r := play(t, s, &Phase{Duration: 50 * time.Millisecond, Threads: 2, Wrap: a.wrap, Jobs: []Job{
		{Name: "shared", Stream: stream4K(t, engine.Read, 4, f)},
		{Name: "alone", Own: &Threads{Count: 3}, Stream: stream4K(t, engine.Write, 7, g)},
		{Name: "clients", Own: &Threads{Count: 2}, Clients: crewOf(5, func(c *cli) { _, err := c.do(Request{Code: engine.Fsync, File: f}); c.must(err) })},
	}})
	if r.Threads != 7 {
		t.Errorf("the phase has %d threads, want 7", r.Threads)
	}
	for i, want := range []struct {
		threads int
		alone   bool
	}{{2, false}, {3, true}, {2, true}} {
		if j := r.Jobs[i]; j.Threads != want.threads || j.Alone != want.alone || j.Engine != "sim" {
			t.Errorf("%s: %d threads, alone %v, engine %q", j.Name, j.Threads, j.Alone, j.Engine)
		}
	}
	flying, most := map[int]int{}, map[int]int{}
	codes := map[int]map[engine.OpCode]bool{}
	for _, e := range a.events {
		if e.done {
			flying[e.worker]--
			continue
		}
		flying[e.worker]++
		most[e.worker] = max(most[e.worker], flying[e.worker])
		if codes[e.worker] == nil {
			codes[e.worker] = map[engine.OpCode]bool{}
		}
		codes[e.worker][e.op.Code] = true
	}
	for w, want := range []struct {
		depth int
		code  engine.OpCode
	}{{2, engine.Read}, {2, engine.Read}, {3, engine.Write}, {2, engine.Write}, {2, engine.Write}, {3, engine.Fsync}, {2, engine.Fsync}} {
		if most[w] != want.depth || len(codes[w]) != 1 || !codes[w][want.code] {
			t.Errorf("worker %d had %d in flight of %v, want %d of %s", w, most[w], codes[w], want.depth, want.code)
		}
	}
}

// A phase of which every job has its own threads has no others.
func TestOnlyOwnThreads(t *testing.T) {
	s := nullSession(t)
	f := s.testFile(t, "f", 1<<20)
	r := play(t, s, &Phase{Ops: 1000, Threads: 4, Jobs: []Job{{Name: "s", Own: &Threads{Count: 2}, Stream: stream4K(t, engine.Read, 2, f)}}})
	if r.Threads != 2 || r.Jobs[0].Threads != 2 || count(t, r, "s", "read") != 1000 {
		t.Errorf("%d threads made %d reads", r.Threads, count(t, r, "s", "read"))
	}
}

// slow is an engine of another name.
type slow struct{ engine.Engine }

func (slow) Info() engine.Info { return engine.Info{Name: "slow"} }

func TestNamedEngine(t *testing.T) {
	s := nullSession(t)
	f := s.testFile(t, "f", 1<<20)
	s.Named = func(spec string) (func(engine.Config) (engine.Engine, error), error) {
		if spec != "slow:x=1" {
			return nil, errors.New("there is none")
		}
		return func(c engine.Config) (engine.Engine, error) { e, err := null.Open(c); return slow{e}, err }, nil
	}
	jobs := func(own string) []Job {
		return []Job{
			{Name: "a", Stream: stream4K(t, engine.Read, 1, f)},
			{Name: "b", Stream: stream4K(t, engine.Read, 1, f), Own: &Threads{Count: 1, Engine: own}},
		}
	}
	r := play(t, s, &Phase{Ops: 100, Jobs: jobs("slow:x=1")})
	if r.Jobs[0].Engine != "null" || r.Jobs[1].Engine != "slow" {
		t.Errorf("on %s and %s", r.Jobs[0].Engine, r.Jobs[1].Engine)
	}
	const none = `phase "p": job "b": engine = "fast": there is none`
	if _, err := s.Run(context.Background(), (&Phase{Ops: 1, Jobs: jobs("fast")}).defaults()); err == nil || err.Error() != none || !errors.Is(err, ErrPlan) {
		t.Error(err)
	}
	s.Fixed = "--engine null"
	r = play(t, s, &Phase{Ops: 100, Engine: "other", Jobs: jobs("slow:x=1")})
	if r.Jobs[1].Engine != "null" || fmt.Sprint(r.Warnings) != fmt.Sprint([]report.Warning{
		{Code: "engine", Text: `engine = "other" is not used: --engine null decides`},
		{Code: "engine", Text: `job "b": engine = "slow:x=1" is not used: --engine null decides`},
	}) {
		t.Errorf("on %s, with %q", r.Jobs[1].Engine, r.Warnings)
	}
}

// where notes which CPUs and which priority the threads have that submit.
type where struct {
	mu   sync.Mutex
	cpus map[int]int // how many, by thread
	nice map[int]int
}

type seen struct {
	engine.Engine
	where *where
}

func (s seen) Submit(ops []engine.Op, slots []uint32) error {
	var set unix.CPUSet
	_ = unix.SchedGetaffinity(0, &set)
	nice, _ := unix.Getpriority(unix.PRIO_PROCESS, 0)
	s.where.mu.Lock()
	s.where.cpus[unix.Gettid()], s.where.nice[unix.Gettid()] = set.Count(), 20-nice
	s.where.mu.Unlock()
	return s.Engine.Submit(ops, slots)
}

// Threads are where they are to be, and no thread that anyone gets later is.
func TestPlacedThreads(t *testing.T) {
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &set); err != nil {
		t.Fatal(err)
	}
	prio, err := unix.Getpriority(unix.PRIO_PROCESS, 0)
	if err != nil {
		t.Fatal(err)
	}
	nice := 20 - prio // of the tests themselves
	nicer := min(nice+1, 19)
	var cpus []int
	for c := range 1024 {
		if set.IsSet(c) {
			cpus = append(cpus, c)
		}
	}
	s := nullSession(t)
	f := s.testFile(t, "f", 1<<20)
	look := func(own *Threads) *where {
		w := &where{cpus: map[int]int{}, nice: map[int]int{}}
		play(t, s, &Phase{Ops: 1000, Jobs: []Job{{Name: "s", Own: own, Stream: stream4K(t, engine.Read, own.Count, f)}},
			Wrap: func(e engine.Engine, _ uint64) engine.Engine { return seen{e, w} }})
		return w
	}
	for range 3 {
		w := look(&Threads{Count: 4, Place: place.Place{CPUs: cpus, Split: true, Nice: nicer}})
		for tid, n := range w.cpus {
			if n != 1 || w.nice[tid] != nicer {
				t.Errorf("a thread on %d CPUs with nice %d", n, w.nice[tid])
			}
		}
		w = look(&Threads{Count: 4})
		for tid, n := range w.cpus {
			if n != len(cpus) || w.nice[tid] != nice {
				t.Errorf("a thread that nobody placed is on %d CPUs, of %d, with nice %d", n, len(cpus), w.nice[tid])
			}
		}
	}
}

func TestThreadsRefused(t *testing.T) {
	s := nullSession(t)
	f := s.testFile(t, "f", 1<<20)
	for want, p := range map[string]*Phase{
		`job "s": threads = 4, and it does only 2 things at once`: {Jobs: []Job{{Name: "s", Own: &Threads{Count: 4}, Stream: stream4K(t, engine.Read, 2, f)}}},
		`job "s": threads = 0: a phase can have from 1 to 1024`:   {Jobs: []Job{{Name: "s", Own: &Threads{}, Stream: stream4K(t, engine.Read, 2, f)}}},
		`job "s": threads = 1000: a phase can have`:               {Threads: 25, Jobs: []Job{{Name: "a", Stream: stream4K(t, engine.Read, 1, f)}, {Name: "s", Own: &Threads{Count: 1000}, Stream: stream4K(t, engine.Read, 1000, f)}}},
		`every job has threads of its own: give engine`:           {Engine: "pool", Jobs: []Job{{Name: "s", Own: &Threads{Count: 1}, Stream: stream4K(t, engine.Read, 1, f)}}},
		`job "s": cpus = 1000: there is no CPU 1000 here`:         {Jobs: []Job{{Name: "s", Own: &Threads{Count: 1, Place: place.Place{CPUs: []int{1000}}}, Stream: stream4K(t, engine.Read, 1, f)}}},
		`: numa = 900: there is no NUMA node 900 here`:            {Place: place.Place{Nodes: []int{900}}, Jobs: oneStream(stream4K(t, engine.Read, 1, f))},
		`job "s": engine = "pool": there is only the run's`:       {Jobs: []Job{{Name: "s", Own: &Threads{Count: 1, Engine: "pool"}, Stream: stream4K(t, engine.Read, 1, f)}}},
	} {
		p.Ops = 1
		if _, err := s.Run(context.Background(), p.defaults()); err == nil || !strings.Contains(err.Error(), want) || !errors.Is(err, ErrPlan) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// Simulated time passes on no CPU.
func TestPlacedOnSim(t *testing.T) {
	s := simSession(t, steady)
	f := s.testFile(t, "f", 1<<20)
	r := play(t, s, &Phase{Ops: 10, Jobs: []Job{{Name: "s", Own: &Threads{Count: 1, Place: place.Place{CPUs: []int{1000}}}, Stream: stream4K(t, engine.Read, 1, f)}}})
	const want = `[{place job "s": CPUs 1000 has no effect: simulated operations take place on no CPU}]`
	if got := fmt.Sprint(r.Warnings); got != want {
		t.Error(got)
	}
}
