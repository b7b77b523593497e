package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"moonio/engine/trace"
	"moonio/engine/trace/format"
	"moonio/engine/trace/profile"
)

func traceCommand() *command {
	return &command{
		name: "trace", args: "WORD …",
		summary: "say what captured workloads are, convert them and model them",
		details: `A trace is one file or several, compressed or not, or "-" for standard input. Its format
is told from its first lines, unless --trace-format names it.
`,
		parts: func() []*command {
			return []*command{traceInfoCommand(), traceConvertCommand(), traceScriptCommand(), traceFormatsCommand()}
		},
	}
}

func traceInfoCommand() *command {
	return &command{
		name: "trace info", args: "FILE… [flags]", least: 1, most: anyNumber,
		summary: "say what a captured workload is: how much, how fast, how large, where",
		details: `Sizes, offsets and times are as the trace has them. If the first line looks wrong, the unit
of a time or an address was taken for another.
`,
		more: `Examples:
  moonio trace info sda.blktrace.*
  moonio trace info web_0.csv.gz --from 1h --to 2h
  moonio trace info app.strace --format json | jq .footprint_bytes
`,
		setup: func(fs *pflag.FlagSet) action {
			o := &traceFlags{}
			o.define(fs, "to")
			form := "text"
			fs.Func("format", "`text|json` form of the profile; default: text", choice(&form, "text", "json"))
			return func(p *program, args []string) error { return p.traceInfo(o, form, args) }
		},
	}
}

// traceInfo is `moonio trace info`.
func (p *program) traceInfo(o *traceFlags, form string, paths []string) error {
	result, t, err := p.profileTrace(o, paths)
	if err != nil {
		return err
	}
	if form == "json" {
		return writeProfile(p.stdout, result)
	}
	return profile.WriteText(p.stdout, result, traceTitle(t))
}

// profileTrace reads a trace to its end and profiles it. The trace is closed.
func (p *program) profileTrace(o *traceFlags, paths []string) (*profile.Result, *format.Trace, error) {
	t, err := o.open(p, paths)
	if err != nil {
		return nil, nil, err
	}
	defer t.Close()
	prof := profile.New()
	err = o.each(t, func(r *trace.Record) error {
		prof.Add(r)
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	return prof.Result(t.Log), t, nil
}

func writeProfile(w *output, r *profile.Result) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(r)
}

// traceTitle says what was read.
func traceTitle(t *format.Trace) string {
	var formats []string
	for _, f := range t.Formats {
		formats = append(formats, f.Name)
	}
	title := t.Inputs[0]
	if n := len(t.Inputs); n > 1 {
		title = fmt.Sprintf("%s and %d more", title, n-1)
	}
	return title + " (" + strings.Join(formats, ", ") + ")"
}

func traceFormatsCommand() *command {
	return &command{
		name: "trace formats", summary: "list the formats of traces",
		setup: func(*pflag.FlagSet) action {
			return func(p *program, _ []string) error {
				for _, f := range format.List() {
					showFormat(p.stdout, f)
				}
				return nil
			}
		},
	}
}

func showFormat(w *output, f *trace.Format) {
	help := f.Help
	if f.Create != nil {
		help += "; `moonio trace convert` writes it too"
	}
	if f.ProfileOnly {
		help += "; it can be profiled and not replayed"
	}
	wrapped(w, fmt.Sprintf("%-16s ", f.Name), strings.Fields(help))
	for _, a := range f.Args {
		wrapped(w, fmt.Sprintf("%17s--trace-arg %s=…  ", "", a.Name), strings.Fields(a.Help))
	}
}
