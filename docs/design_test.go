package docs_test

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// pkg is what the arrows are between, without the module's name before it.
type pkg struct {
	ImportPath string
	Imports    []string
}

func packages(t *testing.T) []pkg {
	t.Helper()
	cmd := exec.Command("go", "list", "-tags", "giouring", "-json=ImportPath,Imports", "./...")
	cmd.Dir = ".."
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var list []pkg
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p pkg
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return list
		} else if err != nil {
			t.Fatal(err)
		}
		p.ImportPath = strings.TrimPrefix(p.ImportPath, "moonio/")
		for i := range p.Imports {
			p.Imports[i] = strings.TrimPrefix(p.Imports[i], "moonio/")
		}
		list = append(list, p)
	}
}

// beneath says whether a package is one of those named, or beneath it.
func beneath(p string, names []string) bool {
	return slices.ContainsFunc(names, func(n string) bool { return p == n || strings.HasPrefix(p, n+"/") })
}

func TestArrows(t *testing.T) {
	lua := []string{"cmd", "vm", "scripts", "stdlib", "docs", "github.com/yuin/gopher-lua"}
	engines := strings.Fields("engine/uring engine/aio engine/psync engine/mmap engine/pool engine/null engine/sim engine/giouring")
	above := []string{"engine/run", "engine/report", "engine/backend", "engine/trace", "engine/replay"}
	for _, rule := range []struct{ from, not []string }{
		{[]string{"engine"}, lua},
		{[]string{"vm"}, []string{"cmd", "scripts", "stdlib", "engine/backend"}},
		{[]string{"vm", "engine/run", "engine/report", "engine/trace", "engine/replay"}, engines},
		{append(engines, "engine/helper", "engine/fault", "engine/osfs", "engine/memfs"), above},
		{[]string{"engine/trace", "engine/replay"}, []string{"engine/run", "engine/report", "engine/backend"}},
	} {
		for _, p := range packages(t) {
			for _, to := range p.Imports {
				if beneath(p.ImportPath, rule.from) && beneath(to, rule.not) {
					t.Errorf("%s imports %s", p.ImportPath, to)
				}
				if p.ImportPath == "engine" && strings.HasPrefix(to, "engine/") {
					t.Errorf("the contract itself imports %s", to)
				}
			}
		}
	}
}

// tableLine is a line of the table of packages: "engine/uring|aio  what they are".
var tableLine = regexp.MustCompile(`(?m)^((?:cmd|vm|engine|stdlib|scripts|testdata|docs)[\w/|]*)  `)

// The table of packages names each, and nothing else.
func TestPackageTable(t *testing.T) {
	page, err := os.ReadFile("design.md")
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]bool{}
	for _, m := range tableLine.FindAllSubmatch(page, -1) {
		first, rest, _ := strings.Cut(string(m[1]), "|")
		named[first] = true
		for n := range strings.FieldsFuncSeq(rest, func(r rune) bool { return r == '|' }) {
			named[path.Join(path.Dir(first), n)] = true
		}
	}
	delete(named, "testdata")
	for _, p := range packages(t) {
		if !named[p.ImportPath] {
			t.Errorf("design.md does not name %s", p.ImportPath)
		}
		delete(named, p.ImportPath)
	}
	for n := range named {
		t.Errorf("design.md names %s, which is no package", n)
	}
}

// Every page is linked to from the README.
func TestPagesAreLinked(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".md") && !strings.Contains(string(readme), "](docs/"+e.Name()+")") {
			t.Errorf("nothing leads to %s", e.Name())
		}
	}
}
