package trace

import "bufio"

// Format is one trace format. The package that reads it has one as a variable, and
// engine/trace/format has the list.
type Format struct {
	Name string // for --trace-format
	Help string // what writes it, in a few words
	// Sniff says how sure it is, from 0 to 100, that a file begins like this
	// format. head is at most the first 64 KiB, decompressed.
	Sniff func(head []byte) int
	// Open begins to read one input. What it returns is merged with the readers of
	// the trace's other inputs.
	Open func(in *Input, log *Log, o *Options) (Reader, error)
}

// Input is one file of a trace, decompressed.
type Input struct {
	*bufio.Reader        // of 64 KiB at least
	Name          string // as the user named it; "-" is standard input
}

// Options are what the user says of a trace.
type Options struct {
	Format string            // a Format's name; "" to sniff
	Args   map[string]string // what some formats ask for, such as a column map
}
