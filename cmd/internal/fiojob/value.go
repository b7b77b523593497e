package fiojob

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// Values are a job's options as values. An option that was not given has fio's default;
// one without a default is 0 or "". All values that Parse lets pass can be read.
type Values struct {
	options map[string]Option
	base    int64
}

// ValuesOf reads a job's options: the last of each name.
func ValuesOf(j *Job) *Values {
	v := &Values{options: map[string]Option{}, base: 1024}
	for _, o := range j.All {
		v.options[o.Name] = o
	}
	if v.options["kb_base"].Value == "1000" {
		v.base = 1000
	}
	return v
}

// Take sets the options of these names as another job has them.
func (v *Values) Take(from *Values, names ...string) {
	for _, n := range names {
		if o, ok := from.options[n]; ok {
			v.options[n] = o
		} else {
			delete(v.options, n)
		}
	}
}

// Option is an option as it was given, if it was.
func (v *Values) Option(name string) (Option, bool) {
	o, ok := v.options[name]
	return o, ok
}

// Has says whether an option was given.
func (v *Values) Has(name string) bool {
	_, ok := v.options[name]
	return ok
}

// Text is the value as it was written.
func (v *Values) Text(name string) string {
	if o, ok := v.options[name]; ok && o.Given {
		return o.Value
	}
	return byName[name].Default
}

// Word is the value up to the first colon, and what follows.
func (v *Values) Word(name string) (word, rest string) {
	word, rest, _ = strings.Cut(v.Text(name), ":")
	return word, rest
}

// On says whether a flag or a boolean is set.
func (v *Values) On(name string) bool {
	if o, ok := v.options[name]; ok && o.Value == "" {
		return true
	}
	return v.Integer(name) != 0
}

// Integer is a whole number; of one with parts, the first.
func (v *Values) Integer(name string) int64 { return v.Part(name, 0) }

// The parts of a value.
const (
	Reads = iota
	Writes
	Trims
)

// Part is a whole number's part for reads, writes or trims.
func (v *Values) Part(name string, part int) int64 {
	text := Parts(v.Text(name))[part]
	if text == "" {
		text, _, _ = strings.Cut(byName[name].Default, ",")
	}
	n, err := number(text, math.MinInt64, v.units(Integer))
	if err != nil {
		return 0
	}
	return n
}

// Parts takes a value's parts for reads, writes and trims apart: one that is not given is
// that before it, unless a comma ends the value.
func Parts(text string) [3]string {
	var p [3]string
	list := strings.Split(text, ",")
	for i := range p {
		switch {
		case i < len(list):
			p[i] = list[i]
		case list[len(list)-1] != "":
			p[i] = list[len(list)-1]
		}
	}
	return p
}

// Time is a length of time.
func (v *Values) Time(name string) time.Duration {
	n, err := number(v.Text(name), 0, v.units(byName[name].Kind))
	if err != nil || n > math.MaxInt64/1000 {
		return 0
	}
	return time.Duration(n) * time.Microsecond
}

// TimeRange is the shortest and the longest of a length of time.
func (v *Values) TimeRange(name string) (lo, hi time.Duration) {
	l, h := span(v.Text(name))
	a, err1 := number(l, 0, v.units(Time))
	b, err2 := number(h, 0, v.units(Time))
	if err1 != nil || err2 != nil {
		return 0, 0
	}
	return time.Duration(min(a, b)) * time.Microsecond, time.Duration(max(a, b)) * time.Microsecond
}

// span takes the two ends of a range apart.
func span(text string) (lo, hi string) {
	if i := strings.IndexAny(text, "-:"); i > 0 {
		return text[:i], text[i+1:]
	}
	return text, text
}

// Range is a part of a range of sizes.
func (v *Values) Range(name string, part int) (lo, hi int64) {
	l, h := span(Parts(strings.ReplaceAll(v.Text(name), "/", ","))[part])
	a, err1 := number(l, 1, v.units(Integer))
	b, err2 := number(h, 1, v.units(Integer))
	if err1 != nil || err2 != nil {
		return 0, 0
	}
	return min(a, b), max(a, b)
}

// Amount is a number of bytes, or a share of a file.
type Amount struct {
	Bytes   int64
	Percent int64 // 0: in bytes
	Zones   bool  // Bytes counts zones
}

// Size is an amount.
func (v *Values) Size(name string) Amount {
	a, _ := v.amount(v.Text(name))
	return a
}

func (v *Values) amount(text string) (Amount, *wrong) {
	if digits, ok := strings.CutSuffix(text, "%"); ok {
		n, err := number(digits, 0, units{base: v.base})
		if err == nil && n > 100 {
			err = &wrong{text, "it is more than 100 %"}
		}
		return Amount{Percent: n}, err
	}
	if digits, ok := strings.CutSuffix(text, "z"); ok {
		n, err := number(digits, 0, units{base: v.base})
		return Amount{Bytes: n, Zones: true}, err
	}
	n, err := number(text, 0, units{base: v.base})
	return Amount{Bytes: n}, err
}

// Floats are a list of numbers.
func (v *Values) Floats(name string) []float64 {
	var list []float64
	for _, s := range strings.Split(v.Text(name), ":") {
		if x, err := strconv.ParseFloat(strings.TrimSpace(s), 64); err == nil {
			list = append(list, x)
		}
	}
	return list
}

// Bytes reads a number of bytes that stands within an option's value.
func (v *Values) Bytes(o Option, text string) (int64, error) {
	n, err := number(text, 0, v.units(Integer))
	if err == nil && n > largest {
		err = &wrong{text, tooLarge}
	}
	if err != nil {
		return 0, o.Fail(err.part, "%s", err.why)
	}
	return n, nil
}

func (v *Values) units(k Kind) units {
	switch k {
	case Time, TimeRange:
		return units{time: true, bare: 1e6}
	case Micro:
		return units{time: true, bare: 1}
	}
	return units{base: v.base}
}
