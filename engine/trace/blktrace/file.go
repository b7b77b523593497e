package blktrace

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"moonio/engine/trace"
	"moonio/engine/trace/internal/blk"
)

// header is one event. Its pdu is valid until the next.
type header struct {
	time   int64
	seq    uint32
	sector uint64
	bytes  uint32
	action uint64
	pid    uint32
	device uint32
	cpu    uint32
	pdu    []byte // without the cgroup
}

// Bits of an action, beneath bit 16 what happened, and above it what kind of I/O to.
const (
	cgroup  = 1 << 8
	read    = 1 << 16
	write   = 1 << 17
	flush   = 1 << 18
	sync    = 1 << 19
	pc      = 1 << 25
	notify  = 1 << 26
	ahead   = 1 << 27
	meta    = 1 << 28
	discard = 1 << 29
	driver  = 1 << 30
	fua     = 1 << 31
	atEnd   = 1 << 32                       // a write to a zone's end
	zoned   = math.MaxUint64 &^ (1<<33 - 1) // zones being reset, opened, closed, finished
)

// letters is what blkparse prints for an action's number.
const letters = "?QMFGSRDCPU?IXBA"

// kind is the letter of what happened.
func (h *header) kind() byte {
	if n := h.action & 0xff; n < uint64(len(letters)) {
		return letters[n]
	}
	return '?'
}

// category is what kind of I/O the event is of.
func (h *header) category() (blk.Kind, trace.Flags) {
	var flags trace.Flags
	for _, f := range [...]struct {
		bit  uint64
		flag trace.Flags
	}{{flush, trace.Preflush}, {fua, trace.FUA}, {sync, trace.Sync}, {meta, trace.Meta}, {ahead, trace.Readahead}} {
		if h.action&f.bit != 0 {
			flags |= f.flag
		}
	}
	kind := blk.None
	switch {
	case h.action&(pc|driver|zoned) != 0:
		kind = blk.Other
	case h.action&discard != 0:
		kind = blk.Discard
	case h.action&(write|atEnd) != 0:
		kind = blk.Write
	case h.action&read != 0:
		kind = blk.Read
	}
	return blk.Settle(kind, flags, h.bytes)
}

// split is where the second part of an I/O begins, if that is what the event says.
func (h *header) split() uint64 {
	if h.kind() != 'X' || len(h.pdu) < 8 {
		return 0
	}
	return binary.BigEndian.Uint64(h.pdu)
}

// file reads the events of one input.
type file struct {
	in     *trace.Input
	log    *trace.Log
	order  order
	index  int    // of the inputs; decides between equal times
	device string // after which it is named
	named  bool   // that name is taken
	event  header // the next
	n      int64  // events so far
	size   int    // of the latest event, still in the input's buffer
	gaps   sequences
}

func newFile(in *trace.Input, log *trace.Log, index int) (*file, error) {
	f := &file{in: in, log: log, index: index, device: deviceOf(in.Name), gaps: sequences{last: map[counter]uint32{}}}
	head, err := in.Peek(4)
	if err != nil {
		if err == io.EOF {
			return f, nil // counted when it is read
		}
		return nil, err
	}
	var ok bool
	if f.order, ok = orderOf(head); !ok {
		return nil, fmt.Errorf("header: % x is not how blktrace's files begin", head)
	}
	if v := f.order.u32(head) & 0xff; v != 7 && v != 8 {
		return nil, fmt.Errorf("header: version %d of blktrace's files is not known; 7 and 8 are", v)
	}
	return f, nil
}

// Sizes of an event without its pdu, by version.
const (
	size7 = 48
	size8 = 64
)

// maxTime is far beyond any clock, so that differences do not overflow.
const maxTime = math.MaxInt64 / 2

// maxPDU is more than the kernel puts behind an event: a length beyond it is garbage.
const maxPDU = 1024

// advance reads the next event. What is no event is counted, and passed over up to
// what looks like one.
func (f *file) advance() error {
	f.in.Discard(f.size)
	f.size = 0
	for {
		b, err := f.in.Peek(size7)
		if len(b) > 0 {
			f.n++
			f.log.Lines++
		}
		fixed := size7
		if len(b) == size7 && f.order.u32(b) == magic|8 {
			fixed = size8
			b, err = f.in.Peek(size8)
		}
		if len(b) < fixed {
			return f.tail(b, err)
		}
		size, pdu := f.parse(b)
		if size == 0 {
			f.bad(b[:16], "it is not an event")
			if err := f.resync(); err != nil {
				return err
			}
			continue
		}
		if b, err = f.in.Peek(size + pdu); err != nil {
			return f.tail(b, err)
		}
		f.size = size + pdu
		f.finish(b[size:])
		return nil
	}
}

// parse takes an event apart, up to its pdu; the size is 0 if it is none.
func (f *file) parse(b []byte) (size, pdu int) {
	h, o := &f.event, f.order
	t := o.u64(b[8:])
	h.seq, h.sector, h.bytes = o.u32(b[4:]), o.u64(b[16:]), o.u32(b[24:])
	switch o.u32(b) {
	case magic | 7:
		h.action, h.pid = uint64(o.u32(b[28:])), o.u32(b[32:])
		h.device, h.cpu = o.u32(b[36:]), o.u32(b[40:])
		size, pdu = size7, int(o.u16(b[46:]))
	case magic | 8:
		h.pid, h.action = o.u32(b[28:]), o.u64(b[32:])
		h.device, h.cpu = o.u32(b[40:]), o.u32(b[44:])
		size, pdu = size8, int(o.u16(b[50:]))
	}
	if t > maxTime || pdu > maxPDU {
		return 0, 0
	}
	h.time = int64(t)
	return size, pdu
}

// finish takes what stands behind an event's fixed part, and counts the events before it that were lost.
func (f *file) finish(pdu []byte) {
	h := &f.event
	if h.action&cgroup != 0 {
		pdu = pdu[min(8, len(pdu)):]
	}
	h.pdu = pdu
	if h.action&notify == 0 { // those have no number
		f.log.Lost += f.gaps.lost(h.device, h.cpu, h.seq)
	}
}

// tail is what remains when there is no whole event.
func (f *file) tail(b []byte, err error) error {
	if err == io.EOF && len(b) > 0 {
		f.bad(nil, fmt.Sprintf("the last event is cut off after %d bytes", len(b)))
	}
	f.in.Discard(len(b))
	return err
}

// resync passes over at least one byte, up to the next that may begin an event.
func (f *file) resync() error {
	sign, lead := []byte("tae"), 1 // the magic without the version, which comes first
	if f.order == big {
		sign, lead = []byte("eat"), 0
	}
	f.in.Discard(1)
	for {
		b, err := f.in.Peek(min(max(f.in.Buffered(), size7), 4096))
		if at := bytes.Index(b[min(lead, len(b)):], sign); at >= 0 {
			f.in.Discard(at)
			return nil
		}
		if err != nil {
			f.in.Discard(len(b))
			return err
		}
		f.in.Discard(len(b) - len(sign) - lead + 1)
	}
}

// bad counts the latest event as one that cannot be read.
func (f *file) bad(b []byte, why string) {
	var text []byte
	if b != nil && len(f.log.First) == 0 {
		text = fmt.Appendf(nil, "% x", b)
	}
	f.log.BadLine(f.in.Name, f.n, text, why)
}
