package docs_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	link    = regexp.MustCompile(`\]\(([^)\s]*)\)`)
	heading = regexp.MustCompile(`(?m)^#+ (.*)$`)
	fenced  = regexp.MustCompile("(?ms)^```.*?^```$")
)

// anchors are those of a page's headings.
func anchors(page string) map[string]bool {
	found := map[string]bool{"": true}
	for _, m := range heading.FindAllStringSubmatch(page, -1) {
		name := strings.Map(func(r rune) rune {
			switch {
			case r == ' ' || r == '-':
				return '-'
			case strings.ContainsRune("`.,:;!?'\"()[]/*=&—", r):
				return -1
			}
			return r
		}, strings.ToLower(m[1]))
		found[name] = true
	}
	return found
}

// Links lead to files that are there, and to headings in them.
func TestLinks(t *testing.T) {
	pages, err := filepath.Glob("*.md")
	if err != nil {
		t.Fatal(err)
	}
	text := func(path string) string {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Errorf("%v", err)
		}
		return fenced.ReplaceAllString(string(b), "")
	}
	checked := 0
	for _, path := range append(pages, "../README.md") {
		for _, m := range link.FindAllStringSubmatch(text(path), -1) {
			to, anchor, _ := strings.Cut(m[1], "#")
			if strings.Contains(to, "://") {
				continue
			}
			target := filepath.Join(filepath.Dir(path), to)
			if to == "" {
				target = path
			}
			if !anchors(text(target))[anchor] {
				t.Errorf("%s: %s leads nowhere", path, m[1])
			}
			checked++
		}
	}
	if checked < 20 {
		t.Errorf("only %d links", checked)
	}
}
