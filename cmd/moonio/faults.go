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
