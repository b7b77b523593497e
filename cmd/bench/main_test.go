package main

import (
	"strings"
	"testing"
	"time"
)

func TestCheck(t *testing.T) {
	if err := check(nil, 1, time.Second); err != nil {
		t.Error(err)
	}
	for want, err := range map[string]error{
		"x: there are flags":          check([]string{"x"}, 1, time.Second),
		"-runs 0: each pair runs":     check(nil, 0, time.Second),
		"-time 500ms: it is in whole": check(nil, 1, 500*time.Millisecond),
		"-time 1.5s: it is in whole":  check(nil, 1, 1500*time.Millisecond),
		"-time -1s: it is in whole":   check(nil, 1, -time.Second),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
