// Package blktrace reads what the blktrace program captures of Linux' block layer: versions 7
// and 8 (of kernel 6.19), in either byte order, a file for each CPU.
//
// The files are merged by time, event by event, so that a completion on one CPU is found to be that of
// an I/O on another. Records are made of the I/Os that were queued (Q), which is what applications and
// file systems asked for, or of the requests that were issued (D), which is what the device got;
// never of both. Streams are processes, by the names that the capture holds; devices have the
// name of the file, or their numbers.
package blktrace

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"moonio/engine/internal/heap"
	"moonio/engine/trace"
	"moonio/engine/trace/internal/blk"
)

// Format is blktrace's files.
var Format = &trace.Format{
	Name:    "blktrace",
	Help:    "blktrace's binary files, versions 7 and 8",
	Args:    blk.Args,
	Sniff:   sniff,
	OpenAll: open,
}

// magic is in the upper 24 bits of an event's first word, and the version beneath.
const magic = 0x65617400

func sniff(head []byte) int {
	if _, ok := orderOf(head); ok {
		return 100
	}
	return 0
}

// reader merges the files and makes records of their events.
type reader struct {
	log     *trace.Log
	choice  blk.Choice
	files   heap.Heap[*file] // those that have more events
	tracker *blk.Tracker
	streams blk.Streams
	devices map[uint32]*device
	recent  *device // of the latest event
	seen    blk.Seen
	event   blk.Event
}

// device is one that events name.
type device struct {
	number uint32
	id     trace.ID
	wanted bool
}

func open(in []*trace.Input, log *trace.Log, o *trace.Options) (trace.Reader, error) {
	choice, err := blk.ParseChoice(o)
	if err != nil {
		return nil, err
	}
	r := &reader{log: log, choice: choice, tracker: blk.NewTracker(choice.Event), devices: map[uint32]*device{}}
	r.streams.Log = log
	for i, input := range in {
		f, err := newFile(input, log, i)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", input.Name, err)
		}
		if err := f.advance(); err == nil {
			r.files.Push(f)
		} else if err != io.EOF {
			return nil, fmt.Errorf("%s: %w", input.Name, err)
		}
	}
	return trace.NewSorter(r, window), nil
}

// window is how many records are held back to be put in order: the clocks of CPUs differ a little.
const window = 256

// Read gives the next record.
func (r *reader) Read(rec *trace.Record) error { return r.tracker.Read(rec, r.step) }

// step takes the earliest event of all files.
func (r *reader) step() error {
	if len(r.files) == 0 {
		return r.end()
	}
	f := r.files[0]
	if err := r.take(&f.event, f); err != nil {
		return err
	}
	switch err := f.advance(); err {
	case nil:
		r.files.Down(0)
	case io.EOF:
		r.files.Pop()
	default:
		return fmt.Errorf("%s: %w", f.in.Name, err)
	}
	return nil
}

// end is io.EOF, unless the trace has nothing of what was chosen.
func (r *reader) end() error {
	return r.choice.End(r.seen)
}

// take looks at one event.
func (r *reader) take(h *header, f *file) error {
	if h.action&notify != 0 {
		r.notify(h, f)
		return nil
	}
	kind := h.kind()
	if kind != r.choice.Event && kind != 'C' && kind != 'X' && kind != 'A' && kind != r.choice.Other() {
		return nil
	}
	d, err := r.device(h.device, f)
	if err != nil {
		return err
	}
	if !d.wanted {
		if kind == r.choice.Event {
			r.log.Skip("of another device")
		}
		return nil
	}
	switch kind {
	case 'A':
		r.remapped(h, d)
		return nil
	case r.choice.Other():
		r.seen.Other++
		return nil
	case 'C':
		r.seen.Completed++
	}
	return r.io(h, f, kind, d)
}

// io gives an event to the tracker.
func (r *reader) io(h *header, f *file, kind byte, d *device) error {
	e := &r.event
	*e = blk.Event{Time: h.time, Sector: h.sector, Bytes: h.bytes, Action: kind, Device: h.device, File: d.id, Split: h.split()}
	e.Kind, e.Flags = h.category()
	if kind == r.choice.Event {
		r.seen.Picked++
		if why := e.Reason(); why != "" {
			r.log.Skip(why)
			return nil
		}
		if why := e.Wrong(); why != "" {
			f.bad(nil, why)
			return nil
		}
		var err error
		if e.Stream, err = r.streams.Of(h.pid); err != nil {
			return err
		}
	}
	r.tracker.Add(e)
	return nil
}

// device looks a device up. Where files are named after one, the first in them is that.
func (r *reader) device(number uint32, f *file) (*device, error) {
	if r.recent != nil && r.recent.number == number {
		return r.recent, nil
	}
	d := r.devices[number]
	if d == nil {
		name := blk.DeviceName(number)
		if f.device != "" && !f.named {
			name = f.device
		}
		f.named = true
		d = &device{number: number, wanted: r.choice.Wants(name, number)}
		if d.wanted {
			var err error
			if d.id, err = r.log.Files.ID([]byte(name)); err != nil {
				return nil, err
			}
		}
		if len(r.devices) == trace.MaxNames {
			return nil, fmt.Errorf("more than %d devices in one trace", trace.MaxNames)
		}
		r.devices[number] = d
	}
	r.recent = d
	return d, nil
}

// remapped notes that a device's I/O comes from another that is in the trace as well.
func (r *reader) remapped(h *header, d *device) {
	if len(h.pdu) < 4 {
		return
	}
	from := r.devices[binary.BigEndian.Uint32(h.pdu)]
	if from == nil || from == d || !from.wanted {
		return
	}
	r.log.Note("%s stands on %s, so the same I/O is in the trace for each of them: choose one with device=NAME", r.log.Files.Name(from.id), r.log.Files.Name(d.id))
}

// notify takes an event that is about the trace.
func (r *reader) notify(h *header, f *file) {
	switch h.action & 0xff {
	case 0:
		comm, _, _ := bytes.Cut(h.pdu, []byte{0})
		r.streams.Name(h.pid, comm)
	case 1:
		if len(h.pdu) < 8 {
			f.bad(nil, "the timestamp is cut off")
			return
		}
		wall := time.Unix(int64(f.order.u32(h.pdu)), int64(f.order.u32(h.pdu[4:])))
		r.log.Epoch = wall.Add(-time.Duration(h.time)).UTC()
	}
}

// deviceOf is the device after which a file is named, or "".
func deviceOf(path string) string {
	base := path[strings.LastIndexByte(path, '/')+1:]
	device, cpu, ok := strings.Cut(base, ".blktrace.")
	if !ok {
		return ""
	}
	cpu, _, _ = strings.Cut(cpu, ".")
	if _, err := strconv.Atoi(cpu); err != nil {
		return ""
	}
	return device
}
