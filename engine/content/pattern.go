package content

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"moonio/engine/units"
)

// Pattern is a sequence of bytes that fills a block over and over. It may hold the
// block's offset. The zero value is empty.
type Pattern struct {
	text    string
	bytes   []byte
	offsets []int // where in bytes the offset stands, 8 bytes, little-endian
}

// maxPattern bounds a pattern's length in bytes.
const maxPattern = 1 << 20

const offsetSize = 8

// ParsePattern reads fio's buffer_pattern: parts one behind the other, each a text in
// double quotes, a hexadecimal number ("0xdeadbeef", its bytes as they are written), a
// decimal number (little-endian in as many bytes as it needs, four if it is
// negative), the content of a file in single quotes, or %o, the block's offset in 8
// bytes, little-endian. A text that is none of these stands for itself. read gives a
// file's content; nil means that there are no files.
func ParsePattern(text string, read func(name string) ([]byte, error)) (Pattern, error) {
	p := Pattern{text: text}
	if bare(text) {
		p.bytes = []byte(text)
		return p, p.check()
	}
	for rest := text; rest != ""; {
		n, err := p.part(rest, read)
		if err != nil {
			return Pattern{}, fmt.Errorf("pattern %q: at %q: %w", text, rest, err)
		}
		rest = strings.TrimLeft(rest[n:], " ")
	}
	return p, p.check()
}

// bare says that the text is none of the parts of a pattern.
func bare(text string) bool {
	return text != "" && !strings.ContainsAny(text[:1], "\"'%-0123456789")
}

func (p *Pattern) check() error {
	switch {
	case len(p.bytes) == 0:
		return errors.New("the pattern is empty: write \"0xdeadbeef\" or a text")
	case len(p.bytes) > maxPattern:
		return fmt.Errorf("the pattern has %s, and the most is %s", units.FormatSize(int64(len(p.bytes))), units.FormatSize(maxPattern))
	}
	return nil
}

// part reads the first part of text and says how long it is.
func (p *Pattern) part(text string, read func(string) ([]byte, error)) (int, error) {
	switch {
	case text[0] == '"' || text[0] == '\'':
		return p.quoted(text, read)
	case strings.HasPrefix(text, "%o"):
		p.offsets = append(p.offsets, len(p.bytes))
		p.bytes = append(p.bytes, make([]byte, offsetSize)...)
		return 2, nil
	case strings.HasPrefix(text, "0x") || strings.HasPrefix(text, "0X"):
		return p.hex(text)
	}
	return p.decimal(text)
}

func (p *Pattern) quoted(text string, read func(string) ([]byte, error)) (int, error) {
	end := strings.IndexByte(text[1:], text[0])
	if end < 0 {
		return 0, fmt.Errorf("the closing %c is missing", text[0])
	}
	inner := text[1 : end+1]
	if text[0] == '"' {
		p.bytes = append(p.bytes, inner...)
		return end + 2, nil
	}
	if read == nil {
		return 0, errors.New("a file's content can't be used here: give the bytes as text or as a hexadecimal number")
	}
	b, err := read(inner)
	if err != nil {
		return 0, fmt.Errorf("file of a pattern: %w", err)
	}
	p.bytes = append(p.bytes, b...)
	return end + 2, nil
}

func (p *Pattern) hex(text string) (int, error) {
	n := 2
	for n < len(text) && strings.IndexByte("0123456789abcdefABCDEF", text[n]) >= 0 {
		n++
	}
	digits := text[2:n]
	if digits == "" {
		return 0, errors.New("no hexadecimal digits behind 0x")
	}
	if len(digits)%2 == 1 {
		digits = "0" + digits
	}
	for i := 0; i < len(digits); i += 2 {
		b, err := strconv.ParseUint(digits[i:i+2], 16, 8)
		if err != nil {
			return 0, err
		}
		p.bytes = append(p.bytes, byte(b))
	}
	return n, nil
}

func (p *Pattern) decimal(text string) (int, error) {
	n := 0
	for n < len(text) && (text[n] >= '0' && text[n] <= '9' || n == 0 && text[n] == '-') {
		n++
	}
	if n > 1 && text[n-1] == '0' && n < len(text) && (text[n] == 'x' || text[n] == 'X') {
		n-- // the next part begins with 0x
	}
	v, err := strconv.ParseInt(text[:n], 10, 64)
	if err != nil || v < math.MinInt32 {
		return 0, errors.New("not a part of a pattern: \"text\", 0x and hexadecimal digits, a decimal number of 32 bits if negative, %o")
	}
	le := binary.LittleEndian.AppendUint64(nil, uint64(v))
	size := 4
	if v >= 0 {
		for size = 8; size > 1 && le[size-1] == 0; size-- {
		}
	}
	p.bytes = append(p.bytes, le[:size]...)
	return n, nil
}

// Len is the pattern's length in bytes.
func (p *Pattern) Len() int { return len(p.bytes) }

// String is the pattern as it was given.
func (p *Pattern) String() string { return p.text }

// Offset finds the block's offset in bytes that the pattern filled; false if it holds none.
func (p *Pattern) Offset(b []byte) (int64, bool) {
	if len(p.offsets) == 0 || len(b) < p.offsets[0]+offsetSize {
		return 0, false
	}
	return int64(binary.LittleEndian.Uint64(b[p.offsets[0]:])), true
}

// prime fills b with the pattern, from its beginning.
func (p *Pattern) prime(b []byte) {
	for n := copy(b, p.bytes); n < len(b); n *= 2 {
		copy(b[n:], b[:n])
	}
}

// place puts the block's offset wherever it stands.
func (p *Pattern) place(b []byte, off int64) {
	if len(p.offsets) == 0 {
		return
	}
	var le [offsetSize]byte
	binary.LittleEndian.PutUint64(le[:], uint64(off))
	for from := 0; from < len(b); from += len(p.bytes) {
		for _, at := range p.offsets {
			if from+at < len(b) {
				copy(b[from+at:], le[:])
			}
		}
	}
}
