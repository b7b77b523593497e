package fiolua

import (
	"fmt"
	"slices"
	"strings"

	"moonio/cmd/internal/fiojob"
)

// field is an option of a stream or a phase in the script.
type field struct {
	name, value, note string
}

func (u *unit) put(name, value, note string) {
	u.fields = append(u.fields, field{name, value, note})
}

// since is a note that names the options which the field follows from.
func (u *unit) since(names ...string) string {
	var list []string
	for _, n := range names {
		if o, ok := u.v.Option(n); ok {
			list = append(list, o.String())
		}
	}
	return strings.Join(list, " ")
}

// sinceOr is that, or another note if none was given.
func (u *unit) sinceOr(otherwise string, names ...string) string {
	if note := u.since(names...); note != "" {
		return note
	}
	return otherwise
}

// add translates one unit.
func (t *translation) add(u *unit) (err error) {
	if u.rw, err = readRW(u.v); err != nil {
		return err
	}
	if err := t.treat(u); err != nil {
		return err
	}
	if u.v.Text("read_iolog") != "" {
		return t.replay(u)
	}
	if err := t.guard(u); err != nil {
		return err
	}
	read, write, err := u.bothBlocks()
	if err != nil {
		return err
	}
	if err := u.checkBlocks(read, write); err != nil {
		return err
	}
	u.minimum, u.largest = min(read.min, write.min), max(read.max, write.max)
	if u.grain = u.minimum; read.unaligned || write.unaligned {
		u.grain = 1
	}
	for _, step := range []func(*unit) error{t.find, t.measure, t.prepare} {
		if err := step(u); err != nil {
			return err
		}
	}
	if _, err := u.ignored(); err != nil {
		return err
	}
	if u.full {
		u.put("until_full", "true", u.since("fill_device"))
	}
	u.put("op", u.op(), u.sinceOr("rw=read is fio's default", "rw", "rwmixread", "rwmixwrite"))
	if err := u.putPlaces(read, write); err != nil {
		return err
	}
	for _, put := range []func(*unit) error{
		t.putOrder, t.putRegion, t.putLimits, t.putDepth, t.putRate, t.putThink, t.putSyncs, t.putData, t.putVerify, t.putEngine, t.putThreads, t.putTimes, t.checkTarget, t.checkSteady,
	} {
		if err := put(u); err != nil {
			return err
		}
	}
	t.caution(u)
	t.units = append(t.units, u)
	return t.sow(u)
}

// op is the option op of the unit's stream.
func (u *unit) op() string {
	if u.full {
		return `"append"`
	}
	return u.rw.op()
}

// guard refuses jobs that write where --readonly forbids it.
func (t *translation) guard(u *unit) error {
	if !t.setup.ReadOnly || !u.rw.changes() {
		return nil
	}
	o, _ := u.v.Option("rw")
	return o.Fail("", "--readonly allows no job that writes or trims")
}

// bothBlocks are the block sizes of reads and of writes; both those of the only direction
// that there is.
func (u *unit) bothBlocks() (read, write blocks, err error) {
	if read, err = u.blocks(u.rw.part()); err != nil {
		return read, read, err
	}
	write = read
	if u.rw.mixed() {
		write, err = u.blocks(fiojob.Writes)
	}
	return read, write, err
}

// putPlaces says where operations go, how large they are, and what they are aligned to.
func (u *unit) putPlaces(read, write blocks) error {
	at, note, err := u.pattern(u.rw.part(), read)
	if err != nil {
		return err
	}
	writeAt, writeNote := at, note
	if u.rw.mixed() {
		if writeAt, writeNote, err = u.pattern(fiojob.Writes, write); err != nil {
			return err
		}
	}
	if u.full {
		u.put("block", write.lua, write.note)
		return nil
	}
	if at == writeAt {
		u.put("at", at, note)
	} else {
		u.put("read_at", at, note)
		u.put("write_at", writeAt, writeNote)
	}
	if read.lua == write.lua {
		u.put("block", read.lua, read.note)
	} else {
		u.put("read_block", read.lua, read.note)
		u.put("write_block", write.lua, write.note)
	}
	if read.unaligned || write.unaligned {
		u.put("block_step", "1", u.since("bs_unaligned"))
	}
	switch gap := u.rw.gap; {
	case !(u.v.Has("ba") && u.rw.random) && (read.unaligned || write.unaligned):
		u.put("align", "1", "blocks begin where others end")
	case u.v.Has("ba") && u.rw.random: // in sequence each block begins where the last ended
		u.put("align", size(u.v.Part("ba", u.rw.part())), u.since("ba"))
	case gap > 0 && gap%u.minimum != 0:
		u.put("align", size(divisor(gap, u.minimum)), "what blocks and gaps are multiples of")
	}
	return nil
}

// divisor is the greatest that both have.
func divisor(a, b int64) int64 {
	for b > 0 {
		a, b = b, a%b
	}
	return a
}

// putOrder says which of several files is next. fio's default goes round them.
func (t *translation) putOrder(u *unit) error {
	if len(u.files) == 1 && u.files[0].count == 1 {
		return nil
	}
	word, rest := u.v.Word("file_service_type")
	note := u.sinceOr("fio's default", "file_service_type")
	order := quote(word)
	switch word {
	case "random", "roundrobin", "sequential":
		if rest != "" && word != "sequential" {
			o, _ := u.v.Option("file_service_type")
			n, err := u.v.Bytes(o, rest)
			if err != nil {
				return err
			}
			defer u.put("file_run", integer(n), note)
		}
	default:
		if word == "gauss" {
			word = "normal"
		}
		o, _ := u.v.Option("file_service_type")
		lua, err := skewed(o, word, rest)
		if err != nil {
			return err
		}
		order = lua
	}
	u.put("file_order", order, note)
	return nil
}

// putRegion says in which part of each file the job stays.
func (t *translation) putRegion(u *unit) error {
	if u.full { // at the files' ends
		return nil
	}
	if offset := u.offsets(); offset != "0" {
		u.put("offset", offset, u.since("offset", "offset_increment", "file_append"))
	}
	if u.most == 0 { // otherwise each file's region goes to its end
		u.put("size", size(u.size), u.sinceOr("all that is there", "fill_device", "size", "filesize", "nrfiles"))
	}
	return nil
}

// putLimits says after how much the job is done. fio goes over the region once, unless it is
// given a time to fill.
func (t *translation) putLimits(u *unit) error {
	timed := u.v.On("time_based") && u.v.Time("runtime") > 0
	trims := u.rw.trim && !u.rw.both                     // which move no bytes
	if n := u.v.Integer("number_ios"); n > 0 && !timed { // a time starts the job again and again
		u.put("ops", integer(n*max(1, u.v.Integer("loops"))), u.since("number_ios", "loops"))
	} else if !timed && trims {
		if u.minimum != u.largest && u.inPasses() && !u.v.Has("io_size") {
			u.put("passes", integer(max(1, u.v.Integer("loops"))), u.sinceOr("once over the region", "loops"))
		} else {
			u.put("ops", integer(u.amountToDo()/u.minimum), u.since("size", "io_size", "loops"))
		}
	}
	if every := u.forgets(timed); every > 0 {
		u.put("invalidate_every", size(every), u.sinceOr("invalidate=1 is fio's default", "invalidate")+": with each pass")
	}
	if timed || trims || u.full && u.v.Size("size").Bytes == 0 && u.v.Size("io_size").Bytes == 0 {
		return nil
	}
	if u.most > 0 && u.inPasses() && !u.v.Has("io_size") {
		u.put("passes", integer(max(1, u.v.Integer("loops"))), u.sinceOr("once over each file", "loops"))
		if u.v.Size("size").Bytes == 0 {
			return nil
		}
	}
	u.put("bytes", size(u.amountToDo()), u.sinceOr("once over the region", "io_size", "loops"))
	return nil
}

// inPasses says whether the unit visits each place of its files once before it begins anew.
func (u *unit) inPasses() bool {
	return slices.ContainsFunc(u.fields, func(f field) bool {
		once := strings.HasPrefix(f.value, "sequential") || f.value == "permute()" || f.value == "reverse()"
		return f.name == "at" && once && !u.rw.mixed()
	})
}

// comesToAnEnd says whether the unit runs out of places when it has visited each once. Where it does not, it goes on
// until all that was asked for is done, and the last block may be more than that.
func (u *unit) comesToAnEnd() bool {
	switch word, _ := u.v.Word("file_service_type"); word {
	case "zipf", "pareto", "normal", "gauss": // such a job begins each file anew, even if it has one
		return false
	}
	if u.v.Text("zonemode") == "strided" {
		return true
	}
	return slices.ContainsFunc(u.fields, func(f field) bool {
		return f.name == "at" && (f.value == "permute()" || (f.value == "sequential()" || f.value == "reverse()") && !u.rw.mixed())
	})
}

// forgets is after how many bytes the page cache has to give up what it holds of the unit's files, as
// fio makes it do when it begins anew; 0 if that is never.
func (u *unit) forgets(timed bool) int64 {
	loops := max(1, u.v.Integer("loops"))
	if u.direct() || !u.invalidates() || u.mapped() || !u.rw.reads && !u.rw.writes || !timed && loops == 1 {
		return 0
	}
	pass := u.amountToDo() / loops
	if n := u.v.Integer("number_ios"); n > 0 && u.minimum == u.largest {
		pass = min(pass, times(n, u.minimum))
	}
	return pass
}

// amountToDo is how many bytes the job moves if no time ends it: as many whole blocks as
// the region has, or as io_size needs.
func (u *unit) amountToDo() int64 {
	whole := max(u.total-u.total%u.grain, u.grain)
	loops := max(1, u.v.Integer("loops"))
	if u.asked > 0 && u.most == 0 && (!u.comesToAnEnd() || u.asked < u.room) {
		if all := times(u.asked, loops); !u.v.Has("io_size") {
			return plus(all, u.grain-1) / u.grain * u.grain
		}
		whole = (u.asked + u.grain - 1) / u.grain * u.grain
	}
	n := whole
	switch s := u.v.Size("io_size"); {
	case s.Bytes > 0:
		n = s.Bytes
	case s.Percent > 0:
		n = u.room * s.Percent / 100
	}
	rest := n % whole
	if n -= rest; n == 0 || rest >= u.grain { // fio begins no pass for less than a block
		n += max(rest+u.grain-1, u.grain) / u.grain * u.grain
	}
	return times(n, loops)
}

// sow takes the seed from the first job that has one.
func (t *translation) sow(u *unit) error {
	p := t.program
	if o, ok := u.v.Option("randseed"); ok {
		n := uint64(u.v.Integer("randseed"))
		if t.seed != nil && p.Seed != n {
			t.warn(fmt.Sprintf("%s: %s: all jobs follow from one seed here, and %s has set it", o.Pos, o, t.seed))
			return nil
		}
		p.Seed, t.seed = n, &o
	}
	if u.v.Has("randrepeat") && !u.v.On("randrepeat") && !u.v.On("allrandrepeat") && !u.v.Has("randseed") {
		p.Seeded = false
	}
	return nil
}
