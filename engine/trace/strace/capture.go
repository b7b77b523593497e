package strace

import (
	"bytes"
	"path/filepath"
	"strconv"
	"strings"

	"moonio/engine/trace"
	"moonio/engine/trace/internal/calls"
	"moonio/engine/trace/internal/scan"
)

// capture is what one run of strace wrote: the state of its processes.
type capture struct {
	machine *calls.Machine
	log     *trace.Log
	lone    *calls.Process // one whose id is not known
	begun   int            // bytes kept of calls that have not returned
	open    int64          // how many those are
	joined  []byte
	name    []byte
}

// maxBegun bounds what is kept of calls that have not returned, in bytes.
const maxBegun = 64 << 20

var (
	unfinished = []byte("<unfinished ...>")
	detached   = []byte("<detached ...>") // in its place where strace was stopped
)

// begins says whether a line is of a call that has not returned.
func begins(line []byte) bool {
	return bytes.HasSuffix(line, unfinished) || bytes.HasSuffix(line, detached)
}

// perProcess takes a file's name apart into the capture's and a process's, where it ends
// in that, as -ff has it; -1 if it does not.
func perProcess(path string) (capture string, pid int64) {
	name := path
	for _, compressed := range []string{".gz", ".zst", ".bz2", ".xz"} {
		name = strings.TrimSuffix(name, compressed)
	}
	ext := filepath.Ext(name)
	if len(ext) > 1 {
		if pid, ok := scan.Uint([]byte(ext[1:])); ok && pid <= maxPID {
			return strings.TrimSuffix(name, ext), pid
		}
	}
	return path, -1
}

// isMark says whether a line is strace's word of a signal or a process's end.
func isMark(body []byte) bool {
	return bytes.HasPrefix(body, []byte("+++ ")) || bytes.HasPrefix(body, []byte("--- "))
}

func isResumed(body []byte) bool { return bytes.HasPrefix(body, []byte("<... ")) }

// callName is the name of the call that a line begins with, or nil.
func callName(body []byte) []byte {
	for i, c := range body {
		switch {
		case c == '_' || c >= 'a' && c <= 'z' || c >= '0' && c <= '9':
		case c == '(' && i > 0:
			return body[:i]
		default:
			return nil
		}
	}
	return nil
}

// begin keeps a call that has not returned yet.
func (s *source) begin(p *calls.Process) error {
	body := bytes.TrimSuffix(bytes.TrimSuffix(s.body, unfinished), detached)
	name := callName(body)
	c := s.capture
	switch {
	case name == nil:
		s.lines.Bad(s.line, "not a call")
	case c.begun+len(body) > maxBegun:
		s.lines.Bad(s.line, "more than 64 MiB of calls that have not returned")
	default:
		c.forget(p)
		p.Begun = append(p.Begun, body...)
		p.Since = s.time
		c.begun += len(p.Begun)
		c.open++
		c.machine.Begin(p, calls.Lookup(name), scan.Bare(body[len(name)+1:]))
	}
	return nil
}

// forget drops what is kept of a call of p's.
func (c *capture) forget(p *calls.Process) {
	if len(p.Begun) > 0 {
		c.begun -= len(p.Begun)
		c.open--
	}
	const kept = 1 << 12
	if p.Begun = p.Begun[:0]; cap(p.Begun) > kept {
		p.Begun = nil
	}
}

// exit ends a process. A call of its that has not returned never will.
func (c *capture) exit(p *calls.Process) {
	if len(p.Begun) > 0 {
		c.log.Skip(skipEndless)
		c.forget(p)
	}
	c.machine.Exit(p)
	if c.lone == p {
		c.lone = nil
	}
}

const skipEndless = "calls whose end is not in the trace"

// finish counts the calls that have not returned, once.
func (c *capture) finish() {
	for ; c.open > 0; c.open-- {
		c.log.Skip(skipEndless)
	}
}

// resume completes a call that has begun before.
func (s *source) resume(p *calls.Process) ([]trace.Record, error) {
	i := bytes.Index(s.body, []byte(" resumed>"))
	if i < 0 {
		s.lines.Bad(s.line, "no end of \"<...\"")
		return nil, nil
	}
	if len(p.Begun) == 0 {
		s.log.Skip("calls whose beginning is not in the trace")
		return nil, nil
	}
	c := s.capture
	c.joined = append(append(c.joined[:0], p.Begun...), s.body[i+len(" resumed>"):]...)
	since := p.Since
	c.forget(p)
	return s.call(p, c.joined, since, true)
}

// call parses a whole call, and gives its records.
func (s *source) call(p *calls.Process, body []byte, time int64, begun bool) ([]trace.Record, error) {
	name := callName(body)
	if name == nil {
		s.lines.Bad(s.line, "not a call")
		return nil, nil
	}
	call := calls.Call{ID: calls.Lookup(name), Time: time, Latency: trace.Unknown, Begun: begun}
	if call.ID == calls.Other {
		s.other(body)
		return nil, nil
	}
	if why := call.Parse(body[len(name)+1:]); why != "" {
		s.lines.Bad(s.line, why)
		return nil, nil
	}
	if call.ID.IO() {
		if err := s.capture.nameStream(p); err != nil {
			return nil, err
		}
	}
	out, reason, bad, err := s.capture.machine.Do(p, &call)
	if reason != "" {
		s.log.Skip(reason)
	}
	if bad != "" {
		s.lines.Bad(s.line, bad)
	}
	return out, err
}

// other counts a call of no interest.
func (s *source) other(body []byte) {
	if !bytes.Contains(body, []byte("= ")) {
		s.lines.Bad(s.line, "no result")
		return
	}
	s.log.Skip("other calls")
}

// nameStream gives a process's records their stream: its id, or "main" if that is not known.
func (c *capture) nameStream(p *calls.Process) (err error) {
	if p.Named {
		return nil
	}
	c.name = strconv.AppendInt(c.name[:0], p.ID, 10)
	if p.ID == 0 {
		c.name = append(c.name[:0], "main"...)
	}
	p.Stream, err = c.log.Streams.ID(c.name)
	p.Named = err == nil
	return err
}
