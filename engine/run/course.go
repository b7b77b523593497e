package run

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"moonio/engine"
	"moonio/engine/dist"
	"moonio/engine/pace"
	"moonio/engine/units"
)

// course is what all workers of one stream share: its choices compiled, and its
// limits.
type course struct {
	spec    *Stream
	mix     *dist.Ops
	targets []*target
	order   dist.Sampler // of targets; nil but for a pattern of them
	turn    atomic.Int64 // of a sequential order: which of the targets, counted on
	open    atomic.Int64 // workers whose part is not over
	ops     budget
	bytes   budget
	moved   atomic.Int64 // bytes, if the page cache is to forget them
	kept    atomic.Int64 // of them, when it forgets the next time
	full    atomic.Bool  // what it writes has found no more room
}

// target is one file of a stream.
type target struct {
	file        *engine.File
	read, write way
	writes      atomic.Int64 // completed, for the syncs that are due after so many
	region      int64        // bytes of a turn of a sequential order
	served      atomic.Int64 // bytes of all turns
	written     extent       // since the last sync_range that was due
	check       *check       // nil: nothing is verified

	// Of what is read back, if that is all that the stream does.
	backMu          sync.Mutex
	backAt, backEnd int64
	backBlock       int64
}

// way is where the operations of one direction go in a file. All workers share it.
type way struct {
	sampler dist.Sampler // nil if the mix has no such operations
	fitter  dist.Fitter  // the same, if it makes operations shorter
	done    atomic.Bool  // all its passes have been made
}

// next is where the next operation of n bytes goes, which may be made shorter; false when all
// passes, of which 0 is no limit, have been made.
func (y *way) next(r *dist.Rand, n *int64, passes int64) (int64, bool) {
	if y.fitter != nil {
		return y.fit(r, n, passes)
	}
	if passes == 0 {
		return y.sampler.Next(r, *n), true
	}
	if y.done.Load() {
		return 0, false
	}
	off, pass := y.sampler.(dist.Passer).NextPass(r, *n) // compile has seen to it that it is one
	if pass >= passes {
		y.done.Store(true)
	}
	return off, pass < passes
}

func (y *way) fit(r *dist.Rand, n *int64, passes int64) (off int64, ok bool) {
	if y.done.Load() {
		return 0, false
	}
	off, fits, pass := y.fitter.Fit(r, *n)
	*n = fits
	if passes > 0 && pass >= passes {
		y.done.Store(true)
		return 0, false
	}
	return off, true
}

// over says whether nothing is left to visit.
func (y *way) over() bool { return y.sampler == nil || y.done.Load() }

func (t *target) over() bool { return t.read.over() && t.write.over() }

// compile prepares what the workers share.
func (p *phase) compile() error {
	p.countParts()
	p.countTurns()
	for i, j := range p.plan.Jobs {
		var c *course
		if j.Stream != nil {
			var err error
			if c, err = p.compileStream(i, j.Stream); err != nil {
				return fmt.Errorf("job %q: %w", j.Name, err)
			}
		}
		p.courses = append(p.courses, c)
	}
	return p.shareChecks()
}

func (p *phase) compileStream(i int, s *Stream) (*course, error) {
	mix, err := s.Mix.Compile()
	if err != nil {
		return nil, err
	}
	c := &course{spec: s, mix: mix}
	c.ops.limit(s.Ops)
	c.bytes.limit(s.Bytes)
	c.kept.Store(s.Forget)
	if c.order, err = s.Order.compile(len(s.Files), dist.Derive(p.seed, uint64(i), 0xf11e)); err != nil {
		return nil, err
	}
	workers := min(p.groupOf(i).threads.Count, s.Depth)
	c.open.Store(int64(workers))
	alone := workers == 1
	for n, f := range s.Files {
		t := &target{file: f, region: s.region(f)}
		if err := p.verifyTarget(s, t); err != nil {
			return nil, err
		}
		c.targets = append(c.targets, t)
		if s.only() {
			continue
		}
		seed := dist.Derive(p.seed, uint64(i), uint64(n), 0xadd7)
		if t.read.sampler, err = s.sampler(&s.Read, f, seed, s.does(false), alone); err != nil {
			return nil, err
		}
		if t.write.sampler, err = s.sampler(&s.Write, f, seed, s.does(true), alone); err != nil {
			return nil, err
		}
		if s.covers() {
			t.write.sampler = t.read.sampler
		}
		t.read.fitter, t.write.fitter = s.Read.fitter(t.read.sampler), s.Write.fitter(t.write.sampler)
		if err := s.checkAppends(f); err != nil {
			return nil, err
		}
	}
	return c, nil
}

func (s *Stream) sampler(a *Access, f *engine.File, seed uint64, used, alone bool) (dist.Sampler, error) {
	if !used {
		return nil, nil
	}
	y, err := a.compile(f, seed, alone)
	if err != nil {
		return nil, err
	}
	if _, ok := y.(dist.Passer); s.Passes > 0 && !ok {
		return nil, fmt.Errorf("passes = %d: %s has no passes; sequential, reverse, strided and permute have", s.Passes, a.At)
	}
	return y, nil
}

// covers says whether reads and writes together visit each block once, by one permutation. With
// Passes each makes its own.
func (s *Stream) covers() bool {
	_, reads := s.Read.At.(dist.Permute)
	_, writes := s.Write.At.(dist.Permute)
	return s.Passes == 0 && reads && writes && s.does(false) && s.does(true) && s.Read == s.Write
}

// startRate is the rate at which r begins, for all time; 0 if nothing is due then.
func startRate(r pace.Rate) (pace.Rate, float64) {
	first := r.Pieces[0].From
	return pace.Rate{Pieces: []pace.Piece{{For: time.Second, From: first, To: first}}, Bytes: r.Bytes}, first
}

// does says whether the mix has operations that take their place from Write, or from
// Read. A trim and a sync_range go where writes go.
func (s *Stream) does(write bool) bool {
	if write {
		return s.has(engine.Write) || s.has(engine.Trim) || s.has(engine.SyncRange)
	}
	return s.has(engine.Read)
}

func (s *Stream) has(c engine.OpCode) bool {
	for _, m := range s.Mix {
		if m.Op == c {
			return true
		}
	}
	return false
}

// maxBlock is the most that one operation transfers.
func (s *Stream) maxBlock() int64 { return max(s.Read.Block.Max(), s.Write.Block.Max(), 1) }

func (a *Access) compile(f *engine.File, seed uint64, alone bool) (dist.Sampler, error) {
	unit := a.Align
	if unit == 0 {
		unit = a.Block.Min()
	}
	size := a.region(f)
	if size <= 0 || a.Offset+size > f.Size() {
		return nil, fmt.Errorf("file %q has %d bytes, and the stream's region is from %d to %d: open the file with a size", f.Name, f.Size(), a.Offset, a.Offset+max(size, a.Block.Max()))
	}
	if f.Direct {
		if err := a.aligned(f, unit); err != nil {
			return nil, err
		}
	}
	if _, ok := a.At.(dist.Permute); ok && a.Block.Step()%unit != 0 {
		return nil, fmt.Errorf("%s in %q: to visit each byte once, the block sizes %s must be multiples of %s, the step between offsets: set align", a.At, f.Name, a.Block, units.FormatSize(unit))
	}
	s, err := a.At.Compile(dist.Region{Start: a.Offset, Size: size, Unit: unit, Max: a.Block.Max(), Alone: alone}, seed)
	if err != nil {
		return nil, fmt.Errorf("%s in %q: %w", a.At, f.Name, err)
	}
	return s, nil
}

// fitter is the sampler, if it is to make operations shorter. In sequence only those of differing sizes
// are, which would leave something out at the region's end.
func (a *Access) fitter(y dist.Sampler) dist.Fitter {
	switch at := a.At.(type) {
	case dist.Strided:
		return nil
	case dist.Sequential:
		if at.Gap > 0 || a.Align > 0 || a.Block.Min() == a.Block.Max() {
			return nil
		}
	}
	f, _ := y.(dist.Fitter)
	return f
}

// region is how many bytes of the file the access is about.
func (a *Access) region(f *engine.File) int64 {
	if a.Size > 0 {
		return a.Size
	}
	return f.Size() - a.Offset
}

// region is how many bytes of a file the stream is about.
func (s *Stream) region(f *engine.File) int64 {
	if !s.does(false) && !s.does(true) {
		return f.Size() // it is appended to
	}
	return max(s.Read.region(f), s.Write.region(f))
}

// aligned refuses before the first operation what the storage would refuse then.
func (a *Access) aligned(f *engine.File, unit int64) error {
	for _, c := range []struct {
		what   string
		off, n int64
	}{{"offset", a.Offset, 0}, {"align", unit, 0}, {"block", 0, a.Block.Min()}, {"block", 0, a.Block.Max()}, {"block_step", 0, a.Block.Step()}} {
		if err := f.Align.Check(c.off, c.n); err != nil {
			return fmt.Errorf("%s on %q: %w", c.what, f.Name, err)
		}
	}
	return nil
}

func (s *Stream) checkAppends(f *engine.File) error {
	if !f.Direct || !s.has(engine.Append) {
		return nil
	}
	for _, n := range []int64{s.Write.Block.Min(), s.Write.Block.Max()} {
		if err := f.Align.Check(f.Tail(), n); err != nil {
			return fmt.Errorf("append to %q: %w", f.Name, err)
		}
	}
	return nil
}
