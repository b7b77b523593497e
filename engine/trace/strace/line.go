package strace

import (
	"bytes"
	"math"

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
	relative, unix bool
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
	} else {
		c.unix = true
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
