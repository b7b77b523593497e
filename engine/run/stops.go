package run

import (
	"fmt"
	"os"
	"os/signal"
	"time"

	"golang.org/x/sys/unix"

	"moonio/engine"
	"moonio/engine/report"
	"moonio/engine/units"
)

// stops notes when the program did not run because somebody had stopped it, with SIGSTOP
// or from a terminal's keyboard. That can't be seen while it lasts: of it tell a look at the
// clock that came late, and the signal that the program was continued with. Either alone
// says nothing, since a look is late on a busy machine too, and the signal also comes to
// programs that were not stopped. It belongs to the phase's guard.
type stops struct {
	continued chan os.Signal // nil: nobody looks
	last      int64          // look at the clock
	late      struct{ from, to int64 }
	times     int
	long      int64 // ns, all together
}

// begin begins to look.
func (s *stops) begin(now int64) {
	s.continued = make(chan os.Signal, 1)
	s.last = now
	signal.Notify(s.continued, unix.SIGCONT)
}

// look takes note of the time, and of whether the signal has come; measured is when measuring began.
func (s *stops) look(now, measured int64, continued bool) {
	if now-s.last > int64(lateLook) {
		s.late.from, s.late.to = s.last, now
	}
	s.last = now
	if continued && s.late.to > measured && now-s.late.to < int64(lateSignal) {
		s.times++
		s.long += s.late.to - max(s.late.from, measured)
		s.late.to = 0
	}
}

const (
	lateLook   = look + look/2
	lateSignal = 4 * look
)

// end looks for the last time. Of a stop that the phase's end fell into, the signal may be on its way.
func (s *stops) end(now, measured int64) {
	if s.continued == nil {
		return
	}
	defer signal.Stop(s.continued)
	s.look(now, measured, false)
	if s.late.to > 0 && now-s.late.to < int64(lateSignal) {
		select {
		case <-s.continued:
			s.look(engine.Monotonic(), measured, true)
		case <-time.After(look / 5):
		}
	}
}

func (s *stops) warnings() []report.Warning {
	if s.times == 0 {
		return nil
	}
	often := ""
	if s.times > 1 {
		often = fmt.Sprintf(", %d times", s.times)
	}
	return []report.Warning{{Code: "stopped", Text: fmt.Sprintf(
		"the program itself was stopped for %s%s while this was measured, as SIGSTOP or Ctrl-Z do: what was in flight then or fell due took that much longer, and nothing else was done. Measure again.",
		units.ApproxDuration(float64(s.long)), often)}}
}
