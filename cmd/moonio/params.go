package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"moonio/engine/workdir"
	"moonio/vm"
	"moonio/vm/luaerr"
)

// hasParam says whether a script, if it is one, has a parameter of that name.
func (p *program) hasParam(word, name string) bool {
	if word == "-" {
		return false // it can be read only once
	}
	s, code, err := p.compile(word)
	if err != nil {
		return false
	}
	params, err := code.Params(context.Background(), s.require)
	return err == nil && slices.ContainsFunc(params, func(q *vm.Param) bool { return q.Name == name })
}

// scriptHelp prints a script's own parameters.
func (p *program) scriptHelp(word string) error {
	s, code, err := p.compile(word)
	if err != nil {
		return err
	}
	params, err := code.Params(context.Background(), s.require)
	if err != nil {
		return scriptError(err)
	}
	var rows [][2]string
	for _, q := range params {
		text := q.Kind
		if q.Help != "" {
			text += ": " + q.Help
		}
		rows = append(rows, [2]string{"-p " + q.Name + "=…", fmt.Sprintf("%s (default: %s)%s", text, q.Default, limits(q))})
	}
	section(p.stdout, "Parameters of "+s.name+":", rows)
	return nil
}

// limits are what a parameter's value must keep to.
func limits(q *vm.Param) string {
	switch {
	case len(q.Choice) > 0:
		return "; one of " + strings.Join(q.Choice, ", ")
	case q.Min != "" && q.Max != "":
		return "; from " + q.Min + " to " + q.Max
	case q.Min != "":
		return "; at least " + q.Min
	case q.Max != "":
		return "; at most " + q.Max
	}
	return ""
}

// scriptError gives an error of a script its exit code. A parameter that is not
// the script's is an error of the command line.
func scriptError(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, vm.ErrParams):
		return &exitError{exitUsage, err}
	case isScriptError(err):
		return &exitError{exitScript, err}
	}
	return err
}

// refused gives an error of the script, met before its first phase, its exit code. A
// built-in script is right, so that what it refuses is what the user's parameters make of it.
func (s *script) refused(params map[string]string, err error) error {
	var fault *luaerr.Error
	var name *workdir.NameError
	switch {
	case !s.builtin || len(params) == 0:
	case errors.As(err, &fault):
		return usage("%w: %s: %s", vm.ErrParams, fault.Place(), fault.Message)
	case errors.As(err, &name):
		return usage("%w: %w", vm.ErrParams, err)
	}
	return scriptError(err)
}

func isScriptError(err error) bool {
	var e *luaerr.Error
	return errors.As(err, &e)
}
