package columns_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"testing"

	"moonio/engine/trace"
	"moonio/engine/trace/columns"
	"moonio/engine/trace/tracetest"
)

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
	tracetest.Benchmark(b, reader(b, &tracetest.Forever{Text: lines()}))
}

func TestReadDoesNotAllocate(t *testing.T) {
	tracetest.NoAllocations(t, reader(t, &tracetest.Forever{Text: lines()}))
}
