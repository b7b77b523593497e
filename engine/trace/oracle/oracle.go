// Package oracle reads libCacheSim's oracleGeneral traces: which objects a cache was asked for. They
// say neither what was done nor where, so they can be profiled (rates, sizes, reuse) and not replayed.
package oracle

import (
	"encoding/binary"
	"fmt"
	"path/filepath"

	"moonio/engine"
	"moonio/engine/trace"
	"moonio/engine/trace/internal/fixed"
)

// Format is oracleGeneral.
var Format = &trace.Format{
	Name:        "oraclegeneral",
	Help:        "libCacheSim's oracleGeneral: requests to a cache, to be profiled only",
	ProfileOnly: true,
	Sniff:       sniff,
	Open:        open,
}

// size of a record: u32 time in s, u64 object, u32 size, i64 when it is asked for next.
const size = 24

// sniff looks for times that do not go back, sizes that an object can have, and next
// requests that are later ones. There is no magic, so it is never sure.
func sniff(head []byte) int {
	n := min(len(head)/size, 64)
	if n < 8 {
		return 0
	}
	last := uint32(0)
	for i := range n {
		b := head[i*size:]
		next := int64(binary.LittleEndian.Uint64(b[16:]))
		now, length := binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint32(b[12:])
		if now < last || length == 0 || length > 1<<30 || next != -1 && next <= int64(i) || next > 1<<48 {
			return 0
		}
		last = now
	}
	return 30
}

type reader struct {
	rows   *fixed.Rows
	file   trace.ID
	stream trace.ID
}

func open(in *trace.Input, log *trace.Log, _ *trace.Options) (trace.Reader, error) {
	r := &reader{rows: fixed.NewRows(in, log, size)}
	name := []byte(filepath.Base(in.Name))
	var err error
	if r.file, err = log.Files.ID(name); err != nil {
		return nil, fmt.Errorf("name: %w", err)
	}
	if r.stream, err = log.Streams.ID(name); err != nil {
		return nil, fmt.Errorf("name: %w", err)
	}
	log.Note("oracleGeneral says neither the operation nor the address: all requests count as reads, and each object as a place of 4 KiB of its own")
	return r, nil
}

// Read gives the next request, as a read.
func (r *reader) Read(rec *trace.Record) error {
	b, err := r.rows.Next()
	if err != nil {
		return err
	}
	*rec = trace.Record{
		Time:    int64(binary.LittleEndian.Uint32(b)) * 1e9,
		Offset:  place(binary.LittleEndian.Uint64(b[4:])),
		Length:  int64(binary.LittleEndian.Uint32(b[12:])),
		Latency: trace.Unknown,
		File:    r.file, Stream: r.stream, Op: engine.Read,
	}
	return nil
}

// place gives an object a block of its own: by its number, or if that is too large by a hash of it.
func place(object uint64) int64 {
	const blocks = 1 << 50
	if object >= blocks {
		object ^= object >> 29
		object *= 0xbf58476d1ce4e5b9
		object = (object ^ object>>32) % blocks
	}
	return int64(object) * 4096
}
