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

func TestNoAllocations(t *testing.T) { tracetest.NoAllocations(t, endless(t)) }

func TestBoundedMemory(t *testing.T) { tracetest.Bounded(t, endless(t), 150_000) }

func BenchmarkRead(b *testing.B) { tracetest.Benchmark(b, endless(b)) }

func FuzzRead(f *testing.F) {
	f.Add(v2(0x28, 4096, 8, 1000, 50))
	f.Add([]byte("\x00\x00\x00\x00\x00\x06\x00\x00\x01\x00\x00\x00\x2a\x00\x00\x01\x1a\xdb\xf0\x02\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, b []byte) {
		tracetest.Survives(t, &trace.Options{Format: "vscsi"}, b)
	})
}
