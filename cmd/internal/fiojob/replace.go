package fiojob

import (
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
		o.Value = own
		spec, _ := Find(o.Name)
		numeric := spec.Kind == Integer || spec.Kind == Size || spec.Kind == Time
		if numeric && strings.ContainsAny(own, "+-*/") {
			o.Value = "(" + own + ")"
		}
	}
	return o, nil
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
