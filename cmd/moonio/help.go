package main

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/spf13/pflag"
)

func helpCommand() *command {
	return &command{
		name: "help", args: "[COMMAND]", most: 2,
		summary: "explain moonio, or one command",
		setup: func(*pflag.FlagSet) action {
			return func(p *program, args []string) error {
				if len(args) == 0 {
					io.WriteString(p.stdout, overview())
					return nil
				}
				c, err := findCommand(args[0])
				if err == nil && len(args) > 1 {
					c, err = c.under(args[1])
				}
				if err != nil {
					return err
				}
				return c.help(p, nil)
			}
		},
	}
}

const intro = `moonio runs scripts that say what an application does to its storage, does it
for real, and says what it cost.
`

const examples = `Examples:
  moonio run wal                              commit latencies on the disk beneath the current directory
  moonio run wal -p clients=64 --dir /mnt/db  the same with more clients, elsewhere
  moonio run wal --engine sim:cloud-volume    on a device made of arithmetic; no storage is touched
  moonio run wal --help                       the script's own parameters
  moonio new my.lua                           a script of your own, to begin with
`

// overview is moonio's help.
func overview() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\nUsage:\n", intro)
	for _, c := range commands() {
		fmt.Fprintf(&b, "  %-34s %s\n", strings.TrimSpace("moonio "+c.name+" "+c.args), c.summary)
	}
	fmt.Fprintf(&b, "\n%s\n`moonio help COMMAND` explains a command.\n", examples)
	return b.String()
}

// under is a part of a command.
func (c *command) under(name string) (*command, error) {
	if c.parts == nil {
		return nil, usage("help: %s has no parts, and %q is not one", c.name, name)
	}
	return c.part(name)
}

// partsHelp explains a command that has commands of its own.
func (c *command) partsHelp(p *program) error {
	fmt.Fprintf(p.stdout, "moonio %s: %s\n", c.name, c.summary)
	var rows [][2]string
	for _, part := range c.parts() {
		rows = append(rows, [2]string{strings.TrimSpace("moonio " + part.name + " " + part.args), part.summary})
	}
	section(p.stdout, "Usage:", rows)
	fmt.Fprintf(p.stdout, "\n%s\n`moonio help %s WORD` explains one of them.\n", c.details, c.name)
	return nil
}

// help explains the command, and a script's parameters if the arguments name a script.
func (c *command) help(p *program, args []string) error {
	if c.parts != nil {
		return c.partsHelp(p)
	}
	fs, _ := c.flags()
	fmt.Fprintf(p.stdout, "moonio %s: %s\n\nUsage:\n  %s\n", c.name, c.summary, strings.TrimSpace("moonio "+c.name+" "+c.args))
	if c.details != "" {
		fmt.Fprintf(p.stdout, "\n%s", c.details)
	}
	if c.ofScript && len(args) > 0 {
		if err := p.scriptHelp(args[0]); err != nil {
			return err
		}
	}
	section(p.stdout, "Flags:", flagRows(fs))
	if c.more != "" {
		fmt.Fprintf(p.stdout, "\n%s", c.more)
	}
	return nil
}

// flagRows are the flags as their help shows them.
func flagRows(fs *pflag.FlagSet) [][2]string {
	var rows [][2]string
	fs.VisitAll(func(f *pflag.Flag) {
		name := "    --" + f.Name
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + ", --" + f.Name
		}
		text := f.Usage
		if strings.HasPrefix(text, "`") {
			value, rest, _ := strings.Cut(text[1:], "` ")
			name, text = name+" "+value, rest
		}
		rows = append(rows, [2]string{name, text})
	})
	return rows
}

// helpWidth is how many columns help takes.
const helpWidth = 100

// section prints a title and rows of names and what they are, if there are any.
func section(w io.Writer, title string, rows [][2]string) {
	if len(rows) == 0 {
		return
	}
	width := 0
	for _, r := range rows {
		width = max(width, utf8.RuneCountInString(r[0]))
	}
	fmt.Fprintf(w, "\n%s\n", title)
	for _, r := range rows {
		wrapped(w, fmt.Sprintf("  %-*s  ", width, r[0]), strings.Fields(r[1]))
	}
}

// wrapped prints words over as many lines as they need, below the end of head.
func wrapped(w io.Writer, head string, words []string) {
	indent := utf8.RuneCountInString(head)
	line, at := head, indent
	for _, word := range words {
		n := utf8.RuneCountInString(word)
		if at > indent && at+n > helpWidth {
			fmt.Fprintln(w, strings.TrimRight(line, " "))
			line, at = strings.Repeat(" ", indent), indent
		}
		line += word + " "
		at += n + 1
	}
	fmt.Fprintln(w, strings.TrimRight(line, " "))
}
