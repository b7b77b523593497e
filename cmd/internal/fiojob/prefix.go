package fiojob

import (
	"cmp"
	"slices"
	"strings"
)

// complete spells an abbreviated option out. On the command line fio takes the beginning of a
// name for the whole if only one begins so. moonio's own options are not abbreviated, so that none
// of them is in fio's way.
func (o *Option) complete() error {
	if _, ok := General[o.Name]; ok {
		return nil
	}
	if _, ok := Find(o.Name); ok || o.Name == "" {
		return nil
	}
	if o.Name == "v" { // fio has this short option, and -h
		o.Name = "version"
		return nil
	}
	whole := beginning(o.Name)
	switch meant := slices.Compact(resolved(whole)); len(meant) {
	case 0:
		return nil // it is unknown, and add says so
	case 1:
		o.Name = whole[0]
		return nil
	}
	return &Error{Pos: o.Pos, What: "\"" + o.Name + "\"", Why: "more than one option begins so: " + strings.Join(whole, ", "), Mark: o.Name}
}

// beginning are the names of fio's that begin with the text. Those of single engines count if no
// others do.
func beginning(text string) []string {
	list := slices.DeleteFunc(append(names(), fioNames()...), func(n string) bool { return !strings.HasPrefix(n, text) })
	slices.Sort(list)
	general := slices.DeleteFunc(slices.Clone(list), func(n string) bool { return byName[n].Engines != "" })
	if len(general) > 0 {
		return general
	}
	return list
}

// resolved are the options that names stand for, two names of one option as one.
func resolved(list []string) []string {
	var out []string
	for _, n := range list {
		s, _ := Find(n)
		out = append(out, cmp.Or(s.Name, n))
	}
	slices.Sort(out)
	return out
}

// fioNames are those of General that are fio's.
func fioNames() []string {
	return slices.DeleteFunc(commandNames(), func(n string) bool { return own[n] })
}
