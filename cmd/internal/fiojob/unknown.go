package fiojob

import (
	"fmt"

	"moonio/engine/suggest"
)

// unknown is the error for an option that fio does not have.
func unknown(o Option) error {
	known := names()
	if o.Pos.File == "" {
		known = append(known, commandNames()...)
	}
	why := "fio has no such option" + suggest.Hint(o.Name, known)
	return &Error{Pos: o.Pos, What: fmt.Sprintf("%q", o.Name), Why: why, Mark: o.Name}
}
