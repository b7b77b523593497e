package fiolua

import (
	"cmp"
	"fmt"
	"path/filepath"
	"strings"

	"moonio/cmd/internal/fiojob"
)

// measure finds how large the unit's files and its region in them are.
func (t *translation) measure(u *unit) error {
	if u.opens() {
		t.measureOpened(u)
		return nil
	}
	count := int64(len(u.files))
	if len(u.files) == 1 {
		count = int64(u.files[0].count)
	}
	real := t.look(u.files[0].path)
	for _, name := range []string{"size", "io_size", "offset", "offset_increment", "zoneskip"} {
		if o, ok := u.v.Option(name); ok && u.v.Size(name).Zones {
			return o.Fail("", "zoned devices are not driven: give bytes or per cent")
		}
	}
	if err := cmp.Or(u.regionSize(real, count), t.fill(u, real, count)); err != nil {
		return err
	}
	whole := max(real.Size, u.size)
	u.begins(whole)
	if err := t.append(u); err != nil {
		return err
	}
	switch {
	case u.v.Has("filesize"): // the region goes to the file's end; size is how much is done in it
		u.size -= plus(u.offset, u.further())
	case u.v.Size("offset").Percent > 0:
		u.size = min(u.size, whole-u.offset)
	}
	if real.Exists && !u.v.Has("filesize") && (!u.v.Has("size") || u.v.Size("size").Percent > 0) {
		u.size = min(u.size, real.Size-u.offset)
	}
	if u.size < u.minimum {
		o, ok := u.v.Option("filesize")
		if !ok {
			o, ok = u.v.Option("size")
		}
		if !ok {
			o = u.origin()
		}
		return o.Fail("", "the region has %d bytes in each file, and the smallest block %d", max(u.size, 0), u.minimum)
	}
	u.total = times(u.size-u.size%u.grain, count) // what is left of a file is not even a block
	u.asked, u.room = times(u.size, count), times(u.size, count)
	if s := u.v.Size("size"); s.Bytes > 0 && !u.v.Has("filesize") && !u.full {
		u.asked = min(u.asked+count-1, s.Bytes)
	}
	if lo, hi := u.fileSizes(); u.v.Has("filesize") && lo != hi {
		u.most = hi
		u.total = plus(u.total, times((hi-hi%u.minimum-(lo-lo%u.minimum))/2, count))
	}
	if s := u.v.Size("size"); u.v.Has("filesize") && s.Bytes > 0 {
		u.asked = min(u.asked, s.Bytes)
		u.total = min(u.total, (s.Bytes+u.grain-1)/u.grain*u.grain)
	}
	return nil
}

// fill makes the files of a job as large as there is room for. A device is as large as it is.
func (t *translation) fill(u *unit, real Node, count int64) error {
	if !u.v.On("fill_device") || real.Kind == Device {
		return nil
	}
	o, _ := u.v.Option("fill_device")
	if t.bare(u) || t.setup.Room == nil {
		return o.Fail("", "there is no file system to fill: give a size")
	}
	dir := filepath.Dir(u.files[0].path)
	for dir != "/" && !t.look(dir).Exists {
		dir = filepath.Dir(dir)
	}
	room, brim, why := t.setup.Room(dir)
	if most := u.v.Size("size").Bytes; most > 0 {
		defer func() { u.size = min(u.size, most/count) }()
	}
	if why == "" {
		why = t.notToTheBrim(u, real)
	}
	if u.full = why == ""; u.full {
		u.size = max(brim/count, u.largest)
		return nil
	}
	if len(u.jobs) > 1 || t.filled {
		return o.Fail("", "what one job fills leaves no room for another, as 5 %% of the file system stay free: %s", why)
	}
	t.filled = true
	t.warn(fmt.Sprintf("job %s: fill_device leaves 5 %% of the file system free: %s", u.name, why))
	room -= room/128 + 64<<10 // for what the file system notes of the files, and moonio
	u.size = (max(0, room)/count + real.Size) / u.minimum * u.minimum
	if u.size < u.minimum {
		return o.Fail("", "there is no room in %s: 5 %% of a file system stay free", dir)
	}
	return nil
}

// notToTheBrim is why a job can't write until there is no more room; "" if it can: at the ends of files that grow.
func (t *translation) notToTheBrim(u *unit, real Node) string {
	switch word, _ := u.v.Word("file_service_type"); {
	case !u.rw.writes || u.rw.reads || u.rw.trim || u.rw.random || u.rw.gap != 0:
		return "only sequential writes go on until it is full"
	case real.Size > 0 || u.v.Has("offset") || u.v.Has("offset_increment") || u.v.On("file_append") || u.v.Has("filesize") || u.v.Text("zonemode") != "none":
		return "only new files are written until it is full"
	case len(u.jobs) > 1 && !u.own:
		return "clones that share a file go over it together"
	case u.v.Text("verify") != "0" || u.v.On("overwrite"):
		return "what is laid out, or is to be verified, has its size from the beginning"
	case u.v.Integer("loops") > 1 || u.v.On("time_based") || word == "sequential":
		return "a full file system is written to once"
	case u.mapped():
		return "a file that is mapped has its size from the beginning"
	}
	return ""
}

// append makes a region begin where the unit's files end, as they are now. fio leaves offset out then.
func (t *translation) append(u *unit) error {
	o, ok := u.v.Option("file_append")
	if !ok || !u.v.On("file_append") || t.bare(u) {
		return nil
	}
	if u.v.Size("size").Bytes == 0 || u.v.Has("filesize") {
		return o.Fail("", "give a size, and no filesize: so much is done behind the file's end")
	}
	u.offset = t.look(u.files[0].path).Size
	for _, h := range u.files {
		for _, p := range h.paths(t.clonesOf(h)) {
			node := t.look(p)
			if node.Kind == Device {
				return o.Fail("", "%s is a device, and has no end to go on from", p)
			}
			if node.Size != u.offset {
				return o.Fail("", "%s has %d bytes, and %s %d: the files of a job have one region here", p, node.Size, u.files[0].path, u.offset)
			}
		}
	}
	return nil
}

// regionSize finds the size of the region in each of so many files.
func (u *unit) regionSize(real Node, count int64) error {
	asked, given := u.v.Option("size")
	s := u.v.Size("size")
	switch {
	case u.v.On("fill_device") && !(real.Exists && real.Size > 0): // fill finds it
	case u.v.Has("filesize"):
		u.size, _ = u.fileSizes()
	case s.Bytes > 0:
		u.size = s.Bytes / count
	case real.Exists && real.Size > 0 && s.Percent > 0:
		u.size = u.share(real.Size, s.Percent)
	case real.Exists && real.Size > 0:
		u.size = real.Size
	case given && s.Percent == 0:
		return asked.Fail("", "that is all of the file, and there is none: give a size such as size=1g")
	case given:
		return asked.Fail("", "there is no file to take that share of: give a size such as size=1g")
	default:
		o := u.origin()
		return &fiojob.Error{Pos: o.Pos, What: "job " + u.name, Why: "it has no size, and no file that is there: add one such as size=1g"}
	}
	return nil
}

// fileSizes are the least and the greatest size that filesize gives a file, or the share of them that size takes.
func (u *unit) fileSizes() (lo, hi int64) {
	lo, hi = u.v.Range("filesize", 0)
	if p := u.v.Size("size").Percent; p > 0 {
		lo, hi = u.share(lo, p), u.share(hi, p)
	}
	return lo, hi
}

// share is so many per cent of a file, in whole blocks.
func (u *unit) share(whole, percent int64) int64 {
	n := whole * percent / 100
	if percent < 100 {
		n -= n % u.minimum
	}
	return n
}

// begins finds where the regions of the clones begin. Where a share of the whole is part of that, it is at the next block.
func (u *unit) begins(whole int64) {
	offset, step := u.v.Size("offset"), u.v.Size("offset_increment")
	align := int64(1)
	if offset.Percent > 0 || step.Percent > 0 {
		align = cmp.Or(u.v.Integer("offset_align"), u.minimum)
	}
	share := func(a fiojob.Amount) int64 { return a.Bytes + whole*a.Percent/100 }
	for i := range u.jobs {
		at := plus(share(offset), times(share(step), int64(i)))
		u.starts = append(u.starts, (at+align-1)/align*align)
	}
	u.offset = u.starts[0]
}

// further is how much further in the last clone's region is than the first's.
func (u *unit) further() int64 {
	if len(u.starts) == 0 {
		return 0
	}
	return u.starts[len(u.starts)-1] - u.starts[0]
}

// offsets are where the regions begin, as the script has it.
func (u *unit) offsets() string {
	if u.further() == 0 {
		return size(u.offset)
	}
	var list []string
	even := true
	step := u.starts[1] - u.starts[0]
	for i, at := range u.starts {
		list = append(list, integer(plus(u.offset, at-u.starts[0])))
		even = even && at == u.starts[0]+int64(i)*step
	}
	if even {
		return fmt.Sprintf("%d + job * %d", u.offset, step)
	}
	return "({ " + strings.Join(list, ", ") + " })[job + 1]"
}

// blocks is the unit's block size in one direction, and the smallest and largest.
type blocks struct {
	lua      string
	note     string
	min, max int64
	mixed    bool
	// unaligned says that sizes are not multiples of the smallest.
	unaligned bool
}

func (u *unit) blocks(part int) (blocks, error) {
	if o, ok := u.v.Option("bssplit"); ok {
		if text := fiojob.Parts(o.Value)[part]; text != "" {
			return u.splitBlocks(o, text)
		}
	}
	bs, _ := u.v.Option("bs")
	if r, ok := u.v.Option("bsrange"); ok && !later(bs, r) {
		return u.rangeBlocks(r, part)
	}
	n := u.v.Part("bs", part)
	note := u.since("bs")
	if note == "" {
		note = "fio's default"
	}
	return blocks{lua: size(n), note: note, min: n, max: n}, nil
}

func (u *unit) rangeBlocks(o fiojob.Option, part int) (blocks, error) {
	lo, hi := u.v.Range("bsrange", part)
	if lo == 0 {
		lo, hi = 4096, 4096
	}
	unaligned := u.v.Has("bs_unaligned") && u.v.On("bs_unaligned")
	if !unaligned {
		hi -= hi % lo
	}
	b := blocks{lua: size(lo), note: o.String(), min: lo, max: hi, mixed: lo != hi, unaligned: unaligned && lo != hi}
	if b.mixed {
		b.lua = `"` + unquoted(lo) + "-" + unquoted(hi) + `"`
	}
	return b, nil
}

// splitBlocks reads sizes and their shares: 4k/50:64k/50.
func (u *unit) splitBlocks(o fiojob.Option, text string) (blocks, error) {
	shares, err := u.shares(o, text)
	if err != nil {
		return blocks{}, err
	}
	b := blocks{note: o.String()}
	var parts []string
	for _, s := range shares {
		n, err := u.v.Bytes(o, s.what)
		if err != nil {
			return b, err
		}
		if n < 1 {
			return b, o.Fail(s.what, "a block has at least one byte")
		}
		if b.min == 0 || n < b.min {
			b.min = n
		}
		b.max = max(b.max, n)
		if s.percent > 0 {
			parts = append(parts, unquoted(n)+"/"+decimal(s.percent))
		}
	}
	b.mixed = b.min != b.max
	b.lua = `"` + strings.Join(parts, ":") + `"`
	if !b.mixed {
		b.lua = size(b.min)
	}
	return b, nil
}
