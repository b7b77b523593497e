package native_test

import (
	"encoding/binary"
	"hash/crc32"
	"testing"

	"moonio/engine/trace"
	"moonio/engine/trace/tracetest"
)

func TestNoAllocations(t *testing.T) {
	log, records := many(120_000)
	tracetest.NoAllocations(t, open(t, write(t, log, records)))
}

func TestBoundedMemory(t *testing.T) {
	log, records := many(300_000)
	tracetest.Bounded(t, open(t, write(t, log, records)), 150_000)
}

// FuzzRead has files as they are, and payloads that it puts into a block with the right checksum.
func FuzzRead(f *testing.F) {
	log, records := many(50)
	file := write(f, log, records)
	f.Add(file)
	f.Add(file[24:])
	f.Fuzz(func(t *testing.T, b []byte) {
		tracetest.Survives(t, &trace.Options{Format: "moonio"}, b)
		block := append([]byte(nil), file[:16]...)
		block = binary.LittleEndian.AppendUint32(block, uint32(len(b)))
		block = binary.LittleEndian.AppendUint32(block, crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)))
		tracetest.Survives(t, &trace.Options{Format: "moonio"}, append(block, b...))
	})
}
