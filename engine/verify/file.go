package verify

import (
	"encoding/binary"
	"errors"
	"fmt"
	"sync/atomic"

	"moonio/engine/content"
	"moonio/engine/dist"
	"moonio/engine/units"
)

// Config says what a File is verified by.
type Config struct {
	Name     string                   // in messages
	Method   Method                   // what writes get
	Interval int64                    // bytes of a block
	Seed     uint64                   // the run's
	Data     content.Spec             // what follows the headers
	Blind    bool                     // there is no storage: what is read is summed and not judged
	State    *State                   // what outlives the program; nil: nothing does
	Foreign  bool                     // nothing is known of what was written: only what a block says of itself can be judged
	Whose    func(seed uint64) string // names another file by the seed in its blocks; may be nil
	Expect   uint32                   // with Foreign: the generation of every block, if that is known
}

// File is a file whose contents are verified.
type File struct {
	Config
	source *content.Source
	linear *linear // nil: checksums of writes are computed as those of reads
	table  table
	size   int    // of a header
	seed   uint64 // of the file's own

	sequence atomic.Uint64
	epoch    atomic.Uint32 // of writes that complete now
	synced   atomic.Uint32 // the last epoch whose writes are durable
}

// Check says what of the description can't be. An interval of 0 is not known yet.
func (c *Config) Check() error {
	if c.Method == Pattern && c.Data.Kind == content.Random {
		return fmt.Errorf("verify: the method %q needs data that is a pattern or zero", c.Method)
	}
	if c.Data.Dedupe > 0 {
		return fmt.Errorf("verify: dedupe = %v: every block has a header of its own, so that none repeats", c.Data.Dedupe)
	}
	if c.Interval != 0 {
		if err := CheckInterval(c.Interval); err != nil {
			return fmt.Errorf("verify: %w", err)
		}
	}
	return c.Data.Check()
}

// New makes a File. It owns the state from then on, whether it succeeds or not.
func New(c Config) (*File, error) {
	f, err := newFile(c)
	if err != nil && c.State != nil {
		err = errors.Join(err, c.State.close())
	}
	return f, err
}

func newFile(c Config) (*File, error) {
	f := &File{Config: c, size: c.Method.headerSize()}
	if err := errors.Join(c.Check(), CheckInterval(c.Interval)); err != nil {
		return nil, err
	}
	run := c.Seed
	f.epoch.Store(1)
	f.table.make = func(int) ([]byte, error) { return make([]byte, chunkSize), nil }
	if c.State != nil {
		run = c.State.seed
		f.sequence.Store(c.State.sequence)
		f.epoch.Store(c.State.epoch)
		f.synced.Store(c.State.synced)
		f.table.make = c.State.chunk
		if err := f.adopt(); err != nil {
			return nil, err
		}
	}
	f.seed = dist.Derive(run, dist.Label(c.Name))
	var err error
	if f.source, err = content.New(c.Data, run, c.Interval, min(sector, int(c.Interval))); err != nil {
		return nil, err
	}
	f.linear = f.newLinear()
	return f, nil
}

// adopt makes room for what the state knows of already.
func (f *File) adopt() error {
	if n := f.State.chunks; n > 0 {
		return f.table.reach(0, int64(n)*chunkUnits-1)
	}
	return nil
}

// Own says whether a seed is the one in the file's blocks.
func (f *File) Own(seed uint64) bool { return seed == f.seed }

// inside are the blocks that lie in a range whole.
func (f *File) inside(off, n int64) (first, end int64) {
	first, end = (off+f.Interval-1)/f.Interval, (off+n)/f.Interval
	return first, max(first, end)
}

// touched are the blocks of which a range has a part.
func (f *File) touched(off, n int64) (first, end int64) {
	return off / f.Interval, (off + n + f.Interval - 1) / f.Interval
}

// Prime puts into a buffer for writes what all of them have in common. It must be done again when
// something else was put there.
func (f *File) Prime(b []byte) {
	for ; len(b) > 0; b = b[min(f.Interval, int64(len(b))):] {
		f.source.Prime(b[:min(f.Interval, int64(len(b)))])
	}
}

// Write makes b, which was primed, what is to be written at off, and notes that the write has
// begun. Wrote must follow. A block that is written in part can't be verified any more.
func (f *File) Write(b []byte, off int64) error {
	n := int64(len(b))
	first, end := f.touched(off, n)
	if err := f.reach(off, first, end); err != nil {
		return err
	}
	shifted := off%f.Interval != 0 // blocks begin elsewhere in b than Prime thought
	var e entry
	for w := f.table.walk(first, end); w.next(&e); {
		g := e.begin()
		at := w.unit*f.Interval - off
		whole := at >= 0 && at+f.Interval <= n
		if !whole {
			e.forget()
		}
		w.keep(&e)
		if !whole {
			f.part(b, off, w.unit)
			continue
		}
		block := b[at : at+f.Interval]
		if shifted {
			f.source.Prime(block)
		}
		f.build(block, w.unit, g, f.sequence.Add(1))
	}
	return nil
}

// reach makes room for the entries of the blocks of a range that begins at off.
func (f *File) reach(off, first, end int64) error {
	if most := int64(maxChunks * chunkUnits); end > most {
		return fmt.Errorf("verify: offset %d of %q: of blocks of %s what lies behind %s can't be known", off, f.Name, units.FormatSize(f.Interval), units.FormatSize(most*f.Interval))
	}
	return f.table.reach(first, end-1)
}

// Aligned says whether a range begins and ends with blocks. After a Write of another the buffer must
// be primed again.
func (f *File) Aligned(off, n int64) bool { return off%f.Interval == 0 && n%f.Interval == 0 }

// part fills what a write has of a block.
func (f *File) part(b []byte, off, unit int64) {
	from := max(unit*f.Interval-off, 0)
	to := min((unit+1)*f.Interval-off, int64(len(b)))
	f.source.Make(b[from:to], off+from, f.sequence.Add(1))
}

// build makes a primed block that of a generation.
func (f *File) build(b []byte, unit int64, generation uint32, sequence uint64) {
	off := unit * f.Interval
	h := header{generation: generation, offset: off, sequence: sequence, seed: f.seed, length: uint32(f.Interval), method: f.Method}
	key := f.key(off, generation)
	if l := f.linear; l != nil {
		mask := f.source.Mask(key)
		f.source.Stamp(b, mask)
		binary.LittleEndian.PutUint64(b[atSum:], l.sum(mask))
		h.put(b)
		return
	}
	f.source.Fill(b, off, key)
	if f.Method != Pattern {
		h.sum(b)
		h.put(b)
	}
}

// key is what a block's content follows from. Its multiples are far enough apart that the
// contents of two blocks have nothing in common.
func (f *File) key(off int64, generation uint32) uint64 {
	return f.seed + uint64(off)*0x9e3779b97f4a7c15 + uint64(generation)*0xd1342543de82ef95
}

// Wrote notes how a write ended: res is the bytes that were written, or below 0. durable says that
// what was written outlives the machine.
func (f *File) Wrote(off, n, res int64, durable bool) {
	first, end := f.touched(off, n)
	epoch, synced := f.epoch.Load(), f.synced.Load()
	if durable {
		epoch = 0
	}
	var e entry
	for w := f.table.walk(first, end); w.next(&e); {
		from := w.unit * f.Interval
		whole := from >= off && from+f.Interval <= off+n
		e.end(whole && from+f.Interval <= off+res, epoch, synced)
		if !whole {
			e.forget()
		}
		w.keep(&e)
	}
}

// Destroy notes that something has begun which leaves blocks with contents that are not
// known, such as a trim. Destroyed must follow.
func (f *File) Destroy(off, n int64) error {
	first, end := f.touched(off, n)
	if end <= first {
		return nil
	}
	if err := f.reach(off, first, end); err != nil {
		return err
	}
	var e entry
	for w := f.table.walk(first, end); w.next(&e); {
		e.begin()
		e.forget()
		w.keep(&e)
	}
	return nil
}

// Destroyed notes that what Destroy began has ended.
func (f *File) Destroyed(off, n int64) {
	first, end := f.touched(off, n)
	var e entry
	for w := f.table.walk(first, end); w.next(&e); {
		e.end(false, 0, 0)
		e.forget()
		w.keep(&e)
	}
}

// Truncated notes that nothing is known any more from an offset on. No write may be in flight there.
func (f *File) Truncated(off int64) {
	var e entry
	for w := f.table.walk(off/f.Interval, max(off/f.Interval, f.units())); w.next(&e); {
		e.forget()
		w.keep(&e)
	}
}

// units is how many blocks there may be entries of.
func (f *File) units() int64 {
	if c := f.table.chunks.Load(); c != nil {
		return int64(len(*c)) * chunkUnits
	}
	return 0
}

// Syncing begins a sync; what has been written when it is called is durable when it has
// completed, which Synced is to be told.
func (f *File) Syncing() (epoch uint32) {
	e := f.epoch.Add(1)
	if f.State != nil {
		f.State.note(f.sequence.Load(), e, f.synced.Load())
	}
	return e - 1
}

// Synced notes that the sync which began that epoch's end has completed.
func (f *File) Synced(epoch uint32) {
	for old := f.synced.Load(); old < epoch; old = f.synced.Load() {
		if f.synced.CompareAndSwap(old, epoch) {
			break
		}
	}
	if f.State != nil {
		f.State.note(f.sequence.Load(), f.epoch.Load(), f.synced.Load())
	}
}

// Next is the first range from off to end that blocks known to be written are in, of at most n
// bytes; false if there is none. With Foreign every block may have been written.
func (f *File) Next(off, end, n int64) (at, length int64, ok bool) {
	first, last := f.inside(off, end-off)
	if f.Foreign {
		return first * f.Interval, min(n, (last-first)*f.Interval), first < last
	}
	var e entry
	for u := first; u < min(last, f.units()); u = (u/chunkUnits + 1) * chunkUnits {
		if f.table.at(u) == nil {
			continue
		}
		for w := f.table.walk(u, min(last, (u/chunkUnits+1)*chunkUnits)); w.next(&e); {
			if e.low() == 0 {
				continue
			}
			unit := w.unit
			w.stop()
			at = unit * f.Interval
			return at, min(n, last*f.Interval-at), true
		}
	}
	return 0, 0, false
}

// Close ends the verification; no write may be in flight. What is known is kept in the state.
func (f *File) Close() error {
	if f.State == nil {
		return nil
	}
	f.State.note(f.sequence.Load(), f.epoch.Load(), f.synced.Load())
	return f.State.close()
}
