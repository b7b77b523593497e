package tracetest

import (
	"fmt"
	"strings"
	"testing"

	"moonio/engine/trace"
	"moonio/engine/trace/format"
)

// Show is the rest of a trace's records, a line each: time, op, range, file, stream, and what
// else is known.
func Show(t testing.TB, tr *format.Trace) string {
	t.Helper()
	var b strings.Builder
	for _, r := range All(t, tr) {
		fmt.Fprintf(&b, "%d %s %d+%d %s by %s", r.Time, r.Op, r.Offset, r.Length, tr.Log.Files.Name(r.File), tr.Log.Streams.Name(r.Stream))
		if r.Latency != trace.Unknown {
			fmt.Fprintf(&b, " took %d", r.Latency)
		}
		for i, name := range []string{"preflush", "fua", "sync", "meta", "readahead", "direct"} {
			if r.Flags>>i&1 != 0 {
				b.WriteString(" " + name)
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// Forever is a text that is read over and over.
type Forever struct {
	Text []byte
	at   int
}

func (f *Forever) Read(b []byte) (int, error) {
	n := copy(b, f.Text[f.at:])
	f.at = (f.at + n) % len(f.Text)
	return n, nil
}
