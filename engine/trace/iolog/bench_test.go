package iolog_test

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"moonio/engine"
	"moonio/engine/trace"
	"moonio/engine/trace/format"
	"moonio/engine/trace/iolog"
	"moonio/engine/trace/tracetest"
)

// endless is a log of two files that does not end.
func endless(t testing.TB) *format.Trace {
	t.Helper()
	var lines bytes.Buffer
	for i := range 1000 {
		fmt.Fprintf(&lines, "%d /srv/app/data/file.%d %s %d 4096\n", 1_000_000_000, i/3%2, []string{"read", "write"}[i%2], i*7919*4096)
	}
	tr, err := format.Open([]string{"-"}, &trace.Options{Stdin: io.MultiReader(strings.NewReader("fio version 3 iolog\n"), &tracetest.Forever{Text: lines.Bytes()})})
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

func TestNoAllocations(t *testing.T) {
	tr := endless(t)
	tracetest.NoAllocations(t, tr)
	var rec trace.Record
	if err := tr.Read(&rec); err != nil {
		t.Fatal(err)
	}
	w := iolog.NewWriter(io.Discard, tr.Log)
	w.Write(&rec)
	if n := testing.AllocsPerRun(20_000, func() { w.Write(&rec) }); n != 0 {
		t.Errorf("writing: %v allocations a record", n)
	}
}

func TestBoundedMemory(t *testing.T) { tracetest.Bounded(t, endless(t), 150_000) }

func BenchmarkRead(b *testing.B) { tracetest.Benchmark(b, endless(b)) }

func BenchmarkWrite(b *testing.B) {
	log := &trace.Log{}
	file, _ := log.Files.ID([]byte("/srv/app/data/file"))
	w := iolog.NewWriter(io.Discard, log)
	rec := trace.Record{Op: engine.Read, Length: 4096, File: file}
	b.ReportAllocs()
	for b.Loop() {
		rec.Time += 10_000
		rec.Offset = (rec.Offset + 7919*4096) % (1 << 40)
		if err := w.Write(&rec); err != nil {
			b.Fatal(err)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte("fio version 3 iolog\n1 /a b add\n2 /a b open\n3 /a b read 0 512\n9 /a b refio version 3 iolog\n4 /a b sync 0 0\n"))
	f.Add([]byte("fio version 2 iolog\nf add\nf wait 500 0\nf trim 0 1\nf wait 2 0\nf datasync 0 0\nf close\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, wait := range []string{"start", "previous"} {
			tracetest.Survives(t, &trace.Options{Format: "iolog", Args: map[string]string{"wait": wait}}, b)
		}
	})
}
