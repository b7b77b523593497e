package fioout

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"moonio/cmd/internal/fiojob"
	"moonio/engine"
	"moonio/engine/run"
)

// Status draws fio's line of running jobs: how many, in which states, what share of the run is
// done, the rates of the last interval and the time left. A nil Status draws nothing.
type Status struct {
	mu    sync.Mutex
	w     io.Writer
	jobs  []fiojob.Reported
	now   func() time.Time
	every time.Duration
	began time.Time
	last  time.Time
	width int // of what stands there
}

// NewStatus draws on w, at most once in every so long, by the clock given.
func NewStatus(w io.Writer, jobs []fiojob.Reported, every time.Duration, now func() time.Time) *Status {
	return &Status{w: w, jobs: jobs, every: every, now: now, began: now()}
}

// Show draws how far a phase has got, unless something was drawn only just now.
func (s *Status) Show(g run.Progress) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	if !s.last.IsZero() && now.Sub(s.last) < s.every {
		return
	}
	s.last = now
	line := s.line(g, now.Sub(s.began))
	fmt.Fprintf(s.w, "%-*s\r", s.width, line)
	s.width = len(line)
}

// Clear takes the line off, for other output to stand there.
func (s *Status) Clear() {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.erase()
}

func (s *Status) erase() {
	if s.width > 0 {
		fmt.Fprintf(s.w, "%*s\r", s.width, "")
		s.width = 0
	}
}

// Writer writes to w, with the line off the terminal before.
func (s *Status) Writer(w io.Writer) io.Writer {
	if s == nil {
		return w
	}
	return above{s, w}
}

type above struct {
	s *Status
	w io.Writer
}

func (a above) Write(b []byte) (int, error) {
	a.s.mu.Lock()
	defer a.s.mu.Unlock()
	a.s.erase()
	return a.w.Write(b)
}

func (s *Status) line(g run.Progress, passed time.Duration) string {
	if g.Layout {
		return fmt.Sprintf("Jobs: 0: laying out files: [%.1f%%]", 100*max(g.Share, 0))
	}
	states, running, files := s.states(g)
	line := fmt.Sprintf("Jobs: %d (f=%d)", running, files)
	if running == 0 {
		return line
	}
	left := Left(s.jobs, g)
	share, eta := "-.-%", "--"
	if left >= 0 {
		eta = clockText(left)
		if passed+left > 0 && !g.Warmup {
			share = fmt.Sprintf("%3.1f%%", 100*float64(passed)/float64(passed+left))
		}
	}
	return fmt.Sprintf("%s: [%s][%s]%s[eta %s]", line, condense(states), share, s.rates(g), eta)
}

// states are the jobs' letters, how many run and how many files these have open.
func (s *Status) states(g run.Progress) (states string, running int, files int64) {
	current := stage(s.jobs, g.Phase)
	for i := range s.jobs {
		j := &s.jobs[i]
		if again(s.jobs, i) {
			continue
		}
		at := slices.IndexFunc(g.Jobs, func(p run.JobProgress) bool { return p.Name == j.Name })
		o := fiojob.ValuesOf(&j.Job)
		switch {
		case j.Phase != g.Phase && stage(s.jobs, j.Phase) < current, j.Phase == g.Phase && at >= 0 && g.Jobs[at].Over:
			states += "_"
		case j.Phase != g.Phase || at < 0 || !g.Jobs[at].Begun:
			states += "P"
		default:
			running++
			files += o.Integer("nrfiles")
			states += letter(o, g.Warmup)
		}
	}
	return states, running, files
}

// stage is a phase's place in the order that jobs have.
func stage(jobs []fiojob.Reported, phase string) int {
	return slices.IndexFunc(jobs, func(j fiojob.Reported) bool { return j.Phase == phase })
}

// letter is the state of a job that runs.
func letter(o *fiojob.Values, warmup bool) string {
	if warmup {
		return "/"
	}
	rw, _ := o.Word("rw")
	d := moves(rw)
	l := "D"
	switch {
	case d[reads] && d[writes]:
		l = mixedLetter(o)
	case d[reads]:
		l = "R"
	case d[writes]:
		l = "W"
	}
	if strings.HasPrefix(rw, "rand") {
		l = strings.ToLower(l)
	}
	return l
}

func mixedLetter(o *fiojob.Values) string {
	share := o.Integer("rwmixread")
	if o.Has("rwmixwrite") {
		share = 100 - o.Integer("rwmixwrite")
	}
	switch share {
	case 100:
		return "R"
	case 0:
		return "W"
	}
	return "M"
}

// condense writes runs of one letter as "r(4)".
func condense(states string) string {
	var parts []string
	for len(states) > 0 {
		n := len(states) - len(strings.TrimLeft(states, states[:1]))
		parts = append(parts, fmt.Sprintf("%s(%d)", states[:1], n))
		states = states[n:]
	}
	return strings.Join(parts, ",")
}

// rates are those of the last interval, of the directions that have any.
func (s *Status) rates(g run.Progress) string {
	var sum [directions]run.OpRate
	for c, r := range g.Ops {
		if d, sync, ok := directionOf(engine.OpCode(c).String()); ok && !sync {
			sum[d].IOPS += r.IOPS
			sum[d].Bandwidth += r.Bandwidth
		}
	}
	style := style{digits: 4, base: 1024}
	if len(s.jobs) > 0 {
		style = styleOf(fiojob.ValuesOf(&s.jobs[0].Job))
		style.digits = 4
	}
	var bytes, ios []string
	for d, name := range []string{"r", "w", "t"} {
		if sum[d].IOPS > 0 {
			bytes = append(bytes, name+"="+style.rate(uint64(sum[d].Bandwidth)))
			ios = append(ios, name+"="+style.count(uint64(sum[d].IOPS)))
		}
	}
	if len(ios) == 0 {
		return ""
	}
	return fmt.Sprintf("[%s][%s IOPS]", strings.Join(bytes, ","), strings.Join(ios, ","))
}

// Left is the time until the last phase ends; below 0 if it is not known. Of phases to come, a
// job's runtime is all that is known.
func Left(jobs []fiojob.Reported, g run.Progress) time.Duration {
	if g.Share < 0 {
		return -1
	}
	left, current := g.Left, stage(jobs, g.Phase)
	later := map[string]time.Duration{}
	for i := range jobs {
		j := &jobs[i]
		if stage(jobs, j.Phase) > current {
			o := fiojob.ValuesOf(&j.Job)
			later[j.Phase] = max(later[j.Phase], o.Time("runtime")+o.Time("ramp_time"))
		}
	}
	for _, d := range later {
		left += d
	}
	return left
}

// clockText is a time as "01h:02m:03s".
func clockText(d time.Duration) string {
	n := int64((d + time.Second - 1) / time.Second)
	text := fmt.Sprintf("%02dm:%02ds", n/60%60, n%60)
	if n >= 3600 {
		text = fmt.Sprintf("%02dh:", n/3600%24) + text
	}
	if n >= 24*3600 {
		text = fmt.Sprintf("%02dd:", n/24/3600) + text
	}
	return text
}
