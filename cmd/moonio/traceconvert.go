package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"moonio/engine/trace"
	"moonio/engine/trace/format"
	"moonio/engine/trace/profile"
)

func traceConvertCommand() *command {
	return &command{
		name: "trace convert", args: "FILE… OUT [flags]", least: 2, most: anyNumber,
		summary: "write a trace in another format",
		details: `OUT is never overwritten; "-" is standard output. What the new format cannot hold is said
on standard error.
`,
		more: `Examples:
  moonio trace convert app.strace app.iolog
  moonio trace convert sda.blktrace.* - --to iolog | fio --name=r --read_iolog=/dev/stdin
`,
		setup: func(fs *pflag.FlagSet) action {
			o := &traceFlags{}
			o.define(fs, "until")
			to := ""
			fs.Func("to", "`NAME` format to write: "+strings.Join(writtenFormats(), ", ")+"; default: iolog if OUT ends so, or else moonio's own", choice(&to, append(writtenFormats(), alsoCalled)...))
			return func(p *program, args []string) error {
				last := len(args) - 1
				return p.traceConvert(o, args[:last], args[last], to)
			}
		},
	}
}

// writtenFormats are the names of the formats that can be written.
func writtenFormats() []string {
	var list []string
	for _, f := range format.List() {
		if f.Create != nil {
			list = append(list, f.Name)
		}
	}
	return list
}

// formatFor is the format in which a file of that name is written.
func formatFor(out, to string) string {
	known := writtenFormats()
	if to == alsoCalled {
		to = ownFormat
	}
	switch ends := strings.HasSuffix(out, ".iolog") || strings.HasSuffix(out, ".log"); {
	case to != "":
		return to
	case ends, !slices.Contains(known, ownFormat):
		return "iolog"
	}
	return ownFormat
}

// ownFormat is moonio's own, which goes by another name too.
const (
	ownFormat  = "moonio"
	alsoCalled = "native"
)

// traceConvert is `moonio trace convert`.
func (p *program) traceConvert(o *traceFlags, paths []string, out, to string) error {
	t, err := o.open(p, paths)
	if err != nil {
		return err
	}
	defer t.Close()
	f, err := newTraceFile(p, out, formatFor(out, to), t.Log)
	if err != nil {
		return err
	}
	n := 0
	err = o.each(t, func(r *trace.Record) error {
		n++
		return f.Write(r)
	})
	if err = f.finish(err); err != nil {
		return err
	}
	p.traceNotes(t.Log)
	fmt.Fprintf(p.stderr, "moonio: %d records written to %s as %s\n", n, out, f.format)
	return nil
}

// traceNotes says what came of a conversion besides its records.
func (p *program) traceNotes(l *trace.Log) {
	p.traceDamage(l)
	for _, n := range l.Notes {
		fmt.Fprintf(p.stderr, "moonio: %s\n", profile.Printable(n))
	}
	for _, reason := range slices.Sorted(maps.Keys(l.Skipped)) {
		fmt.Fprintf(p.stderr, "moonio: %d left out: %s\n", l.Skipped[reason], profile.Printable(reason))
	}
}

// traceDamage says what of a trace is not as it should be.
func (p *program) traceDamage(l *trace.Log) {
	for _, line := range l.Damage() {
		fmt.Fprintf(p.stderr, "moonio: %s\n", profile.Printable(line))
	}
}

// traceFile is a trace that is being written.
type traceFile struct {
	trace.Writer
	format string
	path   string // "-": standard output
	buffer *bufio.Writer
	file   *os.File // nil for standard output
}

// newTraceFile begins to write a trace to a file that must not be there yet.
func newTraceFile(p *program, out, name string, log *trace.Log) (*traceFile, error) {
	f := &traceFile{format: name, path: out}
	var to io.Writer = p.stdout
	if out != "-" {
		file, err := os.OpenFile(out, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		if errors.Is(err, os.ErrExist) {
			return nil, usage("%s is there already, and is not overwritten: name another file, or remove it", out)
		}
		if err != nil {
			return nil, err
		}
		f.file, to = file, file
	}
	f.buffer = bufio.NewWriterSize(to, 1<<16)
	var err error
	if f.Writer, err = format.Create(name, f.buffer, log); err != nil {
		return nil, f.finish(err)
	}
	return f, nil
}

// finish completes the file, or, after an error, removes it.
func (f *traceFile) finish(err error) error {
	if f.Writer != nil && err == nil {
		err = f.Writer.Close()
	}
	if err == nil {
		err = f.buffer.Flush()
	}
	if f.file == nil {
		return err
	}
	if cerr := f.file.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.path))
	}
	return nil
}
