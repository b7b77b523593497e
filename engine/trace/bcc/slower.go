package bcc

import (
	"bytes"
	"errors"
	"fmt"

	"moonio/engine"
	"moonio/engine/trace"
	"moonio/engine/trace/internal/scan"
)

// Slower reads what ext4slower, xfsslower and their like print with -j:
// ENDTIME_us,TASK,PID,TYPE,BYTES,OFFSET_b,LATENCY_us,FILE.
var Slower = &trace.Format{
	Name: "slower", Help: "ext4slower, xfsslower and their like, with -j",
	Sniff: sniffSlower,
	Open: func(in *trace.Input, log *trace.Log, _ *trace.Options) (trace.Reader, error) {
		head, _ := in.Peek(4096)
		if forPeople(head) {
			return nil, fmt.Errorf("slower: %w", errForPeople)
		}
		log.Note("ext4slower and its like print only calls slower than a threshold: capture with 0 as the threshold for all of them, and mind that calls without I/O show too")
		r := &slower{lines: trace.NewLines(in, log), log: log,
			files: &log.Files, streams: &log.Streams}
		return trace.NewSorter(r, window), nil
	},
}

var errForPeople = errors.New("the times have no date and the offsets are rounded to KiB: capture with -j, and 0 as the threshold")

// forPeople says whether a file begins as these tools print without -j.
func forPeople(head []byte) bool {
	for _, line := range scan.Head(head, 3) {
		if bytes.Contains(line, []byte("OFF_KB")) && bytes.Contains(line, []byte("LAT(ms)")) {
			return true
		}
	}
	return false
}

func sniffSlower(head []byte) int {
	if forPeople(head) || bytes.HasPrefix(head, []byte("ENDTIME_us,TASK,PID,TYPE")) {
		return 95
	}
	var c call
	return sure(91, head, func(line []byte) bool { return c.parse(line) == "" })
}

type slower struct {
	lines          *trace.Lines
	log            *trace.Log
	files, streams *trace.Names
	call           call
	name           []byte
}

// call is one line, split.
type call struct {
	end, latency    int64
	task, pid, file []byte
	kind            byte
	bytes, offset   int64
}

// Read gives the next line's record.
func (s *slower) Read(r *trace.Record) error {
	for {
		line, err := s.lines.Next()
		if err != nil {
			return err
		}
		if len(line) == 0 || bytes.HasPrefix(line, []byte("ENDTIME_us,")) {
			s.log.Skip("headers and empty lines")
			continue
		}
		if why := s.call.parse(line); why != "" {
			s.lines.Bad(line, why)
			continue
		}
		if reason := s.call.record(r); reason != "" {
			s.log.Skip(reason)
			continue
		}
		return s.names(r)
	}
}

// parse splits a line, and says why it cannot. The task's name and the file's can
// hold commas: what the line turns on is the first ",PID,TYPE," with numbers behind it.
func (c *call) parse(line []byte) string {
	first := bytes.IndexByte(line, ',')
	if first < 0 {
		return "no comma"
	}
	var ok bool
	if c.end, ok = scan.Decimal(line[:first], 3); !ok {
		return "not a time"
	}
	why := "no process id and type such as R or W"
	for at := first + 1; at-first <= maxTask; at++ {
		next := bytes.IndexByte(line[at:], ',')
		if next < 0 {
			break
		}
		at += next
		if rest, ok := c.afterTask(line[at+1:]); ok {
			c.task = line[first+1 : at]
			if why = c.numbers(rest); why == "" {
				break
			}
		}
	}
	return why
}

// maxTask is more than a task's name can be long.
const maxTask = 64

// afterTask parses "PID,TYPE," and gives what follows.
func (c *call) afterTask(b []byte) (rest []byte, ok bool) {
	comma := bytes.IndexByte(b, ',')
	if comma < 1 || len(b) < comma+3 || b[comma+2] != ',' || bytes.IndexByte([]byte("RWOS"), b[comma+1]) < 0 {
		return nil, false
	}
	if _, ok := scan.Uint(b[:comma]); !ok {
		return nil, false
	}
	c.pid, c.kind = b[:comma], b[comma+1]
	return b[comma+3:], true
}

// numbers parses "BYTES,OFFSET_b,LATENCY_us,FILE".
func (c *call) numbers(b []byte) string {
	for _, part := range [...]struct {
		to   *int64
		unit int64
		why  string
	}{{&c.bytes, 1, "not a length"}, {&c.offset, 1, "not an offset"}, {&c.latency, 1000, "not a latency"}} {
		comma := bytes.IndexByte(b, ',')
		if comma < 0 {
			return "too few columns"
		}
		var ok bool
		if *part.to, ok = scan.Scaled(b[:comma], part.unit); !ok {
			return part.why
		}
		b = b[comma+1:]
	}
	c.file = b
	if !trace.Fits(c.offset, c.bytes) {
		return "offset and length reach beyond 2^63-1"
	}
	return ""
}

// record makes the line's record but for its names, or says why there is none.
func (c *call) record(r *trace.Record) (reason string) {
	*r = trace.Record{Time: c.end - c.latency, Latency: c.latency, Offset: c.offset, Length: c.bytes, Flags: trace.Buffered}
	switch c.kind {
	case 'R':
		r.Op = engine.Read
	case 'W':
		r.Op = engine.Write
	case 'S':
		r.Op, r.Offset, r.Length, r.Flags = engine.Fsync, 0, 0, 0
		return ""
	default:
		return "opens"
	}
	if c.bytes == 0 {
		return "reads and writes that moved nothing"
	}
	return ""
}

func (s *slower) names(r *trace.Record) (err error) {
	if r.File, err = s.files.ID(s.call.file); err != nil {
		return err
	}
	s.name = append(append(append(s.name[:0], s.call.task...), '/'), s.call.pid...)
	r.Stream, err = s.streams.ID(s.name)
	return err
}
