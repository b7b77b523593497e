package iolog

import (
	"io"

	"moonio/engine/trace"
	"moonio/engine/trace/internal/scan"
)

// pieceSize is the size of fio's buffer for a log, in bytes: each job appends that much at a time,
// wherever in a line that ends, and less only at its own end, which is behind a line.
const pieceSize = 8 << 10

// pieces gives the lines of a log that several jobs wrote. Where a piece ends, the line's beginning
// may be one job's and its end another's: the job whose file the line after it names.
type pieces struct {
	lines  *trace.Lines
	number int64               // of the line that next gave
	edge   int64               // where the present piece ends
	job    trace.ID            // whose it is, by its latest line
	closed bool                // the latest line closed a file: the piece may have ended early
	torn   map[trace.ID][]byte // beginnings of lines, by the job that has still to write the end
	line   []byte              // room for a line
	ahead  []byte              // the line after it, once that has been read
	err    error               // or what came instead
	looked bool                // ahead or err is set
}

// Bounds of what waits for its end.
const (
	maxTorn     = 1 << 10
	maxTornLine = 1 << 10
)

// next is the next whole line. It is valid until the next call.
func (r *reader) next() ([]byte, error) {
	p := &r.pieces
	if p.looked {
		p.looked = false
		p.number = p.lines.Number()
		if p.err != nil {
			return nil, r.end(p.err)
		}
		return p.ahead, nil
	}
	line, err := p.lines.Next()
	if err != nil {
		return nil, r.end(err)
	}
	p.number = p.lines.Number()
	start := p.lines.Offset()
	switch {
	case start+int64(len(line)) >= p.edge:
		return r.atEdge(line, start), nil
	case p.closed:
		p.closed = false
		return r.afterClose(line, start), nil
	}
	return line, nil
}

// atEdge mends a line within which a piece ends, or that begins one.
func (r *reader) atEdge(line []byte, start int64) []byte {
	p := &r.pieces
	at := p.edge - start
	for p.edge <= start+int64(len(line)) {
		p.edge += pieceSize
	}
	if at < 0 { // the end of a line that was passed over
		return line
	}
	line = r.look(line)
	if version(line[at:]) > 0 {
		r.keep(line[:at])
		return line[at:]
	}
	job, known := r.jobOf(p.ahead)
	if !known || job == p.job {
		return line
	}
	r.keep(line[:at])
	return r.join(job, line[at:])
}

// afterClose mends a line that may be the first of a piece after one that ended early.
func (r *reader) afterClose(line []byte, start int64) []byte {
	p := &r.pieces
	job, known := r.jobOf(line)
	if !known && version(line) == 0 {
		line = r.look(line)
		job, known = r.jobOf(p.ahead)
	}
	if known && job == p.job {
		return line
	}
	p.edge = start + pieceSize
	if !known {
		return line
	}
	return r.join(job, line)
}

// look reads the line after this one, which it moves to where it stays valid.
func (r *reader) look(line []byte) []byte {
	p := &r.pieces
	p.line = append(p.line[:0], line...)
	p.ahead, p.err = p.lines.Next()
	p.looked = true
	return p.line
}

// keep holds the beginning of the present job's line until the job goes on.
func (r *reader) keep(head []byte) {
	switch p := &r.pieces; {
	case len(head) == 0:
	case len(p.torn) < maxTorn && len(head) <= maxTornLine:
		p.torn[p.job] = append([]byte(nil), head...)
	default:
		r.log.BadLine(r.input, p.number, head, "the line is cut off")
	}
}

// join puts the end of a job's line behind its beginning.
func (r *reader) join(job trace.ID, tail []byte) []byte {
	head, ok := r.torn[job]
	if !ok {
		return tail
	}
	delete(r.torn, job)
	return append(head, tail...)
}

// jobOf is the job whose file a line names.
func (r *reader) jobOf(line []byte) (trace.ID, bool) {
	if r.version == 3 {
		_, line = scan.Field(line)
	}
	last, name := scan.Last(line)
	switch string(last) {
	case "add", "open", "close":
	default:
		_, name = scan.Last(name) // offset
		_, name = scan.Last(name) // action
	}
	f, ok := r.files[string(name)]
	return f.stream, ok
}

// end counts what never got its end.
func (r *reader) end(err error) error {
	if err == io.EOF {
		for job, head := range r.torn {
			r.log.BadLine(r.input, r.number, head, "the line is cut off")
			delete(r.torn, job)
		}
	}
	return err
}
