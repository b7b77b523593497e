package docs_test

import (
	"os"
	"strings"
	"testing"

	"moonio/scripts/scripttest"
)

// Whole scripts on the other pages run on a simulated device.
func TestPages(t *testing.T) {
	for path, scripts := range map[string]int{"../README.md": 1, "design.md": 1} {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		ran := 0
		for _, b := range blocks(string(text)) {
			body := string(text)[b.start:b.end]
			// The others are excerpts, of files that they do not open.
			if b.language != "lua" || !strings.Contains(body, "open(") {
				continue
			}
			r := scripttest.Run(t, scripttest.Config{Engine: "sim:nvme", Params: map[string]string{"time": "2s"}}, path, body)
			if r.Err != nil {
				t.Errorf("%s: %v", path, r.Err)
			}
			for _, e := range r.Expectations {
				if !e.Passed {
					t.Errorf("%s: %s", path, e.Text)
				}
			}
			ran++
		}
		if ran != scripts {
			t.Errorf("%s: %d whole scripts, want %d", path, ran, scripts)
		}
	}
}
