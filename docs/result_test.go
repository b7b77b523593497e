package docs_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"moonio/engine/report"
)

const resultPage = "result.md"

// The page on results shows what its commands do.
func TestResultPage(t *testing.T) {
	text, err := os.ReadFile(resultPage)
	if err != nil {
		t.Fatal(err)
	}
	s := &shell{dir: t.TempDir(), moonio: build(t)}
	page, ran := string(text), 0
	got := s.play(t, page, func(body string) {
		ran++
		queries(t, s, body)
	})
	if got.scripts != 1 || got.sessions != 1 || ran != 1 {
		t.Errorf("%d scripts, %d sessions and %d blocks of commands", got.scripts, got.sessions, ran)
	}
	shows(t, resultPage, page, got.text)
}

// queries runs a block of shell commands of which the first is moonio's, where jq is.
func queries(t *testing.T, s *shell, script string) {
	t.Helper()
	if _, err := exec.LookPath("jq"); err != nil {
		t.Logf("nothing is asked: %v", err)
		return
	}
	first, rest, _ := strings.Cut(script, "\n")
	s.run(t, strings.Fields(first))
	cmd := exec.Command("sh", "-ec", rest)
	cmd.Dir = s.dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, want := range []string{"1 of 1 expectations failed\n", "few-samples: ", `"mixed","requests","read",130.`, "\n[19,"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("no %q in what is asked:\n%s", want, out)
		}
	}
}

// The page says what every key of the JSON is.
func TestResultKeys(t *testing.T) {
	page, err := os.ReadFile(resultPage)
	if err != nil {
		t.Fatal(err)
	}
	other, err := os.ReadFile(replayPage)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[reflect.Type]bool{}
	var visit func(reflect.Type, string)
	visit = func(at reflect.Type, text string) {
		for at.Kind() == reflect.Pointer || at.Kind() == reflect.Slice || at.Kind() == reflect.Map {
			at = at.Elem()
		}
		if at.Kind() != reflect.Struct || seen[at] || at.PkgPath() == "time" {
			return
		}
		seen[at] = true
		if at == reflect.TypeFor[report.Replay]() {
			text = string(other)
		}
		for i := range at.NumField() {
			f := at.Field(i)
			if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" && name != "-" && !strings.Contains(text, "`"+name+"`") {
				t.Errorf("the key %s of %s is not on the page", name, at)
			}
			visit(f.Type, text)
		}
	}
	visit(reflect.TypeFor[report.Result](), string(page))
}

// warningCode is where the code of a warning stands in the source.
var warningCode = regexp.MustCompile(`(?:Code: |note\(g, |^\t\t\{)"([a-z-]+)", *[\w:]`)

// The page explains the code of every warning.
func TestWarningCodes(t *testing.T) {
	page, err := os.ReadFile(resultPage)
	if err != nil {
		t.Fatal(err)
	}
	codes := map[string]bool{}
	for _, dir := range []string{"../engine/report", "../engine/run", "../vm"} {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() && path != dir {
				return fs.SkipDir
			}
			if filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
				return nil
			}
			source, err := os.ReadFile(path)
			for line := range strings.Lines(string(source)) {
				if m := warningCode.FindStringSubmatch(line); m != nil && (dir != "../vm" || strings.Contains(line, "Code: ")) {
					codes[m[1]] = true
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(codes) < 25 {
		t.Fatalf("found only %v", codes)
	}
	for code := range codes {
		if !strings.Contains(string(page), "`"+code+"`") {
			t.Errorf("the warning %s is not on the page", code)
		}
	}
}
