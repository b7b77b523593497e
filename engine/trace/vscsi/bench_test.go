package vscsi_test

import (
	"bytes"
	"testing"

	"moonio/engine/trace"
	"moonio/engine/trace/format"
	"moonio/engine/trace/tracetest"
)

func endless(t testing.TB) *format.Trace {
	t.Helper()
	b := bytes.Repeat(bytes.Join([][]byte{v2(0x28, 4096, 8, 1000, 50), v2(0x2a, 4096, 8, 1000, 50)}, nil), 1000)
	tr, err := format.Open([]string{"-"}, &trace.Options{Stdin: &tracetest.Forever{Text: b}})
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

func TestNoAllocations(t *testing.T) {
	tr := endless(t)
	var rec trace.Record
	tr.Read(&rec)
	if n := testing.AllocsPerRun(20_000, func() { tr.Read(&rec) }); n != 0 {
		t.Errorf("%v allocations a record", n)
	}
}

func TestBoundedMemory(t *testing.T) { tracetest.Bounded(t, endless(t), 150_000) }

func BenchmarkRead(b *testing.B) {
	tr := endless(b)
	var rec trace.Record
	b.ReportAllocs()
	for b.Loop() {
		if err := tr.Read(&rec); err != nil {
			b.Fatal(err)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(v2(0x28, 4096, 8, 1000, 50))
	f.Add([]byte("\x00\x00\x00\x00\x00\x06\x00\x00\x01\x00\x00\x00\x2a\x00\x00\x01\x1a\xdb\xf0\x02\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, b []byte) {
		tracetest.Survives(t, &trace.Options{Format: "vscsi"}, b)
	})
}
