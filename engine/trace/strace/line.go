package strace

import (
	"bytes"
	"math"

	"moonio/engine/trace/internal/calls"
	"moonio/engine/trace/internal/scan"
)

// prefix is what stands before a call on its line.
type prefix struct {
	pid    int64
	hasPID bool
	time   []byte // nil if there is none
}

// maxPID is the largest process id that Linux gives.
const maxPID = 1 << 22

// split parses what stands before the call: [pid N] or N or N<comm>, a time, what -r adds to
// it, a call's number and the instruction's address.
func (p *prefix) split(line []byte) (body []byte) {
	*p = prefix{}
	body = p.process(line)
	if len(body) > 0 && isDigit(body[0]) {
		i := 1
		for i < len(body) && (isDigit(body[i]) || body[i] == '.' || body[i] == ':') {
			i++
		}
		if i < len(body) && body[i] == ' ' {
			p.time, body = body[:i], scan.Trim(body[i:])
		}
	}
	if bytes.HasPrefix(body, []byte("(+")) {
		body = after(body, ')')
	}
	for len(body) > 0 && body[0] == '[' {
		body = after(body, ']')
	}
	return body
}

func (p *prefix) process(line []byte) []byte {
	body := scan.Trim(line)
	if bytes.HasPrefix(body, []byte("[pid")) {
		word, _ := scan.Field(body[len("[pid"):])
		p.pid, _, p.hasPID = number(word)
		if !p.hasPID {
			return body
		}
		return after(body, ']')
	}
	pid, n, ok := number(body)
	if !ok || pid > maxPID || n == len(body) || body[n] != ' ' && body[n] != '<' {
		return body
	}
	p.pid, p.hasPID = pid, true
	if body[n] == '<' {
		return after(body, '>')
	}
	return scan.Trim(body[n:])
}

// number parses the digits at b's beginning, and says how many there are.
func number(b []byte) (v int64, n int, ok bool) {
	for n < len(b) && isDigit(b[n]) {
		n++
	}
	v, ok = scan.Uint(b[:n])
	return v, n, ok
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// after is what follows the first c in b, without blanks; nothing if there is none.
func after(b []byte, c byte) []byte {
	i := bytes.IndexByte(b, c)
	if i < 0 {
		return nil
	}
	return scan.Trim(b[i+1:])
}

// clock turns what the lines show into times.
type clock struct {
	day, last, sum int64
	relative       bool
	any            bool // there was one
}

const (
	day = 24 * 3600 * 1e9
	// epoch is more than any pause between two lines, and less than any date.
	epoch = 1e8 * 1e9
)

// read is the time of a line: since 1970, since midnight, or since the first line (-r). A
// time of day that is hours before the last is the next day's.
func (c *clock) read(word []byte) (int64, bool) {
	if word == nil {
		return c.last, true
	}
	c.any = true
	if bytes.IndexByte(word, ':') >= 0 {
		return c.ofDay(word)
	}
	t, ok := scan.Decimal(word, 9)
	if !ok {
		return 0, false
	}
	if t < epoch {
		if c.sum > math.MaxInt64/4 {
			return 0, false
		}
		c.relative = true
		c.sum += t
		t = c.sum
	}
	c.last = t
	return t, true
}

func (c *clock) ofDay(word []byte) (int64, bool) {
	if len(word) < 8 || word[2] != ':' || word[5] != ':' {
		return 0, false
	}
	h, ok1 := scan.Uint(word[:2])
	m, ok2 := scan.Uint(word[3:5])
	s, ok3 := scan.Decimal(word[6:], 9)
	if !ok1 || !ok2 || !ok3 || h > 24 || m > 59 || s > 61*1e9 {
		return 0, false
	}
	t := (h*60+m)*60*1e9 + s + c.day
	if t < c.last-day/2 && c.day < math.MaxInt64/4 {
		c.day += day
		t += day
	}
	c.last = t
	return t, true
}

// parse splits a call's arguments and what it returned, from behind its name's parenthesis.
// why says what is wrong.
func parse(c *calls.Call, b []byte) (why string) {
	end := arguments(c, b)
	if end < 0 {
		return "arguments that do not end"
	}
	c.Raw = b[:end-1]
	rest := scan.Trim(b[end:])
	if len(rest) == 0 || rest[0] != '=' {
		return "no result"
	}
	return result(c, scan.Trim(rest[1:]))
}

// arguments splits arguments, and is where they end, behind the parenthesis; -1 if nowhere.
// Commas in strings, paths, brackets and braces separate none.
func arguments(c *calls.Call, b []byte) int {
	c.N = 0
	depth, start := 0, 0
	for i := 0; i < len(b); i++ {
		switch b[i] {
		case '"':
			end := calls.QuoteEnd(b, i)
			if end < 0 {
				return -1
			}
			i = end - 1
		case '<':
			if end := calls.PathEnd(b, i); end > 0 && i > 0 && b[i-1] != '<' && b[i+1] != '<' {
				i = end - 1
			}
		case '(', '[', '{':
			depth++
		case ']', '}':
			depth--
		case ')':
			if depth--; depth < 0 {
				add(c, b[start:i])
				return i + 1
			}
		case ',':
			if depth == 0 {
				add(c, b[start:i])
				start = i + 1
			}
		}
	}
	return -1
}

func add(c *calls.Call, arg []byte) {
	if arg = scan.Bare(arg); c.N < calls.MaxArgs && (c.N > 0 || len(arg) > 0) {
		c.Args[c.N] = arg
		c.N++
	}
}

// result parses "3</path>", "-1 ENOENT (No such file)", "0x7f" or "?", and a duration in angle
// brackets at the end.
func result(c *calls.Call, b []byte) (why string) {
	c.Ret, c.RetPath = -1, nil
	n := 0
	for n < len(b) && b[n] != ' ' && b[n] != '<' {
		n++
	}
	value, rest := b[:n], b[n:]
	if len(rest) > 0 && rest[0] == '<' {
		if end := calls.PathEnd(rest, 0); end > 0 {
			c.RetPath, rest = rest[1:end-1], rest[end:]
		}
	}
	if len(value) == 0 {
		return "no result"
	}
	if value[0] != '?' {
		var ok bool
		if c.Ret, ok = scan.Number(value); !ok && !bytes.HasPrefix(value, []byte("0x")) {
			return "a result that is no number"
		}
	}
	return duration(c, rest)
}

func duration(c *calls.Call, b []byte) (why string) {
	if len(b) == 0 || b[len(b)-1] != '>' {
		return ""
	}
	i := bytes.LastIndexByte(b, '<')
	if i < 0 {
		return ""
	}
	latency, ok := scan.Decimal(b[i+1:len(b)-1], 9)
	if !ok || latency < 0 {
		return "not a duration"
	}
	c.Latency = latency
	return ""
}
