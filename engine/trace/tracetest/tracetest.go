// Package tracetest has what the tests of trace formats share: the sample traces, and the one
// stream that several of them hold.
package tracetest

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"moonio/engine"
	"moonio/engine/trace"
	"moonio/engine/trace/format"
)

// Path is the path of a sample trace, such as "fio/synth_v2.iolog".
func Path(name string) string {
	_, here, _, _ := runtime.Caller(0)
	return filepath.Join(filepath.Dir(here), "../../../testdata/traces", filepath.FromSlash(name))
}

// Open opens sample traces as one, to be closed when the test ends.
func Open(t testing.TB, o *trace.Options, names ...string) *format.Trace {
	t.Helper()
	paths := make([]string, len(names))
	for i, n := range names {
		paths[i] = Path(n)
	}
	tr, err := format.Open(paths, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tr.Close() })
	return tr
}

// All reads all of a trace's records.
func All(t testing.TB, r trace.Reader) []trace.Record {
	t.Helper()
	var out []trace.Record
	for {
		var rec trace.Record
		switch err := r.Read(&rec); err {
		case nil:
			out = append(out, rec)
		case io.EOF:
			return out
		default:
			t.Fatalf("after %d records: %v", len(out), err)
		}
	}
}

// NoAllocations sees that reading a trace without an end allocates nothing once it is under
// way.
func NoAllocations(t testing.TB, r trace.Reader) {
	t.Helper()
	const many = 10_000
	var rec trace.Record
	read := func() {
		for range many {
			if err := r.Read(&rec); err != nil {
				t.Fatal(err)
			}
		}
	}
	for range 5 {
		read()
	}
	if n := testing.AllocsPerRun(5, read); n > 0 {
		t.Errorf("%v allocations in %d records", n, many)
	}
}

// Benchmark measures how long reading a record of a trace without an end takes.
func Benchmark(b *testing.B, r trace.Reader) {
	b.Helper()
	var rec trace.Record
	b.ReportAllocs()
	for b.Loop() {
		if err := r.Read(&rec); err != nil {
			b.Fatal(err)
		}
	}
}

// Canonical is the stream that every file in same_stream holds; its first Time is 0.
func Canonical(t testing.TB) []trace.Record {
	t.Helper()
	f, err := os.Open(Path("same_stream/canonical.tsv.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var out []trace.Record
	lines := bufio.NewScanner(z)
	for lines.Scan() {
		var r trace.Record
		var op string
		if n, _ := fmt.Sscan(lines.Text(), &r.Time, &op, &r.Offset, &r.Length); n != 4 {
			continue // the header
		}
		r.Op = map[string]engine.OpCode{"R": engine.Read, "W": engine.Write}[op]
		out = append(out, r)
	}
	if len(out) != 2000 || lines.Err() != nil {
		t.Fatalf("canonical.tsv.gz holds %d records, not 2000 (%v)", len(out), lines.Err())
	}
	return out
}

// SameStream checks that records are the canonical stream: the same operations and ranges in the
// same order, and the same times from the first on to within resolution ns.
func SameStream(t testing.TB, got []trace.Record, resolution int64) {
	t.Helper()
	want := Canonical(t)
	if len(got) != len(want) {
		t.Fatalf("%d records, not %d", len(got), len(want))
	}
	for i, w := range want {
		g := got[i]
		if g.Op != w.Op || g.Offset != w.Offset || g.Length != w.Length {
			t.Fatalf("record %d: %s %d %d, not %s %d %d", i, g.Op, g.Offset, g.Length, w.Op, w.Offset, w.Length)
		}
		if off := g.Time - got[0].Time - w.Time; off < -resolution || off > resolution {
			t.Fatalf("record %d: at %d ns, not %d ± %d", i, g.Time-got[0].Time, w.Time, resolution)
		}
	}
}

// Survives reads a file that may be anything. Every record must be one that can be, there can be no
// more of them than bytes, and the log must add up.
func Survives(t testing.TB, o *trace.Options, file []byte) {
	t.Helper()
	options := *o
	options.Stdin = bytes.NewReader(file)
	tr, err := format.Open([]string{"-"}, &options)
	if err != nil {
		return
	}
	defer tr.Close()
	n := int64(0)
	var r trace.Record
	for err = tr.Read(&r); err == nil; err = tr.Read(&r) {
		n++
		if !trace.Fits(r.Offset, r.Length) || r.Latency < trace.Unknown || r.Op >= engine.NumOpCodes {
			t.Fatalf("record %d: %+v", n, r)
		}
		if int(r.File) >= tr.Log.Files.Len() || int(r.Stream) >= tr.Log.Streams.Len() {
			t.Fatalf("record %d: file %d of %d, stream %d of %d", n, r.File, tr.Log.Files.Len(), r.Stream, tr.Log.Streams.Len())
		}
		if n > int64(len(file))+1 {
			t.Fatalf("%d records from %d bytes", n, len(file))
		}
	}
	if again := tr.Read(&r); again == nil || err == io.EOF && again != io.EOF {
		t.Fatalf("after %v: %v", err, again)
	}
	if l := tr.Log; l.Records != n || l.Bad < 0 || l.Lost < 0 || len(l.First) > 5 {
		t.Fatalf("%d records, %+v", n, l)
	}
}

// Bounded reads n records twice over, and wants the second half to add nothing to the heap.
func Bounded(t testing.TB, r trace.Reader, n int) {
	t.Helper()
	var rec trace.Record
	var heap [2]uint64
	for half := range heap {
		for i := range n {
			if err := r.Read(&rec); err != nil {
				t.Fatalf("record %d: %v", half*n+i, err)
			}
		}
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		heap[half] = m.HeapAlloc
	}
	if heap[1] > heap[0]+128<<10 {
		t.Errorf("%d bytes in the heap after %d records, and %d after twice as many", heap[0], n, heap[1])
	}
}
