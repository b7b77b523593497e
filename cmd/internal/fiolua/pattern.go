package fiolua

import (
	"fmt"
	"strconv"
	"strings"

	"moonio/cmd/internal/fiojob"
)

// pattern is where operations of one direction go, and what it follows from.
func (u *unit) pattern(part int, b blocks) (lua, note string, err error) {
	lua, note = "sequential()", u.since("rw")
	switch {
	case u.rw.random:
		lua, note, err = u.random(part)
	case u.rw.gap > 0:
		lua = fmt.Sprintf("sequential{ gap = %s }", size(u.rw.gap))
	case u.rw.gap < 0 && -u.rw.gap == 2*b.min && !b.mixed:
		lua = "reverse()"
	case u.rw.gap < 0:
		o, _ := u.v.Option("rw")
		err = o.Fail("", "going back is done a block at a time here: %d, twice the block, says so", -2*b.min)
	}
	if err != nil {
		return "", "", err
	}
	return u.inZones(lua, note)
}

func (u *unit) random(part int) (lua, note string, err error) {
	lua, note, err = u.distribution(part)
	if err != nil {
		return "", "", err
	}
	if p := u.v.Part("percentage_random", part); p < 100 {
		note += " percentage_random=" + u.v.Text("percentage_random")
		lua = fmt.Sprintf("either(%d, %s, sequential())", p, lua)
		if p == 0 {
			lua = "sequential()"
		}
	}
	if u.rw.run > 1 {
		same := ""
		if u.v.Text("rw_sequencer") == "identical" {
			same = `, "same"`
			note += " rw_sequencer=identical"
		}
		lua = fmt.Sprintf("runs(%s, %d%s)", lua, u.rw.run, same)
	}
	return lua, note, nil
}

// distribution is random_distribution, or the map by which fio visits each block once.
func (u *unit) distribution(part int) (lua, note string, err error) {
	note = u.since("rw")
	o, given := u.v.Option("random_distribution")
	word, rest := "random", ""
	if given {
		word, rest, _ = strings.Cut(fiojob.Parts(o.Value)[part], ":")
		note += " " + o.String()
	}
	switch word {
	case "zipf", "pareto", "normal":
		lua, err = skewed(o, word, rest)
	case "zoned":
		lua, err = u.zones(o, rest, false)
	case "zoned_abs":
		lua, err = u.zones(o, rest, true)
	default:
		return u.uniform(note)
	}
	return lua, note, err
}

// uniform is every block as likely as the others: each once in a pass, unless there is no map.
func (u *unit) uniform(note string) (string, string, error) {
	lfsr := u.v.Text("random_generator") == "lfsr"
	switch {
	case u.v.On("norandommap") && !lfsr:
		return "random()", note + " norandommap", nil
	case u.v.Has("ba") && !lfsr:
		return "random()", note, nil
	}
	return "permute()", note + ": each block once", nil
}

// needs is what a distribution must have as its first number.
var needs = map[string]string{"zipf": "theta, as in zipf:1.2", "pareto": "power, as in pareto:0.9", "normal": "deviation, as in normal:20"}

func skewed(o fiojob.Option, word, rest string) (string, error) {
	var numbers []string
	for _, s := range strings.Split(rest, ":") {
		if s == "" {
			continue
		}
		x, err := strconv.ParseFloat(s, 64)
		if err != nil {
			return "", o.Fail(s, "%q is not a number", s)
		}
		numbers = append(numbers, decimal(x))
	}
	if len(numbers) == 0 {
		return "", o.Fail("", "%s needs its %s", word, needs[word])
	}
	if len(numbers) > 2 {
		return "", o.Fail("", "%s has at most two numbers", word)
	}
	if err := within(o, word, numbers); err != nil {
		return "", err
	}
	return word + "(" + strings.Join(numbers, ", ") + ")", nil
}

// within refuses numbers that the distribution is not defined for.
func within(o fiojob.Option, word string, numbers []string) error {
	x, _ := strconv.ParseFloat(numbers[0], 64)
	switch {
	case word == "zipf" && x == 1:
		return o.Fail(numbers[0], "fio has no zipf of exactly 1: take 1.001")
	case word == "zipf" && (x <= 0 || x > 10):
		return o.Fail(numbers[0], "theta is above 0 and at most 10")
	case word == "pareto" && (x <= 0 || x >= 1):
		return o.Fail(numbers[0], "the power is between 0 and 1")
	case word == "normal" && (x < 0 || x > 100):
		return o.Fail(numbers[0], "the deviation is from 0 to 100")
	}
	if len(numbers) < 2 {
		return nil
	}
	if c, _ := strconv.ParseFloat(numbers[1], 64); c < 0 || c > 1 {
		return o.Fail(numbers[1], "the centre is from 0 to 1")
	}
	return nil
}

// zones reads shares of accesses and of the region, or sizes: 60/10:30/20. Zones without a share of the region get
// equal parts of what is left of it.
func (u *unit) zones(o fiojob.Option, text string, inBytes bool) (string, error) {
	var pairs []string
	if !inBytes {
		text = shareOut(text)
	}
	access, space := 0.0, 0.0
	for _, entry := range strings.Split(text, ":") {
		a, b, _ := strings.Cut(entry, "/")
		p, err := strconv.ParseFloat(a, 64)
		if err != nil || p < 0 || p > 100 {
			return "", o.Fail(entry, "%q is not per cent of the accesses, from 0 to 100", a)
		}
		lua, share, err := u.zone(o, entry, b, inBytes)
		if err != nil {
			return "", err
		}
		access, space = access+p, space+share
		pairs = append(pairs, fmt.Sprintf("{ %s, %s }", decimal(p), lua))
	}
	if access > 100 || space > 100.0001 {
		return "", o.Fail(text, "the zones come to %.6g %% of the accesses and %.6g %% of the space, and the most is 100", access, space)
	}
	return "zoned{ " + strings.Join(pairs, ", ") + " }", nil
}

// shareOut fills in the shares of the region that are left blank, as the last of 60/10:30/20:10/ is.
func shareOut(text string) string {
	entries := strings.Split(text, ":")
	blank, left := 0, 100.0
	for _, e := range entries {
		_, share, _ := strings.Cut(e, "/")
		if share == "" {
			blank++
		} else if s, err := strconv.ParseFloat(share, 64); err == nil {
			left -= s
		}
	}
	for i, e := range entries {
		if access, share, _ := strings.Cut(e, "/"); share == "" {
			entries[i] = access + "/" + decimal(max(left, 0)/float64(blank))
		}
	}
	return strings.Join(entries, ":")
}

// zone is a zone's size in the script, and its share of the region in per cent.
func (u *unit) zone(o fiojob.Option, entry, text string, inBytes bool) (string, float64, error) {
	if inBytes {
		n, err := u.v.Bytes(o, text)
		return strconv.Quote(unquoted(n)), float64(n) * 100 / float64(max(u.size, 1)), err
	}
	s, err := strconv.ParseFloat(text, 64)
	if err != nil || s < 0 || s > 100 {
		return "", 0, o.Fail(entry, "%q is not per cent of the space, from 0 to 100", text)
	}
	return decimal(s), s, nil
}

// inZones puts zonemode=strided around a pattern.
func (u *unit) inZones(lua, note string) (string, string, error) {
	switch mode := u.v.Text("zonemode"); {
	case mode == "zbd":
		o, _ := u.v.Option("zonemode")
		return "", "", o.Fail("", "zoned devices are not driven; zonemode=strided is")
	case mode != "strided" && u.v.Integer("zonesize") > 0:
		o, _ := u.v.Option("zonesize")
		return "", "", o.Fail("", "it needs zonemode=strided")
	case mode != "strided":
		return lua, note, nil
	}
	n, r := u.v.Integer("zonesize"), u.v.Integer("zonerange")
	if n == 0 {
		o, _ := u.v.Option("zonemode")
		return "", "", o.Fail("", "it needs zonesize, the bytes that are moved in each zone")
	}
	if r == 0 {
		r = n
	}
	skip := u.v.Size("zoneskip").Bytes
	return fmt.Sprintf("zone_strided{ size = %s, range = %s, skip = %s, of = %s }", size(n), size(r), size(skip), lua), note + " zonemode=strided", nil
}
