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
	errPerf  = errors.New(`it is perf's own file, which only perf can read: run "perf script -i FILE > FILE.txt", and give moonio that`)
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
	known := names(formats, func(f *trace.Format) string { return f.Name })
	return nil, fmt.Errorf("its format is none that moonio can tell; name it with --trace-format (%s)", strings.Join(known, ", "))
}

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
