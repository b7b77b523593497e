package oracle_test

import (
	"bytes"
	"encoding/binary"
	"math"
	"testing"

	"moonio/engine"
	"moonio/engine/trace"
	"moonio/engine/trace/format"
	"moonio/engine/trace/tracetest"
)

func request(at uint32, object uint64, size uint32, next int64) []byte {
	b := binary.LittleEndian.AppendUint32(nil, at)
	b = binary.LittleEndian.AppendUint64(b, object)
	b = binary.LittleEndian.AppendUint32(b, size)
	return binary.LittleEndian.AppendUint64(b, uint64(next))
}

// requests is n of them, for four objects.
func requests(n int) []byte {
	var b []byte
	for i := range n {
		b = append(b, request(uint32(i/2), uint64(i%4), 4096, int64(i+4))...)
	}
	return b
}

func TestSniff(t *testing.T) {
	good := requests(16)
	back := bytes.Clone(good)
	back[24] = 99 // the next is earlier
	for what, c := range map[string]struct {
		head []byte
		sure bool
	}{
		"a trace": {good, true}, "too short": {good[:7*24], false}, "times go back": {back, false},
		"text": {bytes.Repeat([]byte("1,2,3,4\n"), 99), false}, "zeros": {make([]byte, 1000), false},
	} {
		if f := format.Sniff(c.head); (f != nil && f.Name == "oraclegeneral") != c.sure {
			t.Errorf("%s: %v", what, f)
		}
	}
}

func TestRead(t *testing.T) {
	file := append(requests(8), request(100, math.MaxUint64, 1<<20, -1)...)
	file = append(file, 1, 2)
	tr, err := format.Open([]string{"-"}, &trace.Options{Stdin: bytes.NewReader(file)})
	if err != nil {
		t.Fatal(err)
	}
	got := tracetest.All(t, tr)
	want := trace.Record{Time: 2e9, Offset: 4096, Length: 4096, Latency: trace.Unknown, Op: engine.Read}
	if len(got) != 9 || got[5] != want || tr.Log.Bad != 1 || !tr.ProfileOnly() {
		t.Errorf("%+v %+v", got, tr.Log)
	}
	if o := got[8].Offset; o%4096 != 0 || !trace.Fits(o, 1<<20) {
		t.Error(o)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(requests(10))
	f.Fuzz(func(t *testing.T, b []byte) {
		tracetest.Survives(t, &trace.Options{Format: "oraclegeneral"}, b)
	})
}
