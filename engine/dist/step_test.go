package dist

import (
	"strings"
	"testing"
)

func TestStep(t *testing.T) {
	for text, want := range map[string]int64{"4k": 4096, "4k-64k": 4096, "4k/60:6k/40": 2048, "512-4k/50:768": 256} {
		s, err := ParseSizes(text, 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Step(); got != want {
			t.Errorf("%s: %d, want %d", text, got, want)
		}
	}
	s, err := ParseSizes("1000-1300/50:4000/50", 100)
	if err != nil || s.Step() != 100 || s.Min() != 1000 || s.Max() != 4000 {
		t.Fatal(s, err)
	}
	seen, r := map[int64]bool{}, NewRand(1)
	for range 1000 {
		seen[s.Next(r)] = true
	}
	if len(seen) != 5 || !seen[1000] || !seen[1100] || !seen[1200] || !seen[1300] {
		t.Errorf("sizes %v", seen)
	}
	if _, err := ParseSizes("1000-1250", 100); err == nil || !strings.Contains(err.Error(), "steps of 100B from the first do not come to the second") {
		t.Error(err)
	}
	if got := (Sizes{}).Step(); got != 0 {
		t.Errorf("no sizes: %d", got)
	}
}
