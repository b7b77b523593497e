package fiojob

import (
	"fmt"
	"strings"

	"moonio/engine/suggest"
)

// unknown is the error for an option that fio does not have.
func unknown(o Option) error {
	known := names()
	if o.Pos.File == "" {
		known = append(known, commandNames()...)
	}
	name := strings.TrimLeft(o.Name, "-")
	why := "fio has no such option" + suggest.Hint(name, known)
	if _, ok := Find(name); ok && name != o.Name {
		why = "options have no dashes in a job file: write " + name
	}
	return &Error{Pos: o.Pos, What: fmt.Sprintf("%q", o.Name), Why: why, Mark: o.Name}
}
