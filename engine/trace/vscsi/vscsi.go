// Package vscsi reads the traces of virtual disks that CloudPhysics captured with ESX' vscsiStats,
// versions 1 and 2.
package vscsi

import (
	"encoding/binary"
	"fmt"
	"math"
	"path/filepath"

	"moonio/engine"
	"moonio/engine/trace"
	"moonio/engine/trace/internal/fixed"
)

// Format is vscsiStats' binary traces.
var Format = &trace.Format{
	Name: "vscsi",
	Help: "CloudPhysics' vscsi traces, versions 1 and 2",
	Sniff: func(head []byte) int {
		if version(head) == 0 {
			return 0
		}
		return 90
	},
	Open: open,
}

// Sizes of a record, by version.
const (
	size1 = 32
	size2 = 40
)

const sectorSize = 512

// version is that of the records that a file begins with, or 0. The upper byte of a field says it, and
// all of the first records have to.
func version(head []byte) int {
	if all(head, size1, 14, 1, 12) {
		return 1
	}
	if all(head, size2, 2, 2, 0) {
		return 2
	}
	return 0
}

// all says whether up to 16 records have a version at one place and a SCSI command at another.
func all(head []byte, size, at int, version, command int) bool {
	n := min(len(head)/size, 16)
	for i := range n {
		b := head[i*size:]
		if b[at+1] != byte(version) || b[command+1] != 0 {
			return false
		}
	}
	return n > 0
}

type reader struct {
	rows    *fixed.Rows
	log     *trace.Log
	version byte
	file    trace.ID
	stream  trace.ID
}

// window is how many records are held back to be put in order.
const window = 1024

func open(in *trace.Input, log *trace.Log, _ *trace.Options) (trace.Reader, error) {
	head, err := in.Peek(16 * size2)
	v := version(head)
	if v == 0 {
		if len(head) < size1 && err != nil {
			return nil, fmt.Errorf("the first record is cut off after %d bytes", len(head))
		}
		return nil, fmt.Errorf("the first records are of neither version 1 nor 2: % x", head[:16])
	}
	r := &reader{log: log, version: byte(v)}
	r.rows = fixed.NewRows(in, log, map[int]int{1: size1, 2: size2}[v])
	name := []byte(filepath.Base(in.Name))
	if r.file, err = log.Files.ID(name); err != nil {
		return nil, err
	}
	if r.stream, err = log.Streams.ID(name); err != nil {
		return nil, err
	}
	return trace.NewSorter(r, window), nil
}

// row is one record, as it is in a file.
type row struct {
	command  uint16
	version  byte
	length   uint32
	sector   uint64
	time     uint64 // in µs
	response uint64 // in µs
}

func (r *reader) row(b []byte) row {
	le := binary.LittleEndian
	if r.version == 2 {
		return row{le.Uint16(b), b[3], le.Uint32(b[8:]), le.Uint64(b[16:]), le.Uint64(b[24:]), le.Uint64(b[32:])}
	}
	return row{le.Uint16(b[12:]), b[15], le.Uint32(b[4:]), le.Uint64(b[16:]), le.Uint64(b[24:]), math.MaxUint64}
}

// maxMicros keeps times far from overflowing.
const maxMicros = math.MaxInt64 / 2000

// Read gives the record of the next command that reads, writes or flushes.
func (r *reader) Read(rec *trace.Record) error {
	for {
		b, err := r.rows.Next()
		if err != nil {
			return err
		}
		row := r.row(b)
		op := opcode(row.command)
		switch {
		case row.version != r.version:
			r.rows.Bad(b, fmt.Sprintf("not a record of version %d: bytes before it are missing, or there are too many", r.version))
			continue
		case op == engine.Nop:
			r.log.Skip(fmt.Sprintf("SCSI command %#02x", row.command&0xff))
			continue
		case row.sector > (math.MaxInt64-math.MaxUint32)/sectorSize:
			r.rows.Bad(b, "the sector is beyond what a device can have")
			continue
		case row.time > maxMicros:
			r.rows.Bad(b, "the time is beyond what can be")
			continue
		}
		*rec = trace.Record{
			Time: int64(row.time) * 1000, Offset: int64(row.sector) * sectorSize, Length: int64(row.length),
			Latency: trace.Unknown, File: r.file, Stream: r.stream, Op: op,
		}
		if row.response <= maxMicros {
			rec.Latency = int64(row.response) * 1000
		}
		if op == engine.Fsync {
			rec.Offset, rec.Length = 0, 0
		}
		return nil
	}
}

// opcode is the operation of a SCSI command, or Nop.
func opcode(command uint16) engine.OpCode {
	switch command {
	case 0x08, 0x28, 0xa8, 0x88:
		return engine.Read
	case 0x0a, 0x2a, 0xaa, 0x8a, 0x2e, 0xae, 0x8e: // the last three verify as well
		return engine.Write
	case 0x35, 0x91:
		return engine.Fsync
	}
	return engine.Nop
}
