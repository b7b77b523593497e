package dist

import "testing"

func TestStep(t *testing.T) {
	for text, want := range map[string]int64{"4k": 4096, "4k-64k": 4096, "4k/60:6k/40": 2048, "512-4k/50:768": 256} {
		s, err := ParseSizes(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Step(); got != want {
			t.Errorf("%s: %d, want %d", text, got, want)
		}
	}
	if got := (Sizes{}).Step(); got != 0 {
		t.Errorf("no sizes: %d", got)
	}
}
