package engine

import "testing"

func TestParsePrio(t *testing.T) {
	for s, want := range map[string]uint16{"rt/0": 0x2000, "rt/7": 0x2007, "be/4": 0x4004, "idle": 0x6000} {
		if got, err := ParsePrio(s); got != want || err != nil {
			t.Errorf("ParsePrio(%q) = %#x, %v; want %#x", s, got, err, want)
		}
	}
	for _, s := range []string{"", "rt", "be/8", "be/-1", "be/x", "idle/1", "3", "high/1"} {
		want := `priority "` + s + `": want rt/0 to rt/7, be/0 to be/7, or idle; 0 is the highest`
		if _, err := ParsePrio(s); err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}
