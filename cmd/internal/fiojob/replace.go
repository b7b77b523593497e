package fiojob

import (
	"math"
	"strconv"
	"strings"
)

// replaced puts in what an option's variables stand for: ${NAME} of the environment, and
// fio's own $ncpus, $pagesize and $mb_memory, which can be part of a sum.
func (s *Sources) replaced(o Option) (Option, error) {
	value, err := s.environment(o)
	if err != nil {
		return o, err
	}
	o.Value = value
	if own := s.keywords(value); own != value {
		o.Value = calculated(o.Name, own)
	}
	return o, nil
}

// calculated is what a sum with one of fio's own variables comes to: a number without a unit, as if it had been
// written so.
func calculated(name, sum string) string {
	spec, _ := Find(name)
	if !spec.Numeric() || !strings.ContainsAny(sum, "+-*/") {
		return sum
	}
	n, err := number("("+sum+")", math.MinInt64, units{})
	if err != nil {
		return sum
	}
	return strconv.FormatInt(n, 10)
}

// environment replaces ${NAME}. A variable that is not set is nothing, as in fio.
func (s *Sources) environment(o Option) (string, error) {
	var b strings.Builder
	rest := o.Value
	for {
		before, after, ok := strings.Cut(rest, "${")
		b.WriteString(before)
		if !ok {
			return b.String(), nil
		}
		name, tail, ok := strings.Cut(after, "}")
		if !ok {
			return "", o.Fail("${"+after, "a variable's name ends with }")
		}
		if s.Env != nil {
			b.WriteString(s.Env(name))
		}
		rest = tail
	}
}

func (s *Sources) keywords(value string) string {
	if !strings.Contains(value, "$") {
		return value
	}
	return strings.NewReplacer(
		"$ncpus", strconv.Itoa(s.CPUs),
		"$pagesize", strconv.Itoa(s.Page),
		"$mb_memory", strconv.FormatInt(s.Memory>>20, 10),
	).Replace(value)
}
