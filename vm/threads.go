package vm

import (
	"fmt"

	lua "github.com/yuin/gopher-lua"

	"moonio/engine/place"
	"moonio/engine/run"
)

// ownThreads reads the options that give a job threads of its own; nil if there are none.
func (o *options) ownThreads() *run.Threads {
	asked := o.has("threads")
	t := &run.Threads{Count: int(o.integer("threads", 1, 1)), Engine: o.engine(), Place: o.place()}
	if !asked && t.Engine == "" && t.Place.IsZero() {
		return nil
	}
	return t
}

func (o *options) engine() string {
	switch v := o.get("engine").(type) {
	case *lua.LNilType:
		return ""
	case lua.LString:
		if v != "" {
			return string(v)
		}
	}
	o.fail("engine", "%s is not an engine's name such as \"psync\" or \"io_uring\"; `moonio engines` lists them", show(o.get("engine")))
	return ""
}

// place reads where threads are to run, and with which priority.
func (o *options) place() place.Place {
	p := place.Place{
		CPUs:  o.numbers("cpus", "CPUs"),
		Nodes: o.numbers("numa", "NUMA nodes"),
		Split: o.choice("cpus_policy", "shared", "shared", "split") == "split",
		Nice:  o.nice(),
	}
	if v := o.get("ioprio"); v != lua.LNil {
		p.Prio = o.prio("ioprio", v)
	}
	if p.Split && len(p.CPUs) == 0 && len(p.Nodes) == 0 {
		o.fail("cpus_policy", "\"split\" needs CPUs to share out: give cpus or numa too")
	}
	return p
}

func (o *options) prio(name string, v lua.LValue) place.Prio {
	s, ok := v.(lua.LString)
	if !ok {
		o.fail(name, "%s is not an I/O priority such as \"rt/0\", \"be/4\" or \"idle\"", show(v))
	}
	p, err := place.ParsePrio(string(s))
	if err != nil {
		o.fail(name, "%v", err)
	}
	return p
}

func (o *options) nice() int {
	v := o.get("nice")
	n, ok := v.(lua.LNumber)
	switch {
	case v == lua.LNil:
		return 0
	case !ok || n != lua.LNumber(int(n)) || n < place.MinNice || n > place.MaxNice:
		o.fail("nice", "%s is not a whole number from %d, the most favourable, to %d", show(v), place.MinNice, place.MaxNice)
	}
	return int(n)
}

// numbers reads "0-3,8", one number, or a list of them.
func (o *options) numbers(name, what string) []int {
	text := ""
	switch v := o.get(name).(type) {
	case *lua.LNilType:
		return nil
	case lua.LString:
		text = string(v)
	case lua.LNumber:
		text = v.String()
	case *lua.LTable:
		for i, v := range o.list(name, v) {
			if i > 0 {
				text += ","
			}
			text += v.String()
		}
	default:
		o.fail(name, "%s are no %s: write \"0-3,8\" or {0, 1}", show(v), what)
	}
	list, err := place.ParseList(text)
	if err != nil {
		o.fail(name, "%s: %v; write \"0-3,8\" or {0, 1}", fmt.Sprintf("%q", text), err)
	}
	return list
}
