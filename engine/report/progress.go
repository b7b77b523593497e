package report

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"golang.org/x/term"

	"moonio/engine/units"
)

// Snapshot is what a run is doing at the moment.
type Snapshot struct {
	Phase string
	State string        // "laying out", "warming up"; empty while it measures
	Share float64       // done, from 0 to 1; below 0 if it is unknown
	Left  time.Duration // until the phase ends; below 0 if it is unknown
	Rate  float64       // operations per second in the last interval; below 0 if there was none
	Bytes float64       // bytes per second, likewise; 0 if nothing is transferred
	P99NS int64         // of the last interval; 0 if nothing completed in it
}

// ProgressOptions say where progress goes and how.
type ProgressOptions struct {
	Terminal bool             // draw in place
	Width    func() int       // of the terminal, in columns; nil: 80
	Now      func() time.Time // nil: time.Now
}

const (
	redraw    = 100 * time.Millisecond // least time between drawings on a terminal
	reprint   = 5 * time.Second        // and between lines elsewhere
	lineWidth = 80
	barWidth  = 20
)

// Progress shows how a run comes along: on a terminal one line that is drawn
// over and over, elsewhere a plain line every five seconds. A nil Progress shows
// nothing. It is safe for concurrent use.
type Progress struct {
	mu    sync.Mutex
	w     io.Writer
	o     ProgressOptions
	last  time.Time
	drawn bool // a line stands on the terminal
}

// NewProgress shows progress on w.
func NewProgress(w io.Writer, o ProgressOptions) *Progress {
	if o.Width == nil {
		o.Width = func() int { return lineWidth }
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Progress{w: w, o: o}
}

// OnTerminal says whether a file is a terminal that knows how to colour text and to draw
// a line anew. The shells of editors, which don't, call themselves dumb.
func OnTerminal(f *os.File) bool {
	kind := os.Getenv("TERM")
	return kind != "" && kind != "dumb" && term.IsTerminal(int(f.Fd()))
}

// NewFileProgress shows progress on f, in place if it is a terminal.
func NewFileProgress(f *os.File) *Progress {
	return NewProgress(f, ProgressOptions{
		Terminal: OnTerminal(f),
		Width: func() int {
			w, _, err := term.GetSize(int(f.Fd()))
			if err != nil || w <= 0 {
				return lineWidth
			}
			return w
		},
	})
}

// Show shows s, unless something was shown only just now. What cannot be written is not shown.
func (p *Progress) Show(s Snapshot) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	now, pause := p.o.Now(), reprint
	if p.o.Terminal {
		pause = redraw
	}
	if !p.last.IsZero() && now.Sub(p.last) < pause {
		return
	}
	p.last = now
	if !p.o.Terminal {
		fmt.Fprintln(p.w, s.plain())
		return
	}
	// One column stays free: a full line would move the cursor on.
	fmt.Fprintf(p.w, "\r%s\x1b[K", s.fit(p.o.Width()-1))
	p.drawn = true
}

// Clear takes the line off the terminal, for other output to stand there.
func (p *Progress) Clear() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.erase()
}

func (p *Progress) erase() {
	if p.drawn {
		io.WriteString(p.w, "\r\x1b[K")
		p.drawn = false
	}
}

// Writer writes to w, with the line off the terminal before.
func (p *Progress) Writer(w io.Writer) io.Writer {
	if p == nil {
		return w
	}
	return &above{p, w}
}

type above struct {
	p *Progress
	w io.Writer
}

func (a *above) Write(b []byte) (int, error) {
	a.p.mu.Lock()
	defer a.p.mu.Unlock()
	a.p.erase()
	return a.w.Write(b)
}

// plain is the snapshot as a line of its own.
func (s Snapshot) plain() string {
	return strings.TrimSuffix(s.Phase+": "+strings.Join(s.parts(), ", "), ": ")
}

// fit is the snapshot in at most width columns: without its bar if that is too
// wide, then without its last parts, and cut off in the end.
func (s Snapshot) fit(width int) string {
	parts := s.parts()
	for n := len(parts); n > 0; n-- {
		text := strings.Join(parts[:n], "  ")
		for _, line := range []string{s.Phase + "  " + s.bar() + text, s.Phase + "  " + text} {
			if utf8.RuneCountInString(line) <= width {
				return line
			}
		}
	}
	return shorten(s.Phase, width)
}

func (s Snapshot) bar() string {
	if s.Share < 0 {
		return ""
	}
	n := int(min(s.Share, 1)*barWidth + 0.5)
	return "[" + strings.Repeat("=", n) + strings.Repeat(" ", barWidth-n) + "]  "
}

// parts are the figures that are known, the most wanted first.
func (s Snapshot) parts() []string {
	var parts []string
	add := func(ok bool, format string, args ...any) {
		if ok {
			parts = append(parts, fmt.Sprintf(format, args...))
		}
	}
	add(s.State != "", "%s", s.State)
	add(s.Share >= 0, "%.0f %%", 100*min(s.Share, 1))
	add(s.Left >= 0, "%s left", s.Left.Round(time.Second))
	add(s.Rate >= 0, "%s IOPS", units.ApproxCount(s.Rate))
	add(s.P99NS > 0, "p99 %s", units.ApproxDuration(float64(s.P99NS)))
	add(s.Bytes > 0, "%s", units.ApproxBandwidth(s.Bytes))
	return parts
}
