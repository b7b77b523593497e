package calls

import (
	"bytes"

	"moonio/engine"
	"moonio/engine/trace"
	"moonio/engine/trace/internal/scan"
)

// submit takes the requests of io_submit: those that it accepted, as many as it returned. They are given
// once they have completed; if that is not seen, their lengths are what was asked for.
func (m *Machine) submit(p *Process, c *Call) error {
	rest := c.arg(2)
	if len(rest) == 0 || rest[0] != '[' {
		rest = nil
	} else {
		rest = rest[1:]
	}
	missing := error(nil)
	var n int64
	for ; n < c.Ret; n++ {
		request, after, ends := braced(rest)
		if !ends {
			return errBad("requests that do not end")
		}
		if after == nil {
			break
		}
		switch err := m.request(p, c, request); {
		case err != nil && ignoreSkip(err) != nil:
			return err
		case err != nil:
			missing = err
		}
		rest = after
	}
	if n < c.Ret {
		m.log.Note("not all requests of io_submit are in the trace: strace prints as many as -s says, none with -s0 and 32 without it; capture with a larger -s, or at the block layer")
		m.log.SkipMany(string(skipSubmit), min(c.Ret-n-1, maxHidden))
		return skipSubmit
	}
	return missing
}

// maxHidden is more than one call submits: a number beyond it is garbage.
const maxHidden = 1 << 20

// braced is what the next braces of b enclose, and what comes after them, nil if there are none; ends says whether they
// are closed.
func braced(b []byte) (inside, after []byte, ends bool) {
	start := bytes.IndexByte(b, '{')
	if start < 0 {
		return nil, nil, true
	}
	end := braceEnd(b[start:])
	if end < 0 {
		return nil, nil, false
	}
	return b[start+1 : start+end-1], b[start+end:], true
}

// braceEnd is where what begins with a brace ends, behind the closing one; -1 if nowhere.
func braceEnd(b []byte) int {
	depth := 0
	for i := 0; i < len(b); i++ {
		switch b[i] {
		case '"':
			end := quoteEnd(b, i)
			if end < 0 {
				return -1
			}
			i = end - 1
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return -1
}

// quoteEnd is where the string that begins with the quote at b[at] ends, behind the closing
// quote; -1 if nowhere.
func quoteEnd(b []byte, at int) int {
	for i := at + 1; ; i++ {
		next := bytes.IndexByte(b[i:], '"')
		if next < 0 {
			return -1
		}
		i += next
		escapes := 0
		for b[i-1-escapes] == '\\' {
			escapes++
		}
		if escapes%2 == 0 {
			return i + 1
		}
	}
}

// request is one iocb, without its braces.
func (m *Machine) request(p *Process, c *Call, b []byte) error {
	f, err := m.target(p, value(b, "fildes="))
	if err != nil {
		return err
	}
	r := trace.Record{Time: c.Time, Stream: p.Stream, File: f.id, Latency: trace.Unknown}
	switch opcode := value(b, "lio_opcode="); {
	case contains(opcode, "IOCB_CMD_PREAD") || contains(opcode, "IOCB_CMD_PREADV"):
		r.Op = engine.Read
	case contains(opcode, "IOCB_CMD_PWRITE") || contains(opcode, "IOCB_CMD_PWRITEV"):
		r.Op = engine.Write
	case contains(opcode, "IOCB_CMD_FSYNC"):
		r.Op = engine.Fsync
	case contains(opcode, "IOCB_CMD_FDSYNC"):
		r.Op = engine.Fdatasync
	default:
		return errSkip("requests of io_submit that are neither reads, writes nor syncs")
	}
	r.Flags = f.flags(r.Op)
	if r.Op.Transfers() {
		if err := m.requestRange(b, f, &r); err != nil {
			return err
		}
	}
	k := key{table: p.table}
	k.context, _ = scan.Number(c.arg(0))
	k.data, _ = number(value(b, "data="))
	m.await(r, k)
	return nil
}

func (m *Machine) requestRange(b []byte, f *file, r *trace.Record) error {
	var ok bool
	if r.Offset, ok = number(value(b, "offset=")); !ok {
		return errBad("not an offset")
	}
	if r.Length, ok = requestLength(b); !ok || r.Offset < 0 || !trace.Fits(r.Offset, r.Length) {
		return errBad("offset and length reach beyond 2^63-1")
	}
	if r.Length == 0 {
		return skipNothing
	}
	if r.Op == engine.Write {
		m.sizes[f.id] = max(m.sizes[f.id], r.Offset+r.Length)
		if f.append {
			r.Offset = trace.AtEnd
		}
	}
	return nil
}

// requestLength is a request's: that of its buffer, or of its vector's together.
func requestLength(b []byte) (total int64, ok bool) {
	if n := value(b, "nbytes="); n != nil {
		return number(n)
	}
	for rest := b; ; {
		i := bytes.Index(rest, []byte("iov_len="))
		if i < 0 {
			return total, true
		}
		rest = rest[i:]
		n, ok := scan.Uint(value(rest, "iov_len="))
		if total += n; !ok || total < 0 {
			return 0, false
		}
		rest = rest[len("iov_len="):]
	}
}

// value is what follows a key, up to a comma or bracket. Keys within strings and paths are not
// taken for one: those end before the fields that are looked for.
func value(b []byte, key string) []byte {
	i := findKey(b, key)
	if i < 0 {
		return nil
	}
	v := b[i+len(key):]
	for end, c := range v {
		switch c {
		case '<':
			if end := pathEnd(v, end); end > 0 {
				return v[:end]
			}
		case ',', '}', ']':
			return v[:end]
		}
	}
	return v
}

// findKey is where a key is, outside of strings.
func findKey(b []byte, key string) int {
	for i := 0; i < len(b); i++ {
		if b[i] == '"' {
			end := quoteEnd(b, i)
			if end < 0 {
				return -1
			}
			i = end - 1
			continue
		}
		if b[i] == key[0] && bytes.HasPrefix(b[i:], []byte(key)) {
			return i
		}
	}
	return -1
}
