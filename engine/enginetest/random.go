package enginetest

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"moonio/engine"
)

// Outcome is what a seeded sequence of operations did.
type Outcome struct {
	Results []string          // what each operation returned
	Times   []int64           // when its completion was handed out, on the engine's clock
	Sizes   map[string]int64  // of the files at the end
	Data    map[string]string // their contents, if they have any
}

// Random performs about n operations that the seed decides, with many in
// flight, and holds each result, each byte read and the files at the end to a
// model. The same seed gives every engine the same operations.
func Random(t *testing.T, target Target, seed uint64, n int) *Outcome {
	t.Helper()
	p := newPlay(t, target, seed)
	for len(p.outcome.Results) < n && !t.Failed() {
		p.batch()
	}
	return p.end()
}

// Hours performs operations for a time on the engine's clock, as Random does,
// with pauses up to 4 s. It is for engines whose clock is virtual.
func Hours(t *testing.T, target Target, seed uint64, d time.Duration) *Outcome {
	t.Helper()
	p := newPlay(t, target, seed)
	if !p.r.e.Info().Virtual {
		t.Skip("the clock is real")
	}
	last := p.r.e.Now()
	for end := last + int64(d); last < end && !t.Failed(); {
		p.batch()
		now := p.r.e.Now()
		if now < last {
			t.Fatalf("the clock went back from %d to %d", last, now)
		}
		deadline := now + p.d.rng.Int64N(4*int64(time.Second))
		if got := p.r.wait(p.r.out, 1, deadline); len(got) != 0 {
			t.Fatalf("%d completions with nothing in flight", len(got))
		}
		if last = p.r.e.Now(); last < deadline {
			t.Fatalf("back %d ns before the deadline", deadline-last)
		}
	}
	return p.end()
}

// Compare gives two engines the same operations and compares what came of them.
func Compare(t *testing.T, a, b Target, seed uint64, n int) {
	t.Helper()
	x, y := Random(t, a, seed, n), Random(t, b, seed, n)
	diff(t, x.Results, y.Results)
	if !maps.Equal(x.Sizes, y.Sizes) {
		t.Errorf("sizes at the end: %v; the other: %v", x.Sizes, y.Sizes)
	}
	if x.Data != nil && y.Data != nil && !maps.Equal(x.Data, y.Data) {
		t.Error("the files' contents differ at the end")
	}
}

func diff(t *testing.T, a, b []string) {
	t.Helper()
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			t.Fatalf("operation %d: %s; the other: %s", i, a[i], b[i])
		}
	}
	if len(a) != len(b) {
		t.Errorf("%d operations; the other: %d", len(a), len(b))
	}
}

// play is a sequence of operations under way.
type play struct {
	r       *rig
	d       *drawer
	files   map[int]*engine.File // by handle
	outcome *Outcome
}

func newPlay(t *testing.T, target Target, seed uint64) *play {
	t.Helper()
	r := newRig(t, target, slots)
	p := &play{r: r, files: map[int]*engine.File{}, outcome: &Outcome{Sizes: map[string]int64{}}}
	if r.contents() {
		p.outcome.Data = map[string]string{}
	}
	p.d = &drawer{rng: rand.New(rand.NewPCG(seed, 0)), model: model{root: newNode(true)}, buf: r.buf}
	p.d.model.noTrim, p.d.model.noAlloc = r.lacks()
	t.Cleanup(func() {
		for _, f := range p.files {
			r.must(r.fs.Close(f.FD))
		}
	})
	return p
}

// lacks says what the file system can't do.
func (r *rig) lacks() (trim, allocate bool) {
	r.t.Helper()
	fd, err := r.fs.Open("probe", unix.O_RDWR|unix.O_CREAT, 0o644)
	r.must(err)
	trim = errors.Is(r.fs.Trim(fd, 0, 4096), unix.EOPNOTSUPP)
	allocate = errors.Is(r.fs.Allocate(fd, 0, 4096), unix.EOPNOTSUPP)
	r.must(r.fs.Close(fd))
	r.must(r.fs.Unlink("probe"))
	return trim, allocate
}

// batch draws operations, has them performed at once and checks them.
func (p *play) batch() {
	p.r.t.Helper()
	steps := p.d.batch(1 + p.d.rng.IntN(slots-maxChain))
	for i := range steps {
		op := &steps[i].op
		if op.File != nil {
			op.File = p.files[op.File.FD]
		}
		p.r.ops[i] = *op
	}
	p.r.submit(p.r.ops, upTo(len(steps))...)
	first := len(p.outcome.Results)
	p.outcome.Results = append(p.outcome.Results, make([]string, len(steps))...)
	p.outcome.Times = append(p.outcome.Times, make([]int64, len(steps))...)
	for _, c := range p.r.collect(len(steps)) {
		p.outcome.Times[first+int(c.Slot)] = p.r.e.Now()
		p.outcome.Results[first+int(c.Slot)] = p.check(&steps[c.Slot], c.Res)
	}
	for i := range steps {
		p.r.arena.Put(steps[i].op.Buf)
	}
}

// check compares a result with the model's and says it in a line.
func (p *play) check(s *step, res int64) string {
	t := p.r.t
	t.Helper()
	if s.opened != nil && res >= 0 {
		f := p.r.file(s.opened.name, int(res))
		p.files[s.opened.id] = f
		res = 0
	}
	p.r.want(s.what, res, s.want)
	if s.closed != nil && res == 0 {
		p.r.ids.Release(p.files[s.closed.id].ID)
		delete(p.files, s.closed.id)
	}
	line := s.what + ": " + text(res)
	if res == s.want && res > 0 && s.bytes != nil && p.r.contents() && !bytes.Equal(s.op.Buf[:res], s.bytes) {
		t.Errorf("%s: wrong bytes", s.what)
	}
	if m := s.op.Meta; s.meta != nil && res == 0 {
		// A directory's size is its file system's affair.
		if m.Dir != s.meta.Dir && s.op.Code == engine.Stat || !s.meta.Dir && m.Size != s.meta.Size || !slices.Equal(m.Names, s.meta.Names) {
			t.Errorf("%s: %+v, want %+v", s.what, *m, *s.meta)
		}
		line += fmt.Sprint(" ", s.meta.Size, s.meta.Names)
	}
	return line
}

// end compares the files with the model's.
func (p *play) end() *Outcome {
	p.r.t.Helper()
	p.compare(".", p.d.model.root)
	return p.outcome
}

func (p *play) compare(name string, n *node) {
	t := p.r.t
	t.Helper()
	if !n.dir {
		p.compareFile(name, n)
		return
	}
	names, err := p.r.fs.List(name)
	want := slices.Sorted(maps.Keys(n.children))
	if err != nil || !slices.Equal(names, want) {
		t.Errorf("directory %s holds %q, %v, want %q", name, names, err, want)
		return
	}
	for _, base := range want {
		p.compare(name+"/"+base, n.children[base])
	}
}

func (p *play) compareFile(name string, n *node) {
	t := p.r.t
	t.Helper()
	size, _, err := p.r.fs.Stat(name)
	p.r.must(err)
	p.r.want("size of "+name, size, int64(len(n.data)))
	p.outcome.Sizes[name] = size
	if !p.r.contents() {
		return
	}
	got := p.r.onDisk(&engine.File{Name: name})
	if !bytes.Equal(got, n.data) {
		t.Errorf("%s does not hold what was written", name)
	}
	p.outcome.Data[name] = string(got)
}

func testRandom(t *testing.T, target Target) {
	for seed := range uint64(3) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) { Random(t, target, seed, 600) })
	}
}

func testHours(t *testing.T, target Target) {
	first := Hours(t, target, 1, time.Hour)
	t.Run("again", func(t *testing.T) {
		again := Hours(t, target, 1, time.Hour)
		diff(t, first.Results, again.Results)
		if !slices.Equal(first.Times, again.Times) {
			t.Error("the same seed gives other times")
		}
	})
}
