package main

import (
	"errors"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
)

func replayCommand() *command {
	return &command{
		name: "replay", args: "FILE… [flags]", least: 1, most: anyNumber,
		summary: "play a captured workload against this storage",
		details: `The files are a trace in any format that ` + "`moonio trace formats`" + ` lists, compressed
or not; - is standard input. What the trace was of becomes files beneath the run's
directory, which are laid out first, unless --map names others: nothing else is ever
written without --overwrite or --destroy-data. Before the first operation a plan says
how long the trace is, what it touches, and what will be changed about it; at the end,
what was issued, how late, and what was left out or changed, with the reasons.

This runs the built-in script replay: ` + "`moonio show replay`" + ` prints it, for scripts
of your own that bend a trace with a function, or play it beside other load.
`,
		more: exitCodes + `
Examples:
  moonio replay sda.blktrace.0
  moonio replay app.strace --timing streams --dir /mnt/new --speed 2
  moonio replay prod.csv.zst --trace-format alibaba --from 1h --to 2h --address compact
  moonio replay sda.blktrace.* --map sda=/dev/vdb --device /dev/vdb --destroy-data
`,
		setup: func(fs *pflag.FlagSet) action {
			o := &runFlags{own: true, scriptFlags: scriptFlags{params: map[string]string{}}}
			replayFlags(fs, o)
			var told []string
			fs.StringArrayVar(&told, "trace-arg", nil, "`KEY=VALUE` what the format must be told (repeatable)")
			o.define(fs)
			return func(p *program, args []string) error {
				for _, path := range args {
					if path == "" {
						return usage("a trace's name is empty: moonio replay FILE… [flags]")
					}
					if strings.Contains(path, ";") {
						return usage("trace %q: a name with a semicolon in it cannot be given here: pipe the trace in, as in moonio replay - < FILE, or give it another name", path)
					}
				}
				o.params["trace"] = strings.Join(args, ";")
				if len(told) > 0 {
					o.params["format"] += ":" + strings.Join(told, ",")
				}
				return p.run(o, "replay")
			}
		},
	}
}

// replayFlags define the flags that are parameters of the script.
func replayFlags(fs *pflag.FlagSet, o *runFlags) {
	set := func(param string) func(string) error {
		return func(s string) error {
			o.params[param] = s
			return nil
		}
	}
	for _, f := range []struct{ flag, param, usage string }{
		{"trace-format", "format", "`NAME` what the trace is, if that cannot be told from it; moonio trace formats lists them"},
		{"timing", "timing", "`MODE` when operations are issued: captured (at their times), fast (as many in flight as --depth allows), dependent (when those have completed that had when captured, and as long after), or streams (each of the trace's processes as a closed loop that thinks as it did). Default: captured"},
		{"speed", "speed", "`FACTOR` 2 is twice as fast as captured"},
		{"depth", "depth", "`N` most operations in flight; default: 1024, or 32 with --timing fast"},
		{"from", "from", "`D` leave out what was before this time of the trace"},
		{"to", "to", "`D` leave out what was after"},
		{"max-gap", "max_gap", "`D` cut longer idle times to this"},
		{"loops", "loops", "`N` how often the trace is played"},
		{"address", "address", "`POLICY` what happens to offsets: keep (as captured; an error if they don't fit), wrap (modulo the target's size), scale (in proportion to it), compact (what is touched moves together, in the order of first use), clamp (what is beyond the end goes to the end), skip (it is left out). Default: keep, or compact where targets would be too large"},
		{"align", "align", "`POLICY` what happens to operations that are not aligned as direct I/O needs it: expand (to whole blocks), nearest, split or drop. Default: expand"},
		{"overlap", "overlap", "`POLICY` what happens to an operation that overlaps one in flight, if either writes: allow (it is issued), order (it waits) or drop. Default: allow"},
		{"late", "late", "`POLICY` what happens to an operation that is late: catch-up (it is issued at once), shift (so are all that follow, by as much), drop (it is left out) or abort (the run fails). Default: catch-up"},
		{"late-limit", "late_limit", "`D` from when on it is, for shift, drop and abort. Default: 0"},
		{"size", "size", "`SIZE` of each target; default: as the trace needs it"},
		{"on-error", "on_error", "`stop|count` whether the first failed operation ends the run"},
		{"threads", "threads", "`N` worker threads; they share the trace by files, or by streams"},
	} {
		fs.Func(f.flag, f.usage, set(f.param))
	}
	fs.Func("map", "`NAME=FILE` play what the trace did on NAME, as moonio trace info calls it, or a pattern such as '*.db', into this file or device (repeatable)", func(s string) error {
		if old := o.params["map"]; old != "" {
			s = old + ";" + s
		}
		o.params["map"] = s
		return nil
	})
	yes := func(flag, param, value, usage string) {
		fs.BoolFunc(flag, usage, func(s string) error {
			on, err := strconv.ParseBool(s)
			old, given := o.params[param]
			switch {
			case err != nil:
				return errors.New("neither true nor false")
			case !on:
				return nil
			case given && old != value:
				return errors.New("--direct and --buffered exclude each other")
			}
			o.params[param] = value
			return nil
		})
	}
	yes("buffered", "direct", "false", "go through the page cache, whatever the trace says; see --direct")
	yes("direct", "direct", "true", "go past the page cache. Default: what the trace says went through it does so again, and all else goes past it, such as what a device did")
	yes("one", "one", "true", "put all that the trace is of into one file")
	yes("skip-bad", "skip_bad", "true", "play the trace although more than 1 % of its lines cannot be read, or it is cut off")
}
