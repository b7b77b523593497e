package vscsi_test

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"

	"moonio/engine"
	"moonio/engine/trace"
	"moonio/engine/trace/format"
	"moonio/engine/trace/tracetest"
)

func TestSameStream(t *testing.T) {
	tr := tracetest.Open(t, nil, "same_stream/mssql.v1.vscsi.gz")
	tracetest.SameStream(t, tracetest.All(t, tr), 1000)
	if tr.Log.Bad+tr.Log.Disorder != 0 || tr.Log.Lines != 2000 || tr.Formats[0].Name != "vscsi" {
		t.Errorf("%+v", tr.Log)
	}
}

// TestMissing has bytes missing in the middle: no record after them is where it should be.
func TestMissing(t *testing.T) {
	b := make([]byte, 0, 20*40)
	for i := range 20 {
		b = append(b, v2(0x28, 4096, 8, uint64(i), 50)...)
	}
	path := filepath.Join(t.TempDir(), "disk.vscsi")
	if err := os.WriteFile(path, append(b[:17*40:17*40], b[17*40+8:]...), 0o600); err != nil {
		t.Fatal(err)
	}
	tr, err := format.Open([]string{path}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer tr.Close()
	if got := tracetest.All(t, tr); len(got) != 17 || tr.Log.Bad != 3 || len(tr.Log.Skipped) != 0 {
		t.Errorf("%d records, %+v", len(got), tr.Log)
	}
}

// v2 is a record of version 2.
func v2(command uint16, length uint32, sector, at, response uint64) []byte {
	b := make([]byte, 40)
	binary.LittleEndian.PutUint16(b, command)
	binary.LittleEndian.PutUint16(b[2:], 0x0200)
	binary.LittleEndian.PutUint32(b[8:], length)
	binary.LittleEndian.PutUint64(b[16:], sector)
	binary.LittleEndian.PutUint64(b[24:], at)
	binary.LittleEndian.PutUint64(b[32:], response)
	return b
}

func TestVersion2(t *testing.T) {
	path := filepath.Join(t.TempDir(), "disk.vscsi")
	var b []byte
	b = append(b, v2(0x28, 4096, 8, 1000, 50)...)
	b = append(b, v2(0x8a, 512, 1<<40, 3000, 70)...)
	b = append(b, v2(0x2a, 512, 9, 2000, 1<<63)...) // earlier, and without a response
	b = append(b, v2(0x35, 0, 77, 4000, 10)...)
	b = append(b, v2(0x12, 36, 0, 4000, 10)...)      // an inquiry
	b = append(b, v2(0x28, 512, 1<<63, 4000, 10)...) // no such sector
	b = append(b, v2(0x28, 512, 0, 1<<63, 10)...)    // no such time
	b = append(b, 1, 2, 3)
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	tr, err := format.Open([]string{path}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer tr.Close()
	want := []trace.Record{
		{Time: 1_000_000, Offset: 4096, Length: 4096, Latency: 50_000, Op: engine.Read},
		{Time: 2_000_000, Offset: 9 * 512, Length: 512, Latency: trace.Unknown, Op: engine.Write},
		{Time: 3_000_000, Offset: 512 << 40, Length: 512, Latency: 70_000, Op: engine.Write},
		{Time: 4_000_000, Latency: 10_000, Op: engine.Fsync},
	}
	got := tracetest.All(t, tr)
	if len(got) != len(want) {
		t.Fatal(got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("record %d: %+v, not %+v", i, got[i], want[i])
		}
	}
	if tr.Log.Bad != 3 || tr.Log.Lines != 8 || tr.Log.Skipped["SCSI command 0x12"] != 1 || tr.Log.Files.Name(0) != "disk.vscsi" {
		t.Errorf("%+v", tr.Log)
	}
}
