package luals

import (
	"fmt"
	"io"
	"regexp"
	"strings"
)

// Reference writes the DSL's reference as Markdown: what needs no require first,
// then each module.
func Reference(w io.Writer, dsl *File, modules ...*File) error {
	m := &markdown{}
	m.line("# The DSL")
	m.text(dsl.Doc)
	m.contents(dsl, modules)
	m.file(dsl, "###")
	m.line("## Modules")
	m.text("What the DSL has no words for, and several of moonio's own scripts need, is in modules. Each is a table that `require` returns:")
	m.line("```lua\nlocal knee = require \"knee\"\n```\n")
	for _, f := range modules {
		m.line("### %s", f.Name)
		m.text(f.Doc)
		m.file(f, "####")
	}
	_, err := io.WriteString(w, strings.TrimRight(m.b.String(), "\n")+"\n")
	return err
}

type markdown struct {
	b strings.Builder
}

func (m *markdown) line(format string, args ...any) { fmt.Fprintf(&m.b, format+"\n", args...) }

// text writes paragraphs, if there are any.
func (m *markdown) text(s string) {
	if s != "" {
		m.line("\n%s\n", s)
	}
}

// contents names everything that stands below, by section.
func (m *markdown) contents(dsl *File, modules []*File) {
	for _, r := range dsl.Regions {
		if r.Title != "" {
			m.line("- [%s](#%s): %s", title(r.Title), anchor(title(r.Title)), strings.Join(r.names(), " "))
		}
	}
	var names []string
	for _, f := range modules {
		names = append(names, "`"+f.Name+"`")
	}
	m.line("- [Modules](#modules): %s\n", strings.Join(names, " "))
}

// names are the functions that a script calls by their names alone.
func (r *Region) names() []string {
	var list []string
	for _, i := range r.Items {
		f, ok := i.(*Function)
		switch {
		case ok && f.Of == "":
			list = append(list, "`"+f.Name+"`")
		case ok && !f.Method:
			list = append(list, "`"+f.Of+"."+f.Name+"`")
		}
	}
	return list
}

func title(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

var notInAnchors = regexp.MustCompile(`[^a-z0-9 _-]`)

// anchor is the fragment that GitHub gives to a heading.
func anchor(heading string) string {
	return strings.ReplaceAll(notInAnchors.ReplaceAllString(strings.ToLower(heading), ""), " ", "-")
}

// file writes a file's sections, with items under headings of that level.
func (m *markdown) file(f *File, level string) {
	for _, r := range f.Regions {
		if r.Title != "" {
			m.line("## %s\n", title(r.Title))
		}
		for _, i := range r.Items {
			m.item(f, i, level)
		}
	}
}

func (m *markdown) item(f *File, i Item, level string) {
	switch i := i.(type) {
	case *Alias:
		m.line("**%s** (`%s`): %s\n", i.Name, i.Type, strings.ReplaceAll(i.Doc, "\n", " "))
	case *Class:
		if i.Local == f.Name && i.Fields == nil {
			return // a module's own table
		}
		m.line("%s %s\n", level, i.Name)
		if i.Doc != "" {
			m.line("%s\n", i.Doc)
		}
		for _, fd := range i.Fields {
			m.field(fd)
		}
		if i.Fields != nil {
			m.line("")
		}
	case *Function:
		m.function(i, level)
	}
}

func (m *markdown) field(f Field) {
	name := f.Name
	if f.Optional {
		name += "?"
	}
	m.line("- `%s`%s", name, described(f.Type, f.Doc))
}

// described is a type and what is said of it.
func described(typ, doc string) string {
	s := " *" + escape(typ) + "*"
	if doc != "" {
		s += ": " + doc
	}
	return s
}

var markup = regexp.MustCompile(`[\\*_<>\[\]|]`)

func escape(s string) string { return markup.ReplaceAllString(s, `\$0`) }

func (m *markdown) function(f *Function, level string) {
	m.line("%s `%s`\n", level, f.Signature())
	if f.Doc != "" {
		m.line("%s\n", f.Doc)
	}
	for _, p := range f.Params {
		m.field(p)
	}
	for _, r := range f.Returns {
		name := ""
		if r.Name != "" {
			name = " `" + r.Name + "`"
		}
		m.line("- returns%s%s", name, described(r.Type, r.Doc))
	}
	if len(f.Params)+len(f.Returns) > 0 {
		m.line("")
	}
}

// Signature is how the function is called; arguments that may be left out are in
// brackets.
func (f *Function) Signature() string {
	var b strings.Builder
	switch {
	case f.Method:
		b.WriteString(strings.ToLower(f.Of) + ":")
	case f.Of != "":
		b.WriteString(f.Of + ".")
	}
	b.WriteString(f.Name + "(")
	open := 0
	for i, a := range f.Args {
		sep := ", "
		if i == 0 {
			sep = ""
		}
		if f.optional(a) {
			sep, open = "["+sep, open+1
		}
		b.WriteString(sep + a)
	}
	b.WriteString(strings.Repeat("]", open) + ")")
	return b.String()
}

func (f *Function) optional(arg string) bool {
	for _, p := range f.Params {
		if p.Name == arg {
			return p.Optional
		}
	}
	return false
}
