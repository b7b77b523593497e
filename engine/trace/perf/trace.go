package perf

import (
	"bytes"

	"moonio/engine/trace"
	"moonio/engine/trace/internal/calls"
	"moonio/engine/trace/internal/scan"
)

// Trace reads what perf trace prints. Its times are since the machine's start with -T, or else since
// the trace's.
var Trace = &trace.Format{
	Name: "perf-trace", Help: "perf trace; capture with -T",
	Sniff: sniffTrace,
	Open: func(in *trace.Input, log *trace.Log, _ *trace.Options) (trace.Reader, error) {
		t := &tracer{lines: trace.NewLines(in, log), log: log, machine: calls.New(log)}
		return trace.NewSorter(t, reorder), nil
	},
}

// reorder is how many records are put in the order in which their calls began.
const reorder = 1 << 14

func sniffTrace(head []byte) int {
	var l traceLine
	good, lines := 0, 0
	for _, line := range scan.Head(head, 1000) {
		if isChain(line) || len(scan.Trim(line)) == 0 {
			continue
		}
		if bytes.HasPrefix(line, summary) {
			break
		}
		if lines++; l.split(line) == "" {
			good++
		}
		if lines == 50 {
			break
		}
	}
	if good > 0 && good*10 >= lines*8 {
		return 90
	}
	return 0
}

// tracer decodes one file.
type tracer struct {
	lines   *trace.Lines
	log     *trace.Log
	machine *calls.Machine
	line    traceLine
	out     []trace.Record // of the call last read
	begun   int            // bytes kept of calls that have not returned
	open    int64          // how many those are
	joined  []byte
	summary bool // the lines are of a summary (-S)
}

// maxBegun bounds what is kept of calls that have not returned, in bytes.
const maxBegun = 64 << 20

// Read gives the next record, in the order in which calls returned.
func (t *tracer) Read(rec *trace.Record) error {
	for len(t.out) == 0 {
		line, err := t.lines.Next()
		if err != nil {
			for ; t.open > 0; t.open-- {
				t.log.Skip("calls whose end is not in the trace")
			}
			return err
		}
		if t.out, err = t.take(line); err != nil {
			return err
		}
	}
	*rec = t.out[0]
	t.out = t.out[1:]
	return nil
}

// take makes records of a line.
func (t *tracer) take(line []byte) ([]trace.Record, error) {
	if t.aside(line) {
		return nil, nil
	}
	l := &t.line
	if why := l.split(line); why != "" {
		t.noCall(line, why)
		return nil, nil
	}
	t.summary = false
	p, err := t.machine.Process(l.tid)
	if err != nil {
		return nil, err
	}
	switch {
	case l.continued:
		return t.resume(p, line)
	case l.unfinished:
		t.begin(p, line)
		return nil, nil
	}
	return t.call(p, l.body, l.latency, false, line)
}

// aside counts a line that is not meant to be a call.
func (t *tracer) aside(line []byte) bool {
	trimmed := scan.Trim(line)
	if rest, ok := bytes.CutPrefix(trimmed, []byte("LOST ")); ok {
		word, _ := scan.Field(rest)
		n, _ := scan.Uint(word)
		t.log.Lost += n
		return true
	}
	switch {
	case len(trimmed) == 0 || trimmed[0] == '#':
		t.log.Skip("empty lines and comments")
	case trimmed[0] == '?':
		t.log.Skip(skipBegun)
	default:
		return false
	}
	return true
}

// noCall counts a line that cannot be taken apart.
func (t *tracer) noCall(line []byte, why string) {
	t.summary = t.summary || bytes.HasPrefix(line, summary)
	switch {
	case t.summary:
		t.log.Skip("the summary of calls")
	case isChain(line):
		t.log.Skip("call chains")
	default:
		t.lines.Bad(line, why)
	}
}

// isChain says whether a line is one of those that --call-graph adds: they begin further to the right than
// times end.
func isChain(line []byte) bool {
	const indent = 20
	return len(line) > indent && len(scan.Trim(line[:indent])) == 0
}

const skipBegun = "calls whose beginning is not in the trace"

// begin keeps a call that has not returned yet.
func (t *tracer) begin(p *calls.Process, line []byte) {
	body := t.line.body
	name := callName(body)
	if t.begun+len(body) > maxBegun {
		t.lines.Bad(line, "more than 64 MiB of calls that have not returned")
		return
	}
	t.forget(p)
	p.Begun = append(p.Begun, body...)
	p.Since = t.line.time
	t.begun += len(p.Begun)
	t.open++
	c := calls.Call{ID: calls.Lookup(name)}
	if c.Parse(body[len(name)+1:]); c.N > 0 { // without a result, but with its arguments
		arrange(&c, name)
		t.machine.Begin(p, c.ID, first(&c))
	}
}

// first is what matters of a call that has begun.
func first(c *calls.Call) []byte {
	if c.ID == calls.Close {
		return c.Args[0]
	}
	return c.Raw
}

// forget drops what is kept of a call of p's.
func (t *tracer) forget(p *calls.Process) {
	if len(p.Begun) > 0 {
		t.begun -= len(p.Begun)
		t.open--
	}
	const kept = 1 << 12
	if p.Begun = p.Begun[:0]; cap(p.Begun) > kept {
		p.Begun = nil
	}
}

// resume completes a call that has begun before: the line has its name and its result.
func (t *tracer) resume(p *calls.Process, line []byte) ([]trace.Record, error) {
	if len(p.Begun) == 0 {
		t.log.Skip(skipBegun)
		return nil, nil
	}
	result := bytes.Index(t.line.body, []byte("())"))
	if result < 0 {
		t.lines.Bad(line, "no result")
		return nil, nil
	}
	t.joined = append(append(t.joined[:0], p.Begun...), t.line.body[result+3:]...)
	t.line.time = p.Since
	t.forget(p)
	return t.call(p, t.joined, t.line.latency, true, line)
}

// call parses a whole call, and gives its records.
func (t *tracer) call(p *calls.Process, body []byte, latency int64, begun bool, line []byte) ([]trace.Record, error) {
	name := callName(body)
	c := calls.Call{ID: calls.Lookup(name), Time: t.line.time, Begun: begun}
	if c.ID == calls.Other {
		t.log.Skip("other calls")
		return nil, nil
	}
	if why := c.Parse(body[len(name)+1:]); why != "" {
		t.lines.Bad(line, why)
		return nil, nil
	}
	c.Latency = latency
	arrange(&c, name)
	if c.ID.IO() {
		var err error
		if p.Stream, err = t.log.Streams.ID(t.line.process); err != nil {
			return nil, err
		}
	}
	out, reason, bad, err := t.machine.Do(p, &c)
	if reason != "" {
		t.log.Skip(reason)
	}
	if bad != "" {
		t.lines.Bad(line, bad)
	}
	return out, err
}

// traceLine is one line: "ms (dur ms): comm/tid call(name: value, …) = result".
type traceLine struct {
	time, latency int64
	process       []byte // comm/tid
	tid           int64
	body          []byte // from the call's name on
	unfinished    bool   // it ends in "..."
	continued     bool   // it says how a call ended that has begun before
}

var (
	summary     = []byte(" Summary of events:")
	dots        = []byte("...")
	continuedAs = []byte("... [continued]: ")
)

// split takes apart what is before the call, and says why it cannot.
func (l *traceLine) split(line []byte) (why string) {
	*l = traceLine{latency: trace.Unknown}
	word, rest := scan.Field(line)
	var ok bool
	if l.time, ok = scan.Decimal(word, 6); !ok {
		return "not a time"
	}
	if len(rest) == 0 || rest[0] != '(' {
		return "no duration"
	}
	shut := bytes.Index(rest, []byte("):"))
	if shut < 0 {
		return "no duration"
	}
	if word, _ := scan.Field(rest[1:shut]); len(word) > 0 {
		if l.latency, ok = scan.Decimal(bytes.TrimSuffix(word, []byte("ms")), 6); !ok || l.latency < 0 {
			return "not a duration"
		}
	}
	return l.call(scan.Trim(rest[shut+2:]))
}

// call finds where the call begins: a process's name can hold blanks and slashes. There is none where
// only one thread was traced, and its number alone with --no-comm.
func (l *traceLine) call(b []byte) (why string) {
	if l.begins(b) {
		l.process = []byte("main")
		return ""
	}
	word, rest := scan.Field(b)
	if tid, ok := scan.Uint(word); ok && l.begins(rest) {
		l.process, l.tid = word, tid
		return ""
	}
	for at := 0; ; {
		slash := bytes.IndexByte(b[at:], '/')
		if at += slash + 1; slash < 0 || at > maxName {
			return "not a call"
		}
		word, rest := scan.Field(b[at:])
		tid, ok := scan.Uint(word)
		if ok && l.begins(scan.Trim(rest)) {
			l.process, l.tid = b[:at+len(word)], tid
			return ""
		}
	}
}

// maxName is more than a process's name can be long.
const maxName = 64

// begins says whether b is a call, and takes it.
func (l *traceLine) begins(b []byte) bool {
	if body, ok := bytes.CutPrefix(b, continuedAs); ok {
		b, l.continued = body, true
	}
	if callName(b) == nil {
		l.continued = false
		return false
	}
	l.body = scan.Bare(b)
	if body, ok := bytes.CutSuffix(l.body, dots); ok {
		l.body, l.unfinished = scan.Bare(body), true
	}
	return true
}

// callName is the name of the call that b begins with, or nil.
func callName(b []byte) []byte {
	for i, c := range b {
		switch {
		case c == '_' || c >= 'a' && c <= 'z' || c >= '0' && c <= '9':
		case c == '(' && i > 0:
			return b[:i]
		default:
			return nil
		}
	}
	return nil
}
