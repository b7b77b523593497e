package fiolua

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"moonio/cmd/internal/fiojob"
	"moonio/engine/content"
)

// putData says what is written.
func (t *translation) putData(u *unit) error {
	if !u.rw.writes {
		return nil
	}
	names := []string{"zero_buffers", "buffer_pattern", "buffer_compress_percentage", "buffer_compress_chunk", "dedupe_percentage", "dedupe_mode", "dedupe_working_set_percentage", "refill_buffers"}
	note := u.since(names...)
	if verify := u.v.Text("verify"); u.v.Has("verify_pattern") && methods[verify] != "" {
		if note != "" {
			t.ignore(note + ": what is to be verified carries " + u.since("verify_pattern"))
		}
		return nil
	}
	if u.v.On("zero_buffers") {
		u.put("data", `"zero"`, note)
		return nil
	}
	var parts []string
	if o, ok := u.v.Option("buffer_pattern"); ok {
		text, err := t.bytesOf(o)
		if err != nil {
			return err
		}
		if u.v.Integer("buffer_compress_percentage") == 0 { // otherwise it fills what compresses
			parts = append(parts, `kind = "pattern"`)
		}
		parts = append(parts, "pattern = "+quote(text))
	}
	if p := u.v.Integer("buffer_compress_percentage"); p > 0 {
		parts = append(parts, fmt.Sprintf("compress = %d", p))
		if n := u.v.Integer("buffer_compress_chunk"); n > 0 {
			parts = append(parts, "chunk = "+size(n))
		}
	}
	if p := u.v.Integer("dedupe_percentage"); p > 0 {
		parts = append(parts, fmt.Sprintf("dedupe = %d", p))
		if u.v.Text("dedupe_mode") == "working_set" {
			parts = append(parts, fmt.Sprintf("pool = %d", max(1, u.total*u.v.Integer("dedupe_working_set_percentage")/100/u.minimum)))
		}
	}
	if u.v.On("refill_buffers") {
		parts = append(parts, "refill = true")
	}
	if len(parts) > 0 {
		u.put("data", "{ "+strings.Join(parts, ", ")+" }", note)
	}
	return nil
}

// longestPattern is what fio takes of a pattern, in bytes.
const longestPattern = 512

// inPatterns are the parts of a pattern that stand in quotes.
var inPatterns = regexp.MustCompile(`"[^"]*"|'[^']*'`)

// bytesOf is a pattern of fio's as a script has it, with the content of files written out. What is no pattern is
// refused: a script's may be a text without quotes.
func (t *translation) bytesOf(o fiojob.Option) (text string, err error) {
	if o.Value != "" && !strings.ContainsAny(o.Value[:1], "\"'%-0123456789") {
		return "", o.Fail("", `it is no number: a text stands in double quotes, as in '"%s"'`, o.Value)
	}
	text = inPatterns.ReplaceAllStringFunc(o.Value, func(part string) string {
		if part[0] != '\'' || t.setup.Read == nil {
			return part
		}
		b, rerr := t.setup.Read(strings.Trim(part, "'"), longestPattern)
		if rerr == nil && len(b) == 0 {
			rerr = errors.New("there is nothing in it")
		}
		if rerr != nil && err == nil {
			err = o.Fail(part, "file of a pattern: %v", rerr)
		}
		return fmt.Sprintf(" 0x%x ", b)
	})
	if err != nil {
		return "", err
	}
	text = strings.TrimSpace(text)
	if _, err := content.ParsePattern(text, nil); err != nil {
		return "", o.Fail("", "%v", err)
	}
	return text, nil
}

// methods are fio's methods of verification in the script's words.
var methods = map[string]string{
	"md5": "md5", "crc64": "crc64", "crc32": "crc32", "crc32c": "crc32c", "crc32c-intel": "crc32c", "sha1": "sha1", "sha256": "sha256",
	"sha512": "sha512", "xxhash": "xxhash", "meta": "header", "pattern": "pattern",
	"crc16": "crc16", "crc7": "crc7", "sha3-224": "sha3-224", "sha3-256": "sha3-256", "sha3-384": "sha3-384", "sha3-512": "sha3-512",
}

// leastVerified is the shortest stretch of a file, in bytes, of which a verification knows what it holds.
const leastVerified = 128

// putVerify makes writes carry what reads can be checked by.
func (t *translation) putVerify(u *unit) error {
	o, ok := u.v.Option("verify")
	if !ok || o.Value == "0" {
		return nil
	}
	if o.Value == "null" {
		t.ignore("verify=null: it checks nothing, and so nothing is read back")
		return nil
	}
	method := methods[o.Value]
	if method == "pattern" && !u.v.Has("verify_pattern") {
		return o.Fail("", "it needs verify_pattern, which says what blocks are to hold")
	}
	for _, at := range u.starts {
		if at > 0 && divisor(at, u.minimum) < leastVerified {
			return u.blame("offset", "offset_increment").Fail("", "what is verified begins at a multiple of %d bytes, best of the block's size, and this region begins at %d", leastVerified, at)
		}
	}
	parts := []string{"method = " + quote(method)}
	if n, err := u.interval(); err != nil {
		return err
	} else if n > 0 {
		parts = append(parts, "interval = "+size(n))
	}
	if p, ok := u.v.Option("verify_pattern"); ok {
		text, err := t.bytesOf(p)
		if err != nil {
			return err
		}
		parts = append(parts, "pattern = "+quote(text))
	}
	if n := u.v.Integer("verify_backlog"); n > 0 {
		parts = append(parts, fmt.Sprintf("backlog = %d", n))
		if b := u.v.Integer("verify_backlog_batch"); b > 0 && b != n {
			parts = append(parts, fmt.Sprintf("backlog_batch = %d", b))
		}
	}
	for _, b := range []struct{ option, field string }{{"verify_only", "only"}, {"verify_fatal", "fatal"}, {"verify_dump", "dump"}} {
		if u.v.On(b.option) {
			parts = append(parts, b.field+" = true")
		}
	}
	lua := "{ " + strings.Join(parts, ", ") + " }"
	if len(parts) == 1 {
		lua = quote(method)
	}
	u.put("verify", lua, u.since("verify", "verify_interval", "verify_pattern", "verify_backlog", "verify_backlog_batch", "verify_only", "verify_fatal", "verify_dump"))
	return nil
}

// interval is verify_interval as the unit's blocks allow it: no longer than the smallest, and such that each is made of
// whole ones; 0 if none was given.
func (u *unit) interval() (int64, error) {
	read, write, err := u.bothBlocks()
	if err != nil {
		return 0, err
	}
	if o, ok := u.v.Option("bs_unaligned"); ok && write.unaligned {
		return 0, o.Fail("", "what is verified has blocks that are multiples of the smallest: leave it out")
	}
	n := u.v.Integer("verify_interval")
	if n == 0 {
		return 0, nil
	}
	n = min(n, write.min, read.min)
	if write.min%n != 0 || write.max%n != 0 {
		n = divisor(write.min, write.max)
	}
	return n, nil
}

// readsBack says whether what the unit wrote is read back and checked after it.
func (u *unit) readsBack() bool {
	_, ok := methods[u.v.Text("verify")]
	return ok && u.rw.writes && (u.v.On("do_verify") || !u.v.Has("do_verify")) && u.v.Integer("verify_backlog") == 0 && !u.v.On("verify_only")
}
