package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"
	"golang.org/x/sys/unix"

	"moonio/cmd/internal/fiojob"
	"moonio/cmd/internal/fiolua"
	"moonio/cmd/internal/fioout"
	"moonio/engine/backend"
	"moonio/engine/environ"
	"moonio/engine/report"
	"moonio/engine/workdir"
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
a job file is wrong, 4 a rate_min was missed, 130 interrupted.
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
	return fiolua.Setup{Dir: realPath("."), Look: lookAt, Real: realPath, Room: roomIn, Memory: memoryHere(), ReadOnly: f.general.has("readonly"), Virtual: virtual(f.general.value("engine")), Args: args}
}

// roomIn is how many bytes files in a directory may take.
func roomIn(dir string) int64 {
	n, err := workdir.Room(dir)
	if err != nil {
		return 0
	}
	return n
}

// virtual says whether an engine touches no storage.
func virtual(engine string) bool {
	c, err := backend.Parse(engine)
	return engine != "" && err == nil && c.Memory()
}

// realPath is a path from the root on, with links followed as far as there is something.
func realPath(path string) string {
	path = absolute(path)
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	if dir := filepath.Dir(path); dir != path {
		return filepath.Join(realPath(dir), filepath.Base(path))
	}
	return path
}

// lookAt says what there is at a path. Links are followed: the user named it.
func lookAt(path string) fiolua.Node {
	st, err := os.Stat(path)
	if err != nil {
		return fiolua.Node{}
	}
	n := fiolua.Node{Exists: true, Size: st.Size(), Kind: fiolua.Other}
	switch mode := st.Mode(); {
	case mode.IsRegular():
		n.Kind = fiolua.Regular
	case mode.IsDir():
		n.Kind = fiolua.Directory
	case mode&os.ModeDevice != 0 && mode&os.ModeCharDevice == 0:
		n.Kind = fiolua.Device
		n.Size = deviceSize(path)
	}
	return n
}

func deviceSize(path string) int64 {
	f, err := os.Open(path)
	if err != nil {
		return 0
	}
	defer f.Close()
	n, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return 0
	}
	return n
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

// flags are the run's, from what the command line says and the jobs need.
func (f *fioRun) flags() (*runFlags, error) {
	o := &runFlags{dir: f.program.Dir, dirs: f.program.Parts, engine: backend.Auto, seed: f.program.Seed, format: "text", keep: true, interval: fioInterval}
	if !f.program.Seeded {
		o.seed = uint64(time.Now().UnixNano()) & (1<<32 - 1)
	}
	if f.program.Null {
		o.engine = "null"
	}
	if o.record = f.program.IOLog; o.record != "" {
		o.recordFormat = "iolog"
	}
	if err := f.own(o); err != nil {
		return nil, err
	}
	if virtual(o.engine) {
		o.dir, o.dirs = "", nil
	}
	if err := f.reach(o); err != nil {
		return nil, err
	}
	return o, f.report()
}

// fioInterval is how long the windows are over which fio looks at rates.
const fioInterval = 500 * time.Millisecond

// own reads moonio's own flags.
func (f *fioRun) own(o *runFlags) error {
	o.quiet, o.noProgress, o.destroy = f.general.has("quiet"), f.general.has("no-progress"), f.general.has("destroy-data")
	for _, g := range f.general {
		var err error
		switch g.Name {
		case "engine":
			o.engine = g.Value
		case "out":
			o.out = g.Value
		case "record":
			o.record, o.recordFormat = g.Value, ""
		case "fault":
			o.faults = append(o.faults, g.Value)
		case "interval":
			err = o.setInterval(g.Value)
		case "seed":
			if o.seed, err = strconv.ParseUint(g.Value, 0, 64); err != nil {
				err = errors.New("not a whole number from 0 to 2^64-1")
			}
		}
		if err != nil {
			return usage("%w", g.Fail("", "%v", err))
		}
	}
	return nil
}

// report reads where the report goes, and in which form.
func (f *fioRun) report() (err error) {
	formats := "normal"
	for _, g := range f.general {
		switch g.Name {
		case "output-format":
			formats = g.Value
		case "minimal":
			formats = "terse"
		case "append-terse":
			formats += ",terse"
		case "output":
			f.output = g.Value
		}
	}
	if f.formats, err = fioout.ParseFormats(formats); err != nil {
		return usage("%w", err)
	}
	if err := f.checkWords(); err != nil {
		return err
	}
	if f.output != "" {
		if err := newFileIn(f.output); err != nil {
			return usage("--output=%s: %w", f.output, err)
		}
	}
	return nil
}

// checkWords refuses values of the command line's options that there are none of.
func (f *fioRun) checkWords() error {
	words := map[string][]string{"eta": {"always", "never", "auto"}, "terse-version": {"2", "3", "4", "5"}}
	for _, g := range f.general {
		if list, ok := words[g.Name]; ok && !slices.Contains(list, g.Value) {
			return usage("%w", g.Fail("", "it is one of %s", strings.Join(list, ", ")))
		}
		if g.Name == "eta-interval" {
			if d, err := fioDuration(g.Value); err != nil || d == 0 {
				return usage("%w", g.Fail("", "it is a length of time above 0: seconds, or a number with ms, s, m or h"))
			}
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

// reach lets the run reach the files and devices that the jobs name.
func (f *fioRun) reach(o *runFlags) error {
	var devices []string
	for _, g := range f.general {
		switch g.Name {
		case "overwrite":
			name, err := f.inRun(g)
			if err != nil {
				return err
			}
			o.overwrite = append(o.overwrite, name)
		case "device":
			devices = append(devices, g.Value)
		}
	}
	if o.destroy && len(devices) == 0 {
		return usage("--destroy-data goes with --device: name the device whose data may be destroyed")
	}
	if o.dir == "" {
		return nil
	}
	for _, file := range f.program.Files {
		if !file.Device {
			continue
		}
		named := slices.ContainsFunc(devices, func(d string) bool { return realPath(d) == file.Path })
		switch {
		case !file.Written:
			o.reading = append(o.reading, file.Path)
		case named && o.destroy:
			o.devices = append(o.devices, file.Path)
		default:
			return usage("%w", file.Option.Fail("", "a job writes to the device %s, and what is on it would be lost: --device %[1]s --destroy-data allows it", file.Path))
		}
	}
	o.destroy = len(o.devices) > 0 // jobs that only read destroy nothing
	return nil
}

// inRun is what the run calls a file that --overwrite names.
func (f *fioRun) inRun(g fiojob.Option) (string, error) {
	want := realPath(g.Value)
	for _, file := range f.program.Files {
		if file.Path == want && !file.Device {
			return file.Name, nil
		}
	}
	return "", usage("%w", g.Fail("", "no job has a file %s", want))
}

// permit refuses jobs that write to files that are not theirs to write.
func (f *fioRun) permit(s *storage) error {
	if f == nil || s.dir == nil {
		return nil
	}
	for _, file := range f.program.Files {
		st, err := os.Stat(file.Path)
		if dir := filepath.Dir(file.Path); err != nil && unix.Access(dir, unix.W_OK|unix.X_OK) == unix.EACCES {
			return usage("%w", file.Option.Fail("", "there is no file %s yet, and the directory %s cannot be written: permission denied", filepath.Base(file.Path), dir))
		}
		if file.Device || err != nil || !file.Written && st.Size() >= file.Size {
			continue
		}
		if err := s.dir.Guard().Writable(file.Name); err != nil {
			what := "a job writes to"
			if !file.Written {
				what = fmt.Sprintf("a job needs %d bytes where there are %d in", file.Size, st.Size())
			}
			if !strings.Contains(err.Error(), "moonio did not make it") {
				return usage("%w", file.Option.Fail("", "%s", otherDir.Replace(err.Error())))
			}
			return usage("%w", file.Option.Fail("", "%s %s, which moonio did not make: --overwrite %s allows writing to it, and what is in it is lost", what, file.Path, f.spelled(file.Path)))
		}
	}
	return nil
}

// spelled is a path as it is typed where the user is.
func (f *fioRun) spelled(path string) string {
	if rel, err := filepath.Rel(realPath("."), path); err == nil && !strings.HasPrefix(rel, "..") {
		return rel
	}
	return path
}

// fioOptions are the options of the command line that concern no job.
type fioOptions []fiojob.Option

func (o fioOptions) has(name string) bool {
	return slices.ContainsFunc(o, func(g fiojob.Option) bool { return g.Name == name })
}

// value is the last that was given.
func (o fioOptions) value(name string) string {
	v := ""
	for _, g := range o {
		if g.Name == name {
			v = g.Value
		}
	}
	return v
}
