package fiojob

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"moonio/engine/suggest"
)

// check refuses a value that is not what the option's value must be.
func (v *Values) check(o Option) error {
	spec := byName[o.Name]
	if o.Value == "" {
		return nil
	}
	for i, part := range split(spec, o.Value) {
		if part == "" && i < 3 && spec.Parts {
			continue
		}
		if i == 3 && spec.Parts {
			return o.Fail("", "there are at most three parts: for reads, writes and trims")
		}
		if err := v.checkPart(spec, part); err != nil {
			if lo, _ := span(part); spec.Name == "bs" && lo != part {
				err.why = "it is one size: a range of them is bsrange=" + part
			}
			return o.Fail(err.part, "%s", err.why)
		}
	}
	return nil
}

func split(spec Spec, value string) []string {
	if spec.Kind == Range {
		value = strings.ReplaceAll(value, "/", ",")
	}
	if spec.Parts {
		return strings.Split(value, ",")
	}
	return []string{value}
}

func (v *Values) checkPart(spec Spec, text string) *wrong {
	var err *wrong
	switch spec.Kind {
	case Flag:
		_, err = number(text, 0, units{})
	case Boolean:
		if text != "0" && text != "1" {
			return &wrong{text, "it is 0 or 1"}
		}
	case Integer:
		return v.checkInteger(spec, text)
	case Size:
		var a Amount
		if a, err = v.amount(text); err == nil && a.Bytes > largest {
			err = &wrong{text, tooLarge}
		}
	case Time, Micro:
		return v.checkTime(spec.Kind, text)
	case Range, TimeRange:
		return v.checkRange(spec.Kind, text)
	case Floats:
		return checkFloats(spec, text)
	case Choice:
		return checkChoice(spec, text)
	}
	return err
}

func (v *Values) checkInteger(spec Spec, text string) *wrong {
	n, err := number(text, math.MinInt64, v.units(Integer))
	if err == nil && n < spec.Least {
		err = &wrong{text, fmt.Sprintf("the least is %d", spec.Least)}
	}
	if err == nil && n > largest && spec.Name != "randseed" {
		err = &wrong{text, tooLarge}
	}
	if err == nil && spec.Most > 0 && n > spec.Most {
		err = &wrong{text, fmt.Sprintf("the most is %d", spec.Most)}
	}
	return err
}

// largest is what the script that the jobs become holds exactly.
const (
	largest  = int64(1) << 53
	tooLarge = "it is more than 8192t, 2^53, which is the most"
)

// longest is a length of time that a computer counts without thinking about it.
const longest = int64(100 * 365 * 86400 * 1e6)

func (v *Values) checkTime(k Kind, text string) *wrong {
	n, err := number(text, 0, v.units(k))
	if err == nil && n > longest {
		err = &wrong{text, "it is more than a hundred years"}
	}
	return err
}

func (v *Values) checkRange(k Kind, text string) *wrong {
	lo, hi := span(text)
	for _, end := range []string{lo, hi} {
		var err *wrong
		if k == TimeRange {
			err = v.checkTime(Time, end)
		} else {
			var n int64
			if n, err = number(end, 1, v.units(Integer)); err == nil && n > largest {
				err = &wrong{end, tooLarge}
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// mostFloats is how many numbers fio takes, in percentile_list for one.
const mostFloats = 20

func checkFloats(spec Spec, text string) *wrong {
	list := strings.Split(text, ":")
	if len(list) > mostFloats {
		return &wrong{strings.Join(list[mostFloats:], ":"), fmt.Sprintf("there are %d numbers, and the most is %d", len(list), mostFloats)}
	}
	for _, s := range list {
		x, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
		switch {
		case err != nil || math.IsNaN(x) || math.IsInf(x, 0):
			return &wrong{s, fmt.Sprintf("%q is not a number", s)}
		case x < 0 || spec.Most > 0 && x > float64(spec.Most):
			return &wrong{s, fmt.Sprintf("%s is not from 0 to %d", s, spec.Most)}
		}
	}
	return nil
}

func checkChoice(spec Spec, text string) *wrong {
	word, _, _ := strings.Cut(text, ":")
	for _, c := range spec.choices() {
		if c == word {
			return nil
		}
	}
	if bare := strings.Trim(word, `"'`); bare != word {
		return &wrong{word, "words have no quotes: it is " + bare}
	}
	return &wrong{word, fmt.Sprintf("%q is not one of %s%s", word, strings.Join(spec.choices(), ", "), suggest.Hint(word, spec.choices()))}
}
