package helper

import "testing"

func TestSettings(t *testing.T) {
	for _, c := range []struct {
		given map[string]string
		want  string // the error
	}{
		{nil, ""},
		{map[string]string{"on": "1", "n": "5", "how": "slow", "prio": "idle"}, ""},
		{map[string]string{"on": "0", "n": "1"}, ""},
		{map[string]string{"on": "true"}, "e: on=true: want 1 or 0"},
		{map[string]string{"n": "9"}, "e: n=9: want a number from 1 to 8"},
		{map[string]string{"n": "many", "on": "x"}, "e: on=x: want 1 or 0"},
		{map[string]string{"how": "soon"}, "e: how=soon: want fast, slow"},
		{map[string]string{"prio": "top"}, `e: prio=top: priority "top": want rt/0 to rt/7, be/0 to be/7, or idle; 0 is the highest`},
		{map[string]string{"z": "1", "y": "1"}, `e has no option "y"; it has on, n, how, prio`},
	} {
		s := NewSettings("e", c.given)
		on, given := s.Switch("on")
		n, how, prio := s.Int("n", 3, 1, 8), s.OneOf("how", "fast", "slow"), s.Prio("prio")
		text := ""
		if err := s.Err(); err != nil {
			text = err.Error()
		}
		if text != c.want {
			t.Errorf("%v: error %q, want %q", c.given, text, c.want)
		}
		if c.given == nil && (on || given || n != 3 || how != "fast" || prio != 0) {
			t.Errorf("nothing given: %v %v %d %s %d", on, given, n, how, prio)
		}
		if c.given["how"] == "slow" && (!on || !given || n != 5 || how != "slow" || prio != 0x6000) {
			t.Errorf("%v: %v %v %d %s %d", c.given, on, given, n, how, prio)
		}
	}
	if err := NewSettings("e", map[string]string{"x": "1"}).Err(); err == nil || err.Error() != `e has no option "x": it takes none` {
		t.Errorf("error %v", err)
	}
}
