package calls

import (
	"bytes"

	"moonio/engine/trace/internal/scan"
)

// Parse splits a call's arguments and what it returned, from behind its name's parenthesis.
// why says what is wrong.
func (c *Call) Parse(b []byte) (why string) {
	end := c.arguments(b)
	if end < 0 {
		return "arguments that do not end"
	}
	c.Raw = b[:end-1]
	rest := scan.Trim(b[end:])
	if len(rest) == 0 || rest[0] != '=' {
		return "no result"
	}
	return c.result(scan.Trim(rest[1:]))
}

// arguments splits arguments, and is where they end, behind the parenthesis; -1 if nowhere.
// Commas in strings, paths, brackets and braces separate none.
func (c *Call) arguments(b []byte) int {
	c.N = 0
	depth, start, paths := 0, 0, true
	for i := 0; i < len(b); i++ {
		switch b[i] {
		case '"':
			end := quoteEnd(b, i)
			if end < 0 {
				return -1
			}
			i = end - 1
		case '<':
			if paths && i > 0 && b[i-1] != '<' && i+1 < len(b) && b[i+1] != '<' {
				end := pathEnd(b, i)
				if paths = end > 0; paths { // or else there is none further on
					i = end - 1
				}
			}
		case '(', '[', '{':
			depth++
		case ']', '}':
			depth--
		case ')':
			if depth--; depth < 0 {
				c.add(b[start:i])
				return i + 1
			}
		case ',':
			if depth == 0 {
				c.add(b[start:i])
				start = i + 1
			}
		}
	}
	return -1
}

func (c *Call) add(arg []byte) {
	if arg = scan.Bare(arg); c.N < maxArgs && (c.N > 0 || len(arg) > 0) {
		c.Args[c.N] = arg
		c.N++
	}
}

// result parses "3</path>", "-1 ENOENT (No such file)", "0x7f" or "?", and a duration in angle
// brackets at the end.
func (c *Call) result(b []byte) (why string) {
	c.Ret, c.RetPath = -1, nil
	n := 0
	for n < len(b) && b[n] != ' ' && b[n] != '<' {
		n++
	}
	value, rest := b[:n], b[n:]
	if len(rest) > 0 && rest[0] == '<' {
		if end := pathEnd(rest, 0); end > 0 {
			c.RetPath, rest = rest[1:end-1], rest[end:]
		}
	}
	if len(value) == 0 {
		return "no result"
	}
	if value[0] != '?' {
		var ok bool
		switch c.Ret, ok = scan.Number(value); {
		case ok, bytes.HasPrefix(value, []byte("0x")):
		case isFlags(value):
			c.Ret = 0
		default:
			return "a result that is no number"
		}
	}
	return c.duration(rest)
}

// isFlags says whether a result is spelt out, as perf does with that of fcntl: CLOEXEC, RDWR|LARGE.
func isFlags(value []byte) bool {
	for _, c := range value {
		if (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '|' && c != '_' {
			return false
		}
	}
	return value[0] >= 'A' && value[0] <= 'Z'
}

func (c *Call) duration(b []byte) (why string) {
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
