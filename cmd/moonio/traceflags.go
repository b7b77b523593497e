package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"moonio/engine/trace"
	"moonio/engine/trace/format"
	"moonio/engine/units"
)

// traceFlags are those of all commands that read a trace.
type traceFlags struct {
	spec    string // --trace-format
	args    map[string]string
	streams []string
	devices []string
	from    time.Duration
	to      time.Duration // 0: to the end
	skipBad bool
}

// define defines the flags; until is what the one is called that ends the window of time.
func (o *traceFlags) define(fs *pflag.FlagSet, until string) {
	o.args = map[string]string{}
	fs.Func("trace-format", "`NAME` what the trace is, if that cannot be told from it: `moonio trace formats` lists them", named(&o.spec))
	fs.Func("trace-arg", "`KEY=VALUE` what the format must be told (repeatable)", func(s string) error {
		key, value, ok := strings.Cut(s, "=")
		if !ok || key == "" {
			return errors.New("write it as KEY=VALUE")
		}
		o.args[key] = value
		return nil
	})
	fs.StringArrayVar(&o.streams, "stream", nil, "`NAME` only what this process, thread or host issued; may hold * and ? (repeatable)")
	fs.StringArrayVar(&o.devices, "device", nil, "`NAME` only what went to this device, volume or file; may hold * and ? (repeatable)")
	fs.Func("from", "`D` leave out what was issued earlier than this after the first record", o.duration(&o.from))
	fs.Func(until, "`D` leave out what was issued this long after the first record, or later", o.duration(&o.to))
	fs.BoolVar(&o.skipBad, "skip-bad", false, "go on where more than 1 % of the trace cannot be parsed, or where it is cut off")
}

func (o *traceFlags) duration(to *time.Duration) func(string) error {
	return func(s string) error {
		d, err := units.Duration(s)
		*to = d
		return err
	}
}

// open opens the traces of these paths.
func (o *traceFlags) open(p *program, paths []string) (*format.Trace, error) {
	if o.to > 0 && o.to <= o.from {
		return nil, usage("the window from %s to %s is empty", units.FormatDuration(o.from), units.FormatDuration(o.to))
	}
	for _, pattern := range append(append([]string{}, o.streams...), o.devices...) {
		if _, err := path.Match(pattern, ""); err != nil || pattern == "" {
			return nil, usage("--stream or --device %q: it is not a name, and not a pattern either", pattern)
		}
	}
	options, err := format.Parse(o.spec)
	if err != nil {
		return nil, usage("--trace-format %s: %w", o.spec, err)
	}
	for key, value := range o.args {
		options.Args[key] = value
	}
	options.Stdin = p.stdin
	return format.Open(paths, options)
}

// each reads the trace to its end, or that of its window, and does something with each
// record that is wanted. Then it refuses a trace that cannot be trusted.
func (o *traceFlags) each(t *format.Trace, do func(*trace.Record) error) error {
	f := traceFilter{traceFlags: o, log: t.Log}
	var r trace.Record
	for {
		err := t.Read(&r)
		switch {
		case err == io.EOF:
			return f.end(t)
		case errors.Is(err, trace.ErrTruncated) && o.skipBad:
			t.Log.Note("%v", err)
			return f.end(t)
		case errors.Is(err, trace.ErrTruncated):
			return fmt.Errorf("%w; --skip-bad goes on with what is there", err)
		case err != nil:
			return err
		}
		if wanted, over := f.wants(&r); over {
			return f.end(t)
		} else if !wanted {
			continue
		}
		if err := do(&r); err != nil {
			return err
		}
	}
}

// traceFilter leaves out what is not wanted.
type traceFilter struct {
	*traceFlags
	log     *trace.Log
	any     bool
	origin  int64
	kept    int64
	late    int64 // records behind the window
	streams verdicts
	devices verdicts
}

// verdicts are on names, by their numbers, as far as they are known.
type verdicts []int8

// tooLate is how many records behind the window show that it is over: those of several
// files may be a little out of order.
const tooLate = 1 << 16

// wants says whether a record is wanted, and whether no further one will be.
func (f *traceFilter) wants(r *trace.Record) (wanted, over bool) {
	if !f.any {
		f.any, f.origin = true, r.Time
	}
	at := max(r.Time-f.origin, 0) // what comes late is of before
	if f.to > 0 && at >= int64(f.to) {
		f.late++
		return false, f.late > tooLate
	}
	wanted = at >= int64(f.from) &&
		f.streams.admit(r.Stream, &f.log.Streams, f.traceFlags.streams) &&
		f.devices.admit(r.File, &f.log.Files, f.traceFlags.devices)
	if wanted {
		f.kept++
	}
	return wanted, false
}

// admit says whether a name matches one of the patterns, if there are any.
func (v *verdicts) admit(id trace.ID, names *trace.Names, patterns []string) bool {
	if len(patterns) == 0 {
		return true
	}
	for len(*v) <= int(id) {
		*v = append(*v, 0)
	}
	if (*v)[id] == 0 {
		(*v)[id] = -1
		if int(id) < names.Len() && matches(names.Name(id), patterns) {
			(*v)[id] = 1
		}
	}
	return (*v)[id] > 0
}

// matches says whether a name, or the last part of its path, matches a pattern. Patterns were checked.
func matches(name string, patterns []string) bool {
	for _, p := range patterns {
		whole, _ := path.Match(p, name)
		last, _ := path.Match(p, path.Base(name))
		if whole || last || p == name {
			return true
		}
	}
	return false
}

// end refuses a trace that cannot be trusted, or of which nothing is left.
func (f *traceFilter) end(t *format.Trace) error {
	if err := t.Log.Check(trace.MaxBad); err != nil && !f.skipBad {
		return fmt.Errorf("%w\n--trace-format names another format, --skip-bad goes on without these lines", err)
	}
	if f.kept > 0 {
		return nil
	}
	if !f.any {
		return fmt.Errorf("trace %s: it has no I/O%s", t.Inputs[0], skippedText(t.Log))
	}
	return fmt.Errorf("trace %s: nothing is left of it: devices are %s; streams are %s; times count from its first record",
		t.Inputs[0], someNames(&t.Log.Files), someNames(&t.Log.Streams))
}

// skippedText says what else there is in a trace.
func skippedText(l *trace.Log) string {
	s := ""
	for _, reason := range slices.Sorted(maps.Keys(l.Skipped)) {
		s += fmt.Sprintf("; %d × %s", l.Skipped[reason], reason)
	}
	return s
}

func someNames(n *trace.Names) string {
	var list []string
	for id := range min(n.Len(), 8) {
		list = append(list, fmt.Sprintf("%q", n.Name(trace.ID(id))))
	}
	if more := n.Len() - len(list); more > 0 {
		list = append(list, fmt.Sprintf("%d more", more))
	}
	if len(list) == 0 {
		return "not named"
	}
	return strings.Join(list, ", ")
}
