package fault

import (
	"errors"
	"fmt"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"moonio/engine"
	"moonio/engine/suggest"
	"moonio/engine/units"
)

// key is one that a rule may have.
type key struct {
	name string
	set  func(r *Rule, value string) error
	get  func(r *Rule) string // "" if it is not set
}

var keys = []key{
	{"errno", func(r *Rule, s string) (err error) { r.errno, err = Errno(s); return }, func(r *Rule) string { return unix.ErrnoName(r.errno) }},
	duration("delay", func(r *Rule) *time.Duration { return &r.delay }),
	duration("stall", func(r *Rule) *time.Duration { return &r.stall }),
	{"short", func(r *Rule, s string) (err error) { r.short, err = positive(units.Size(s)); return }, func(r *Rule) string { return notZero(r.short, units.FormatSize) }},
	{"at", (*Rule).setAt, (*Rule).getAt},
	duration("period", func(r *Rule) *time.Duration { return &r.period }),
	{"file", (*Rule).setFile, func(r *Rule) string { return r.file }},
	{"offset", (*Rule).setOffset, (*Rule).getOffset},
	count("after", func(r *Rule) *int64 { return &r.after }),
	count("nth", func(r *Rule) *int64 { return &r.nth }),
	count("every", func(r *Rule) *int64 { return &r.every }),
	count("times", func(r *Rule) *int64 { return &r.times }),
	{"chance", (*Rule).setChance, func(r *Rule) string { return notZero(r.chance, number) }},
}

func duration(name string, field func(*Rule) *time.Duration) key {
	return key{name,
		func(r *Rule, s string) (err error) { *field(r), err = positive(units.Duration(s)); return },
		func(r *Rule) string { return notZero(*field(r), units.FormatDuration) }}
}

func count(name string, field func(*Rule) *int64) key {
	return key{name,
		func(r *Rule, s string) (err error) { *field(r), err = positive(units.Count(s)); return },
		func(r *Rule) string { return notZero(*field(r), units.FormatCount) }}
}

func positive[T int64 | time.Duration](v T, err error) (T, error) {
	if err == nil && v == 0 {
		err = errors.New("it must be above 0")
	}
	return v, err
}

func notZero[T int64 | time.Duration | float64](v T, format func(T) string) string {
	if v == 0 {
		return ""
	}
	return format(v)
}

// Parse reads a rule.
func Parse(s string) (*Rule, error) {
	r, err := parse(s)
	if err != nil {
		return nil, fmt.Errorf("fault %q: %w", s, err)
	}
	return r, nil
}

func parse(s string) (*Rule, error) {
	names, effects, ok := strings.Cut(s, ":")
	if !ok {
		return nil, fmt.Errorf("write it like read:errno=EIO,every=1000, or with * for all operations")
	}
	r := &Rule{}
	if err := r.setOps(names); err != nil {
		return nil, err
	}
	given := map[string]bool{}
	for _, part := range strings.Split(effects, ",") {
		if err := r.assign(part, given); err != nil {
			return nil, err
		}
	}
	return r, r.check(given)
}

func (r *Rule) setOps(names string) error {
	known := []string{"*"}
	for c := range engine.NumOpCodes {
		known = append(known, c.String())
	}
	for _, name := range strings.Split(names, "|") {
		switch i := slices.Index(known, strings.TrimSpace(name)); i {
		case -1:
			return unknown("operation", strings.TrimSpace(name), known)
		case 0:
			r.ops = all
		default:
			r.ops |= 1 << (i - 1)
		}
	}
	return nil
}

// assign takes one key=value.
func (r *Rule) assign(part string, given map[string]bool) error {
	name, value, ok := strings.Cut(part, "=")
	name, value = strings.TrimSpace(name), strings.TrimSpace(value)
	known := make([]string, len(keys))
	for i, k := range keys {
		known[i] = k.name
	}
	i := slices.Index(known, name)
	switch {
	case i < 0:
		if ours := elsewhere[name]; ours != "" {
			return fmt.Errorf("unknown key %q: use %s (did you mean %q?)", name, strings.Join(known, ", "), ours)
		}
		return unknown("key", name, known)
	case !ok:
		return fmt.Errorf("%s has no value: write it as %s=VALUE", name, name)
	case given[name]:
		return fmt.Errorf("%s is given twice", name)
	}
	given[name] = true
	if err := keys[i].set(r, value); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// check says what does not go together.
func (r *Rule) check(given map[string]bool) error {
	switch {
	case !given["errno"] && !given["delay"] && !given["stall"] && !given["short"]:
		return fmt.Errorf("it injects nothing: give it errno, delay, stall or short")
	case given["errno"] && given["short"]:
		return fmt.Errorf("errno and short exclude each other: an operation that fails is not performed")
	case given["nth"] && given["every"]:
		return fmt.Errorf("nth and every exclude each other")
	case given["period"] && !given["at"]:
		return fmt.Errorf("period needs at, the time of the first stall")
	case given["period"] && r.period <= r.stall:
		return fmt.Errorf("period must be longer than the stall")
	case given["short"] && r.ops != all && r.ops&^transfers != 0:
		return fmt.Errorf("short is for read, write and append alone: %s transfers nothing", (r.ops &^ transfers).String())
	case given["offset"] && r.ops != all && r.ops&^ranged != 0:
		return fmt.Errorf("offset: %s has none", (r.ops &^ ranged).String())
	case given["at"] && !given["stall"]:
		return fmt.Errorf("at is the time of a stall, and there is none")
	}
	if given["at"] {
		for _, name := range []string{"errno", "delay", "short", "after", "nth", "every", "times", "chance"} {
			if given[name] {
				return fmt.Errorf("at and %s exclude each other: a stall at a time is begun by the clock and not by an operation", name)
			}
		}
	}
	return nil
}

// String is the rule as Parse reads it.
func (r *Rule) String() string {
	var b strings.Builder
	b.WriteString(r.ops.String())
	sep := ":"
	for _, k := range keys {
		if v := k.get(r); v != "" {
			b.WriteString(sep + k.name + "=" + v)
			sep = ","
		}
	}
	return b.String()
}

func (s opSet) String() string {
	if s == all {
		return "*"
	}
	var names []string
	for c := range engine.NumOpCodes {
		if s.has(c) {
			names = append(names, c.String())
		}
	}
	return strings.Join(names, "|")
}

func (r *Rule) setAt(s string) (err error) {
	r.at, err = units.Duration(s)
	r.clock = true
	return err
}

func (r *Rule) getAt() string {
	if !r.clock {
		return ""
	}
	return units.FormatDuration(r.at)
}

func (r *Rule) setFile(s string) error {
	if _, err := path.Match(s, ""); err != nil || s == "" {
		return fmt.Errorf("%q is not a pattern: write it like data* or log/[0-9]*", s)
	}
	r.file = s
	return nil
}

func (r *Rule) setOffset(s string) (err error) {
	from, to, ok := strings.Cut(s, "..")
	if !ok {
		return fmt.Errorf("%q is not a range: write it like 1MiB..2MiB, 1MiB.. or ..2MiB", s)
	}
	r.to = math.MaxInt64
	if from != "" {
		if r.from, err = units.Size(from); err != nil {
			return err
		}
	}
	if to != "" {
		if r.to, err = units.Size(to); err != nil {
			return err
		}
	}
	if r.from >= r.to {
		return fmt.Errorf("the range %q is empty", s)
	}
	return nil
}

func (r *Rule) getOffset() string {
	switch {
	case r.to == 0:
		return ""
	case r.to == math.MaxInt64:
		return units.FormatSize(r.from) + ".."
	}
	return units.FormatSize(r.from) + ".." + units.FormatSize(r.to)
}

func (r *Rule) setChance(s string) (err error) {
	if strings.HasSuffix(s, "%") {
		r.chance, err = units.Percent(s)
		r.chance /= 100
	} else {
		r.chance, err = units.Number(s)
	}
	if err == nil && !(r.chance > 0 && r.chance <= 1) {
		err = fmt.Errorf("%q is not above 0 and at most 1, or 100%%", s)
	}
	return err
}

func number(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) }

// Linux's other names for some errors.
var aliases = map[string]unix.Errno{"EWOULDBLOCK": unix.EAGAIN, "EOPNOTSUPP": unix.EOPNOTSUPP, "EDEADLOCK": unix.EDEADLK}

// Errno is the number of an error that is named as in C, such as EIO.
func Errno(s string) (unix.Errno, error) {
	const last = 133
	name := strings.ToUpper(s)
	known := make([]string, 0, last)
	for e := unix.Errno(1); e <= last; e++ {
		switch n := unix.ErrnoName(e); n {
		case "": // numbers without an error
		case name:
			return e, nil
		default:
			known = append(known, n)
		}
	}
	if e, ok := aliases[name]; ok {
		return e, nil
	}
	return 0, fmt.Errorf("unknown error %q: use a name such as EIO, ENOSPC or EAGAIN%s", s, suggest.Hint(s, known))
}

// elsewhere is what keys are called by those who look for them first.
var elsewhere = map[string]string{
	"latency": "delay", "sleep": "delay", "error": "errno", "err": "errno", "probability": "chance", "prob": "chance", "rate": "chance",
	"hang": "stall", "interval": "period", "count": "times", "limit": "times", "skip": "after",
}

func unknown(what, name string, known []string) error {
	return fmt.Errorf("unknown %s %q: use %s%s", what, name, strings.Join(known, ", "), suggest.Hint(name, known))
}
