package vm

import (
	"fmt"
	"io"
	"os"

	lua "github.com/yuin/gopher-lua"
	"golang.org/x/sys/unix"

	"moonio/engine"
	"moonio/engine/content"
	"moonio/engine/dist"
	"moonio/engine/report"
	"moonio/engine/run"
	"moonio/engine/verify"
)

// data reads what writes carry; nil for the default.
func (m *machine) data(o *options) *content.Spec {
	v := o.get("data")
	if v == lua.LNil {
		return nil
	}
	s := &content.Spec{}
	t, ok := v.(*lua.LTable)
	if !ok {
		s.Kind = o.kind("data", v)
	} else {
		d := &options{L: o.L, call: o.call + ": data", table: t}
		m.dataTable(d, s)
		d.done()
	}
	if err := s.Check(); err != nil {
		o.fail("data", "%v", err)
	}
	return s
}

func (o *options) kind(name string, v lua.LValue) content.Kind {
	for _, k := range []content.Kind{content.Random, content.Zero, content.Repeat} {
		if v == lua.LString(k.String()) {
			return k
		}
	}
	o.fail(name, "%s is not \"random\", \"zero\" or a table such as { kind = \"pattern\", pattern = \"0xdeadbeef\" }", show(v))
	return 0
}

func (m *machine) dataTable(d *options, s *content.Spec) {
	share := d.percent("compress")
	if s.Compress = int(share); float64(s.Compress) != share {
		d.fail("compress", "%v is not a whole number of per cent", share)
	}
	s.Dedupe = d.percent("dedupe")
	s.Pattern = m.pattern(d)
	if s.Pattern.Len() > 0 && s.Compress == 0 {
		s.Kind = content.Repeat
	}
	s.Kind = d.kind("kind", lua.LString(d.choice("kind", s.Kind.String(), "random", "zero", "pattern")))
	s.Chunk = d.size("chunk", 0)
	s.Pool = int(d.integer("pool", 0, 1))
	s.Refill = d.boolean("refill", s.Kind == content.Random && (s.Compress > 0 || s.Dedupe > 0))
}

func (o *options) percent(name string) float64 {
	switch v := o.get(name).(type) {
	case *lua.LNilType:
		return 0
	case lua.LNumber:
		return float64(v)
	default:
		o.fail(name, "%s is not a share in per cent", show(v))
		return 0
	}
}

// pattern reads a pattern of bytes; empty if there is none.
func (m *machine) pattern(o *options) content.Pattern {
	v := o.get("pattern")
	if v == lua.LNil {
		return content.Pattern{}
	}
	s, ok := v.(lua.LString)
	if !ok {
		o.fail("pattern", "%s is not a text such as \"0xdeadbeef\"", show(v))
	}
	p, err := content.ParsePattern(string(s), m.patternFile)
	if err != nil {
		o.fail("pattern", "%v", err)
	}
	return p
}

// patternFile reads a file that is to be part of a pattern.
func (m *machine) patternFile(name string) ([]byte, error) {
	clean, err := m.run.Guard.CheckName(name)
	if err == nil {
		err = m.run.Guard.Readable(clean)
	}
	if err != nil {
		return nil, err
	}
	fs := m.run.Session.FS
	if fs.Memory() {
		return nil, fmt.Errorf("%q holds nothing: files are in memory only", name)
	}
	fd, err := fs.Open(clean, unix.O_RDONLY, 0)
	if err != nil {
		return nil, fmt.Errorf("%q: %w", name, err)
	}
	f := os.NewFile(uintptr(fd), clean)
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, longestPattern+1))
}

// longestPattern is more than a pattern may have.
const longestPattern = 1 << 20

// verification reads how data is verified; nil if it is not. With only, what was written is read back.
func (m *machine) verification(o *options, only bool) *run.Verify {
	v := o.get("verify")
	if v == lua.LNil && !only {
		return nil
	}
	r := &run.Verify{Only: only, Fatal: !only}
	switch v := v.(type) {
	case *lua.LNilType:
	case lua.LString:
		r.Method = o.method("verify", string(v))
	case *lua.LTable:
		d := &options{L: o.L, call: o.call + ": verify", table: v}
		m.verifyTable(d, r)
		d.done()
	default:
		o.fail("verify", "%s is neither a method such as \"crc32c\" nor a table", show(v))
	}
	return r
}

// needsPattern refuses to compare with a pattern where writes carry none.
func (o *options) needsPattern(v *run.Verify, data *content.Spec) {
	if v.Method == verify.Pattern && (data == nil || data.Kind == content.Random) {
		o.fail("verify", "the method \"pattern\" needs a pattern: verify = { method = \"pattern\", pattern = \"0xdeadbeef\" }")
	}
}

func (o *options) text(name string, v lua.LValue) string {
	s, ok := v.(lua.LString)
	if !ok {
		o.fail(name, "%s is not a text", show(v))
	}
	return string(s)
}

func (o *options) method(name, text string) verify.Method {
	method, err := verify.ParseMethod(text)
	if err != nil {
		o.fail(name, "%v", err)
	}
	return method
}

func (m *machine) verifyTable(d *options, r *run.Verify) {
	if v := d.get("method"); v != lua.LNil {
		r.Method = d.method("method", d.text("method", v))
	}
	r.Interval = d.size("interval", 0)
	r.Backlog = d.integer("backlog", 0, 1)
	if r.Batch = d.integer("backlog_batch", 0, 1); r.Batch > 0 && r.Backlog == 0 {
		d.fail("backlog_batch", "it goes with backlog: so many of what that holds are read back at a time")
	}
	r.Only = d.boolean("only", r.Only)
	r.Fatal = d.boolean("fatal", !r.Only)
	r.Dump = d.boolean("dump", false)
	if p := m.pattern(d); p.Len() > 0 {
		r.Data = &content.Spec{Kind: content.Repeat, Pattern: p}
	}
	if v := d.get("state"); v != lua.LNil {
		name, err := m.run.Guard.CheckName(d.text("state", v))
		if err != nil {
			d.fail("state", "%v", err)
		}
		r.State = name
	}
}

// contents reads what a stream's writes carry and how it is verified. A stream that only reads back
// does nothing else of what its options say.
func (m *machine) contents(o *options, s *run.Stream, only bool) {
	s.Data = m.data(o)
	s.Verify = m.verification(o, only)
	v := s.Verify
	switch {
	case v == nil:
		return
	case v.Data != nil && s.Data != nil:
		o.fail("verify", "pattern and the option data both say what writes carry: give one of them")
	case s.Data != nil && s.Data.Dedupe > 0:
		o.fail("verify", "data with dedupe: every verified block has a header of its own, so that none repeats")
	}
	data := v.Data
	if data == nil {
		data = s.Data
	}
	o.needsPattern(v, data)
	if v.Only {
		v.Passes = s.Passes
	}
}

// verifyFile begins the verification of a file that was opened for it.
func (m *machine) verifyFile(f *file, v *run.Verify) error {
	if v == nil || m.run.Plan != nil {
		return nil
	}
	if v.Interval == 0 {
		v.Interval = defaultBlock
	}
	return m.run.Session.Verify(f.File, v)
}

// openState opens the file in which what is known of a verified one outlives the run.
func (r *Run) openState(name string, create bool) (int, error) {
	flags, err := unix.O_RDWR, error(nil)
	if create {
		flags |= unix.O_CREAT
		_, err = r.Guard.WillCreate(name)
	} else {
		err = r.Guard.Writable(name)
	}
	if err != nil {
		return 0, err
	}
	return r.Session.FS.Open(name, flags, 0o644)
}

// openKept opens a file for a block that mismatches.
func (r *Run) openKept(name string) (int, error) {
	if _, err := r.Guard.WillCreate(name); err != nil {
		return 0, err
	}
	return r.Session.FS.Open(name, unix.O_WRONLY|unix.O_CREAT|unix.O_TRUNC, 0o644)
}

// endVerification keeps what is known of verified files, unless operations may be in flight still.
func (r *Run) endVerification() error {
	if r.abandoned() {
		return nil
	}
	return r.Session.EndVerification()
}

// abandoned says whether phases are left without waiting for what is in flight.
func (r *Run) abandoned() bool {
	select {
	case <-r.Session.Abandon:
		return true
	default:
		return false
	}
}

// verifyJob makes a job from verify([name,] options): it reads back what a stream of these options wrote.
func (m *machine) verifyJob(L *lua.LState) int {
	if _, ok := L.Get(1).(*lua.LTable); ok {
		L.Insert(lua.LString("verify"), 1)
	}
	return m.streamJob(L, "verify", true)
}

// readBack leaves of a stream what reading back needs.
func readBack(j *run.Job) {
	s := j.Stream
	j.Start, j.Duration = 0, 0
	j.Stream = &run.Stream{Files: s.Files, Mix: dist.Mix{{Op: engine.Read, Weight: 1}}, Read: s.Read, Write: s.Write, Depth: s.Depth, Data: s.Data, Verify: s.Verify}
}

// verifyResult is what was verified, as a script sees it.
func (m *machine) verifyResult(v *report.Verification) *lua.LTable {
	t := m.L.NewTable()
	set := func(name string, n int64) { t.RawSetString(name, lua.LNumber(n)) }
	set("checked", v.Checked)
	set("bytes", v.Bytes)
	set("mismatches", v.Mismatches)
	set("unsettled", v.Unsettled)
	set("unknown", v.Unknown)
	m.L.SetMetatable(t, m.noSuchFigure)
	return t
}
