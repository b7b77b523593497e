package fiolua

// putExit makes the end of a job that of all that run beside it.
func (t *translation) putExit(u *unit) error {
	if u.v.On("exitall") && u.v.Has("exitall") {
		u.put("ends_phase", "true", u.since("exitall", "exit_what"))
	}
	return nil
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
	for _, u := range stage {
		if !u.v.On("exitall") || !u.v.Has("exitall") {
			continue
		}
		what := u.v.Text("exit_what")
		last := t.units[len(t.units)-1]
		if what == "all" && last.stage != u.stage {
			return u.blame("exit_what").Fail("", "job %s comes after a stonewall and runs all the same: only jobs that run at the same time are ended", last.name)
		}
		for _, other := range stage {
			if what == "group" && other.jobs[0].Group != u.jobs[0].Group {
				return u.blame("exitall").Fail("", "job %s runs at the same time in another group, and would be ended too: exit_what=stonewall says so", other.name)
			}
		}
	}
	return nil
}
