package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"moonio/engine/backend"
	"moonio/engine/run"
	"moonio/engine/suggest"
	"moonio/engine/units"
	"moonio/engine/workdir"
)

// scriptFlags are those of all commands that read a script with its parameters.
type scriptFlags struct {
	params map[string]string
}

func (o *scriptFlags) define(fs *pflag.FlagSet) {
	if o.params == nil { // a command may have set some
		o.params = map[string]string{}
	}
	fs.FuncP("param", "p", "`NAME=VALUE` set a parameter of the script (repeatable)", func(s string) error {
		name, value, ok := strings.Cut(s, "=")
		if !ok || name == "" {
			return fmt.Errorf("write it as NAME=VALUE, as in -p time=30s")
		}
		o.params[strings.TrimSpace(name)] = value
		return nil
	})
}

// deviceFlags are those of all commands whose scripts may open block devices.
type deviceFlags struct {
	devices []string
	destroy bool
}

func (o *deviceFlags) define(fs *pflag.FlagSet) {
	fs.StringArrayVar(&o.devices, "device", nil, "`PATH` let the script open this block device, without --destroy-data for reading only (repeatable)")
	fs.BoolVar(&o.destroy, "destroy-data", false, "let the script write to the --device, which destroys what is on it")
}

func (o *deviceFlags) validate() error {
	switch {
	case o.destroy && len(o.devices) == 0:
		return usage("--destroy-data goes with --device: name the device whose data may be destroyed")
	case slices.Contains(o.devices, ""):
		return usage(`--device "": it is empty: name a block device, or leave the flag out`)
	}
	return nil
}

// runFlags are those of `moonio run`.
type runFlags struct {
	scriptFlags
	deviceFlags
	own          bool // the script is moonio's own, and the user has not chosen it
	dir          string
	engine       string
	seed         uint64
	out          string
	record       string
	recordFormat string // of record; "": by its name
	format       string
	interval     time.Duration
	keep         bool
	quiet        bool
	noProgress   bool
	faults       []string
	overwrite    []string
	dirs         []string // those beneath dir that files live in, where they are several
	reading      []string // devices that are only read, which needs no flag where fio's jobs name them
}

func (o *runFlags) define(fs *pflag.FlagSet) {
	o.scriptFlags.define(fs)
	fs.Func("dir", "`DIR` where files live; default: a fresh directory beneath the current one, removed at the end", named(&o.dir))
	o.engine = backend.Auto
	fs.Func("engine", "`NAME` what does the I/O: "+engineList()+"; default: auto, the best that works here. `moonio engines` explains them; options follow a colon, as in sim:hdd,fsync=4ms", named(&o.engine))
	o.seed = uint64(rand.Uint32()) // short, so that it can be typed again
	fs.Func("seed", "`N` whole number that all random choices follow from; default: drawn, and shown in the result", func(s string) (err error) {
		if o.seed, err = strconv.ParseUint(s, 10, 64); err != nil {
			err = fmt.Errorf("not a whole number from 0 to 2^64-1")
		}
		return err
	})
	fs.Func("out", "`FILE` where the result goes as JSON, beside what goes to standard output", named(&o.out))
	fs.Func("record", "`FILE` where every operation of the run's phases is written down as a trace, in moonio's own format, or fio's if FILE ends in .iolog", named(&o.record))
	o.format = "text"
	fs.Func("format", "`text|json` form of the result on standard output; default: text", choice(&o.format, "text", "json"))
	fs.Func("interval", "`D` step of the time series; default: 1s, longer in phases of more than 13 hours", func(s string) error { return o.setInterval(s) })
	fs.BoolVar(&o.keep, "keep", false, "keep the files that the run makes")
	fs.BoolVar(&o.quiet, "quiet", false, "write nothing but errors to standard error")
	fs.BoolVar(&o.noProgress, "no-progress", false, "show no progress")
	fs.StringArrayVar(&o.faults, "fault", nil, "`RULE` inject faults, as in read:errno=EIO,every=1000 or write:delay=5ms,chance=1% (repeatable)")
	fs.StringArrayVar(&o.overwrite, "overwrite", nil, "`NAME` let the script write to this file in --dir although moonio did not make it (repeatable)")
	o.deviceFlags.define(fs)
}

// named sets a string that names something. An empty one is often a variable of
// the shell's that was never set.
func named(to *string) func(string) error {
	return func(s string) error {
		if s == "" {
			return errors.New("it is empty: name one, or leave the flag out")
		}
		*to = s
		return nil
	}
}

// choice sets a string that is one of a few.
func choice(to *string, known ...string) func(string) error {
	return func(s string) error {
		if !slices.Contains(known, s) {
			return fmt.Errorf("not one of %s%s", strings.Join(known, ", "), suggest.Hint(s, known))
		}
		*to = s
		return nil
	}
}

func (o *runFlags) setInterval(s string) error {
	d, err := units.Duration(s)
	if err != nil {
		return err
	}
	if d < run.MinInterval {
		return fmt.Errorf("the shortest is %s", units.FormatDuration(run.MinInterval))
	}
	o.interval = d
	return nil
}

// validate finds what is wrong with the flags together.
func (o *runFlags) validate() error {
	if err := o.deviceFlags.validate(); err != nil {
		return err
	}
	if len(o.overwrite) > 0 && o.dir == "" {
		return usage("--overwrite %s needs --dir: a fresh directory holds nothing to overwrite", o.overwrite[0])
	}
	for _, name := range o.overwrite {
		if _, err := (*workdir.Guard)(nil).CheckName(name); err != nil {
			return usage("--overwrite %s: %w", name, err)
		}
	}
	return nil
}
