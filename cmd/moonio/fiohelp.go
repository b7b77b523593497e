package main

import (
	"fmt"
	"io"
	"strings"

	"moonio/cmd/internal/fiojob"
	"moonio/cmd/internal/fiolua"
	"moonio/cmd/internal/fioout"
	"moonio/engine/suggest"
)

// elsewhere are options of fio's command line that do not run jobs here.
var elsewhere = map[string]string{
	"server": "jobs run on this machine", "client": "jobs run on this machine: use ssh", "daemonize": "jobs run on this machine",
	"remote-config": "jobs run on this machine", "crctest": "`go test -bench .` in moonio's source measures checksums",
	"memcpytest": "it measures the memory, and no storage", "latency-log": "fio has write_lat_log instead",
	"cpuclock-test": "the kernel's monotonic clock is used", "merge-blktrace-only": "`moonio trace convert` reads traces",
	"inflate-log": "logs are not compressed", "bandwidth-log": "write_bw_log=NAME logs each job's bandwidth, and the result of --out has all of it", "idle-prof": "the result of --out has the CPU time used", "profile": "`moonio list` lists the built-in scripts",
	"trigger": "run moonio in a shell script", "trigger-file": "run moonio in a shell script", "trigger-timeout": "run moonio in a shell script",
	"trigger-remote": "run moonio in a shell script", "debug": "--print-script shows what is run",
}

// idle are options of fio's command line that can make no difference here.
var idle = map[string]string{
	"alloc-size":  "memory is taken as it is needed",
	"aux-path":    "files go where they are named",
	"eta-newline": "the line of running jobs is drawn in one place",
}

// informs does what needs no run. It says whether all is done.
func (f *fioRun) informs(p *program, cmd *fiojob.Command) (done bool, err error) {
	for _, g := range cmd.Options {
		if why, ok := elsewhere[g.Name]; ok {
			return true, usage("%w", g.Fail("", "moonio has no such option: %s", why))
		}
	}
	switch o := f.general; {
	case o.has("version"):
		fmt.Fprintf(p.stdout, "moonio %s, which takes the jobs of %s\n", version(), fioout.Version)
	case o.has("cmdhelp"):
		return true, optionHelp(p.stdout, o.value("cmdhelp"))
	case o.has("enghelp"):
		return true, engineHelp(p.stdout, o.value("enghelp"))
	case o.has("showcmd"):
		showJobs(p.stdout, cmd)
	default:
		return false, nil
	}
	return true, nil
}

// optionHelp explains one of fio's options, or all of them.
func optionHelp(w io.Writer, name string) error {
	if name == "" || name == "all" {
		for _, s := range fiojob.Specs() {
			fmt.Fprintf(w, "%-28s %s\n", s.Name, fiolua.Becomes(s.Name))
		}
		return nil
	}
	s, ok := fiojob.Find(name)
	if !ok {
		return usage("--cmdhelp=%s: fio has no such option%s", name, suggest.Hint(name, specNames()))
	}
	rows := [][2]string{{"name", s.Name}, {"also", s.Also}, {"value", s.Kind.String()}, {"one of", s.Choices}, {"default", s.Default}, {"of engines", s.Engines}, {"here", fiolua.Becomes(s.Name)}}
	for _, r := range rows {
		if r[1] != "" {
			fmt.Fprintf(w, "%12s: %s\n", r[0], r[1])
		}
	}
	return nil
}

func specNames() []string {
	var list []string
	for _, s := range fiojob.Specs() {
		list = append(list, s.Name)
	}
	return list
}

// engineHelp lists the engines, or an engine's options.
func engineHelp(w io.Writer, name string) error {
	name, _, _ = strings.Cut(name, ",")
	if name == "" {
		fmt.Fprintln(w, "Available IO engines:")
		for _, e := range fiolua.Engines() {
			fmt.Fprintf(w, "\t%s\n", e)
		}
		return nil
	}
	if why := fiolua.NoEngine(name); why != "" {
		return usage("--enghelp=%s: moonio has no such engine: %s", name, why)
	}
	none := true
	for _, s := range fiojob.Specs() {
		for _, e := range strings.Fields(s.Engines) {
			if e == name {
				fmt.Fprintf(w, "%-24s %s\n", s.Name, fiolua.Becomes(s.Name))
				none = false
			}
		}
	}
	if none {
		fmt.Fprintf(w, "engine %s has no options of its own\n", name)
	}
	return nil
}

// showJobs writes jobs as a command line.
func showJobs(w io.Writer, cmd *fiojob.Command) {
	fmt.Fprint(w, "fio")
	for _, j := range cmd.Jobs {
		if j.Clone > 0 {
			continue
		}
		fmt.Fprintf(w, " --name=%s", quoted(j.Name))
		for _, o := range j.All {
			if o.Name == "name" {
				continue
			}
			fmt.Fprintf(w, " --%s", o.Name)
			if o.Given {
				fmt.Fprintf(w, "=%s", quoted(o.Value))
			}
		}
	}
	fmt.Fprintln(w)
}

// quoted is a word for the shell.
func quoted(s string) string {
	if s != "" && !strings.ContainsAny(s, " \t\n'\"\\$`*?[](){}<>|&;#~!") {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
