package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"moonio/engine"
	"moonio/engine/run"
	"moonio/engine/units"
	"moonio/vm"
)

// showPlan prints what a script would do.
func showPlan(w io.Writer, s *script, plan *vm.Plan, o *vm.Outcome) {
	fmt.Fprintf(w, "%s\n", s.name)
	var rows [][2]string
	for _, name := range slices.Sorted(maps.Keys(o.Params)) {
		rows = append(rows, [2]string{name, fmt.Sprint(o.Params[name])})
	}
	section(w, "parameters", rows)
	section(w, "files", fileRows(plan.Files))
	if len(plan.Notes) > 0 {
		fmt.Fprintln(w)
	}
	for _, line := range plan.Notes {
		fmt.Fprintln(w, line)
	}
	for _, p := range plan.Phases {
		rows = nil
		for _, j := range p.Jobs {
			rows = append(rows, [2]string{j.Name, jobLine(&j)})
		}
		section(w, fmt.Sprintf("phase %q: %s", p.Name, phaseLine(p)), rows)
	}
}

// mostFiles is how many files that are all alike a plan lists.
const mostFiles = 6

// fileRows are a plan's files. One that is opened several times in the same way is shown once, and of many that are alike
// the first and the last.
func fileRows(files []vm.PlannedFile) [][2]string {
	var rows [][2]string
	seen := map[vm.PlannedFile]bool{}
	files = slices.DeleteFunc(slices.Clone(files), func(f vm.PlannedFile) bool {
		again := seen[f]
		seen[f] = true
		return again
	})
	for len(files) > 0 {
		line, n := fileLine(files[0]), 1
		for n < len(files) && fileLine(files[n]) == line {
			n++
		}
		if n > mostFiles {
			rows = append(rows, [2]string{files[0].Name, line}, [2]string{"…", fmt.Sprintf("%d more like it, %d in all", n-2, n)})
			files, n = files[n-1:], 1
		}
		for _, f := range files[:n] {
			rows = append(rows, [2]string{f.Name, line})
		}
		files = files[n:]
	}
	return rows
}

func fileLine(f vm.PlannedFile) string {
	size := "as it is found, or empty"
	switch {
	case f.Size > 0:
		size = units.FormatSize(f.Size) + layouts[f.Layout]
	case f.Empty:
		size = "empty"
	case f.Found:
		size = "as it is found"
	}
	return list(size, unless(!f.Direct, "direct"), syncFlags[f.Sync], unless(f.Write, "for reading only"))
}

var syncFlags = map[string]string{"dsync": "O_DSYNC", "sync": "O_SYNC"}

var layouts = map[string]string{
	"write":    " of data that does not compress",
	"allocate": " of reserved blocks",
	"sparse":   " of nothing, as a hole",
}

// phaseLine says what ends the phase, and how it is run.
func phaseLine(p *run.Phase) string {
	var ends []string
	for _, e := range []struct {
		limited bool
		text    string
	}{
		{p.Duration > 0, units.FormatDuration(p.Duration)},
		{p.Ops > 0, units.FormatCount(p.Ops) + " operations"},
		{p.Bytes > 0, units.FormatSize(p.Bytes)},
		{p.Iterations > 0, units.FormatCount(p.Iterations) + " iterations"},
	} {
		if e.limited {
			ends = append(ends, e.text)
		}
	}
	if s := p.Steady; s != nil {
		ends = append(ends, s.String())
	}
	if len(ends) == 0 {
		ends = []string{"until its jobs are done"}
	}
	return list(
		strings.Join(ends, " or "),
		unless(p.Warmup == 0, "after "+units.FormatDuration(p.Warmup)+" of warm-up"),
		unless(p.Threads == 1, fmt.Sprintf("%d threads", p.Threads)),
		unless(p.Engine == "", "on "+p.Engine),
		p.Place.String(),
		unless(!p.Count, "errors are counted"),
	)
}

func jobLine(j *run.Job) string {
	when := list(
		ownThreads(j.Own),
		unless(len(j.After) == 0, "after "+strings.Join(j.After, ", ")),
		unless(j.Start == 0, "from "+units.FormatDuration(j.Start)),
		unless(j.Duration == 0, "for "+units.FormatDuration(j.Duration)),
	)
	switch {
	case j.Stream != nil:
		return list(streamLine(j.Stream), when)
	case j.Replay != nil:
		return list(fmt.Sprintf("replay of %s", j.Replay.Describe), "timing "+j.Replay.Timing.String(), fmt.Sprintf("depth %d", j.Replay.Depth), when)
	}
	n := "1 client"
	if j.Clients.Count != 1 {
		n = fmt.Sprintf("%d clients", j.Clients.Count)
	}
	turns := "1 iteration"
	if j.Clients.Turns != 1 {
		turns = fmt.Sprintf("%d iterations", j.Clients.Turns)
	}
	rate := ""
	if j.Clients.Rate != nil {
		rate = fmt.Sprintf("%s %s", j.Clients.Rate, j.Clients.Arrival)
	}
	return list(n, unless(j.Clients.Turns == 0, turns+" each"), rate, when)
}

func ownThreads(t *run.Threads) string {
	if t == nil {
		return ""
	}
	s := fmt.Sprintf("%d threads of its own", t.Count)
	if t.Count == 1 {
		s = "a thread of its own"
	}
	return list(s+unless(t.Engine == "", " on "+t.Engine), t.Place.String())
}

func streamLine(s *run.Stream) string {
	var files []string
	for _, f := range s.Files {
		files = append(files, f.Name)
	}
	return list(
		mixLine(s),
		accessLine(s),
		fmt.Sprintf("depth %d", s.Depth),
		rateLine(s),
		strings.Join(files, " "),
		unless(s.Ops == 0, units.FormatCount(s.Ops)+" operations"),
		unless(s.Bytes == 0, units.FormatSize(s.Bytes)+" in all"),
		unless(s.Passes == 0, fmt.Sprintf("%d passes", s.Passes)),
		unless(len(files) == 1, "files in order "+s.Order.String()),
		syncsLine(s.Syncs),
		unless(s.SyncEnd == engine.Nop, fmt.Sprintf("%s at the end", s.SyncEnd)),
		unless(!s.DSync, "dsync"),
		unless(!s.UntilFull, "until there is no more room"),
		unless(s.Forget == 0, "page cache dropped every "+units.FormatSize(s.Forget)),
		unless(s.Submit == 0, fmt.Sprintf("submits %d at a time", s.Submit)),
		unless(s.Low == 0, fmt.Sprintf("refilled at %d in flight", s.Low)),
		thinkLine(s.Think),
		unless(s.MaxLatency == 0, "at most "+units.FormatDuration(s.MaxLatency)+" each"),
		priosLine(s.Prios),
		verifyLine(s.Verify),
	)
}

func syncsLine(syncs []run.SyncEvery) string {
	var all []string
	for _, e := range syncs {
		all = append(all, fmt.Sprintf("%s after every %d writes", e.Code, e.Writes))
	}
	return strings.Join(all, ", ")
}

// mixLine is the operations; a trim that a write follows has a name of its own.
func mixLine(s *run.Stream) string {
	if s.TrimWrite {
		return strings.Replace(s.Mix.String(), engine.Trim.String(), "trimwrite", 1)
	}
	return s.Mix.String()
}

func verifyLine(v *run.Verify) string {
	switch {
	case v == nil:
		return ""
	case v.Only:
		return "reads back what was written, and verifies it"
	}
	return fmt.Sprintf("verified by %s", v.Method)
}

func thinkLine(t *run.Think) string {
	if t == nil {
		return ""
	}
	long := t.Time.String()
	if t.Program != nil {
		long = "as long as its function says"
	}
	if t.After > 0 {
		return fmt.Sprintf("thinks %s after %s at work", long, units.FormatDuration(t.After))
	}
	return fmt.Sprintf("thinks %s after every %d operations", long, t.Every)
}

// accessLine is the reads' blocks and places, and the writes' where they differ.
func accessLine(s *run.Stream) string {
	read, write := place(s.Read), place(s.Write)
	var reads, writes bool
	for _, share := range s.Mix {
		if share.Op.Writes() {
			writes = true
		} else if share.Op.Transfers() {
			reads = true
		}
	}
	switch {
	case reads && writes && read != write:
		return "reads " + read + ", writes " + write
	case writes:
		return write
	}
	return read
}

func place(a run.Access) string {
	region := ""
	if a.Offset > 0 || a.Size > 0 {
		region = " from " + units.FormatSize(a.Offset)
		if a.Size > 0 {
			region += " to " + units.FormatSize(a.Offset+a.Size)
		}
	}
	return a.Block.String() + " at " + a.At.String() + region
}

func priosLine(shares []run.PrioShare) string {
	var parts []string
	for _, s := range shares {
		of := ""
		if s.Block > 0 {
			of = " of " + units.FormatSize(s.Block)
		}
		if s.Op != engine.Nop {
			of += " " + s.Op.String() + "s"
		}
		parts = append(parts, fmt.Sprintf("%v %%%s at I/O priority %s", s.Percent, of, s.Prio))
	}
	return list(parts...)
}

func rateLine(s *run.Stream) string {
	if s.RateText() == "" {
		return ""
	}
	return fmt.Sprintf("%s %s", s.RateText(), s.Arrival)
}

// list joins those of its parts that say something.
func list(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), ", ")
}

// unless is s, or nothing if there is nothing to say.
func unless(nothing bool, s string) string {
	if nothing {
		return ""
	}
	return s
}
