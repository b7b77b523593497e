package format

import (
	"fmt"
	"io"
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
	files   map[io.Closer]bool
}

// Close closes the files. The Reader cannot be used after it.
func (t *Trace) Close() error {
	var first error
	for c := range t.files {
		if err := t.release(c); err != nil && first == nil {
			first = err
		}
	}
	return first
}

// release closes one file.
func (t *Trace) release(c io.Closer) error {
	delete(t.files, c)
	return c.Close()
}

// Playable says why its records cannot be replayed; nil if they can.
func (t *Trace) Playable() error {
	if !t.ProfileOnly() {
		return nil
	}
	return fmt.Errorf("format %s has no addresses, so that it can be profiled and not replayed", t.Formats[0].Name)
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

// input is one file, and what reads it. Of many files, those whose format allows it are opened only
// when their time has come.
type input struct {
	*trace.Input
	format *trace.Format
	file   io.Closer
	later  *source // set if the file is closed again
	first  int64   // then, the time of its first record
}

// maxOpen is how many files may be there before they are opened one by one: each has buffers.
const maxOpen = 64

// Open opens the traces in files, in the files of directories, or on standard input ("-"), as
// one. A device's name, or one of its blktrace files, stands for all of them. Whatever is
// wrong with the names, the formats or the options is an error here; what is wrong further on
// in the files comes from Read, or is counted in the Log.
func Open(paths []string, o *trace.Options) (*Trace, error) {
	if o == nil {
		o = &trace.Options{}
	}
	t := &Trace{Log: &trace.Log{}, files: map[io.Closer]bool{}}
	if err := t.open(paths, o); err != nil {
		t.Close()
		return nil, err
	}
	return t, nil
}

func (t *Trace) open(paths []string, o *trace.Options) error {
	var named *trace.Format
	if o.Format != "" {
		f, err := find(o.Format)
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
	inputs, err := t.inputs(sources, named, o)
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
func (t *Trace) inputs(sources []source, named *trace.Format, o *trace.Options) ([]input, error) {
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
		if in.format, err = tell(in.Input, named); err == nil && len(sources) > maxOpen {
			err = t.postpone(&in, s, o)
		}
		switch {
		case (err == errEmpty || err == errBlank) && len(sources) > 1, err != nil && s.found:
			passed = append(passed, s.name)
			t.release(in.file)
		case err != nil:
			return nil, fmt.Errorf("trace %s: %w", s.name, err)
		default:
			out = append(out, in)
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

// postpone finds out when a file begins, and closes it until then.
func (t *Trace) postpone(in *input, s source, o *trace.Options) error {
	if in.format.OpenAll != nil || s.stdin {
		return nil
	}
	if err := checkArgs(in.format, o); err != nil {
		return err
	}
	r, err := in.format.Open(in.Input, &trace.Log{}, o)
	if err != nil {
		return err
	}
	var first trace.Record
	if err := r.Read(&first); err == io.EOF {
		return errEmpty
	} else if err != nil {
		return err
	}
	t.release(in.file)
	*in = input{Input: &trace.Input{Name: s.name}, format: in.format, later: &s, first: first.Time}
	return nil
}

// openSource opens one source; an archive yields its members instead.
func (t *Trace) openSource(s source) (input, []source, error) {
	file, err := s.open()
	if err != nil {
		return input{}, nil, err
	}
	in, compressed, free, err := decompress(file)
	if err != nil {
		file.Close()
		return input{}, nil, fmt.Errorf("%s: %w", s.name, err)
	}
	closer := &closers{file: file, free: free}
	if isTar(in) {
		defer closer.Close()
		members, err := s.members(in, compressed)
		return input{}, members, err
	}
	t.files[closer] = true
	return input{Input: &trace.Input{Reader: in, Name: s.name}, file: closer}, nil, nil
}

// start opens the inputs' readers, by format, and merges them.
func (t *Trace) start(inputs []input, o *trace.Options) error {
	var readers []head
	for _, f := range kinds(inputs) {
		if err := checkArgs(f, o); err != nil {
			return err
		}
		t.Formats = append(t.Formats, f)
		var group []*trace.Input
		for _, in := range inputs {
			switch {
			case in.format != f:
			case in.later != nil:
				readers = append(readers, head{r: &later{t: t, input: in, o: o}, closed: true, next: trace.Record{Time: in.first}})
			default:
				group = append(group, in.Input)
			}
		}
		rs, err := openGroup(f, group, t.Log, o)
		if err != nil {
			return err
		}
		for _, r := range rs {
			readers = append(readers, head{r: r})
		}
	}
	t.Reader = &checked{r: merge(readers), log: t.Log}
	return nil
}

// later opens its file when it is read first, and closes it at the end.
type later struct {
	t     *Trace
	input input
	o     *trace.Options
	r     trace.Reader
}

func (l *later) Read(r *trace.Record) error {
	if l.r == nil {
		if err := l.open(); err != nil {
			return fmt.Errorf("trace %s: %w", l.input.Name, err)
		}
	}
	err := l.r.Read(r)
	if err != nil {
		l.t.release(l.input.file)
	}
	return err
}

func (l *later) open() error {
	in, _, err := l.t.openSource(*l.input.later)
	if err != nil {
		return err
	}
	l.input.file = in.file
	l.r, err = l.input.format.Open(in.Input, l.t.Log, l.o)
	return err
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
	if f.OpenAll != nil && len(group) > 0 {
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
