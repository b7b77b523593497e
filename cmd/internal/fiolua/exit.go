package fiolua

import (
	"strings"

	"moonio/cmd/internal/fiojob"
)

// exitall finds the option by which the end of any job is that of others. It holds for all jobs, whichever has it.
func (t *translation) exitall() (fiojob.Option, bool) {
	for _, u := range t.units {
		if o, ok := u.v.Option("exitall"); ok && u.v.On("exitall") {
			return o, true
		}
	}
	return fiojob.Option{}, false
}

// putExits makes the end of each job of a stage that of those beside it: of its group, unless exit_what says all.
func (t *translation) putExits(stage []*unit) {
	o, ok := t.exitall()
	if !ok || len(stage) == 1 && len(stage[0].jobs) == 1 {
		return
	}
	for _, u := range stage {
		note := strings.TrimSpace(o.String() + " " + u.since("exit_what"))
		var names []string
		alike := true
		for _, other := range stage {
			if other.jobs[0].Group != u.jobs[0].Group {
				alike = false
				continue
			}
			for _, r := range other.results {
				names = append(names, quote(r))
			}
		}
		switch {
		case alike || u.v.Text("exit_what") != "group":
			u.put("ends_phase", "true", note)
		case len(names) > 1:
			u.put("ends", "{ "+strings.Join(names, ", ")+" }", note)
		}
	}
}

// recorded finds where the job's operations are written down.
func (t *translation) recorded() error {
	for _, u := range t.units {
		o, ok := u.v.Option("write_iolog")
		if !ok {
			continue
		}
		if len(t.units) > 1 || len(u.jobs) > 1 {
			return o.Fail("", "it is for one job alone: --record=FILE.iolog writes down what all of them do, in the same format")
		}
		t.program.IOLog = o.Value
	}
	return nil
}

// checkExit refuses an end of other jobs than those of the stage.
func (t *translation) checkExit(stage []*unit) error {
	if _, ok := t.exitall(); !ok {
		return nil
	}
	last := t.units[len(t.units)-1]
	for _, u := range stage {
		if o, ok := u.v.Option("exit_what"); ok && o.Value == "all" && last.stage != u.stage {
			return o.Fail("", "job %s comes after a stonewall and runs all the same: only jobs that run at the same time are ended", last.name)
		}
	}
	return nil
}
