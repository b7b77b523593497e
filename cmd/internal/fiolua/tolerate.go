package fiolua

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"moonio/cmd/internal/fiojob"
	"moonio/engine/fault"
)

// goesOn are the values of continue_on_error after which failed reads, or writes, are counted.
var goesOn = [][]string{fiojob.Reads: {"read", "io", "all", "1"}, fiojob.Writes: {"write", "io", "all", "1"}}

// tolerated are the errors, in quotes, after which a stage goes on: EIO where continue_on_error says so, or those that
// ignore_error names.
func tolerated(units []*unit) (names []string) {
	for _, u := range units {
		own, _ := u.ignored()
		for part, values := range goesOn {
			switch {
			case len(own[part]) > 0:
				names = append(names, own[part]...)
			case slices.Contains(values, u.v.Text("continue_on_error")):
				names = append(names, strconv.Quote("EIO"))
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// ignored are the errors that ignore_error names, for reads and for writes.
func (u *unit) ignored() (names [2][]string, err error) {
	o, ok := u.v.Option("ignore_error")
	if !ok {
		return names, nil
	}
	for part, text := range strings.Split(o.Value, ",") {
		for _, word := range strings.Split(text, ":") {
			if word = strings.TrimSpace(word); word == "" {
				continue
			}
			name, err := errorName(word)
			if err != nil {
				return names, o.Fail(word, "%v", err)
			}
			if part < len(names) { // what follows is for verification, which always goes on or ends by verify_fatal
				names[part] = append(names[part], strconv.Quote(name))
			}
		}
	}
	return names, nil
}

// errorName is an error by its name in C or its number, of either sign.
func errorName(word string) (string, error) {
	n, err := strconv.ParseInt(word, 0, 32)
	if err != nil {
		e, err := fault.Errno(word)
		return unix.ErrnoName(e), err
	}
	name := unix.ErrnoName(unix.Errno(max(n, -n)))
	if name == "" {
		return "", fmt.Errorf("%s is no error's number", word)
	}
	return name, nil
}
