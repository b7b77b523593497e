package columns_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"testing"

	"moonio/engine/trace"
	"moonio/engine/trace/columns"
)

// endless repeats a text n times.
func endless(text []byte, n int) io.Reader {
	readers := make([]io.Reader, n)
	for i := range readers {
		readers[i] = bytes.NewReader(text)
	}
	return io.MultiReader(readers...)
}

// lines are Alibaba's, of 100 devices.
func lines() []byte {
	var b bytes.Buffer
	for i := range 1000 {
		fmt.Fprintf(&b, "%d,%c,%d,4096,%d\n", i%100, "RW"[i%2], i*4096, 1577808000000000+i)
	}
	return b.Bytes()
}

func reader(tb testing.TB, in io.Reader) trace.Reader {
	r, err := columns.Alibaba.Open(&trace.Input{Reader: bufio.NewReaderSize(in, 1<<16), Name: "bench"}, &trace.Log{}, nil)
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

func BenchmarkRead(b *testing.B) {
	r := reader(b, endless(lines(), b.N/1000+1))
	b.ReportAllocs()
	b.ResetTimer()
	var rec trace.Record
	for range b.N {
		if err := r.Read(&rec); err != nil {
			b.Fatal(err)
		}
	}
}

func TestReadDoesNotAllocate(t *testing.T) {
	r := reader(t, endless(lines(), 200))
	var rec trace.Record
	for range 10000 {
		r.Read(&rec)
	}
	if n := testing.AllocsPerRun(10, func() {
		for range 10000 {
			if err := r.Read(&rec); err != nil {
				t.Fatal(err)
			}
		}
	}); n > 0 {
		t.Errorf("%v allocations in 10000 records", n)
	}
}
