package blk

import (
	"bytes"
	"io"

	"moonio/engine/trace"
)

// Line is one event as a tool prints it on a line.
type Line struct {
	Event
	PID  uint32
	Comm []byte // the process's name; nil if it is not said
	From uint32 // of a remapped I/O, the device above
}

// SetComm takes the process's name from the brackets at a line's end.
func (l *Line) SetComm(b []byte) {
	open, shut := bytes.IndexByte(b, '['), bytes.LastIndexByte(b, ']')
	if open >= 0 && shut > open {
		l.Comm = b[open+1 : shut]
	}
}

// Lines makes records of events that are printed one a line. The formats take the lines
// apart.
type Lines struct {
	*trace.Lines
	log     *trace.Log
	choice  Choice
	tracker *Tracker
	streams Streams
	devices map[uint32]trace.ID
	seen    Seen
	stacked [2]uint32 // the devices of which it was noted last that one stands on the other
}

// NewLines begins with in.
func NewLines(in *trace.Input, log *trace.Log, choice Choice) *Lines {
	return &Lines{
		Lines: trace.NewLines(in, log), log: log, choice: choice,
		tracker: NewTracker(choice.Event), streams: Streams{Log: log}, devices: map[uint32]trace.ID{},
	}
}

// Read gives the next record. step takes one line.
func (l *Lines) Read(r *trace.Record, step func() error) error { return l.tracker.Read(r, step) }

// Next is the next line; at the end, what the choice of events comes to.
func (l *Lines) Next() ([]byte, error) {
	line, err := l.Lines.Next()
	if err == io.EOF {
		err = l.choice.End(l.seen)
	}
	return line, err
}

// Take gives an event to the tracker, if it is one of those that records are made of. text is its
// line.
func (l *Lines) Take(e *Line, text []byte) error {
	if !l.choice.Wants("", e.Device) {
		if e.Action == l.choice.Event {
			l.log.Skip("of another device")
		}
		return nil
	}
	switch e.Action {
	case l.choice.Other():
		l.seen.Other++
		return nil
	case l.choice.Event:
		l.seen.Picked++
		if ok, err := l.accept(e, text); !ok {
			return err
		}
	case 'A':
		l.remapped(e)
		return nil
	case 'C':
		l.seen.Completed++
	case 'X':
	default:
		return nil
	}
	l.tracker.Add(&e.Event)
	return nil
}

// accept says whether an event becomes a record, and fills in whose it is.
func (l *Lines) accept(e *Line, text []byte) (ok bool, err error) {
	if why := e.Reason(); why != "" {
		l.log.Skip(why)
		return false, nil
	}
	if why := e.Wrong(); why != "" {
		l.Bad(text, why)
		return false, nil
	}
	if e.File, err = l.file(e.Device); err != nil {
		return false, err
	}
	if len(e.Comm) > 0 {
		l.streams.Name(e.PID, e.Comm)
	}
	e.Stream, err = l.streams.Of(e.PID)
	return err == nil, err
}

// file is a device's number among the trace's files.
func (l *Lines) file(device uint32) (trace.ID, error) {
	if id, ok := l.devices[device]; ok {
		return id, nil
	}
	id, err := l.log.Files.ID([]byte(DeviceName(device)))
	if err == nil {
		l.devices[device] = id
	}
	return id, err
}

// remapped notes that a device's I/O comes from another that is in the trace as well.
func (l *Lines) remapped(e *Line) {
	_, above := l.devices[e.From]
	_, here := l.devices[e.Device]
	if pair := [2]uint32{e.From, e.Device}; above && here && e.From != e.Device && l.stacked != pair {
		l.stacked = pair
		l.log.Note("%s stands on %s, so the same I/O is in the trace for each of them: choose one with device=MAJOR:MINOR", DeviceName(e.From), DeviceName(e.Device))
	}
}
