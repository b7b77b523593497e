// Package strace reads what strace prints, with any of its times, of one process or many, in
// one file or (-ff) a file each. What calls do to descriptors is followed, so that reads and
// writes have a file and an offset; lengths are what the calls returned.
package strace

import (
	"bytes"
	"errors"
	"io"
	"math"
	"time"

	"moonio/engine/trace"
	"moonio/engine/trace/internal/calls"
	"moonio/engine/trace/internal/scan"
)

// Format reads strace's output.
var Format = &trace.Format{
	Name: "strace", Help: "strace's output; capture with strace -f -ttt -T -y -o FILE",
	Sniff:   sniff,
	OpenAll: open,
}

// window is how many records are put in the order in which their calls began.
const window = 1 << 14

func open(in []*trace.Input, log *trace.Log, _ *trace.Options) (trace.Reader, error) {
	r := &reader{log: log}
	captures := map[string]*capture{}
	for _, in := range in {
		name, pid := perProcess(in.Name)
		c := captures[name]
		if c == nil {
			c = &capture{machine: calls.New(log), log: log}
			captures[name] = c
		}
		r.sources = append(r.sources, &source{lines: trace.NewLines(in, log), log: log, capture: c, pid: pid})
	}
	return trace.NewSorter(r, window), nil
}

// sniff counts lines that look like strace's.
func sniff(head []byte) int {
	lines := sniffed(head)
	var good, whole, marks int
	for _, line := range lines {
		var p prefix
		switch body := p.split(line); {
		case isMark(body):
			good++
			marks++
		case isResumed(body):
			good++
		case callName(body) != nil && (begins(line) || bytes.Contains(body, []byte(") = ")) || bytes.Contains(body, []byte(")  "))):
			good++
			whole++
		}
	}
	switch {
	case marks > 0 && marks == len(lines): // of a process that did nothing of what was traced, in a file of its own
		return 60
	case whole == 0 || good*10 < len(lines)*8:
		return 0
	}
	return 85
}

// sniffed is the first lines of a file that are about calls, without those that strace's own messages broke.
func sniffed(head []byte) (lines [][]byte) {
	broken := false
	for _, line := range scan.Head(head, 1000) {
		line = scan.Ended(line)
		message := bytes.Index(line, []byte("strace: "))
		switch {
		case isSummary(line) || len(lines) == 50:
			return lines
		case message >= 0 && isMessage(line):
			broken = broken || message > 0
		case broken:
			broken = false
		case !isStack(line) && !isDump(line):
			lines = append(lines, line)
		}
	}
	return lines
}

// isMessage says whether a line ends in one of strace's messages.
func isMessage(line []byte) bool {
	return bytes.HasSuffix(line, []byte(" attached")) || bytes.HasSuffix(line, []byte(" detached"))
}

// reader merges the lines of its sources by their times.
type reader struct {
	log     *trace.Log
	sources []*source
	out     []trace.Record // of the call last read
	started bool
}

// Read gives the next record, in the order in which calls returned.
func (r *reader) Read(rec *trace.Record) error {
	for len(r.out) == 0 {
		if err := r.step(); err != nil {
			return err
		}
	}
	*rec = r.out[0]
	r.out = r.out[1:]
	return nil
}

// step takes the earliest of the sources' next lines.
func (r *reader) step() error {
	if !r.started {
		r.started = true
		for _, s := range r.sources {
			if err := s.next(); err != nil {
				return err
			}
		}
	}
	s := r.sources[0]
	for _, other := range r.sources[1:] {
		if other.time < s.time || s.ended && !other.ended {
			s = other
		}
	}
	if s.ended {
		return r.finish()
	}
	var err error
	if r.out, err = s.take(); err != nil {
		return err
	}
	return s.next()
}

// finish gives the requests that were still to complete; then it says what the lines lacked.
func (r *reader) finish() error {
	for _, s := range r.sources {
		if r.out = s.capture.machine.Rest(); len(r.out) > 0 {
			return nil
		}
	}
	for _, s := range r.sources {
		switch {
		case s.lines.Number() == 0:
		case !s.clock.any:
			r.log.Note("strace: the lines have no times, so that all is at time 0: capture with -ttt, or replay as fast as possible")
		case s.clock.relative && len(r.sources) > 1:
			r.log.Note("strace: the times of each file begin at 0 (-r), so that those of several processes do not fit together: capture with -ttt")
		}
	}
	for _, s := range r.sources {
		s.capture.finish()
	}
	return io.EOF
}

// source is one file.
type source struct {
	lines   *trace.Lines
	log     *trace.Log
	capture *capture
	pid     int64 // whose lines have no process id: the file's name ends in it; -1 if not
	clock   clock

	line    []byte // the next one
	prefix  prefix
	body    []byte
	time    int64
	ended   bool
	summary bool   // the line before was of a summary (-C), and not its last
	broken  []byte // the beginning of a line that a message of strace's own broke
}

// next reads the next line that has something on it.
func (s *source) next() error {
	for {
		line, err := s.lines.Next()
		if errors.Is(err, io.EOF) {
			s.ended, s.time = true, math.MaxInt64
			return nil
		}
		if err != nil {
			return err
		}
		line, whole := s.whole(scan.Ended(line))
		if !whole {
			continue
		}
		if s.aside(line) {
			continue
		}
		s.line = line
		s.body = s.prefix.split(line)
		var ok bool
		s.time, ok = s.clock.read(s.prefix.time)
		if s.clock.unix && s.log.Epoch.IsZero() {
			s.log.Epoch = time.Unix(0, 0).UTC()
		}
		switch {
		case !ok:
			s.lines.Bad(line, "not a time")
		case len(s.body) == 0 && s.prefix.time == nil && !s.prefix.hasPID:
			s.log.Skip("empty lines")
		default:
			return nil
		}
	}
}

// aside counts a line that is no call, nor meant to be one.
func (s *source) aside(line []byte) bool {
	switch {
	case bytes.HasPrefix(line, []byte("strace: ")):
		s.log.Skip("messages of strace")
	case isStack(line):
		s.log.Skip("call chains")
	case isDump(line):
		s.log.Skip("data of reads and writes")
	case s.summary || isSummary(line):
		s.summary = !bytes.HasSuffix(line, []byte(" total"))
		s.log.Skip("the summary of calls")
	default:
		return false
	}
	return true
}

// isStack says whether a line is one of those that -k adds.
func isStack(line []byte) bool { return bytes.HasPrefix(line, []byte(" > ")) }

// isDump says whether a line is one of those that -e read or -e write adds.
func isDump(line []byte) bool {
	return bytes.HasPrefix(line, []byte(" | ")) || bytes.HasPrefix(line, []byte(" * "))
}

// isSummary says whether a line begins what -C adds.
func isSummary(line []byte) bool { return bytes.HasPrefix(line, []byte("% time ")) }

// whole mends a line that was broken by "strace: Process N attached"; false if there
// is no line yet.
func (s *source) whole(line []byte) ([]byte, bool) {
	if isMessage(line) {
		if i := bytes.Index(line, []byte("strace: Process ")); i >= 0 {
			s.log.Skip("messages of strace")
			s.broken = append(s.broken, line[:i]...)
			return nil, false
		}
	}
	if len(s.broken) > 0 && len(s.broken)+len(line) < maxBegun {
		line = append(s.broken, line...)
	}
	s.broken = s.broken[:0]
	return line, true
}

// take makes records of the line that next read.
func (s *source) take() ([]trace.Record, error) {
	p, err := s.process()
	if err != nil {
		return nil, err
	}
	c := s.capture
	switch {
	case isMark(s.body):
		if bytes.HasPrefix(s.body, []byte("+++ exited")) || bytes.HasPrefix(s.body, []byte("+++ killed")) {
			c.exit(p)
		}
		s.log.Skip("signals and ends of processes")
		return nil, nil
	case isResumed(s.body):
		return s.resume(p)
	case begins(s.body):
		return nil, s.begin(p)
	}
	return s.call(p, s.body, s.time, false)
}

// process finds out whose the line is. A lone process's lines have no id; when there are
// others, its own turns out.
func (s *source) process() (*calls.Process, error) {
	m := s.capture.machine
	switch {
	case s.prefix.hasPID:
		if lone := s.capture.lone; lone != nil && m.Unexpected(s.prefix.pid) {
			m.Rename(lone, s.prefix.pid)
			s.capture.lone = nil
			return lone, nil
		}
		return m.Process(s.prefix.pid)
	case s.pid >= 0:
		return m.Process(s.pid)
	}
	if p := m.Only(); p != nil {
		return p, nil
	}
	if s.capture.lone == nil {
		var err error
		if s.capture.lone, err = m.Process(0); err != nil {
			return nil, err
		}
	}
	return s.capture.lone, nil
}
