package main

import (
	"moonio/engine/fault"
)

// faultRules reads what --fault gave.
func faultRules(texts []string) ([]*fault.Rule, error) {
	var rules []*fault.Rule
	for _, t := range texts {
		r, err := fault.Parse(t)
		if err != nil {
			return nil, usage("--fault: %w", err)
		}
		rules = append(rules, r)
	}
	return rules, nil
}

// nameIdleFaults tells the user which faults did nothing: a script that came through
// without them has shown nothing.
func (r *running) nameIdleFaults() {
	if len(r.result.Phases) == 0 {
		return
	}
	for i, c := range fault.Fired(r.faults) {
		if c.Fired == 0 {
			r.note("--fault %s injected nothing: it is about %d of the run's operations", r.flags.faults[i], c.Matched)
		}
	}
}
