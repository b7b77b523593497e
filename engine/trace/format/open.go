package format

import (
	"fmt"
	"os"
	"strings"

	"moonio/engine/trace"
)

// Trace is an opened trace.
type Trace struct {
	trace.Reader
	Log     *trace.Log
	Formats []*trace.Format // of its files, each once
	Inputs  []string        // the names of its files
	closers []func() error
}

// Close closes the files. The Reader cannot be used after it.
func (t *Trace) Close() error {
	var first error
	for _, c := range t.closers {
		if err := c(); err != nil && first == nil {
			first = err
		}
	}
	t.closers = nil
	return first
}

// ProfileOnly says that its records cannot be replayed.
func (t *Trace) ProfileOnly() bool {
	for _, f := range t.Formats {
		if f.ProfileOnly {
			return true
		}
	}
	return false
}

// input is one opened file, and what reads it.
type input struct {
	*trace.Input
	format *trace.Format
}

// Open opens the traces in files, in the files of directories, or on standard input ("-"), as
// one. A device's name, or one of its blktrace files, stands for all of them. Whatever is
// wrong with the names, the formats or the options is an error here; what is wrong further on
// in the files comes from Read, or is counted in the Log.
func Open(paths []string, o *trace.Options) (*Trace, error) {
	if o == nil {
		o = &trace.Options{}
	}
	t := &Trace{Log: &trace.Log{}}
	if err := t.open(paths, o); err != nil {
		t.Close()
		return nil, err
	}
	return t, nil
}

func (t *Trace) open(paths []string, o *trace.Options) error {
	var named *trace.Format
	if o.Format != "" {
		f, err := Find(o.Format)
		if err != nil {
			return err
		}
		named = f
	}
	stdin := o.Stdin
	if stdin == nil {
		stdin = os.Stdin
	}
	sources, added, err := expand(paths, stdin)
	if err != nil {
		return err
	}
	if len(added) > 0 {
		t.Log.Note("read as well, as files of the same capture: %s", list(added))
	}
	inputs, err := t.inputs(sources, named)
	if err != nil {
		return err
	}
	for _, in := range inputs {
		t.Inputs = append(t.Inputs, in.Name)
	}
	return t.start(inputs, o)
}

// inputs opens sources and finds their formats. Empty files, and what was only found and is no
// trace, are passed over with a note.
func (t *Trace) inputs(sources []source, named *trace.Format) ([]input, error) {
	var out []input
	var passed []string
	for i := 0; i < len(sources); i++ {
		s := sources[i]
		in, members, err := t.openSource(s)
		if err != nil {
			return nil, fmt.Errorf("trace: %w", err)
		}
		if members != nil {
			sources = append(sources[:i+1:i+1], append(members, sources[i+1:]...)...)
			continue
		}
		f, err := tell(in, named)
		switch {
		case err == errEmpty && len(sources) > 1, err != nil && s.found:
			passed = append(passed, s.name)
		case err != nil:
			return nil, fmt.Errorf("trace %s: %w", s.name, err)
		default:
			out = append(out, input{in, f})
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("trace: none of the files holds records that moonio knows: %s", list(passed))
	}
	if len(passed) > 0 {
		t.Log.Note("passed over, as they are empty or no traces: %s", list(passed))
	}
	return out, nil
}

// openSource opens one source; an archive yields its members instead.
func (t *Trace) openSource(s source) (*trace.Input, []source, error) {
	file, err := s.open()
	if err != nil {
		return nil, nil, err
	}
	in, compressed, free, err := decompress(file)
	if err != nil {
		file.Close()
		return nil, nil, fmt.Errorf("%s: %w", s.name, err)
	}
	closer := &closers{file: file, free: free}
	if isTar(in) {
		defer closer.Close()
		members, err := s.members(in, compressed)
		return nil, members, err
	}
	t.closers = append(t.closers, closer.Close)
	return &trace.Input{Reader: in, Name: s.name}, nil, nil
}

// start opens the inputs' readers, by format, and merges them.
func (t *Trace) start(inputs []input, o *trace.Options) error {
	var readers []trace.Reader
	for _, f := range kinds(inputs) {
		if err := checkArgs(f, o); err != nil {
			return err
		}
		t.Formats = append(t.Formats, f)
		var group []*trace.Input
		for _, in := range inputs {
			if in.format == f {
				group = append(group, in.Input)
			}
		}
		rs, err := openGroup(f, group, t.Log, o)
		if err != nil {
			return err
		}
		readers = append(readers, rs...)
	}
	t.Reader = &checked{r: merge(readers), log: t.Log}
	return nil
}

// kinds is the formats of inputs, each once.
func kinds(inputs []input) []*trace.Format {
	var out []*trace.Format
	seen := map[*trace.Format]bool{}
	for _, in := range inputs {
		if !seen[in.format] {
			seen[in.format] = true
			out = append(out, in.format)
		}
	}
	return out
}

func openGroup(f *trace.Format, group []*trace.Input, log *trace.Log, o *trace.Options) ([]trace.Reader, error) {
	if f.OpenAll != nil {
		r, err := f.OpenAll(group, log, o)
		if err != nil {
			return nil, fmt.Errorf("trace %s: %w", group[0].Name, err)
		}
		return []trace.Reader{r}, nil
	}
	var out []trace.Reader
	for _, in := range group {
		r, err := f.Open(in, log, o)
		if err != nil {
			return nil, fmt.Errorf("trace %s: %w", in.Name, err)
		}
		out = append(out, r)
	}
	return out, nil
}

// list is the first few of names, and how many more there are.
func list(names []string) string {
	const shown = 5
	if len(names) <= shown {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:shown], ", "), len(names)-shown)
}
