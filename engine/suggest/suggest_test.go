package suggest

import "testing"

func TestNearest(t *testing.T) {
	known := []string{"duration", "warmup", "block", "depth", "rate", "read", "write", "at", "on_error", "arrival", "start", "io_uring"}
	for _, c := range []struct{ word, want string }{
		{"duratoin", "duration"},
		{"Duration", "duration"},
		{"dur", "duration"},
		{"warm-up", "warmup"},
		{"blocksize", "block"},
		{"dept", "depth"},
		{"raed", "read"},
		{"rte", "rate"},
		{"on-error", "on_error"},
		{"on_eror", "on_error"},
		{"a", "at"},
		{"strat", "start"},
		{"iouring", "io_uring"},
		{"uring", ""},
		{"atomicity", ""},
		{"", ""},
		{"  ", ""},
		{"compression", ""},
		{"xyz", ""},
	} {
		got, ok := Nearest(c.word, known)
		if got != c.want || ok != (c.want != "") {
			t.Errorf("Nearest(%q) = %q, %v; want %q", c.word, got, ok, c.want)
		}
	}
}

func TestNearestTies(t *testing.T) {
	if got, _ := Nearest("reat", []string{"beat", "read"}); got != "read" {
		t.Errorf("the longer shared beginning should win, got %q", got)
	}
	if got, _ := Nearest("cat", []string{"bat", "hat"}); got != "bat" {
		t.Errorf("the first of equals should win, got %q", got)
	}
	if got, ok := Nearest("x", []string{"k", "kB"}); ok {
		t.Errorf("%q has nothing in common with x", got)
	}
	if _, ok := Nearest("read", nil); ok {
		t.Error("a name was found among none")
	}
}

func TestHint(t *testing.T) {
	if got, want := Hint("deph", []string{"depth"}), ` (did you mean "depth"?)`; got != want {
		t.Errorf("Hint = %q, want %q", got, want)
	}
	if got := Hint("xyz", []string{"depth"}); got != "" {
		t.Errorf("Hint = %q, want none", got)
	}
}
