package vm

import (
	"fmt"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"moonio/engine"
	"moonio/engine/dist"
	"moonio/engine/run"
	"moonio/engine/suggest"
)

const (
	defaultBlock     = 4096
	defaultRateDepth = 256
)

// stream makes a job from stream(name, options).
func (m *machine) stream(L *lua.LState) int { return m.streamJob(L, "stream", false) }

// streamJob makes a stream, or with only a job that reads back what such a stream wrote.
func (m *machine) streamJob(L *lua.LState, call string, only bool) int {
	m.directorOnly(L, call)
	name := m.jobName(L, call)
	o := optionsAt(L, 2, fmt.Sprintf("%s %q", call, name))
	s := &run.Stream{Files: o.files()}
	s.Mix, s.TrimWrite = o.mix()
	o.access(s)
	o.service(s)
	s.Ops = o.integer("ops", 0, 1)
	s.Bytes = o.size("bytes", 0)
	s.Passes = o.integer("passes", 0, 1)
	s.DSync = o.boolean("dsync", false)
	if s.UntilFull = o.boolean("until_full", false); s.UntilFull {
		m.mayFill(o, s)
	}
	s.Forget = o.size("invalidate_every", 0)
	s.MaxLatency = o.duration("max_latency")
	s.Prios = o.prioShares()
	o.flow(s)
	o.sync(s)
	think := o.think(s)
	m.contents(o, s, only)
	own := o.ownThreads()
	depth := int64(1)
	if own != nil {
		depth = int64(own.Count)
	}
	if m.rates(o, s); s.Rate != nil || s.ReadRate != nil && s.WriteRate != nil {
		depth = max(depth, defaultRateDepth)
	}
	s.Depth = int(o.integer("depth", depth, 1))
	j := &job{think: think, Job: run.Job{Name: name, Stream: s, Own: own, Start: o.duration("start"), Duration: o.duration("duration"), EndsPhase: o.boolean("ends_phase", false), After: o.jobNames("after"), Ends: o.jobNames("ends")}}
	o.done()
	if s.Verify != nil && s.Verify.Only {
		readBack(&j.Job)
		j.think, s = nil, j.Stream
	}
	if err := o.writable(m, s); err != nil {
		m.raise(L, err)
	}
	L.Push(m.wrap(j))
	return 1
}

// mayFill refuses to fill what is never full, and a file system that must not be.
func (m *machine) mayFill(o *options, s *run.Stream) {
	if m.run.Plan != nil {
		return
	}
	if m.run.Session.FS.Memory() {
		o.fail("until_full", "files are in memory only, and there is no file system that could be full")
	}
	for _, f := range s.Files {
		if f.Device {
			o.fail("until_full", "%q is a device, which is as large as it is", f.Name)
		}
		if m.run.Brim == nil {
			continue
		}
		if err := m.run.Brim(f.Name); err != nil {
			o.fail("until_full", "%v", err)
		}
	}
}

// jobNames reads the names of other jobs: of those that must be over before this one begins, or that end with it.
func (o *options) jobNames(option string) (names []string) {
	switch v := o.get(option).(type) {
	case *lua.LNilType:
	case lua.LString:
		names = append(names, string(v))
	case *lua.LTable:
		for _, v := range o.list(option, v) {
			name, ok := v.(lua.LString)
			if !ok {
				o.fail(option, "%s is not a job's name", show(v))
			}
			names = append(names, string(name))
		}
	default:
		o.fail(option, "%s is not a job's name, or a list of them", show(v))
	}
	return names
}

// streamOps are the operations that a stream can be made of.
var streamOps = []engine.OpCode{engine.Read, engine.Write, engine.Append, engine.Trim, engine.Fsync, engine.Fdatasync, engine.SyncRange}

// trimWrite is the name of a trim that a write of the same place follows.
const trimWrite = "trimwrite"

func (o *options) op(name string) engine.OpCode {
	if name == trimWrite {
		return engine.Trim
	}
	known := []string{trimWrite}
	for _, c := range streamOps {
		if c.String() == name {
			return c
		}
		known = append(known, c.String())
	}
	o.fail("op", "%q is not one of %s%s", name, strings.Join(known, ", "), suggest.Hint(name, known))
	return 0
}

// mix reads the stream's operations, and whether writes follow its trims.
func (o *options) mix() (mix dist.Mix, follow bool) {
	switch v := o.get("op").(type) {
	case *lua.LNilType:
		return dist.Mix{{Op: engine.Read, Weight: 1}}, false
	case lua.LString:
		return dist.Mix{{Op: o.op(string(v)), Weight: 1}}, v == trimWrite
	case *lua.LTable:
		follow = v.RawGetString(trimWrite) != lua.LNil
		if follow && v.RawGetString(engine.Trim.String()) != lua.LNil {
			o.fail("op", "trim and trimwrite exclude each other in one stream: make it two")
		}
		for _, e := range sorted(v) {
			w, ok := e.value.(lua.LNumber)
			if !ok || w <= 0 {
				o.fail("op", "%s = %s: the weight of an operation is a number above 0", e.name, show(e.value))
			}
			mix = append(mix, dist.Share{Op: o.op(e.name), Weight: float64(w)})
		}
		if len(mix) == 0 {
			o.fail("op", "the table is empty: write { read = 70, write = 30 }")
		}
		return mix, follow
	default:
		o.fail("op", "%s: write \"read\" or { read = 70, write = 30 }", show(v))
		return nil, false
	}
}

func (o *options) files() []*engine.File {
	one, many := o.get("file"), o.get("files")
	values := []lua.LValue{one}
	if many != lua.LNil {
		t, ok := many.(*lua.LTable)
		if !ok || t.Len() == 0 || one != lua.LNil {
			o.fail("files", "give either file, or a list of files that open returned")
		}
		values = o.list("files", t)
	}
	var files []*engine.File
	for _, v := range values {
		f := asFile(v)
		switch {
		case v == lua.LNil:
			o.missing("file", "a file that open returned")
		case f == nil:
			o.fail("file", "%s is not a file that open returned", show(v))
		case f.closed.Load():
			o.fail("file", "%q has been closed", f.path)
		}
		files = append(files, f.File)
	}
	return files
}

// access reads where the stream's operations go and how large they are.
func (o *options) access(s *run.Stream) {
	both := run.Access{
		At:     o.pattern("at", dist.Uniform{}),
		Block:  o.block("block", mustSize(defaultBlock)),
		Offset: o.size("offset", 0),
		Size:   o.size("size", 0),
		Align:  o.size("align", 0),
	}
	s.Read, s.Write = both, both
	s.Read.At, s.Write.At = o.pattern("read_at", both.At), o.pattern("write_at", both.At)
	s.Read.Block, s.Write.Block = o.block("read_block", both.Block), o.block("write_block", both.Block)
	if o.has("block_step") && !s.Read.Block.Ranges() && !s.Write.Block.Ranges() {
		o.fail("block_step", "it is of a range of block sizes, as in block = \"1000-5000\", and the stream has none")
	}
}

func mustSize(n int64) dist.Sizes {
	s, err := dist.OneSize(n)
	if err != nil {
		panic(err) // a constant of this program
	}
	return s
}

func (o *options) pattern(name string, otherwise dist.Pattern) dist.Pattern {
	switch v := o.get(name).(type) {
	case *lua.LNilType:
		return otherwise
	case *lua.LUserData:
		if u, ok := v.Value.(*patternUse); ok {
			return u.Pattern
		}
	case *lua.LFunction:
		o.fail(name, "this is a function: call it, as in at = random()")
	}
	o.fail(name, "%s is not a pattern such as random(), sequential() or zipf(1.1)", show(o.get(name)))
	return nil
}

func (o *options) block(name string, otherwise dist.Sizes) dist.Sizes {
	step := o.size("block_step", 0)
	v := o.get(name)
	var s dist.Sizes
	var err error
	switch v := v.(type) {
	case *lua.LNilType:
		return otherwise
	case lua.LString:
		s, err = dist.ParseSizes(string(v), step)
	case *lua.LTable:
		s, err = blockTable(v, step)
	default:
		var n int64
		if n, err = toSize(v); err == nil {
			s, err = dist.OneSize(n)
		}
	}
	if err != nil {
		o.fail(name, "%v", err)
	}
	return s
}

// blockTable reads { ["4KiB"] = 60, ["64KiB"] = 40 }.
func blockTable(t *lua.LTable, step int64) (dist.Sizes, error) {
	var shares []dist.SizeShare
	for _, e := range sorted(t) {
		w, ok := e.value.(lua.LNumber)
		if !ok {
			return dist.Sizes{}, fmt.Errorf("[%q] = %s: the weight of a size is a number", e.name, show(e.value))
		}
		one, err := dist.ParseSizes(e.name, step)
		if err != nil {
			return dist.Sizes{}, err
		}
		shares = append(shares, dist.SizeShare{Min: one.Min(), Max: one.Max(), Weight: float64(w), Step: step})
	}
	return dist.NewSizes(shares...)
}

// sync reads after how many writes there is a sync, and of which kind.
func (o *options) sync(s *run.Stream) {
	switch o.choice("sync_at_end", "", "fsync", "fdatasync") {
	case "fsync":
		s.SyncEnd = engine.Fsync
	case "fdatasync":
		s.SyncEnd = engine.Fdatasync
	}
	for _, c := range []engine.OpCode{engine.Fsync, engine.Fdatasync, engine.SyncRange} {
		n := o.integer(c.String(), 0, 1)
		if n == 0 {
			continue
		}
		s.Syncs = append(s.Syncs, run.SyncEvery{Code: c, Writes: n})
	}
}

// writable refuses a stream that would write to a file it may only read.
func (o *options) writable(m *machine, s *run.Stream) error {
	for _, share := range s.Mix {
		if !share.Op.Writes() && share.Op != engine.SyncRange {
			continue
		}
		for _, f := range s.Files {
			if f.ReadOnly {
				return fmt.Errorf("%s: %w", o.call, m.readOnly(f))
			}
		}
	}
	return nil
}
