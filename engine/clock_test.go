package engine

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// slack is how far Monotonic may be from CLOCK_MONOTONIC, of which a reading is not exact either.
const slack = 20 * time.Microsecond

// Monotonic goes as fast as the clock that time.Since reads: both at once bound it.
func TestMonotonic(t *testing.T) {
	for range 20 {
		before := time.Now()
		from := Monotonic()
		after := time.Now()
		time.Sleep(3 * time.Millisecond)
		soonest := time.Since(after)
		span := time.Duration(Monotonic() - from)
		if latest := time.Since(before); span < soonest-slack || span > latest+slack {
			t.Errorf("%v passed, of at least %v and at most %v", span, soonest, latest)
		}
	}
}

// What one goroutine has read another does not read an earlier time after, on any processor.
func TestMonotonicNeverGoesBack(t *testing.T) {
	const across = 5000 // nanoseconds: a stamp is not ordered with what is read from memory before it
	var latest atomic.Int64
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			var last int64
			for range 500_000 {
				known := latest.Load()
				now := Monotonic()
				if now < last || now < known-across {
					t.Errorf("%d after %d here and %d elsewhere", now, last, known)
					return
				}
				last = now
				if known < now {
					latest.CompareAndSwap(known, now)
				}
			}
		})
	}
	wg.Wait()
}

func BenchmarkMonotonic(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		Monotonic()
	}
}
