package docs_test

import (
	"os"
	"strings"
	"testing"

	"moonio/engine/backend"
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
