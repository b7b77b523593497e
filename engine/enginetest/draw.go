package enginetest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"moonio/engine"
)

// step is an operation and what must come of it.
type step struct {
	op   engine.Op
	what string
	want int64 // an open's descriptor counts as 0

	bytes  []byte       // read
	meta   *engine.Meta // stat, list
	opened *handle
	closed *handle
}

// drawer draws operations that may be in flight together: none depends on
// another's effect, so that their order does not matter to what they return.
type drawer struct {
	rng   *rand.Rand
	model model
	open  []*handle
	next  int         // handle's id
	held  map[any]int // by node, handle or path: how many share it, or -1 for one alone
	buf   func(n int, tag byte) []byte
}

const (
	maxFile    = 128 << 10 // bytes
	maxBlock   = 12 << 10
	maxHandles = 24
	maxChain   = 4 // operations
)

// use is a need for something, together with others or alone.
type use struct {
	what  any
	alone bool
}

func shared(what any) use { return use{what, false} }
func alone(what any) use  { return use{what, true} }

// take takes all, or nothing.
func (d *drawer) take(uses ...use) bool {
	for _, u := range uses {
		if n := d.held[u.what]; n < 0 || u.alone && n > 0 {
			return false
		}
	}
	for _, u := range uses {
		if u.alone {
			d.held[u.what] = -1
		} else {
			d.held[u.what]++
		}
	}
	return true
}

// path is the use of a name: of it alone, and of the directories above together with others.
func path(name string) []use {
	uses := []use{alone(name)}
	for i := strings.LastIndexByte(name, '/'); i >= 0; i = strings.LastIndexByte(name, '/') {
		name = name[:i]
		uses = append(uses, shared(name))
	}
	if name != "." {
		uses = append(uses, shared("."))
	}
	return uses
}

// batch draws n operations or fewer, or the rest of a chain more, that may be
// in flight together.
func (d *drawer) batch(n int) []step {
	d.held = map[any]int{}
	var steps []step
	for range n {
		steps = append(steps, d.unit()...)
		if len(steps) >= n {
			break
		}
	}
	return steps
}

// unit draws an operation or a chain; nothing if it would meet another in the batch.
func (d *drawer) unit() []step {
	if len(d.open) == 0 || len(d.open) < maxHandles && d.rng.IntN(4) == 0 {
		return d.openFile()
	}
	h := d.open[d.rng.IntN(len(d.open))]
	switch k := d.rng.IntN(100); {
	case k < 25:
		return d.named()
	case k < 33 || len(d.open) == maxHandles:
		return d.close(h)
	case h.node.dir || !d.take(shared(h), alone(h.node)):
		return nil
	case k < 90:
		return []step{d.onFile(h)}
	}
	return d.chain(h)
}

// chain draws linked operations on one file. The model stands still behind
// one that fails.
func (d *drawer) chain(h *handle) []step {
	var steps []step
	broken := false
	for range 2 + d.rng.IntN(maxChain-1) {
		if broken {
			steps = append(steps, step{op: engine.Op{Code: engine.Fdatasync, Flags: engine.Link, File: steps[0].op.File}, what: "fdatasync behind the failed " + steps[len(steps)-1].what, want: errno(unix.ECANCELED)})
			continue
		}
		s := d.onFile(h)
		s.op.Flags |= engine.Link
		broken = s.want < 0 || s.op.Code.Transfers() && s.want < int64(len(s.op.Buf))
		steps = append(steps, s)
	}
	steps[len(steps)-1].op.Flags &^= engine.Link
	return steps
}

// onFile draws an operation on an open file and applies it to the model.
func (d *drawer) onFile(h *handle) step {
	off, n := d.rng.IntN(maxFile-maxBlock), 1+d.rng.IntN(maxBlock)
	s := step{op: engine.Op{File: &engine.File{FD: h.id}, Off: int64(off), Len: int64(n)}}
	switch k := d.rng.IntN(100); {
	case k < 40:
		s.op.Code, s.op.Buf = engine.Read, d.buf(n, 0)
		s.bytes, s.want = h.readAt(off, n)
	case k < 70:
		s.op.Code, s.op.Buf = engine.Write, d.buf(n, byte(d.rng.Uint32()))
		if k < 43 {
			s.op.Flags = engine.DSync
		}
		s.want = h.writeAt(s.op.Buf, off)
	case k < 80:
		off = len(h.node.data)
		if off > maxFile-maxBlock {
			off = 0
		}
		s.op.Code, s.op.Buf, s.op.Off = engine.Append, d.buf(n, byte(d.rng.Uint32())), int64(off)
		s.want = h.writeAt(s.op.Buf, off)
	case k < 86:
		s.op.Code = []engine.OpCode{engine.Fsync, engine.Fdatasync, engine.SyncRange}[k%3]
	case k < 91:
		s.op.Code, s.op.Len = engine.Truncate, int64(off)
		s.want = h.truncate(off)
	case k < 95:
		s.op.Code, s.want = engine.Allocate, d.model.allocate(h, off, n)
	default:
		s.op.Code, s.want = engine.Trim, d.model.trim(h, off, n)
	}
	s.what = fmt.Sprintf("%v of %s (%d), %d at %d", s.op.Code, h.name, h.id, n, off)
	return s
}

func (d *drawer) close(h *handle) []step {
	if !d.take(alone(h)) {
		return nil
	}
	d.open = slices.DeleteFunc(d.open, func(o *handle) bool { return o == h })
	return []step{{
		op:   engine.Op{Code: engine.Close, File: &engine.File{FD: h.id}},
		what: fmt.Sprintf("close of %s (%d)", h.name, h.id), closed: h,
	}}
}

var drawnFlags = []int{
	unix.O_RDONLY,
	unix.O_RDWR,
	unix.O_RDWR | unix.O_CREAT,
	unix.O_RDWR | unix.O_CREAT,
	unix.O_WRONLY | unix.O_CREAT | unix.O_TRUNC,
	unix.O_RDWR | unix.O_CREAT | unix.O_EXCL,
	unix.O_RDONLY | unix.O_DIRECTORY,
}

func (d *drawer) openFile() []step {
	name, flags := d.name(), drawnFlags[d.rng.IntN(len(drawnFlags))]
	uses := path(name)
	if n, e := d.model.find(name); e == 0 {
		uses = append(uses, use{n, flags&unix.O_TRUNC != 0})
	}
	if !d.take(uses...) {
		return nil
	}
	s := step{
		op:   engine.Op{Code: engine.Open, Meta: &engine.Meta{Path: name, Flags: flags, Perm: 0o644}},
		what: fmt.Sprintf("open of %s with %#x", name, flags),
	}
	if flags&unix.O_EXCL != 0 {
		s.op.Code = engine.Create
	}
	h, e := d.model.open(name, flags)
	if s.want = errno(e); e == 0 {
		h.id = d.next
		d.next++
		d.open = append(d.open, h)
		d.take(alone(h)) // not in the same batch
		s.opened = h
	}
	return []step{s}
}

var (
	drawnDirs  = []string{"d", "e", "f"}
	drawnFiles = []string{"a", "b", "c"}
)

// name draws a path: a directory's, or a file's in the root or in a directory.
// Renames may put either in the other's place.
func (d *drawer) name() string {
	file, dir := drawnFiles[d.rng.IntN(len(drawnFiles))], drawnDirs[d.rng.IntN(len(drawnDirs))]
	switch d.rng.IntN(6) {
	case 0:
		return dir
	case 1, 2:
		return file
	}
	return dir + "/" + file
}

// named draws an operation on names and applies it to the model.
func (d *drawer) named() []step {
	name := d.name()
	m := &engine.Meta{Path: name, Perm: 0o755}
	s := step{op: engine.Op{Meta: m}}
	switch k := d.rng.IntN(100); {
	case k < 30:
		return d.stat(name)
	case k < 45:
		return d.list(name)
	case k < 60:
		if !d.take(path(name)...) {
			return nil
		}
		s.op.Code, s.want = engine.Mkdir, errno(d.model.mkdir(name))
	case k < 75:
		if !d.take(path(name)...) {
			return nil
		}
		s.op.Code, s.want = engine.Unlink, errno(d.model.unlink(name))
	default:
		m.Path2 = d.name()
		if !d.take(both(name, m.Path2)...) {
			return nil
		}
		s.op.Code, s.want = engine.Rename, errno(d.model.rename(name, m.Path2))
	}
	s.what = strings.TrimSpace(fmt.Sprintf("%v of %s %s", s.op.Code, name, m.Path2))
	return []step{s}
}

// both is the use of two names, each thing once.
func both(a, b string) []use {
	strongest := map[any]bool{}
	for _, u := range append(path(a), path(b)...) {
		strongest[u.what] = strongest[u.what] || u.alone
	}
	var uses []use
	for what, alone := range strongest {
		uses = append(uses, use{what, alone})
	}
	return uses
}

func (d *drawer) stat(name string) []step {
	n, e := d.model.find(name)
	uses := path(name)
	if e == 0 {
		uses = append(uses, shared(n))
	}
	if !d.take(uses...) {
		return nil
	}
	s := step{op: engine.Op{Code: engine.Stat, Meta: &engine.Meta{Path: name}}, what: "stat of " + name, want: errno(e)}
	if e == 0 {
		s.meta = &engine.Meta{Size: int64(len(n.data)), Dir: n.dir}
	}
	return []step{s}
}

func (d *drawer) list(name string) []step {
	if d.rng.IntN(3) == 0 {
		name = "."
	}
	if !d.take(path(name)...) {
		return nil
	}
	names, e := d.model.list(name)
	s := step{op: engine.Op{Code: engine.List, Meta: &engine.Meta{Path: name}}, what: "list of " + name, want: errno(e)}
	if e == 0 {
		s.meta = &engine.Meta{Names: names, Dir: true}
	}
	return []step{s}
}
