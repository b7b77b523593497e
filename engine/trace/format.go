package trace

import (
	"bufio"
	"io"
)

// Format is one trace format. The package that reads it has one as a variable, and
// engine/trace/format has the list.
type Format struct {
	Name string // for --trace-format
	Help string // what writes it, in a few words
	Args []Arg  // what it can be told; others are refused before Open
	// ProfileOnly says that its records have no address that could be replayed.
	ProfileOnly bool

	// Sniff says how sure it is, from 0 to 100, that a file begins like this
	// format. head is at most the first 64 KiB, decompressed.
	Sniff func(head []byte) int
	// Open begins to read one input. What it returns is merged by time with the
	// readers of the trace's other inputs.
	Open func(in *Input, log *Log, o *Options) (Reader, error)
	// OpenAll, where it is set, is called instead of Open, with all the inputs of this
	// format: for files that only make sense together, such as those of one capture's
	// CPUs or threads. Its Reader's Read merges them.
	OpenAll func(in []*Input, log *Log, o *Options) (Reader, error)
	// Create, where it is set, begins to write a trace in this format to w. The
	// records' files and streams are those of log, in which the Writer also
	// counts what the format cannot hold.
	Create func(w io.Writer, log *Log) Writer
}

// Arg is one thing that a format can be told.
type Arg struct {
	Name string
	Help string // what it does, and the values it takes
}

// Input is one file of a trace, decompressed.
type Input struct {
	*bufio.Reader        // of 64 KiB at least
	Name          string // as the user named it; "-" is standard input
}

// Options are what the user says of a trace.
type Options struct {
	Format string            // a Format's name; "" to sniff
	Args   map[string]string // by the names of the Format's Args
	Stdin  io.Reader         // what "-" reads; nil is the process's standard input
}

// Arg is the value of one of the Format's Args, or "" if it was not given.
func (o *Options) Arg(name string) string {
	if o == nil {
		return ""
	}
	return o.Args[name]
}
