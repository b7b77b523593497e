package report

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Colours, a narrow terminal, names that are too long, and warnings that phases share.
func TestTextOnATerminal(t *testing.T) {
	r := ladder(t)
	r.Engine, r.EngineInfo = "null", EngineInfo{Memory: true}
	r.Warnings = []Warning{{"of-the-run", "it concerns no phase"}}
	for i, p := range r.Phases {
		p.Warnings = []Warning{{"everywhere", "it came again"}, {"each-its-own", "job" + p.Name + ": a figure"}}
		if i > 0 {
			p.Warnings = append(p.Warnings, Warning{"at-times", "reads: in phase " + p.Name})
		}
	}
	j := r.Phases[2].Jobs[0]
	j.Name, j.Kind, j.Depth = "a-job-whose-name-goes-on-and-on-and-on", "replay", 0
	j.Ops["read"].BlockMin, j.Ops["read"].BlockMax = 0, 0
	j.Ops["a span of a client that has a name"] = span(&Op{})
	r.Expectations = []Expectation{{Text: "yes", Passed: true, File: "l.lua", Line: 1}, {Text: "no", File: "l.lua", Line: 2}}
	r.Exit = Exit{Code: 130}
	var b bytes.Buffer
	if err := WriteText(&b, r, TextOptions{Width: 60, Color: true}); err != nil {
		t.Fatal(err)
	}
	golden(t, "terminal.txt", b.String())
}

type full struct{ error }

func (f full) Write([]byte) (int, error) { return 0, f.error }

func TestWritingFails(t *testing.T) {
	cause := errors.New("no space left on device")
	if err := WriteText(full{cause}, wal(t), TextOptions{}); !errors.Is(err, cause) {
		t.Errorf("text: error %v, want %v", err, cause)
	}
	if err := WriteJSON(full{cause}, wal(t)); !errors.Is(err, cause) {
		t.Errorf("JSON: error %v, want %v", err, cause)
	}
}

// Phases are compared by eye: a ladder's tables are all in one unit, and each head names it.
func TestOneUnitInAllTables(t *testing.T) {
	r := ladder(t)
	c := columnsOf(r.Phases)
	for _, p := range r.Phases {
		head := p.rows(c).lines()[0]
		if strings.Count(head, " µs") != 5 || strings.Count(head, " MiB/s") != 1 {
			t.Errorf("%s: the head is %q, want five columns in µs and one in MiB/s", p.Name, head)
		}
	}
}

func TestWrap(t *testing.T) {
	for in, want := range map[string][]string{
		"":                            {""},
		"short":                       {"short"},
		"one two three":               {"one two", "three"},
		"µµµ µµµ µ":                   {"µµµ µµµ", "µ"},
		"a averyveryverylongword b c": {"a", "averyveryverylongword", "b c"},
	} {
		if d := cmp.Diff(want, wrap(in, 8)); d != "" {
			t.Errorf("%q (-want +got):\n%s", in, d)
		}
	}
}

// Names of any length leave room for what is said of their phases and jobs.
func TestLongNames(t *testing.T) {
	r := ladder(t)
	p := r.Phases[0]
	p.Name = strings.Repeat("phase ", 60)
	for _, j := range p.Jobs {
		j.Name = strings.Repeat("job ", 60)
	}
	var b bytes.Buffer
	if err := WriteText(&b, r, TextOptions{Width: 100}); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(b.String()) {
		if n := len([]rune(line)); n > 140 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
}

// A table that a terminal would break is parted, and keeps all of its figures.
func TestNarrowTerminal(t *testing.T) {
	for _, width := range []int{60, 80, 100} {
		var b, whole bytes.Buffer
		for w, o := range map[*bytes.Buffer]TextOptions{&b: {Width: width}, &whole: {}} {
			if err := WriteText(w, wal(t), o); err != nil {
				t.Fatal(err)
			}
		}
		for line := range strings.Lines(b.String()) {
			if n := len([]rune(strings.TrimRight(line, "\n"))); n > width {
				t.Errorf("%d columns of %d: %s", n, width, line)
			}
		}
		parted := strings.Fields(b.String())
		for _, word := range strings.Fields(whole.String()) {
			if !slices.Contains(parted, word) {
				t.Errorf("width %d: %q is not there", width, word)
			}
		}
	}
}

// A phase is named once, however much it says of one kind.
func TestWarningsNameTheirPhases(t *testing.T) {
	r := result("phases")
	said := []Warning{{"other-traffic", "vda read 1 MiB"}, {"other-traffic", "vda wrote 2 MiB"}}
	r.Phases = []*Phase{{Name: "a", Warnings: said}, {Name: "b", Warnings: said[:1]}, {Name: "c"}}
	var b bytes.Buffer
	if err := WriteText(&b, r, TextOptions{}); err != nil {
		t.Fatal(err)
	}
	_, got, _ := strings.Cut(b.String(), "warnings\n")
	const want = `  ! other-traffic: vda read 1 MiB (In a, and also in b.)
  ! other-traffic: vda wrote 2 MiB (In a.)
`
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}
