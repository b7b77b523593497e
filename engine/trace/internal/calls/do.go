package calls

import (
	"moonio/engine"
	"moonio/engine/trace"
	"moonio/engine/trace/internal/scan"
)

// Why a call of interest gives no record.
const (
	skipFailed   = errSkip("calls that failed")
	skipNothing  = errSkip("reads at the end of a file, and transfers of 0 bytes")
	skipState    = errSkip("calls that move no data (open, close, lseek and their like)")
	skipOther    = errSkip("other calls")
	skipMsync    = errSkip("msync: what it makes durable is not in the trace")
	skipSync     = errSkip("sync and syncfs: they are for whole file systems")
	skipUring    = errSkip("io_uring's calls: what they submit is not in the trace")
	skipSubmit   = errSkip("requests of io_submit that the trace does not show")
	skipFallback = errSkip("fallocate in modes other than reserving and punching holes")
	skipNameless = errSkip("calls on files whose names the trace does not show")
	skipAdvice   = errSkip("advice (fadvise, readahead)")
)

// Do takes a call that has returned: it changes the machine's state, and gives the records
// that the call makes, valid until the next call of Do. reason says why there is none, bad
// why the call cannot be understood; err ends the trace.
func (m *Machine) Do(p *Process, c *Call) (out []trace.Record, reason, bad string, err error) {
	m.out = m.out[:0]
	err = m.do(p, c)
	for i := range m.out {
		m.out[i].Time, m.out[i].Stream = c.Time, p.Stream
	}
	switch e := err.(type) {
	case errSkip:
		reason, err = string(e), nil
	case errBad:
		bad, err = string(e), nil
		m.out = m.out[:0]
	}
	m.settle()
	return m.out, reason, bad, err
}

// do is a call's effect. It returns errSkip where there is no record, or fewer than the
// call had.
func (m *Machine) do(p *Process, c *Call) error {
	if c.ID >= Open {
		return m.state(p, c)
	}
	if c.Ret < 0 && c.ID != Other && c.ID != Uring {
		return skipFailed
	}
	switch c.ID {
	case Read, Write:
		return m.transfer(p, c, opOf(c.ID == Write))
	case Pread, Pwrite:
		return m.transferAt(p, c, opOf(c.ID == Pwrite))
	case Fsync:
		return m.onFile(p, c, trace.Record{Op: engine.Fsync})
	case Fdatasync:
		return m.onFile(p, c, trace.Record{Op: engine.Fdatasync})
	case SyncRange:
		return m.onRange(p, c, engine.SyncRange, 1)
	case Truncate, Ftruncate:
		return m.truncate(p, c)
	case Fallocate:
		return m.fallocate(p, c)
	case CopyRange:
		return m.copy(p, c, 0, 2)
	case Sendfile:
		return m.copy(p, c, 1, 0)
	case Submit:
		return m.submit(p, c)
	}
	return m.invisible(c)
}

// invisible counts calls whose I/O the trace does not show.
func (m *Machine) invisible(c *Call) error {
	switch c.ID {
	case Uring:
		m.log.Note("the processes used io_uring: what they did through it is not in the trace; capture at the block layer instead (perf record -e block:block_rq_issue -e block:block_rq_complete)")
		return skipUring
	case Msync:
		return skipMsync
	case Sync:
		return skipSync
	case Advise:
		return skipAdvice
	case Receive:
		return errSkip(reasons[socket])
	case Mmap:
		if fd, _, ok := parseFD(c.arg(4)); ok && fd >= 0 && c.Ret >= 0 {
			m.log.Note("files were mapped into memory (mmap): what was read and written through the maps is not in the trace")
		}
	}
	return skipOther
}

func opOf(write bool) engine.OpCode {
	if write {
		return engine.Write
	}
	return engine.Read
}

// transfer is a read or write at the file's position.
func (m *Machine) transfer(p *Process, c *Call, op engine.OpCode) error {
	f, err := m.target(p, c.arg(0))
	if err != nil {
		return err
	}
	return m.move(c, f, op, -1, nil)
}

// transferAt is one whose offset is an argument; -1 is the file's position.
func (m *Machine) transferAt(p *Process, c *Call, op engine.OpCode) error {
	f, err := m.target(p, c.arg(0))
	if err != nil {
		return err
	}
	offset, ok := scan.Number(c.arg(3))
	if !ok || offset < -1 {
		return errBad("not an offset")
	}
	return m.move(c, f, op, offset, c.arg(4))
}

// target is the file of an argument, if I/O on it is to be replayed.
func (m *Machine) target(p *Process, arg []byte) (*file, error) {
	f, err := m.file(p, arg)
	if err == nil && f.kind != regular {
		err = errSkip(reasons[f.kind])
	}
	return f, err
}

// move gives the record of what a call transferred; offset -1 is the file's position,
// which then moves on. flags are RWF_ flags.
func (m *Machine) move(c *Call, f *file, op engine.OpCode, offset int64, flags []byte) error {
	if c.Ret == 0 {
		return skipNothing
	}
	r := trace.Record{Op: op, Offset: offset, Length: c.Ret, Latency: c.Latency, File: f.id, Flags: f.flags(op)}
	moves := offset < 0
	if moves {
		r.Offset = f.position
	}
	appends := op == engine.Write && (f.append || rwfAppend.in(flags))
	if appends {
		r.Offset = m.sizes[f.id]
	}
	if !trace.Fits(r.Offset, r.Length) {
		return errBad("offset and length reach beyond 2^63-1")
	}
	end := r.Offset + r.Length
	if op == engine.Write {
		m.sizes[f.id] = max(m.sizes[f.id], end)
		if rwfDsync.in(flags) || rwfSync.in(flags) {
			r.Flags |= trace.FUA
		}
	}
	if moves {
		f.position = end
	}
	if appends {
		r.Offset = trace.AtEnd
	}
	m.out = append(m.out, r)
	return nil
}

// flags are those that the way in which a file was opened gives its I/O.
func (f *file) flags(op engine.OpCode) (flags trace.Flags) {
	if f.sync && op == engine.Write {
		flags = trace.FUA
	}
	if f.direct {
		return flags | trace.Direct
	}
	return flags | trace.Buffered
}

// onFile gives a record for the file of the first argument.
func (m *Machine) onFile(p *Process, c *Call, r trace.Record) error {
	f, err := m.target(p, c.arg(0))
	if err != nil {
		return err
	}
	r.File, r.Latency = f.id, c.Latency
	m.out = append(m.out, r)
	return nil
}

// onRange is a call with an offset and a length, from argument i on.
func (m *Machine) onRange(p *Process, c *Call, op engine.OpCode, i int) error {
	r := trace.Record{Op: op}
	var ok1, ok2 bool
	r.Offset, ok1 = number(c.arg(i))
	r.Length, ok2 = number(c.arg(i + 1))
	if !ok1 || !ok2 || r.Offset < 0 || !trace.Fits(r.Offset, r.Length) {
		return errBad("not an offset and a length that reach no further than 2^63-1")
	}
	return m.onFile(p, c, r)
}

// number is an argument's, 0 if it was not printed.
func number(arg []byte) (int64, bool) {
	if len(arg) == 0 {
		return 0, true
	}
	return scan.Number(arg)
}

func (m *Machine) fallocate(p *Process, c *Call) error {
	mode := c.arg(1)
	switch {
	case punchHole.in(mode):
		return m.onRange(p, c, engine.Trim, 2)
	case reserves(mode):
		return m.onRange(p, c, engine.Allocate, 2)
	}
	return skipFallback
}

// truncate gives a record whose length is the file's new size.
func (m *Machine) truncate(p *Process, c *Call) error {
	size, ok := number(c.arg(1))
	if !ok || size < 0 {
		return errBad("not a size")
	}
	r := trace.Record{Op: engine.Truncate, Length: size, Latency: c.Latency}
	if c.ID == Truncate {
		f := &file{}
		if err := m.named(p, f, nil, c.arg(0)); err != nil {
			return err
		}
		switch {
		case f.kind != regular:
			return errSkip(reasons[f.kind])
		case !f.known:
			return skipNameless
		}
		r.File = f.id
		m.out = append(m.out, r)
	} else if err := m.onFile(p, c, r); err != nil {
		return err
	}
	m.sizes[m.out[0].File] = size
	return nil
}

// copy is a transfer between two descriptors within the kernel: a read and a write, of
// those that are files. in and out are their arguments, each offset behind its own, but
// sendfile has only the input's.
func (m *Machine) copy(p *Process, c *Call, in, out int) error {
	m.log.Note("copies within the kernel (copy_file_range, sendfile, splice) are given as a read and a write, though a file system may have moved no data")
	from, err := m.target(p, c.arg(in))
	if err == nil {
		err = m.copySide(c, from, engine.Read, in+1)
	}
	if ignoreSkip(err) != nil {
		return err
	}
	to, err2 := m.target(p, c.arg(out))
	if err2 == nil {
		at := out + 1
		if c.ID == Sendfile {
			at = c.N // it has no such argument
		}
		err2 = m.copySide(c, to, engine.Write, at)
	}
	if ignoreSkip(err2) == nil && len(m.out) > 0 {
		return nil
	}
	return err2
}

// copySide is one side of a copy, its offset in argument at.
func (m *Machine) copySide(c *Call, f *file, op engine.OpCode, at int) error {
	offset, err := copyOffset(c.arg(at))
	if err != nil {
		return err
	}
	return m.move(c, f, op, offset, nil)
}

// ignoreSkip is err, unless it only says that one side, or one request, gives no record.
func ignoreSkip(err error) error {
	if _, ok := err.(errSkip); ok {
		return nil
	}
	return err
}

// copyOffset parses NULL, which is the file's position (-1), [5] or [5] => [15].
func copyOffset(arg []byte) (int64, error) {
	if len(arg) == 0 || arg[0] == 'N' || string(arg) == "0" {
		return -1, nil
	}
	i := 1
	for i < len(arg) && arg[i] >= '0' && arg[i] <= '9' {
		i++
	}
	at, ok := scan.Uint(arg[min(1, len(arg)):i])
	if arg[0] != '[' || !ok {
		return 0, errSkip("copies whose offsets the trace does not show")
	}
	return at, nil
}
