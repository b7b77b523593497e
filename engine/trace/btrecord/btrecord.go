// Package btrecord reads the files that btrecord makes of blktrace's, for btreplay: bunches of I/Os that
// were issued at about the same time. They are in the byte order of the machine that made them.
//
// The format has reads and writes only. btrecord turns discards into writes, which cannot be told from
// others, and flushes into writes of nothing, which can.
package btrecord

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strings"

	"moonio/engine"
	"moonio/engine/trace"
)

// Format is btrecord's files.
var Format = &trace.Format{
	Name: "btrecord",
	Help: "btrecord's files (*.replay.N)",
	Sniff: func(head []byte) int {
		if len(head) >= headerSize && orderOf(head) != nil {
			return 95
		}
		return 0
	},
	Open: open,
}

const (
	version    = 0x10000
	headerSize = 32 // u64: version, time of the first, number of bunches, number of packets
	bunchSize  = 16 // u64: number of packets, time in ns
	packetSize = 24 // u64 sector, u64 bytes, u32 1 for a read, u32 of nothing
	sectorSize = 512
)

// orderOf is the byte order of a file that begins with head; nil if that is no version that is known.
func orderOf(head []byte) binary.ByteOrder {
	for _, order := range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
		if order.Uint64(head) == version {
			return order
		}
	}
	return nil
}

type reader struct {
	in      *trace.Input
	log     *trace.Log
	order   binary.ByteOrder
	bunches uint64 // still to come
	packets uint64 // of the present bunch, still to come
	time    int64
	n       int64
	held    int
	file    trace.ID
	stream  trace.ID
}

func open(in *trace.Input, log *trace.Log, _ *trace.Options) (trace.Reader, error) {
	head, err := in.Peek(headerSize)
	if err != nil {
		return nil, fmt.Errorf("header: %w", cutOff(err))
	}
	order := orderOf(head)
	if order == nil {
		return nil, fmt.Errorf("header: %#x is not the version of btrecord's files, %#x", binary.LittleEndian.Uint64(head), version)
	}
	r := &reader{in: in, log: log, order: order, held: headerSize, bunches: order.Uint64(head[16:])}
	base := filepath.Base(in.Name)
	device, _, _ := strings.Cut(base, ".replay.")
	if r.file, err = log.Files.ID([]byte(device)); err != nil {
		return nil, err
	}
	if r.stream, err = log.Streams.ID([]byte(base)); err != nil {
		return nil, err
	}
	log.Note("btrecord turns discards into writes, which cannot be told from others any more: a trace of blktrace's own files is better")
	return r, nil
}

func cutOff(err error) error {
	if err == io.EOF {
		return trace.ErrTruncated
	}
	return err
}

// Read gives the next packet. What follows the last bunch is padding.
func (r *reader) Read(rec *trace.Record) error {
	for {
		for r.packets == 0 {
			if r.bunches == 0 {
				return io.EOF
			}
			if err := r.bunch(); err != nil {
				return fmt.Errorf("trace %s, with %d bunches to come: %w", r.in.Name, r.bunches, err)
			}
		}
		b, err := r.take(packetSize)
		if err != nil {
			return fmt.Errorf("trace %s, with %d packets and %d bunches to come: %w", r.in.Name, r.packets, r.bunches, err)
		}
		r.packets--
		r.n++
		r.log.Lines++
		if r.packet(b, rec) {
			return nil
		}
	}
}

// take gives the next n bytes, valid until the next call.
func (r *reader) take(n int) ([]byte, error) {
	r.in.Discard(r.held)
	r.held = 0
	b, err := r.in.Peek(n)
	if err != nil {
		return nil, cutOff(err)
	}
	r.held = n
	return b, nil
}

// bunch begins the next bunch.
func (r *reader) bunch() error {
	b, err := r.take(bunchSize)
	if err != nil {
		return err
	}
	t := r.order.Uint64(b[8:])
	if t > math.MaxInt64/2 {
		return errors.New("a bunch's time is beyond what can be")
	}
	r.bunches--
	r.packets, r.time = r.order.Uint64(b), int64(t)
	return nil
}

// packet makes a record of a packet, unless it makes no sense.
func (r *reader) packet(b []byte, rec *trace.Record) bool {
	sector, length := r.order.Uint64(b), r.order.Uint64(b[8:])
	read := r.order.Uint32(b[16:]) == 1
	if !read && length == 0 {
		sector = 0 // a flush's may be the largest that there is
	}
	if sector > math.MaxInt64/sectorSize || length > math.MaxInt64 || !trace.Fits(int64(sector)*sectorSize, int64(length)) {
		r.log.BadLine(r.in.Name, r.n, fmt.Appendf(nil, "sector %d, %d bytes", sector, length), "the range is not one that a device can have")
		return false
	}
	*rec = trace.Record{
		Time: r.time, Offset: int64(sector) * sectorSize, Length: int64(length),
		Latency: trace.Unknown, File: r.file, Stream: r.stream, Op: engine.Write,
	}
	switch {
	case read:
		rec.Op = engine.Read
	case length == 0:
		rec.Op = engine.Fsync
		r.log.Note("btrecord turns flushes into writes of nothing: those are read as flushes again")
	}
	return true
}
