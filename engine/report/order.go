package report

import (
	"cmp"
	"maps"
	"slices"

	"moonio/engine"
)

// OpNames are the job's operations in the order they are shown: the storage's,
// as the engine lists them, then the clients' turns, then their spans by name.
func (j *Job) OpNames() []string {
	return slices.SortedFunc(maps.Keys(j.Ops), func(a, b string) int {
		return cmp.Or(cmp.Compare(place(a), place(b)), cmp.Compare(a, b))
	})
}

func place(name string) int {
	for c := range engine.NumOpCodes {
		if c.String() == name {
			return int(c)
		}
	}
	if name == "iteration" {
		return int(engine.NumOpCodes)
	}
	return int(engine.NumOpCodes) + 1
}
