package btrecord_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"moonio/engine"
	"moonio/engine/trace"
	"moonio/engine/trace/format"
	"moonio/engine/trace/tracetest"
)

func words(n ...uint64) []byte {
	var b []byte
	for _, w := range n {
		b = binary.LittleEndian.AppendUint64(b, w)
	}
	return b
}

// sample is two bunches, of a read and a flush that became a write, and of a write; and padding.
var sample = bytes.Join([][]byte{
	words(0x10000, 77, 2, 3),
	words(2, 5000), words(8, 4096, 1), words(math.MaxUint64, 0, 0),
	words(1, 9000), words(1<<40, 512, 0),
	make([]byte, 4096),
}, nil)

func open(t *testing.T, file []byte) (*format.Trace, error) {
	path := filepath.Join(t.TempDir(), "sda.replay.0")
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	return format.Open([]string{path}, nil)
}

func TestRead(t *testing.T) {
	tr, err := open(t, sample)
	if err != nil {
		t.Fatal(err)
	}
	defer tr.Close()
	want := []trace.Record{
		{Time: 5000, Offset: 4096, Length: 4096, Latency: trace.Unknown, Op: engine.Read},
		{Time: 5000, Latency: trace.Unknown, Op: engine.Fsync},
		{Time: 9000, Offset: 512 << 40, Length: 512, Latency: trace.Unknown, Op: engine.Write},
	}
	got := tracetest.All(t, tr)
	if len(got) != 3 || got[0] != want[0] || got[1] != want[1] || got[2] != want[2] {
		t.Errorf("%+v", got)
	}
	if tr.Log.Bad != 0 || tr.Log.Files.Name(0) != "sda" || len(tr.Log.Notes) != 2 || tr.Formats[0].Name != "btrecord" {
		t.Errorf("%+v", tr.Log)
	}
}

// TestBigEndian reads the sample as a machine of the other byte order writes it.
func TestBigEndian(t *testing.T) {
	var want [][]trace.Record
	for _, file := range [][]byte{sample, swapped(sample)} {
		tr, err := open(t, file)
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, tracetest.All(t, tr))
		tr.Close()
	}
	if len(want[0]) != 3 || !slices.Equal(want[0], want[1]) {
		t.Errorf("%+v, not %+v", want[1], want[0])
	}
}

// swapped is a file of u64, and of packets whose last is two u32, in the other byte order.
func swapped(file []byte) []byte {
	file = bytes.Clone(file)
	for i := 0; i+8 <= len(file); i += 8 {
		slices.Reverse(file[i : i+8])
	}
	for _, at := range []int{32 + 16 + 16, 32 + 16 + 24 + 16, 32 + 16 + 48 + 16 + 16} {
		slices.Reverse(file[at : at+8])
		slices.Reverse(file[at : at+4])
	}
	return file
}

func TestTruncated(t *testing.T) {
	for _, cut := range []int{40, 50, 32 + 16 + 24, len(sample) - 4096 - 1} {
		tr, err := open(t, sample[:cut])
		if err != nil {
			t.Fatal(err)
		}
		var rec trace.Record
		for err == nil {
			err = tr.Read(&rec)
		}
		tr.Close()
		if !errors.Is(err, trace.ErrTruncated) || !strings.Contains(err.Error(), "bunches to come") {
			t.Errorf("cut at %d: %v", cut, err)
		}
	}
}

// TestHostile has more bunches and packets than there can be, and no such ranges.
func TestHostile(t *testing.T) {
	tr, err := open(t, bytes.Join([][]byte{
		words(0x10000, 0, math.MaxUint64, math.MaxUint64),
		words(math.MaxUint64, 1), words(math.MaxUint64, 1, 1), words(1, math.MaxUint64, 0), words(math.MaxInt64/512, 1<<62, 0),
	}, nil))
	if err != nil {
		t.Fatal(err)
	}
	defer tr.Close()
	if err := tr.Read(&trace.Record{}); !errors.Is(err, trace.ErrTruncated) || tr.Log.Bad != 3 {
		t.Errorf("%v %+v", err, tr.Log)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(sample)
	f.Add(swapped(sample))
	f.Fuzz(func(t *testing.T, b []byte) {
		tracetest.Survives(t, &trace.Options{Format: "btrecord"}, b)
	})
}
