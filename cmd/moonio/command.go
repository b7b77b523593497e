package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/pflag"

	"moonio/engine/suggest"
	"moonio/scripts"
)

// command is a subcommand.
type command struct {
	name     string
	args     string // what follows the name, for its usage line
	summary  string
	details  string // paragraphs of its help, before the flags
	more     string // and after them
	least    int    // arguments that it needs
	most     int    // arguments that it takes; anyNumber: no limit
	ofScript bool   // its first argument is a script, whose parameters its help shows
	setup    func(*pflag.FlagSet) action
	raw      action            // of a command that reads its arguments itself; setup then only shows its flags
	parts    func() []*command // commands of its own, one of which its first argument names; setup is nil then
}

const anyNumber = -1

// action does what a command is there for, once its flags have been parsed.
type action func(p *program, args []string) error

func commands() []*command {
	return []*command{
		runCommand(), replayCommand(), fioCommand(), checkCommand(), listCommand(), showCommand(), newCommand(),
		editorCommand(), traceCommand(), enginesCommand(), cleanCommand(), versionCommand(), helpCommand(),
	}
}

func commandNames() []string {
	var names []string
	for _, c := range commands() {
		names = append(names, c.name)
	}
	return names
}

func findCommand(name string) (*command, error) {
	for _, c := range commands() {
		if c.name == name {
			return c, nil
		}
	}
	if _, ok := scripts.Source(name); ok || strings.HasSuffix(name, ".lua") {
		return nil, usage("unknown command %q: scripts are run with `moonio run %s`", name, name)
	}
	return nil, usage("unknown command %q%s: `moonio help` lists them", name, suggest.Hint(name, commandNames()))
}

// dispatch runs the command that the arguments name.
func (p *program) dispatch(args []string) error {
	if len(args) == 0 {
		io.WriteString(p.stderr, overview())
		return &exitError{code: exitUsage}
	}
	name, rest := args[0], args[1:]
	switch name {
	case "-h", "--help":
		name = "help"
	case "--version":
		name = "version"
	}
	if strings.HasPrefix(name, "-") {
		return usage("%s: a command comes first, as in `moonio run wal %s`; `moonio help` lists them", name, name)
	}
	c, err := findCommand(name)
	if err != nil {
		return err
	}
	return c.call(p, rest)
}

// call parses a command's arguments and does it.
func (c *command) call(p *program, args []string) error {
	if c.parts != nil {
		return c.callPart(p, args)
	}
	if c.raw != nil {
		return c.raw(p, args)
	}
	fs, do := c.flags()
	help := fs.BoolP("help", "h", false, "show this help")
	err := fs.Parse(args)
	if *help {
		return c.help(p, fs.Args())
	}
	if err != nil {
		return c.flagError(p, fs, err)
	}
	rest := fs.Args()
	if len(rest) < c.least || c.most != anyNumber && len(rest) > c.most {
		return usage("%s takes %s, and not %s: %s", c.name, c.arity(), given(rest), strings.TrimSpace("moonio "+c.name+" "+c.args))
	}
	return do(p, rest)
}

// callPart calls the part of the command that the first argument names.
func (c *command) callPart(p *program, args []string) error {
	if len(args) == 0 {
		return usage("%s: a word comes next, as in `moonio %s %s`; `moonio help %s` lists them", c.name, c.parts()[0].name, c.parts()[0].args, c.name)
	}
	if args[0] == "-h" || args[0] == "--help" {
		return c.help(p, nil)
	}
	part, err := c.part(args[0])
	if err != nil {
		return err
	}
	return part.call(p, args[1:])
}

// part is the part of that name, which is the last word of its own.
func (c *command) part(name string) (*command, error) {
	var known []string
	for _, part := range c.parts() {
		word := strings.TrimPrefix(part.name, c.name+" ")
		if word == name {
			return part, nil
		}
		known = append(known, word)
	}
	return nil, usage("%s: unknown word %q%s: `moonio help %s` lists them", c.name, name, suggest.Hint(name, known), c.name)
}

func (c *command) flags() (*pflag.FlagSet, action) {
	fs := newFlagSet(c.name)
	return fs, c.setup(fs)
}

// newFlagSet makes one that prints nothing itself.
func newFlagSet(name string) *pflag.FlagSet {
	fs := pflag.NewFlagSet(name, pflag.ContinueOnError)
	fs.SortFlags = false
	fs.Usage = func() {}
	fs.SetOutput(io.Discard)
	return fs
}

func (c *command) arity() string {
	switch {
	case c.most == 0:
		return "no arguments"
	case c.most == anyNumber:
		return fmt.Sprintf("%d or more arguments", c.least)
	case c.least == c.most:
		return fmt.Sprintf("%d argument", c.least)
	}
	return fmt.Sprintf("up to %d", c.most)
}

func given(args []string) string {
	if len(args) == 0 {
		return "none"
	}
	return fmt.Sprintf("%d (%s)", len(args), strings.Join(args, " "))
}

// flagError says what is wrong with a flag in one line.
func (c *command) flagError(p *program, fs *pflag.FlagSet, err error) error {
	var (
		unknown *pflag.NotExistError
		missing *pflag.ValueRequiredError
		invalid *pflag.InvalidValueError
	)
	switch {
	case errors.As(err, &unknown):
		if c.ofScript && len(fs.Args()) > 0 && p.hasParam(fs.Args()[0], unknown.GetSpecifiedName()) {
			return usage("unknown flag --%s: %s has a parameter of that name: -p %[1]s=…", unknown.GetSpecifiedName(), fs.Args()[0])
		}
		return c.unknownFlag(fs, unknown)
	case errors.As(err, &missing):
		return usage("--%s needs a value: `moonio %s --help` says which", missing.GetFlag().Name, c.name)
	case errors.As(err, &invalid):
		return usage("--%s %s: %w", invalid.GetFlag().Name, cmp.Or(invalid.GetValue(), `""`), errors.Unwrap(invalid))
	}
	return usage("%w", err)
}

func (c *command) unknownFlag(fs *pflag.FlagSet, err *pflag.NotExistError) error {
	word, known := "--"+err.GetSpecifiedName(), []string(nil)
	if short := err.GetSpecifiedShortnames(); short != "" {
		word = "-" + short
	}
	fs.VisitAll(func(f *pflag.Flag) { known = append(known, f.Name) })
	if name, ok := suggest.Nearest(strings.TrimLeft(word, "-"), known); ok {
		return usage("unknown flag %s (did you mean --%s?)", word, name)
	}
	return usage("unknown flag %s: `moonio %s --help` lists the flags", word, c.name)
}
