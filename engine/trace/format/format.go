// Package format knows all trace formats and opens traces: it decompresses, tells formats
// apart, finds the files that belong together, and merges several by time.
//
// A trace is opened with [Open]. What it returns reads like one [trace.Reader] however
// many files there are. Every record that it gives has a range that a file can have, and
// a time within ±2^62 ns, so that differences of times do not overflow.
package format

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"moonio/engine/suggest"
	"moonio/engine/trace"
	"moonio/engine/trace/bcc"
	"moonio/engine/trace/blkparse"
	"moonio/engine/trace/blktrace"
	"moonio/engine/trace/btrecord"
	"moonio/engine/trace/columns"
	"moonio/engine/trace/iolog"
	"moonio/engine/trace/native"
	"moonio/engine/trace/oracle"
	"moonio/engine/trace/perf"
	"moonio/engine/trace/strace"
	"moonio/engine/trace/vscsi"
)

// formats is in the order in which they are tried. Of several that are equally sure, the
// first wins.
var formats = slices.Concat(
	[]*trace.Format{
		blktrace.Format,
		iolog.Format,
		native.Format,
		btrecord.Format,
		vscsi.Format,
		blkparse.Format,
		strace.Format,
	},
	perf.Formats, bcc.Formats, columns.Formats,
	[]*trace.Format{
		oracle.Format, // has no magic, so everything else goes first
	},
)

// List is all formats.
func List() []*trace.Format { return formats }

// find is the format of a name, as --trace-format takes it.
func find(name string) (*trace.Format, error) {
	for _, f := range formats {
		if strings.EqualFold(f.Name, name) {
			return f, nil
		}
	}
	known := names(formats, func(f *trace.Format) string { return f.Name })
	return nil, fmt.Errorf("trace format %q: there is none%s; known are %s", name, suggest.Hint(name, known), strings.Join(known, ", "))
}

// Parse makes options of what the user wrote: "NAME", "NAME:KEY=VALUE,KEY=VALUE", or
// ":KEY=VALUE" for a format that is to be sniffed. A value may hold "=", not ",".
func Parse(spec string) (*trace.Options, error) {
	name, args, _ := strings.Cut(spec, ":")
	o := &trace.Options{Format: name, Args: map[string]string{}}
	if args != "" {
		for _, arg := range strings.Split(args, ",") {
			if arg == "" {
				continue // "separator=," among others
			}
			key, value, ok := strings.Cut(arg, "=")
			if !ok {
				return nil, fmt.Errorf("trace format %q: %q is not KEY=VALUE", spec, arg)
			}
			o.Args[key] = value
		}
	}
	if name == "" {
		return o, nil
	}
	f, err := find(name)
	if err != nil {
		return nil, err
	}
	o.Format = f.Name
	return o, checkArgs(f, o)
}

// checkArgs refuses what a format cannot be told.
func checkArgs(f *trace.Format, o *trace.Options) error {
	known := names(f.Args, func(a trace.Arg) string { return a.Name })
	for key := range o.Args {
		if has(known, key) {
			continue
		}
		if len(known) == 0 {
			return fmt.Errorf("trace format %s: it takes no options, so not %q", f.Name, key)
		}
		return fmt.Errorf("trace format %s: it has no option %q%s; it has %s", f.Name, key, suggest.Hint(key, known), strings.Join(known, ", "))
	}
	return nil
}

// Create begins to write a trace in the format of a name; an error if moonio only reads
// that.
func Create(name string, w io.Writer, log *trace.Log) (trace.Writer, error) {
	f, err := find(name)
	if err != nil {
		return nil, err
	}
	if f.Create == nil {
		return nil, fmt.Errorf("trace format %q: moonio reads it and does not write it; it writes %s", name, strings.Join(writable(), ", "))
	}
	return f.Create(w, log), nil
}

// writable is the names of the formats that can be written.
func writable() []string {
	var out []string
	for _, f := range formats {
		if f.Create != nil {
			out = append(out, f.Name)
		}
	}
	return out
}

func names[T any](list []T, name func(T) string) []string {
	out := make([]string, len(list))
	for i, x := range list {
		out[i] = name(x)
	}
	return out
}

func has(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}
