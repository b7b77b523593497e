package iolog

import (
	"bufio"
	"fmt"
	"io"
	"strconv"

	"moonio/engine"
	"moonio/engine/trace"
)

// writer writes a log of version 3. Times count from the first record's.
type writer struct {
	w      *bufio.Writer
	log    *trace.Log
	line   []byte
	first  int64
	last   int64 // the latest line's time in µs
	any    bool
	stream trace.ID        // of the first record
	lost   losses          // that have been noted
	files  []outFile       // by ID
	taken  map[string]bool // their names
	err    error
}

// outFile is a file as the log has it.
type outFile struct {
	name string // "" until it is opened
	end  int64  // where appends go: the highest end so far
}

// NewWriter begins a log of version 3 on w, for records whose files are those of log. What a
// log cannot say is counted in log as skipped, or noted: latencies, who issued
// what, operations on names, and blanks in names.
func NewWriter(w io.Writer, log *trace.Log) trace.Writer {
	out := &writer{w: bufio.NewWriterSize(w, 64<<10), log: log, taken: map[string]bool{}}
	out.w.WriteString(headerStart + "3" + headerEnd + "\n")
	return out
}

// maxName is the longest name that fio reads.
const maxName = 255

// Write writes a record as one line, or as several: fio has no flag for a write that flushes
// before, or that is durable, so those become a datasync beside it.
func (w *writer) Write(r *trace.Record) error {
	if w.err != nil {
		return w.err
	}
	action := actionOf(r.Op)
	if action == "" {
		w.log.Skip("an iolog cannot say " + r.Op.String())
		w.resize(r)
		return nil
	}
	if !w.any {
		w.first, w.stream, w.any = r.Time, r.Stream, true
	}
	w.lose(r)
	w.last = max(w.last, (r.Time-w.first)/1000)
	if int(r.File) >= len(w.files) || w.files[r.File].name == "" {
		if w.err = w.open(r.File); w.err != nil {
			return w.err
		}
	}
	offset, ok := w.offset(r)
	if !ok {
		w.log.Skip("the end of the file is beyond what a file can have")
		return nil
	}
	if r.Op.Transfers() && r.Flags&trace.Preflush != 0 {
		w.put(r.File, "datasync", 0, 0, true)
	}
	w.put(r.File, action, offset, r.Length, true)
	if r.Op.Transfers() && r.Flags&trace.FUA != 0 {
		w.put(r.File, "datasync", 0, 0, true)
	}
	return w.err
}

// losses are what a log cannot hold of records.
type losses struct{ latency, stream, flags bool }

// lose notes what the log cannot hold of a record.
func (w *writer) lose(r *trace.Record) {
	if r.Latency != trace.Unknown && !w.lost.latency {
		w.lost.latency = true
		w.log.Note("an iolog has no room for latencies")
	}
	if r.Stream != w.stream && !w.lost.stream {
		w.lost.stream = true
		w.log.Note("an iolog does not say who issued what: all is of one job")
	}
	if r.Op.Transfers() && r.Flags&(trace.Preflush|trace.FUA) != 0 && !w.lost.flags {
		w.lost.flags = true
		w.log.Note("an iolog has no flags: a write that flushes first, or that is durable, has a datasync before it, or after it")
	}
}

// actionOf is an operation's name in a log, or "".
func actionOf(op engine.OpCode) string {
	switch op {
	case engine.Read:
		return "read"
	case engine.Write, engine.Append:
		return "write"
	case engine.Fsync:
		return "sync"
	case engine.Fdatasync:
		return "datasync"
	case engine.Trim:
		return "trim"
	}
	return ""
}

// offset is where a record goes, and remembers how far the file was touched.
func (w *writer) offset(r *trace.Record) (int64, bool) {
	f := &w.files[r.File]
	offset := r.Offset
	if offset == trace.AtEnd {
		offset = f.end
	}
	if !trace.Fits(offset, r.Length) {
		return 0, false
	}
	f.end = max(f.end, offset+r.Length)
	return offset, true
}

// resize remembers where a file ends that was truncated. Of one that is not in the log yet, that is
// where it began.
func (w *writer) resize(r *trace.Record) {
	if r.Op != engine.Truncate {
		return
	}
	w.grow(r.File)
	w.files[r.File].end = r.Length
}

// grow makes room for a file.
func (w *writer) grow(id trace.ID) {
	for int(id) >= len(w.files) {
		w.files = append(w.files, outFile{})
	}
}

// open says that a file is used from here on.
func (w *writer) open(id trace.ID) error {
	name := []byte(w.log.Files.Name(id))
	if len(name) > maxName {
		return fmt.Errorf("iolog: the file's name is %d bytes long, and fio reads no more than %d: %.60q…", len(name), maxName, name)
	}
	for i, c := range name {
		if c <= ' ' {
			name[i] = '_'
			w.log.Note("an iolog has no quoting: blanks in files' names became _")
		}
	}
	w.grow(id)
	w.files[id].name = w.unique(string(name))
	w.put(id, "add", 0, 0, false)
	w.put(id, "open", 0, 0, false)
	return w.err
}

// unique is a name that no other file of the log has: what became of blanks may be one's already.
func (w *writer) unique(name string) string {
	if name == "" {
		name = "_"
	}
	free := name
	for n := 2; w.taken[free]; n++ {
		free = name + "_" + strconv.Itoa(n)
	}
	if free != name {
		w.log.Note("some files have the same name once blanks are _: the log numbers them")
	}
	w.taken[free] = true
	return free
}

// put writes one line.
func (w *writer) put(id trace.ID, action string, offset, length int64, ranged bool) {
	b := strconv.AppendInt(w.line[:0], w.last, 10)
	b = append(b, ' ')
	b = append(b, w.files[id].name...)
	b = append(b, ' ')
	b = append(b, action...)
	if ranged {
		b = append(b, ' ')
		b = strconv.AppendInt(b, offset, 10)
		b = append(b, ' ')
		b = strconv.AppendInt(b, length, 10)
	}
	w.line = append(b, '\n')
	if _, err := w.w.Write(w.line); err != nil && w.err == nil {
		w.err = fmt.Errorf("iolog: %w", err)
	}
}

// Close closes the files of the log, and writes what is left.
func (w *writer) Close() error {
	for id, f := range w.files {
		if f.name != "" {
			w.put(trace.ID(id), "close", 0, 0, false)
		}
	}
	if err := w.w.Flush(); err != nil && w.err == nil {
		w.err = fmt.Errorf("iolog: %w", err)
	}
	return w.err
}
