package blk

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"moonio/engine/trace"
)

// Args are what formats of the block layer's events can be told.
var Args = []trace.Arg{
	{Name: "event", Help: "Q for what was queued (the default), or D for what was issued to the device"},
	{Name: "device", Help: "only this device: its name, or MAJOR:MINOR"},
}

// Choice is which events become records.
type Choice struct {
	Event  byte // 'Q' or 'D'
	Device string
}

// ParseChoice takes the values of Args.
func ParseChoice(o *trace.Options) (Choice, error) {
	c := Choice{Event: 'Q', Device: o.Arg("device")}
	switch o.Arg("event") {
	case "", "Q", "q":
	case "D", "d":
		c.Event = 'D'
	default:
		return c, fmt.Errorf("option event: %q is neither Q nor D", o.Arg("event"))
	}
	return c, nil
}

// Other is the kind of event that was not chosen.
func (c Choice) Other() byte { return 'Q' + 'D' - c.Event }

// Wants says whether a device's events are to be read.
func (c Choice) Wants(name string, number uint32) bool {
	return c.Device == "" || c.Device == name || strings.Replace(c.Device, ":", ",", 1) == DeviceName(number)
}

// Seen counts a trace's events of the devices that are wanted.
type Seen struct {
	Picked, Other int64 // of the chosen kind, and of the other one
	Completed     int64
}

// End is how a trace ends that had those events: io.EOF, or an error if the other kind must have been
// meant, or was not captured.
func (c Choice) End(seen Seen) error {
	switch {
	case seen.Picked > 0:
	case seen.Other > 0:
		return fmt.Errorf("the trace has no %c events and %d %c events: say event=%c", c.Event, seen.Other, c.Other(), c.Other())
	case seen.Completed > 0:
		return fmt.Errorf("the trace has %d completions (C), and neither what was queued (Q) nor what was issued (D): capture one of those as well, since a completion doesn't say when its I/O began", seen.Completed)
	}
	return io.EOF
}

// DeviceName is "major,minor", as blkparse prints it.
func DeviceName(number uint32) string {
	return strconv.Itoa(int(number>>20)) + "," + strconv.Itoa(int(number&(1<<20-1)))
}

// Reason is why an event of the chosen kind is nothing to replay, or "".
func (e *Event) Reason() string {
	switch e.Kind {
	case Other:
		return "neither data nor a flush: a command that passes through, or of zones"
	case None:
		return "no data and no flush"
	}
	return ""
}

// Streams names processes by their number and what they are called.
type Streams struct {
	Log       *trace.Log
	processes map[uint32]process
	recent    uint32
	id        trace.ID
	any       bool
	name      []byte
}

type process struct {
	comm  string
	id    trace.ID
	known bool // id is set, and is still right
}

// Name says what a process is called from here on.
func (s *Streams) Name(pid uint32, comm []byte) {
	if p, ok := s.processes[pid]; ok && p.comm == string(comm) || len(s.processes) > trace.MaxNames {
		return
	}
	s.set(pid, process{comm: string(comm)})
	s.any = false
}

func (s *Streams) set(pid uint32, p process) {
	if s.processes == nil {
		s.processes = map[uint32]process{}
	}
	s.processes[pid] = p
}

var errProcesses = errors.New("more processes in one trace than can be told apart")

// Of is the stream of a process: "comm/pid", or "pid" if it was never named.
func (s *Streams) Of(pid uint32) (trace.ID, error) {
	if s.any && s.recent == pid {
		return s.id, nil
	}
	p := s.processes[pid]
	if !p.known {
		if len(s.processes) > trace.MaxNames {
			return 0, errProcesses
		}
		s.name = s.name[:0]
		if p.comm != "" {
			s.name = append(append(s.name, p.comm...), '/')
		}
		s.name = strconv.AppendUint(s.name, uint64(pid), 10)
		var err error
		if p.id, err = s.Log.Streams.ID(s.name); err != nil {
			return 0, err
		}
		p.known = true
		s.set(pid, p)
	}
	s.recent, s.id, s.any = pid, p.id, true
	return p.id, nil
}
