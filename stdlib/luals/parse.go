package luals

import (
	"fmt"
	"regexp"
	"strings"
)

// Parse reads a file. name is what errors call it.
func Parse(name, source string) (*File, error) {
	p := &parser{file: &File{}, region: &Region{}}
	p.file.Regions = []*Region{p.region}
	for i, line := range strings.Split(source, "\n") {
		if err := p.line(line); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, i+1, err)
		}
	}
	p.flush()
	if p.file.Name == "" {
		return nil, fmt.Errorf("%s: no ---@meta NAME", name)
	}
	if len(p.region.Items) == 0 && p.region.Title == "" {
		p.file.Regions = p.file.Regions[:len(p.file.Regions)-1]
	}
	return p.file, nil
}

type parser struct {
	file   *File
	region *Region // that items go into
	block  block
}

// block is a run of lines that begin with ---.
type block struct {
	doc    []string
	item   Item // a type that it describes
	params []Field
	ret    []Return
	meta   bool
}

var (
	regionLine   = regexp.MustCompile(`^--#region (.+)$`)
	functionLine = regexp.MustCompile(`^function ([\w.:]+)\(([^)]*)\)`)
	localLine    = regexp.MustCompile(`^local (\w+) = {}$`)
	tagLine      = regexp.MustCompile(`^---@(\w+)\s*(.*)$`)
)

func (p *parser) line(line string) error {
	switch m := regionLine.FindStringSubmatch(line); {
	case m != nil:
		p.flush()
		p.begin(m[1])
	case line == "--#endregion":
		p.flush()
		p.begin("")
	case strings.HasPrefix(line, "---@"):
		m := tagLine.FindStringSubmatch(line)
		return p.tag(m[1], m[2])
	case strings.HasPrefix(line, "---"):
		p.block.doc = append(p.block.doc, strings.TrimPrefix(line[3:], " "))
	default:
		p.statement(line)
	}
	return nil
}

func (p *parser) begin(title string) {
	if len(p.region.Items) == 0 && p.region.Title == "" {
		p.region.Title = title
		return
	}
	p.region = &Region{Title: title}
	p.file.Regions = append(p.file.Regions, p.region)
}

// statement ends a block: what it describes is the statement, or stands in it.
func (p *parser) statement(line string) {
	b := p.block
	if m := functionLine.FindStringSubmatch(line); m != nil && (b.doc != nil || b.params != nil || b.ret != nil) {
		p.add(b.function(m[1], m[2]))
		p.block = block{}
		return
	}
	if c, ok := b.item.(*Class); ok {
		if m := localLine.FindStringSubmatch(line); m != nil {
			c.Local = m[1]
		}
	}
	p.flush()
}

func (p *parser) flush() {
	b := p.block
	p.block = block{}
	switch {
	case b.meta:
		p.file.Doc = b.text()
	case b.item != nil:
		p.add(b.item)
	}
}

func (p *parser) add(i Item) { p.region.Items = append(p.region.Items, i) }

// text is a description with its lines joined to paragraphs.
func (b *block) text() string {
	var paragraphs []string
	var lines []string
	for _, l := range append(b.doc, "") {
		if l != "" {
			lines = append(lines, l)
		} else if lines != nil {
			paragraphs = append(paragraphs, strings.Join(lines, "\n"))
			lines = nil
		}
	}
	return strings.Join(paragraphs, "\n\n")
}

func (b *block) function(name, args string) *Function {
	f := &Function{Name: name, Params: b.params, Returns: b.ret, Doc: b.text()}
	if i := strings.LastIndexAny(name, ".:"); i >= 0 {
		f.Of, f.Method, f.Name = name[:i], name[i] == ':', name[i+1:]
	}
	for a := range strings.SplitSeq(args, ",") {
		if a = strings.TrimSpace(a); a != "" {
			f.Args = append(f.Args, a)
		}
	}
	return f
}

// tag reads ---@name rest.
func (p *parser) tag(name, rest string) error {
	b := &p.block
	switch name {
	case "meta":
		b.meta = true
		p.file.Name = rest
	case "alias":
		word, rest, _ := strings.Cut(rest, " ")
		typ, _ := splitType(rest)
		b.item = &Alias{Name: word, Type: typ, Doc: b.text()}
		p.flush()
	case "class":
		b.item = &Class{Name: rest, Doc: b.text()}
	case "field":
		c, ok := b.item.(*Class)
		if !ok {
			return fmt.Errorf("@field %s: there is no @class above it", rest)
		}
		c.Fields = append(c.Fields, field(rest))
	case "param":
		b.params = append(b.params, field(rest))
	case "return":
		typ, rest := splitType(rest)
		name, doc, _ := strings.Cut(rest, " ")
		b.ret = append(b.ret, Return{typ, name, doc})
	case "generic":
	default:
		return fmt.Errorf("@%s is not known here", name)
	}
	return nil
}

// field reads "name type text", where a ? behind the name says that it may be left out.
func field(s string) Field {
	name, rest, _ := strings.Cut(s, " ")
	f := Field{Name: strings.TrimSuffix(name, "?")}
	f.Optional = f.Name != name
	f.Type, f.Doc = splitType(rest)
	return f
}

// splitType cuts a type from the text behind it. Spaces within brackets and quotes,
// and behind the colon of a function's result, are the type's own.
func splitType(s string) (typ, rest string) {
	depth, quoted := 0, false
	for i, c := range s {
		switch {
		case c == '"':
			quoted = !quoted
		case quoted:
		case strings.ContainsRune("<({[", c):
			depth++
		case strings.ContainsRune(">)}]", c):
			depth--
		case c == ' ' && depth == 0 && s[i-1] != ':':
			return s[:i], strings.TrimSpace(s[i:])
		}
	}
	return s, ""
}
