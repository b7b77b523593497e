package luafix

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	lua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/parse"
)

// SyntaxError says why a source does not compile. Its text has the form of a
// run-time error, "file:line: message".
type SyntaxError struct {
	File    string
	Line    int // from 1
	Column  int // of the offending token's first byte, from 1; 0 if unknown
	Message string
	Missing string // what may have been forgotten before it; empty if nothing is known
}

// Hint is what may have been forgotten.
func (e *SyntaxError) Hint() string { return e.Missing }

func (e *SyntaxError) Error() string { return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Message) }

// parseError gives gopher-lua's parser errors the form of a SyntaxError.
func parseError(err error, source, name string) *SyntaxError {
	var pe *parse.Error
	if !errors.As(err, &pe) {
		return &SyntaxError{File: name, Line: 1, Message: "unreadable source: " + err.Error()}
	}
	if strings.HasPrefix(pe.Message, "unterminated") {
		return unterminated(source, name)
	}
	if pe.Pos.Line == parse.EOF {
		return endOfFile(source, name)
	}
	e := &SyntaxError{File: name, Line: pe.Pos.Line, Column: column(source, pe)}
	e.Missing = forgotten(source, e.Line, e.Column)
	switch {
	case pe.Message == "syntax error":
		e.Message = fmt.Sprintf("unexpected %s", quote(pe.Token))
	case pe.Message == "parse error":
		e.Message = fmt.Sprintf("this is neither a call nor an assignment, near %s", quote(pe.Token))
	case strings.HasPrefix(pe.Message, "Invalid "):
		e.Message = fmt.Sprintf("unexpected symbol %s", quote(pe.Token))
	default:
		e.Message = fmt.Sprintf("%s near %s", pe.Message, quote(pe.Token))
	}
	return e
}

// column is where the token of a parser error begins. The parser's own position
// is the scanner's, at the token's last byte.
func column(source string, pe *parse.Error) int {
	lines := strings.Split(source, "\n")
	if pe.Pos.Line > len(lines) {
		return 0
	}
	line, end := lines[pe.Pos.Line-1], pe.Pos.Column
	if start := end - len(pe.Token); pe.Token != "" && start >= 0 && end <= len(line) && line[start:end] == pe.Token {
		return start + 1
	}
	if i := strings.LastIndex(line[:min(end, len(line))], pe.Token); i >= 0 && pe.Token != "" {
		return i + 1
	}
	return min(end, len(line))
}

// unterminated says where a text or comment begins that never ends. The scanner
// stands behind it.
func unterminated(source, name string) *SyntaxError {
	for _, t := range Tokens(source) {
		if t.Kind == Bad && strings.ContainsAny(t.Text[:1], "\"'[") {
			return &SyntaxError{File: name, Line: t.Line, Column: t.Column, Message: "unfinished string near " + quote(t.Text)}
		}
	}
	return endOfFile(source, name)
}

func endOfFile(source, name string) *SyntaxError {
	last := strings.Count(strings.TrimRight(source, "\n"), "\n") + 1
	e := &SyntaxError{File: name, Line: last, Message: "unexpected end of file"}
	if b := unclosed(source); b != nil {
		e.Message += ": " + b.fault()
	}
	return e
}

func quote(token string) string {
	if len(token) > 40 {
		token = token[:37] + "..."
	}
	return "'" + token + "'"
}

var atLine = regexp.MustCompile(`at line (\d+)`)

// compileError gives gopher-lua's compiler errors the form of a SyntaxError. The
// compiler puts errors about goto on the line after the label, or at the end of the
// function.
func compileError(err error, name string) *SyntaxError {
	var ce *lua.CompileError
	if !errors.As(err, &ce) {
		return &SyntaxError{File: name, Line: 1, Message: err.Error()}
	}
	e := &SyntaxError{File: name, Line: max(ce.Line, 1), Message: ce.Message}
	switch {
	case ce.Message == "no loop to break":
		e.Message = "'break' outside a loop"
	case strings.HasPrefix(ce.Message, "label "):
		e.Line = ce.Line - 1
	case strings.Contains(ce.Message, "<goto"):
		if m := atLine.FindStringSubmatch(ce.Message); m != nil {
			e.Line, _ = strconv.Atoi(m[1])
		}
	}
	return e
}
