package native

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"time"

	"moonio/engine"
	"moonio/engine/trace"
)

type reader struct {
	in      *trace.Input
	log     *trace.Log
	head    [blockHeader]byte
	block   []byte // room for one payload
	left    []byte // what is still to be decoded of it
	state   state  // file and stream are numbers of this file
	files   []trace.ID
	streams []trace.ID
	records uint64
	err     error
}

func open(in *trace.Input, log *trace.Log, _ *trace.Options) (trace.Reader, error) {
	var head [len(magic) + 1]byte
	if _, err := io.ReadFull(in, head[:]); err != nil {
		return nil, fmt.Errorf("header: %w", cutOff(err))
	}
	if string(head[:len(magic)]) != magic {
		return nil, errors.New("header: it is not a trace of moonio's own format")
	}
	if head[len(magic)] != version {
		return nil, fmt.Errorf("header: version %d of moonio's format; this moonio reads version %d", head[len(magic)], version)
	}
	return &reader{in: in, log: log}, nil
}

// cutOff is the error of an input that ends too early.
func cutOff(err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return trace.ErrTruncated
	}
	return err
}

// Read gives the next record.
func (r *reader) Read(rec *trace.Record) error {
	if r.err != nil {
		return r.err
	}
	for len(r.left) == 0 {
		if r.err = r.next(); r.err != nil {
			return r.err
		}
	}
	if err := r.decode(rec); err != nil {
		r.err = r.wrong(err)
		return r.err
	}
	r.records++
	r.log.Lines++
	return nil
}

func (r *reader) wrong(err error) error {
	return fmt.Errorf("trace %s, after %d records: %w", r.in.Name, r.records, err)
}

// next reads a block; io.EOF if it is the end.
func (r *reader) next() error {
	if _, err := io.ReadFull(r.in, r.head[:]); err != nil {
		return r.wrong(cutOff(err))
	}
	size := binary.LittleEndian.Uint32(r.head[:])
	if size == 0 || size > blockSize+maxRecord {
		return r.wrong(fmt.Errorf("a block of %d bytes is none", size))
	}
	if r.block == nil {
		r.block = make([]byte, blockSize+maxRecord)
	}
	payload := r.block[:size]
	if _, err := io.ReadFull(r.in, payload); err != nil {
		return r.wrong(cutOff(err))
	}
	if crc32.Checksum(payload, castagnoli) != binary.LittleEndian.Uint32(r.head[4:]) {
		return r.wrong(errors.New("a block's checksum is wrong"))
	}
	switch payload[0] {
	case kindRecords:
		r.left = payload[1:]
		return nil
	case kindEnd:
		return r.end(payload[1:])
	}
	return r.wrong(fmt.Errorf("a block of kind %d is unknown", payload[0]))
}

// end checks the trailer.
func (r *reader) end(b []byte) error {
	d := decoder{b: b}
	records, lost, epoch := d.uvarint(), d.uvarint(), unzigzag(d.uvarint())
	if d.bad {
		return r.wrong(errors.New("the end is garbled"))
	}
	if records != r.records {
		return r.wrong(fmt.Errorf("there should be %d", records))
	}
	r.log.Lost += int64(min(lost, 1<<62))
	if epoch != 0 {
		r.log.Epoch = time.Unix(0, epoch).UTC()
	}
	return io.EOF
}

var errGarbled = errors.New("a record is garbled")

// decode takes one record from the block.
func (r *reader) decode(rec *trace.Record) error {
	s := &r.state
	d := decoder{b: r.left}
	tag := d.byte()
	op := engine.OpCode(tag & opMask)
	if tag&sameFlags == 0 {
		s.flags = d.byte()
	}
	if tag&sameFile == 0 {
		s.file = trace.ID(r.name(&d, &r.files, &r.log.Files))
	}
	if tag&sameStream == 0 {
		s.stream = trace.ID(r.name(&d, &r.streams, &r.log.Streams))
	}
	if d.bad || op >= engine.NumOpCodes || int(s.file) >= len(r.files) || int(s.stream) >= len(r.streams) {
		return d.error()
	}
	s.time += unzigzag(d.uvarint())
	rec.Offset = trace.AtEnd
	if s.flags&atEnd == 0 {
		rec.Offset = r.ends(s.file) + unzigzag(d.uvarint())
	}
	s.lengths[op] += unzigzag(d.uvarint())
	rec.Time, rec.Length, rec.Op, rec.Flags = s.time, s.lengths[op], op, trace.Flags(s.flags&^atEnd)
	rec.Latency = int64(d.uvarint()) - 1
	rec.File, rec.Stream = r.files[s.file], r.streams[s.stream]
	if d.bad || !trace.Fits(rec.Offset, rec.Length) || rec.Offset == trace.AtEnd && s.flags&atEnd == 0 {
		return d.error()
	}
	if s.flags&atEnd == 0 {
		s.ends[s.file] = rec.Offset + rec.Length
	}
	r.left = d.b
	return nil
}

// ends is where a file's latest record ended.
func (r *reader) ends(file trace.ID) int64 {
	for int(file) >= len(r.state.ends) {
		r.state.ends = append(r.state.ends, 0)
	}
	return r.state.ends[file]
}

// name takes a number, and the name if the number is new.
func (r *reader) name(d *decoder, known *[]trace.ID, names *trace.Names) uint64 {
	n := d.uvarint()
	if d.bad || n > uint64(len(*known)) {
		d.bad = true
		return 0
	}
	if n == uint64(len(*known)) {
		id, err := names.ID(d.bytes(d.uvarint()))
		if err != nil {
			d.err = err
			d.bad = true
			return 0
		}
		*known = append(*known, id)
	}
	return n
}

// decoder takes values from a block. Once one is missing it is bad, and gives zeros.
type decoder struct {
	b   []byte
	bad bool
	err error
}

func (d *decoder) error() error {
	if d.err != nil {
		return d.err
	}
	return errGarbled
}

func (d *decoder) byte() byte {
	if len(d.b) == 0 {
		d.bad = true
		return 0
	}
	c := d.b[0]
	d.b = d.b[1:]
	return c
}

func (d *decoder) uvarint() uint64 {
	if len(d.b) > 0 && d.b[0] < 0x80 {
		v := uint64(d.b[0])
		d.b = d.b[1:]
		return v
	}
	v, n := binary.Uvarint(d.b)
	if n <= 0 {
		d.bad = true
		return 0
	}
	d.b = d.b[n:]
	return v
}

func (d *decoder) bytes(n uint64) []byte {
	if n > uint64(len(d.b)) {
		d.bad = true
		return nil
	}
	out := d.b[:n]
	d.b = d.b[n:]
	return out
}
