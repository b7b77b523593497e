package format

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"moonio/engine/trace"
)

var (
	errEmpty = errors.New("it is empty")
	errBlank = errors.New("it has only empty lines and comments")
	// errPerf is of what begins with PERFILE2.
	errPerf = errors.New(`it is perf's own file, which only perf can read: run "perf script -i FILE > FILE.txt", and give moonio that`)
)

// tell finds an input's format, unless the user has named it.
func tell(in *trace.Input, named *trace.Format) (*trace.Format, error) {
	head, err := in.Peek(headSize)
	if len(head) == 0 {
		if err != nil && err != io.EOF {
			return nil, err
		}
		return nil, errEmpty
	}
	if bytes.HasPrefix(head, []byte("PERFILE2")) {
		return nil, errPerf
	}
	if named != nil {
		return named, nil
	}
	if f := Sniff(head); f != nil {
		return f, nil
	}
	if len(head) < headSize && blank(head) {
		return nil, errBlank
	}
	for _, o := range others {
		if bytes.HasPrefix(head, []byte(o.magic)) {
			return nil, errors.New(o.why)
		}
	}
	for _, o := range otherTexts {
		if bytes.Contains(head, []byte(o.has)) {
			return nil, errors.New(o.why)
		}
	}
	known := names(formats, func(f *trace.Format) string { return f.Name })
	hint := ""
	if table(head) {
		hint = "; of a table, columns wants to know where its columns are, as in columns:time=1:s,op=2:R/W,offset=3:bytes,length=4:bytes"
	}
	return nil, fmt.Errorf("its format is none that moonio can tell; name it with --trace-format (%s)%s", strings.Join(known, ", "), hint)
}

// blank says whether there is nothing but empty lines and comments.
func blank(text []byte) bool {
	for line := range bytes.Lines(text) {
		if line = bytes.TrimSpace(line); len(line) > 0 && line[0] != '#' {
			return false
		}
	}
	return true
}

// table says whether a file begins with two lines of as many columns, of which there are three or more.
func table(head []byte) bool {
	first, rest, _ := bytes.Cut(head, []byte("\n"))
	second, _, _ := bytes.Cut(rest, []byte("\n"))
	for _, separator := range []string{",", ";", "\t"} {
		if n := bytes.Count(first, []byte(separator)); n >= 2 && n == bytes.Count(second, []byte(separator)) {
			return true
		}
	}
	return false
}

// others are files that are met, and are not read.
var others = []struct{ magic, why string }{
	{"PK\x03\x04", "it is a zip archive: unpack it, and name the files or their directory"},
	{"7z\xbc\xaf\x27\x1c", "it is a 7z archive: unpack it, and name the files or their directory"},
	{"\x04\x22\x4d\x18", "it is compressed with lz4: pipe it in, as in lz4 -dc FILE | moonio trace info -"},
	{"\x1f\x9d", "it is compressed with compress: pipe it in, as in zcat FILE | moonio trace info -"},
	{"\xff\xfe", utf16}, {"\xfe\xff", utf16},
	{"\x17\x08\x44tracing", `it is trace-cmd's own file: capture with perf record instead, and give moonio what "perf script" makes of it`},
}

// otherTexts are what tools of tracing print that is no trace of single I/Os, by what only they have.
var otherTexts = []struct{ has, why string }{
	{" syscalls:sys_enter_", `it is perf script's text of system calls, which has not the files' names: capture with "perf trace -T -o FILE" or strace`},
	{"% time     seconds  usecs/call", "it is strace's count of calls (-c), without the calls: capture with strace -f -ttt -T -y -o FILE"},
	{" Summary of events:", "it is perf trace's count of calls (-s), without the calls: capture with perf trace -T -o FILE"},
	{" : count     distribution", histogram},
	{"|@", histogram},
}

const histogram = "it is a histogram, such as biolatency's, without the I/Os that are in it: capture with biosnoop, or with perf record -e block:block_rq_issue -e block:block_rq_complete"

const utf16 = "it is text in UTF-16: make it UTF-8 first, as in iconv -f UTF-16 -t UTF-8 FILE > FILE.txt"

// Sniff is the format that is surest of a file that begins like head, or nil.
func Sniff(head []byte) *trace.Format {
	var best *trace.Format
	sure := 0
	for _, f := range formats {
		if s := f.Sniff(head); s > sure {
			best, sure = f, s
		}
	}
	return best
}
