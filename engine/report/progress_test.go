package report

import (
	"io"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"
)

// clock is a clock that stands still until it is moved.
type clock struct{ t time.Time }

func (c *clock) now() time.Time             { return c.t }
func (c *clock) pass(d time.Duration)       { c.t = c.t.Add(d) }
func still() *clock                         { return &clock{time.Unix(1000, 0)} }
func wide(n int) func() int                 { return func() int { return n } }
func at(share float64, s Snapshot) Snapshot { s.Share = share; return s }

var running = Snapshot{Phase: "commit", Share: 0.43, Left: 17*time.Second + 200*time.Millisecond, Rate: 12345, Bytes: 50 << 20, P99NS: 3_210_000}

func TestProgressOnATerminal(t *testing.T) {
	var out strings.Builder
	c := still()
	p := NewProgress(&out, ProgressOptions{Terminal: true, Width: wide(100), Now: c.now})
	p.Show(running)
	p.Show(at(0.44, running)) // too soon
	c.pass(redraw)
	p.Show(at(0.45, running))
	if _, err := io.WriteString(p.Writer(&out), "logged\n"); err != nil {
		t.Fatal(err)
	}
	p.Clear() // nothing stands there
	c.pass(redraw)
	p.Show(at(1, running))
	p.Clear()
	want := "\rcommit  [=========           ]  43 %  17s left  12.3 k IOPS  p99 3.21 ms  50.0 MiB/s\x1b[K" +
		"\rcommit  [=========           ]  45 %  17s left  12.3 k IOPS  p99 3.21 ms  50.0 MiB/s\x1b[K" +
		"\r\x1b[Klogged\n" +
		"\rcommit  [====================]  100 %  17s left  12.3 k IOPS  p99 3.21 ms  50.0 MiB/s\x1b[K" +
		"\r\x1b[K"
	if got := out.String(); got != want {
		t.Errorf("wrote %q\nwant  %q", got, want)
	}
}

func TestProgressElsewhere(t *testing.T) {
	var out strings.Builder
	c := still()
	p := NewProgress(&out, ProgressOptions{Now: c.now})
	for range 11 {
		p.Show(running)
		c.pass(time.Second)
	}
	if _, err := io.WriteString(p.Writer(&out), "logged\n"); err != nil {
		t.Fatal(err)
	}
	p.Clear()
	line := "commit: 43 %, 17s left, 12.3 k IOPS, p99 3.21 ms, 50.0 MiB/s\n"
	if got, want := out.String(), line+line+line+"logged\n"; got != want {
		t.Errorf("wrote %q\nwant  %q", got, want)
	}
}

func TestProgressFits(t *testing.T) {
	for width := range 100 {
		got := running.fit(width)
		if n := utf8.RuneCountInString(got); n > width {
			t.Errorf("%d columns in %d: %q", n, width, got)
		}
	}
	for width, want := range map[int]string{
		100: "commit  [=========           ]  43 %  17s left  12.3 k IOPS  p99 3.21 ms  50.0 MiB/s",
		70:  "commit  43 %  17s left  12.3 k IOPS  p99 3.21 ms  50.0 MiB/s",
		40:  "commit  43 %  17s left  12.3 k IOPS",
		12:  "commit  43 %",
		5:   "comm…",
		0:   "",
	} {
		if got := running.fit(width); got != want {
			t.Errorf("in %d columns: %q, want %q", width, got, want)
		}
	}
}

func TestProgressOfLittle(t *testing.T) {
	for want, s := range map[string]Snapshot{
		"load: laying out, 12 %":       {Phase: "load", State: "laying out", Share: 0.12, Left: -1, Rate: -1},
		"load":                         {Phase: "load", Share: -1, Left: -1, Rate: -1},
		"load: 0 IOPS":                 {Phase: "load", Share: -1, Left: -1},
		"load: 100 %, 0s left, 5 IOPS": {Phase: "load", Share: 1.2, Rate: 5},
		"commit: warming up, 2s left, 1.50 k IOPS": {Phase: "commit", State: "warming up", Share: -1, Left: 2 * time.Second, Rate: 1500},
	} {
		if got := s.plain(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestNoProgress(t *testing.T) {
	var p *Progress
	var out strings.Builder
	p.Show(running)
	p.Clear()
	if _, err := io.WriteString(p.Writer(&out), "logged\n"); err != nil || out.String() != "logged\n" {
		t.Errorf("wrote %q (%v), want the log alone", out.String(), err)
	}
}

func TestProgressConcurrently(t *testing.T) {
	p := NewProgress(io.Discard, ProgressOptions{Terminal: true})
	w := p.Writer(io.Discard)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 100 {
				p.Show(running)
				_, _ = io.WriteString(w, "x")
				p.Clear()
			}
		})
	}
	wg.Wait()
}
