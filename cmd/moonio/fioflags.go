package main

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"moonio/cmd/internal/fiojob"
	"moonio/cmd/internal/fiolua"
	"moonio/cmd/internal/fioout"
	"moonio/engine/backend"
)

// flags are the run's, from what the command line says and the jobs need.
func (f *fioRun) flags() (*runFlags, error) {
	o := &runFlags{dir: f.program.Dir, dirs: f.program.Parts, engine: backend.Auto, seed: f.program.Seed, format: "text", keep: true, interval: fioInterval}
	if !f.program.Seeded {
		o.seed = uint64(time.Now().UnixNano()) & (1<<32 - 1)
	}
	if f.program.Null {
		o.engine = "null"
	}
	o.params = map[string]string{}
	for i, path := range f.program.Traces {
		o.params[fiolua.TraceParam(i)] = path
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
