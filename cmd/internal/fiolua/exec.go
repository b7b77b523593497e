package fiolua

// commands finds what the shell has to run before and after the jobs, each time for each clone.
func (t *translation) commands() error {
	for _, u := range t.units {
		last := u.phase
		if u.readsBack() {
			last = u.checkPhase()
		}
		for _, c := range []Command{{Phase: u.phase}, {Phase: last, After: true}} {
			var ok bool
			if c.Option, ok = u.v.Option(map[bool]string{false: "exec_prerun", true: "exec_postrun"}[c.After]); !ok {
				continue
			}
			if u.v.Time("latency_target") > 0 {
				return c.Option.Fail("", "the depth is looked for in many phases: run the command in the shell")
			}
			c.Job = u.name
			for range u.jobs {
				t.program.Commands = append(t.program.Commands, c)
			}
		}
	}
	return nil
}

// shell says which commands the script leaves out.
func (t *translation) shell(w *writer) {
	if len(t.program.Commands) == 0 {
		return
	}
	w.line("-- Commands that `moonio fio` runs, and a script does not:")
	for _, c := range t.program.Commands {
		w.line("--   %s", comment(c.Option.String()))
	}
}
