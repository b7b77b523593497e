package native

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"

	"moonio/engine"
	"moonio/engine/trace"
)

type writer struct {
	w       io.Writer
	log     *trace.Log
	block   []byte // the header's room, then the payload so far
	state   state
	files   numbers
	streams numbers
	records uint64
	started bool
	err     error
}

// numbers gives names numbers in the order of their first use here.
type numbers struct {
	of    []uint32 // by the Log's ID: the number plus 1
	count uint32
}

// NewWriter begins a trace on w, for records whose files and streams are those of log. Close writes
// the log's Epoch and Lost as well.
func NewWriter(w io.Writer, log *trace.Log) trace.Writer {
	out := &writer{w: w, log: log, block: make([]byte, blockHeader, blockHeader+blockSize+maxRecord)}
	out.begin(kindRecords)
	return out
}

func (w *writer) begin(kind byte) { w.block = append(w.block[:blockHeader], kind) }

// Write adds a record. Its file and stream must be known to the log.
func (w *writer) Write(r *trace.Record) error {
	if w.err != nil {
		return w.err
	}
	if r.Op >= engine.NumOpCodes || !trace.Fits(r.Offset, r.Length) {
		w.err = fmt.Errorf("trace record: operation %d at %d, %d bytes, is none", r.Op, r.Offset, r.Length)
		return w.err
	}
	w.encode(r)
	w.records++
	if len(w.block) >= blockHeader+blockSize {
		w.flush()
		w.begin(kindRecords)
	}
	return w.err
}

// encode appends a record to the block.
func (w *writer) encode(r *trace.Record) {
	s := &w.state
	flags := byte(r.Flags) &^ atEnd
	if r.Offset == trace.AtEnd {
		flags |= atEnd
	}
	at := len(w.block)
	b := append(w.block, byte(r.Op))
	tag := byte(r.Op)
	if flags == s.flags {
		tag |= sameFlags
	} else {
		b = append(b, flags)
	}
	first := w.records == 0
	if r.File == s.file && !first {
		tag |= sameFile
	} else {
		b = w.name(b, &w.files, &w.log.Files, r.File)
	}
	if r.Stream == s.stream && !first {
		tag |= sameStream
	} else {
		b = w.name(b, &w.streams, &w.log.Streams, r.Stream)
	}
	b[at] = tag
	b = binary.AppendUvarint(b, zigzag(r.Time-s.time))
	if flags&atEnd == 0 {
		end := w.end(r.File)
		b = binary.AppendUvarint(b, zigzag(r.Offset-*end))
		*end = r.Offset + r.Length
	}
	b = binary.AppendUvarint(b, zigzag(r.Length-s.lengths[r.Op]))
	w.block = binary.AppendUvarint(b, uint64(max(r.Latency, trace.Unknown)+1))
	s.time, s.file, s.stream, s.flags, s.lengths[r.Op] = r.Time, r.File, r.Stream, flags, r.Length
}

// end is where a file's latest record ended.
func (w *writer) end(file trace.ID) *int64 {
	n := int(w.files.of[file]) - 1
	for n >= len(w.state.ends) {
		w.state.ends = append(w.state.ends, 0)
	}
	return &w.state.ends[n]
}

// name appends a number, and the name if the number is new.
func (w *writer) name(b []byte, n *numbers, names *trace.Names, id trace.ID) []byte {
	for int(id) >= len(n.of) {
		n.of = append(n.of, 0)
	}
	if known := n.of[id]; known != 0 {
		return binary.AppendUvarint(b, uint64(known-1))
	}
	name := names.Name(id)
	if len(name) > maxName && w.err == nil {
		w.err = fmt.Errorf("trace record: a name of %d bytes is longer than %d: %.60q…", len(name), maxName, name)
		name = ""
	}
	b = binary.AppendUvarint(b, uint64(n.count))
	n.count++
	n.of[id] = n.count
	b = binary.AppendUvarint(b, uint64(len(name)))
	return append(b, name...)
}

// flush writes the block.
func (w *writer) flush() {
	if w.err != nil {
		return
	}
	if !w.started {
		w.started = true
		if _, w.err = w.w.Write(append([]byte(magic), version)); w.err != nil {
			return
		}
	}
	payload := w.block[blockHeader:]
	binary.LittleEndian.PutUint32(w.block, uint32(len(payload)))
	binary.LittleEndian.PutUint32(w.block[4:], crc32.Checksum(payload, castagnoli))
	_, w.err = w.w.Write(w.block)
}

// Close writes the last records and the end.
func (w *writer) Close() error {
	if len(w.block) > blockHeader+1 {
		w.flush()
	}
	w.begin(kindEnd)
	w.block = binary.AppendUvarint(w.block, w.records)
	w.block = binary.AppendUvarint(w.block, uint64(max(w.log.Lost, 0)))
	epoch := int64(0)
	if !w.log.Epoch.IsZero() {
		epoch = w.log.Epoch.UnixNano()
	}
	w.block = binary.AppendUvarint(w.block, zigzag(epoch))
	w.flush()
	return w.err
}
