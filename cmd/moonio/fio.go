package main

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"moonio/cmd/internal/fiojob"
	"moonio/cmd/internal/fiolua"
	"moonio/cmd/internal/fioout"
	"moonio/engine/backend"
	"moonio/engine/environ"
	"moonio/engine/report"
)

func fioCommand() *command {
	return &command{
		name: "fio", args: "[OPTIONS] [JOB FILE…]", most: anyNumber,
		summary: "run fio's job files and command lines",
		details: `Takes what fio takes: options, with one dash or two, and job files; - is one on
standard input. The jobs become a Lua script, which --print-script shows, and which is
what is run. Files are left where they are, as fio leaves them. An option that
moonio does not have is an error that says what to use instead, and so is a value
that fio would misread, such as bs=4q. What makes no difference here is named.

  --cmdhelp[=OPTION]     what an option is, and what becomes of it; all: of each
  --enghelp              the engines
  --parse-only           find what is wrong with the jobs, and run nothing
  --showcmd              the job files as command lines
`,
		more: fioCodes + `
Examples:
  moonio fio --name=x --filename=F --size=1g --rw=randread --ioengine=io_uring --iodepth=32 --direct=1 --runtime=10 --time_based
  moonio fio jobs.fio --output-format=json --output=r.json
  moonio fio jobs.fio --print-script > jobs.lua
`,
		setup: func(fs *pflag.FlagSet) action {
			fs.Bool("print-script", false, "show the script, and run nothing")
			fs.String("engine", "", "`NAME` use this engine instead of those that the jobs name, as in --engine sim:hdd")
			fs.String("seed", "", "`N` seed of all random choices; default: randseed, or 137 as in fio")
			fs.String("out", "", "`FILE` where moonio's own result goes, as JSON")
			fs.String("record", "", "`FILE` where every operation is written down as a trace, in fio's format if FILE ends in .iolog")
			fs.String("interval", "", "`D` step of the time series; default: 500ms, as in fio")
			fs.StringArray("overwrite", nil, "`PATH` let a job write to this file although moonio did not make it; overwrite=0 and overwrite=1 are fio's own option (repeatable)")
			fs.StringArray("device", nil, "`PATH` with --destroy-data, let a job write to this block device; reading needs no flag (repeatable)")
			fs.Bool("destroy-data", false, "let jobs write to the --device, which destroys what is on it")
			fs.StringArray("fault", nil, "`RULE` inject faults, as for moonio run (repeatable)")
			fs.Bool("quiet", false, "write nothing but errors to standard error")
			fs.Bool("no-progress", false, "show no progress")
			return nil
		},
		raw: func(p *program, args []string) error { return p.fio(args) },
	}
}

const fioCodes = `Exit codes are those of moonio run: 0 done, 1 a job failed, 2 the command line or
a job file is wrong, 4 a rate_min or a latency_target was missed, 130 interrupted.
`

// fioRun is one run of fio's jobs.
type fioRun struct {
	general fioOptions
	program *fiolua.Program
	formats fioout.Formats
	global  []fiojob.Option
	output  string // where the report goes; empty: standard output
	live    *fioLive
}

// fio is `moonio fio`.
func (p *program) fio(args []string) error {
	if slices.ContainsFunc(args, func(a string) bool { return a == "-h" || a == "--help" || a == "-help" }) {
		return fioCommand().help(p, nil)
	}
	cmd, err := fiojob.Parse(args, p.fioSources())
	if err != nil {
		return &exitError{exitUsage, err}
	}
	f := &fioRun{general: cmd.Options, global: cmd.Global}
	if done, err := f.informs(p, cmd); done || err != nil {
		return err
	}
	f.program, err = fiolua.Translate(cmd, f.setup(args))
	if err != nil {
		return &exitError{exitUsage, err}
	}
	return f.do(p)
}

func (p *program) fioSources() fiojob.Sources {
	return fiojob.Sources{
		Stdin: p.stdin, Env: os.Getenv, CPUs: runtime.NumCPU(), Page: os.Getpagesize(), Memory: memoryHere(),
	}
}

func memoryHere() int64 {
	m := environ.Machine{}
	return m.Environment("").MemoryBytes
}

func (f *fioRun) setup(args []string) fiolua.Setup {
	return fiolua.Setup{
		Dir: realPath("."), Look: lookAt, Real: realPath, Room: roomIn, Trace: readTrace, Read: readStart, List: filesIn, Memory: memoryHere(),
		ReadOnly: f.general.has("readonly"), Virtual: virtual(f.general.value("engine")), Args: args,
	}
}

// virtual says whether an engine touches no storage.
func virtual(engine string) bool {
	c, err := backend.Parse(engine)
	return engine != "" && err == nil && c.Memory()
}

// do shows the script, or runs it.
func (f *fioRun) do(p *program) error {
	if f.general.has("print-script") {
		_, err := io.WriteString(p.stdout, f.program.Script)
		return err
	}
	if err := f.tell(p); err != nil {
		return err
	}
	if f.general.has("parse-only") {
		return nil
	}
	o, err := f.flags()
	if err != nil {
		return err
	}
	r := &running{program: p, flags: o, notes: p.stderr, fio: f}
	r.script = &script{name: "fio", source: f.program.Script, chunk: "fio.lua"}
	if err := r.checkFlags(); err != nil {
		return err
	}
	if o.quiet {
		r.notes = io.Discard
	}
	if f.live, err = newFioLive(f, r); err != nil {
		return err
	}
	return r.do()
}

// tell writes warnings and what is ignored to standard error.
func (f *fioRun) tell(p *program) error {
	if w := f.program.Warnings; len(w) > 0 && f.general.has("warnings-fatal") {
		return usage("--warnings-fatal: %s", w[0])
	}
	if f.general.has("quiet") {
		return nil
	}
	for _, w := range f.program.Warnings {
		fmt.Fprintf(p.stderr, "moonio: warning: %s\n", w)
	}
	for _, s := range f.program.Ignored {
		fmt.Fprintf(p.stderr, "moonio: ignored: %s\n", s)
	}
	for _, g := range f.general {
		if why, ok := idle[g.Name]; ok {
			fmt.Fprintf(p.stderr, "moonio: ignored: --%s: %s\n", g.Name, why)
		}
	}
	return nil
}

// write writes the report as fio does.
func (f *fioRun) write(r *running) error {
	for _, e := range r.result.Expectations {
		if !e.Passed {
			r.complain(fmt.Errorf("not met: %s", e.Text))
		}
	}
	err := f.live.finish(r)
	for _, p := range r.result.Phases {
		few := slices.ContainsFunc(p.Warnings, func(w report.Warning) bool { return w.Code == "few-samples" })
		for _, w := range p.Warnings {
			if w.Code == "page-cache" || few && w.Code == "late-reaping" { // tell has said so; it is chance
				continue
			}
			r.note("warning: %s", inJobs.Replace(w.Text))
		}
	}
	return err
}

// inJobs puts advice to scripts in the words of those who have jobs.
var inJobs = strings.NewReplacer("Give the phase more threads", "Spread the load over more jobs", ", or the clients less to do", "")
