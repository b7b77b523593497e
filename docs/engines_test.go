package docs_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"moonio/engine/backend"
	"moonio/engine/fault"
)

// The page of the engines names all of them, and each of their options but for
// the simulated device's, which `moonio engines` explains.
func TestEngines(t *testing.T) {
	b, err := os.ReadFile("engines.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(b)
	for _, s := range backend.Probe() {
		if !strings.Contains(page, "| `"+s.Name+"` |") {
			t.Errorf("engine %s is not in the table", s.Name)
		}
		if s.Name == "sim" {
			continue
		}
		for _, o := range s.Options {
			name := o.Name
			if o.Value != "" {
				name += "=" + o.Value
			}
			for _, name := range append(o.Also, name) {
				if !strings.Contains(page, "`"+name+"`") {
					t.Errorf("engine %s: option %s is not on the page", s.Name, name)
				}
			}
		}
	}
}

// The page explains every key that a fault's rule can have, and its rules are rules.
func TestFaults(t *testing.T) {
	b, err := os.ReadFile("engines.md")
	if err != nil {
		t.Fatal(err)
	}
	_, page, _ := strings.Cut(string(b), "## Injecting faults")
	_, err = fault.Parse("read:?=1")
	_, list, found := strings.Cut(err.Error(), ": use ")
	if !found {
		t.Fatal(err)
	}
	for name := range strings.SplitSeq(list, ", ") {
		if !strings.Contains(page, "`"+name+"=") {
			t.Errorf("the key %s is not on the page", name)
		}
	}
	rules := regexp.MustCompile("(?m)^\\| `(\\S+:\\S+)`").FindAllStringSubmatch(page, -1)
	if len(rules) < 5 {
		t.Errorf("only %d rules", len(rules))
	}
	for _, m := range rules {
		if _, err := fault.Parse(strings.ReplaceAll(m[1], `\|`, "|")); err != nil {
			t.Error(err)
		}
	}
}
