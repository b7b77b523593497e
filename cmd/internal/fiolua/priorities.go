package fiolua

import (
	"fmt"
	"strconv"
	"strings"

	"moonio/cmd/internal/fiojob"
)

// putPriorities gives some operations an I/O priority of their own.
func (t *translation) putPriorities(u *unit) error {
	split, ok := u.v.Option("cmdprio_bssplit")
	if ok && u.v.Has("cmdprio_percentage") {
		return split.Fail("", "give cmdprio_percentage or cmdprio_bssplit, and not both")
	}
	var entries []string
	for part, used := range []bool{fiojob.Reads: u.rw.reads, fiojob.Writes: u.rw.writes} {
		if !used {
			continue
		}
		list, err := u.priorities(split, part)
		if err != nil {
			return err
		}
		if u.rw.mixed() {
			for i := range list {
				list[i] += ", op = " + quote([]string{"read", "write"}[part])
			}
		}
		entries = append(entries, list...)
	}
	if len(entries) == 0 {
		return nil
	}
	lua := "{ " + entries[0] + " }"
	if len(entries) > 1 || strings.Contains(lua, " = ") {
		lua = "{ { " + strings.Join(entries, " }, { ") + " } }"
	}
	u.put("ioprio_share", lua, u.since("cmdprio_percentage", "cmdprio_bssplit", "cmdprio_class", "cmdprio"))
	return nil
}

// priorities are the shares of one direction that have priorities.
func (u *unit) priorities(split fiojob.Option, part int) ([]string, error) {
	class := int64(1)
	if u.v.Has("cmdprio_class") {
		class = u.v.Part("cmdprio_class", part)
	}
	usual := priority(class, u.v.Part("cmdprio", part))
	if p := u.v.Part("cmdprio_percentage", part); p > 0 {
		return []string{fmt.Sprintf("%d, %q", p, usual)}, nil
	}
	text := fiojob.Parts(split.Value)[part]
	if text == "" {
		return nil, nil
	}
	var list []string
	sums := map[int64]float64{}
	for _, entry := range strings.Split(text, ":") {
		n, percent, prio, err := u.prioritySplit(split, entry, usual)
		if err != nil {
			return nil, err
		}
		if sums[n] += percent; sums[n] > 100 {
			return nil, split.Fail(entry, "the shares of blocks of %d bytes come to %s %%, and the most is 100", n, decimal(sums[n]))
		}
		if percent > 0 {
			list = append(list, fmt.Sprintf("%s, %q, block = %s", decimal(percent), prio, size(n)))
		}
	}
	return list, nil
}

// prioritySplit reads SIZE/PERCENT or SIZE/PERCENT/CLASS/LEVEL.
func (u *unit) prioritySplit(o fiojob.Option, entry, usual string) (n int64, percent float64, prio string, err error) {
	words := strings.Split(entry, "/")
	if len(words) != 2 && len(words) != 4 {
		return 0, 0, "", o.Fail(entry, "it is SIZE/PERCENT, or SIZE/PERCENT/CLASS/LEVEL")
	}
	if n, err = u.v.Bytes(o, words[0]); err != nil {
		return 0, 0, "", err
	}
	if percent, err = strconv.ParseFloat(words[1], 64); err != nil || !(percent >= 0 && percent <= 100) {
		return 0, 0, "", o.Fail(entry, "%q is not per cent, from 0 to 100", words[1])
	}
	if len(words) == 2 {
		return n, percent, usual, nil
	}
	class, err1 := strconv.Atoi(words[2])
	level, err2 := strconv.Atoi(words[3])
	if err1 != nil || err2 != nil || class < 1 || class > 3 || level < 0 || level > 7 {
		return 0, 0, "", o.Fail(entry, "a priority is of class 1, 2 or 3 and has a level from 0 to 7")
	}
	return n, percent, priority(int64(class), int64(level)), nil
}
