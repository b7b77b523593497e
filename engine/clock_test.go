package engine

import (
	"testing"
	"time"
)

// Monotonic goes as fast as the clock that time.Since reads: both at once bound it.
func TestMonotonic(t *testing.T) {
	before := time.Now()
	from := Monotonic()
	after := time.Now()
	time.Sleep(time.Millisecond)
	soonest := time.Since(after)
	span := time.Duration(Monotonic() - from)
	if latest := time.Since(before); span < soonest || span > latest {
		t.Errorf("%v passed, of at least %v and at most %v", span, soonest, latest)
	}
}

func BenchmarkMonotonic(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		Monotonic()
	}
}
