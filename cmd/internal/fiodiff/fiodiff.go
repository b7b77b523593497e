// Package fiodiff compares what fio and moonio say of the same job: documents by their keys,
// types, lines and fields, and by the values that the job determines. It is for tests.
package fiodiff

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"
)

// Report is what `--output-format=normal,json+,terse` prints, taken apart: lines with
// semicolons, an object, and the text, of which the beginning comes before all.
type Report struct {
	JSON, Text, Terse string
}

// Split takes a report apart.
func Split(doc string) (Report, error) {
	begin, end := strings.Index("\n"+doc, "\n{\n"), strings.Index(doc, "\n}\n")
	if begin < 0 || end < begin {
		return Report{}, fmt.Errorf("there is no object on lines of its own in\n%s", doc)
	}
	end += len("\n}\n")
	r := Report{JSON: doc[begin:end]}
	var text, terse []string
	for l := range strings.SplitSeq(doc[:begin]+doc[end:], "\n") {
		if terseLine.MatchString(l) {
			terse = append(terse, l)
		} else {
			text = append(text, l)
		}
	}
	r.Text, r.Terse = strings.Join(text, "\n"), strings.Join(terse, "\n")
	return r, nil
}

var terseLine = regexp.MustCompile(`^[2-5];`)

// Decode reads an object. Numbers stay as they are written.
func Decode(doc string) (map[string]any, error) {
	d := json.NewDecoder(strings.NewReader(doc))
	d.UseNumber()
	var v map[string]any
	if err := d.Decode(&v); err != nil {
		return nil, fmt.Errorf("%w in\n%s", err, doc)
	}
	return v, nil
}

// Shape says how the keys of two documents, and the types of their values, differ: nothing if
// they do not. Whole numbers and others are parted as they are written.
func Shape(theirs, ours map[string]any) string {
	return cmp.Diff(shape("", theirs), shape("", ours))
}

func shape(key string, v any) any {
	switch v := v.(type) {
	case map[string]any:
		if key == "bins" && len(v) > 0 { // the keys are latencies
			return "bins"
		}
		out := map[string]any{}
		for k, e := range v {
			out[k] = shape(k, e)
		}
		return out
	case []any:
		out := []any{}
		for _, e := range v {
			out = append(out, shape(key, e))
		}
		return out
	case json.Number:
		if strings.Contains(v.String(), ".") {
			return "float"
		}
		return "integer"
	}
	return fmt.Sprintf("%T", v)
}

// Text says how the lines of two text reports differ, numbers and what follows from them apart.
// The lines of samples are only compared if both have as many: what is short has none.
func Text(theirs, ours string) string {
	a, b := lines(theirs), lines(ours)
	c, d := slices.DeleteFunc(slices.Clone(a), sampled), slices.DeleteFunc(slices.Clone(b), sampled)
	if len(a)-len(c) != len(b)-len(d) {
		return cmp.Diff(c, d)
	}
	return cmp.Diff(a, b)
}

func sampled(line string) bool {
	return strings.HasPrefix(line, " bw (") || strings.HasPrefix(line, " iops :")
}

var figures = regexp.MustCompile(`[0-9.]+(?:[KMG]i?|[kn])?`)

func lines(doc string) (list []string) {
	for l := range strings.SplitSeq(doc, "\n") {
		switch {
		case strings.HasPrefix(l, "     | "), strings.HasPrefix(l, "  lat ("), strings.Contains(l, ": Laying out IO file"), strings.HasPrefix(l, "fio: opendir added "):
			continue
		}
		for _, b := range blanks {
			l = b.pattern.ReplaceAllString(l, b.with)
		}
		list = append(list, l)
	}
	return list
}

var blanks = []struct {
	pattern *regexp.Regexp
	with    string
}{
	{figures, "#"},
	{regexp.MustCompile(`\((nsec|usec|msec)\)`), "(unit)"},
	{regexp.MustCompile(` +`), " "},
	{regexp.MustCompile(`= `), "="},
	{regexp.MustCompile(`pid=#: .*`), "pid=# date"},
	{regexp.MustCompile(`[KM]i?(B|bit)/s\)`), "$1/s)"},
	// fio forgets the unit of this line.
	{regexp.MustCompile(`mixed: .*`), "mixed:"},
}

// Terse says how the fields of two terse reports differ: words stay, and a number is a whole
// one, one with a point, or a share.
func Terse(theirs, ours string) string {
	return cmp.Diff(fields(theirs), fields(ours))
}

func fields(doc string) (lines [][]string) {
	for l := range strings.SplitSeq(strings.TrimSpace(doc), "\n") {
		list := strings.Split(l, ";")
		for i, f := range list {
			list[i] = figures.ReplaceAllStringFunc(f, func(s string) string {
				if strings.Contains(s, ".") {
					return "#.#"
				}
				return "#"
			})
		}
		lines = append(lines, list)
	}
	return lines
}
