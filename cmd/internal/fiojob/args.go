package fiojob

import (
	"slices"
	"strings"
)

// Argument says whether an option of the command line takes a value.
type Argument int

const (
	None     Argument = iota
	Required          // after = or a space
	Optional          // only after =
)

// General are the options of the command line that concern no job: fio's, and moonio's own.
var General = map[string]Argument{
	"debug": Required, "parse-only": None, "merge-blktrace-only": None, "output": Required, "output-format": Required,
	"bandwidth-log": None, "minimal": None, "append-terse": None, "terse-version": Required, "version": None, "help": None,
	"cpuclock-test": None, "memcpytest": Optional, "latency-log": None, "crctest": Optional, "cmdhelp": Optional, "enghelp": Optional, "showcmd": None, "readonly": None,
	"eta": Required, "eta-interval": Required, "eta-newline": Required, "status-interval": Required, "section": Required,
	"alloc-size": Required, "warnings-fatal": None, "max-jobs": Required, "server": Optional, "daemonize": Required,
	"client": Required, "remote-config": Required, "idle-prof": Required, "inflate-log": Required, "trigger-file": Required,
	"trigger-timeout": Required, "trigger": Required, "trigger-remote": Required, "aux-path": Required, "profile": Required,

	"print-script": None, "engine": Required, "seed": Required, "out": Required, "record": Required, "device": Required, "destroy-data": None,
	"interval": Required, "fault": Required, "quiet": None, "no-progress": None,
}

// own are those of General that are moonio's.
var own = map[string]bool{
	"print-script": true, "engine": true, "seed": true, "out": true, "record": true, "device": true, "destroy-data": true,
	"interval": true, "fault": true, "quiet": true, "no-progress": true,
}

func commandNames() []string {
	var list []string
	for name := range General {
		list = append(list, name)
	}
	slices.Sort(list)
	return list
}

// commandLine is what the arguments say, before anything is made of it.
type commandLine struct {
	general  []Option
	sections []*section
	files    []Option // their names are values
}

// scan reads the arguments.
func (s *Sources) scan(args []string) (*commandLine, error) {
	c := &commandLine{}
	for i := 0; i < len(args); i++ {
		pos := Pos{Line: i + 1, Text: args[i]}
		body, dashed := undash(args[i])
		if !dashed {
			c.files = append(c.files, Option{Name: "job file", Value: args[i], Given: true, Pos: pos})
			continue
		}
		if body == "" { // "--": what follows are files
			for ; i+1 < len(args); i++ {
				c.files = append(c.files, Option{Name: "job file", Value: args[i+1], Given: true, Pos: Pos{Line: i + 2, Text: args[i+1]}})
			}
			break
		}
		name, value, given := strings.Cut(body, "=")
		o := Option{Name: name, Value: value, Given: given, Pos: pos}
		if err := o.complete(); err != nil {
			return nil, err
		}
		if !given && takesNext(o.Name) && i+1 < len(args) {
			i++
			o.Value, o.Given, o.Pos.Text = args[i], true, args[i-1]+" "+args[i]
		}
		if err := s.argument(c, o); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// undash takes the dashes off an option. A dash alone is standard input.
func undash(arg string) (string, bool) {
	if len(arg) < 2 || arg[0] != '-' {
		return arg, false
	}
	return strings.TrimPrefix(arg[1:], "-"), true
}

// takesNext says whether an option without = has its value in the next argument.
func takesNext(name string) bool {
	if a, ok := General[name]; ok {
		return a == Required
	}
	spec, ok := Find(name)
	return ok && spec.Kind != Flag
}

// argument puts an option of the command line where it belongs.
func (s *Sources) argument(c *commandLine, o Option) error {
	if a, ok := General[o.Name]; ok {
		return c.option(o, a)
	}
	if isPath(o) {
		c.general = append(c.general, o)
		return nil
	}
	o, err := s.replaced(o)
	if err != nil {
		return err
	}
	if o.Name == "name" || len(c.sections) == 0 {
		name := "global"
		if o.Name == "name" {
			name = o.Value
		}
		c.sections = append(c.sections, newSection(name, o.Pos))
	}
	return c.sections[len(c.sections)-1].add(o)
}

// isPath says whether --overwrite is moonio's, which names a file, and not fio's, which
// is 0 or 1.
func isPath(o Option) bool {
	return o.Name == "overwrite" && o.Given && o.Value != "" && strings.Trim(o.Value, "0123456789") != ""
}

func (c *commandLine) option(o Option, a Argument) error {
	switch {
	case a == Required && o.Value == "":
		return o.Fail("", "it needs a value")
	case a == None && o.Given:
		return o.Fail("", "it takes no value")
	}
	c.general = append(c.general, o)
	return nil
}

// unmatched refuses a --section that no job file has.
func (c *commandLine) unmatched(sections []*section) error {
	for _, o := range c.general {
		named := func(s *section) bool { return s.name == o.Value }
		if o.Name == "section" && !slices.ContainsFunc(sections, named) {
			return o.Fail("", "there is no such section, and no job of that name")
		}
	}
	return nil
}

// wants says whether a section of a job file is among those that --section names; all are if
// none is named.
func (c *commandLine) wants(s *section) bool {
	any := false
	for _, o := range c.general {
		if o.Name == "section" {
			any = true
			if o.Value == s.name {
				return true
			}
		}
	}
	return !any || s.global
}
