package native_test

import (
	"bytes"
	"errors"
	"io"
	"math"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"moonio/engine"
	"moonio/engine/trace"
	"moonio/engine/trace/format"
	"moonio/engine/trace/native"
	"moonio/engine/trace/tracetest"
)

// write makes a file of records, whose names are log's.
func write(t testing.TB, log *trace.Log, records []trace.Record) []byte {
	t.Helper()
	var out bytes.Buffer
	w := native.NewWriter(&out, log)
	for i := range records {
		if err := w.Write(&records[i]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func open(t testing.TB, file []byte) *format.Trace {
	t.Helper()
	tr, err := format.Open([]string{"-"}, &trace.Options{Stdin: bytes.NewReader(file)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tr.Close() })
	return tr
}

// drain reads to the end, or to an error.
func drain(r trace.Reader) (n int, err error) {
	var rec trace.Record
	for {
		if err := r.Read(&rec); err == io.EOF {
			return n, nil
		} else if err != nil {
			return n, err
		}
		n++
	}
}

// TestRoundTrip converts real traces, and finds all that they said.
func TestRoundTrip(t *testing.T) {
	for _, name := range []string{"blktrace/vda", "blktrace/sdb", "same_stream/mssql.blktrace.0.gz", "fio/real_v3_numjobs2_two_headers.iolog", "fio/synth_v2.iolog"} {
		from := tracetest.Open(t, nil, name)
		records := tracetest.All(t, from)
		from.Log.Lost = 3
		file := write(t, from.Log, records)
		to := open(t, file)
		got := tracetest.All(t, to)
		if len(got) != len(records) {
			t.Fatalf("%s: %d records, not %d", name, len(got), len(records))
		}
		for i, w := range records {
			g := got[i]
			if to.Log.Files.Name(g.File) != from.Log.Files.Name(w.File) || to.Log.Streams.Name(g.Stream) != from.Log.Streams.Name(w.Stream) {
				t.Fatalf("%s: record %d has another file or stream", name, i)
			}
			g.File, g.Stream = w.File, w.Stream
			if g != w {
				t.Fatalf("%s: record %d: %+v, not %+v", name, i, g, w)
			}
		}
		if !to.Log.Epoch.Equal(from.Log.Epoch) || to.Log.Lost != 3 || to.Log.Bad != 0 {
			t.Errorf("%s: %+v", name, to.Log)
		}
		t.Logf("%s: %.1f bytes a record", name, float64(len(file))/float64(len(records)))
	}
}

// TestAnyRecord holds for whatever a record can be, in any order.
func TestAnyRecord(t *testing.T) {
	log := &trace.Log{Epoch: time.Unix(1, 2).UTC()}
	for _, n := range []string{"", "a", "b c", "\x00\xff"} {
		log.Files.ID([]byte(n))
		log.Streams.ID([]byte(n + "/1"))
	}
	rapid.Check(t, func(t *rapid.T) {
		var records []trace.Record
		for range rapid.IntRange(0, 40).Draw(t, "n") {
			r := trace.Record{
				Time:    rapid.Int64Range(-1<<62, 1<<62-1).Draw(t, "time"),
				Offset:  rapid.Int64Range(-1, math.MaxInt64).Draw(t, "offset"),
				Latency: rapid.Int64Range(-1, math.MaxInt64).Draw(t, "latency"),
				File:    trace.ID(rapid.IntRange(0, 3).Draw(t, "file")),
				Stream:  trace.ID(rapid.IntRange(0, 3).Draw(t, "stream")),
				Op:      engine.OpCode(rapid.IntRange(0, int(engine.NumOpCodes)-1).Draw(t, "op")),
				Flags:   trace.Flags(rapid.IntRange(0, 127).Draw(t, "flags")),
			}
			r.Length = rapid.Int64Range(0, math.MaxInt64-max(r.Offset, 0)).Draw(t, "length")
			records = append(records, r)
		}
		var out bytes.Buffer
		w := native.NewWriter(&out, log)
		for i := range records {
			if err := w.Write(&records[i]); err != nil {
				t.Fatal(err)
			}
		}
		w.Close()
		tr, err := format.Open([]string{"-"}, &trace.Options{Stdin: &out})
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range records {
			var got trace.Record
			if err := tr.Read(&got); err != nil {
				t.Fatal(err)
			}
			if tr.Log.Files.Name(got.File) != log.Files.Name(want.File) || tr.Log.Streams.Name(got.Stream) != log.Streams.Name(want.Stream) {
				t.Fatalf("record %d has another file or stream", i)
			}
			got.File, got.Stream = want.File, want.Stream
			if got != want {
				t.Fatalf("record %d: %+v, not %+v", i, got, want)
			}
		}
		if err := tr.Read(&trace.Record{}); err != io.EOF {
			t.Fatal(err)
		}
	})
}

// many is so many records of one file.
func many(n int) (*trace.Log, []trace.Record) {
	log := &trace.Log{}
	log.Files.ID([]byte("data"))
	log.Streams.ID([]byte("writer/1"))
	records := make([]trace.Record, n)
	for i := range records {
		records[i] = trace.Record{Time: int64(i) * 1000, Offset: int64(i*7919%n) * 4096, Length: 4096, Latency: 80_000, Op: engine.Read + engine.OpCode(i%2)}
	}
	return log, records
}

// TestTruncated cuts a file everywhere: what is whole before the cut is read, and the cut is noticed.
func TestTruncated(t *testing.T) {
	log, records := many(20_000)
	file := write(t, log, records)
	for _, cut := range []int{1, 15, 16, 17, 24, 25, 1000, 64 << 10, 70_000, len(file) - 20, len(file) - 1} {
		tr, err := format.Open([]string{"-"}, &trace.Options{Format: "moonio", Stdin: bytes.NewReader(file[:cut])})
		if err == nil {
			_, err = drain(tr)
		}
		if !errors.Is(err, trace.ErrTruncated) {
			t.Errorf("cut at %d: %v", cut, err)
		}
	}
}

func TestGarbled(t *testing.T) {
	log, records := many(20_000)
	file := write(t, log, records)
	for at := 16; at < len(file); at += 1009 {
		bad := bytes.Clone(file)
		bad[at] ^= 0x20
		n, err := drain(open(t, bad))
		if err == nil {
			t.Fatalf("byte %d: nothing was noticed in %d records", at, n)
		}
	}
}

func TestVersion(t *testing.T) {
	log, records := many(1)
	file := write(t, log, records)
	file[15] = 9
	_, err := format.Open([]string{"-"}, &trace.Options{Stdin: bytes.NewReader(file)})
	if err == nil || err.Error() != "trace -: header: version 9 of moonio's format; this moonio reads version 1" {
		t.Error(err)
	}
}

func TestWriterRefuses(t *testing.T) {
	log := &trace.Log{}
	log.Files.ID([]byte(strings.Repeat("x", 1<<20)))
	log.Streams.ID([]byte("s"))
	for _, r := range []trace.Record{{Op: engine.Read, Offset: math.MaxInt64, Length: 1}, {Op: 31}, {Op: engine.Read, Length: -1}, {Op: engine.Read}} {
		w := native.NewWriter(io.Discard, log)
		w.Write(&r)
		if err := w.Close(); err == nil {
			t.Errorf("%+v was written", r)
		}
	}
}

func TestEmpty(t *testing.T) {
	if n, err := drain(open(t, write(t, &trace.Log{}, nil))); n != 0 || err != nil {
		t.Error(n, err)
	}
}

func BenchmarkRead(b *testing.B) {
	log, records := many(1 << 20)
	file := write(b, log, records)
	b.ReportAllocs()
	b.SetBytes(int64(len(file)) / int64(len(records)))
	var tr *format.Trace
	var rec trace.Record
	for i := range b.N {
		if i%len(records) == 0 {
			tr = open(b, file)
		}
		if err := tr.Read(&rec); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkWrite(b *testing.B) {
	log, records := many(1 << 20)
	b.ReportAllocs()
	w := native.NewWriter(io.Discard, log)
	for i := range b.N {
		if err := w.Write(&records[i&(1<<20-1)]); err != nil {
			b.Fatal(err)
		}
	}
}
