package fiolua

import (
	"fmt"
	"path/filepath"
	"strings"

	"moonio/cmd/internal/fiojob"
)

// handle is a file as the script opens it. Jobs that open a file in the same way share
// it; clones with files of their own have one handle for all.
type handle struct {
	path     string // of a file of clones' own, the first's
	format   string // what follows the directory, with $jobnum and $filenum; "" for one file
	dirs     []string
	base     string // the directory that a single file of fio's naming is beneath
	size     int64
	drawn    string // in the script, if the size is drawn
	keep     bool   // the file is used as it is, since no job says how large it is to be
	direct   bool
	sync     string
	advice   string // to the kernel; "": none
	layout   string
	drop     bool // its pages are dropped from the cache
	create   bool
	device   bool
	written  bool
	unlink   bool
	preread  bool
	variable string
	note     string
	count    int // files of one clone
	first    *unit
}

// find names the unit's files and says how each is opened.
func (t *translation) find(u *unit) error {
	switch {
	case u.opens():
		return t.openedDir(u)
	case u.v.Has("filename"):
		return t.named(u)
	}
	return t.generated(u)
}

// named are files that filename names; all clones share them.
func (t *translation) named(u *unit) error {
	o, _ := u.v.Option("filename")
	dir := firstOf(splitNames(u.v.Text("directory")))
	for _, name := range splitNames(o.Value) {
		if name == "-" {
			return o.Fail("-", "standard input and output are no storage")
		}
		path := name
		if !filepath.IsAbs(name) {
			path = filepath.Join(dir, name)
		}
		h := &handle{path: t.absolute(path), note: "filename=" + o.Value, count: 1, first: u}
		if err := t.homeOf(u, o, h.path, t.absolute(dir)); err != nil {
			return err
		}
		u.files = append(u.files, h)
	}
	return nil
}

// splitNames takes a list of names apart: colons stand between them, but for those
// after a backslash.
func splitNames(text string) []string {
	var list []string
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '\\' && i+1 < len(text) && text[i+1] == ':':
			i++
			b.WriteByte(':')
		case text[i] == ':':
			list = append(list, b.String())
			b.Reset()
		default:
			b.WriteByte(text[i])
		}
	}
	if b.Len() > 0 {
		list = append(list, b.String())
	}
	return list
}

func firstOf(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[0]
}

// homeOf refuses a file without a directory to be in. Those beneath the jobs' own are made, as fio
// makes them.
func (t *translation) homeOf(u *unit, o fiojob.Option, path, top string) error {
	home := filepath.Dir(path)
	if strings.HasPrefix(home, strings.TrimSuffix(top, "/")+"/") && !t.look(home).Exists {
		home = top
		if d, ok := u.v.Option("directory"); ok {
			o = d
		}
	}
	return t.there(u, o, home)
}

// there refuses a directory that does not exist, where one is needed.
func (t *translation) there(u *unit, o fiojob.Option, dir string) error {
	if t.bare(u) {
		return nil
	}
	switch n := t.setup.Look(dir); {
	case !n.Exists:
		return o.Fail("", "there is no directory %s", dir)
	case n.Kind != Directory:
		return o.Fail("", "%s is not a directory", dir)
	}
	return nil
}

// generated are files named as fio does: jobname.jobnum.filenum.
func (t *translation) generated(u *unit) error {
	dirs := splitNames(u.v.Text("directory"))
	if len(dirs) == 0 {
		dirs = []string{"."}
	}
	for i, d := range dirs {
		dirs[i] = t.absolute(d)
		if o, ok := u.v.Option("directory"); ok {
			if err := t.there(u, o, dirs[i]); err != nil {
				return err
			}
		}
	}
	format := u.v.Text("filename_format")
	if format == "" {
		format = "$jobname.$jobnum.$filenum"
	}
	format = strings.NewReplacer("$jobname", u.jobs[0].Section, "$clientuid", "").Replace(format)
	n := int(max(1, u.v.Integer("nrfiles")))
	h := &handle{format: format, dirs: dirs, count: n, first: u}
	h.path = h.at(0, 0)
	if o := u.blame("filename_format"); !filepath.IsAbs(format) && !filepath.IsLocal(format) {
		return o.Fail("", "the files' names, %s, lead out of the directory: choose it with directory", format)
	}
	u.own = len(u.jobs) > 1 && (len(dirs) > 1 || h.at(0, 0) != h.at(1, 0))
	if n == 1 && !u.own {
		if !filepath.IsAbs(format) {
			h.base = dirs[0]
		}
		h.format, h.dirs = "", nil
	}
	u.files = []*handle{h}
	return nil
}

// at is the path of a file of a clone's.
func (h *handle) at(clone, n int) string {
	if h.format == "" {
		return h.path
	}
	dir := h.dirs[clone%len(h.dirs)]
	name := strings.NewReplacer("$jobnum", fmt.Sprint(clone), "$filenum", fmt.Sprint(n)).Replace(h.format)
	if filepath.IsAbs(name) && len(h.dirs) == 1 {
		return filepath.Clean(name)
	}
	return filepath.Join(dir, name)
}

// paths are all files of the handle, for so many clones.
func (h *handle) paths(clones int) []string {
	if h.format == "" {
		return []string{h.path}
	}
	var list []string
	for c := range clones {
		for n := range h.count {
			list = append(list, h.at(c, n))
		}
	}
	return list
}

// prepare settles how the unit's files are opened, now that their sizes are known.
func (t *translation) prepare(u *unit) error {
	for i, h := range u.files {
		node := t.look(h.path)
		h.device = node.Kind == Device && !t.bare(u)
		if err := t.usable(u, h, node); err != nil {
			return err
		}
		h.direct = u.direct()
		h.sync = u.syncs()
		if h.advice = u.advice(); h.direct || h.device || u.null() || u.mapped() {
			h.advice = ""
		}
		h.written = u.rw.changes()
		h.create = u.creates()
		h.unlink = u.v.On("unlink")
		h.preread = u.v.On("pre_read")
		if h.preread && h.device {
			o, _ := u.v.Option("pre_read")
			return o.Fail("", "a device is read past the page cache here")
		}
		h.drop = !h.direct && u.drops()
		h.size = plus(plus(u.offset, u.further()), u.size)
		if u.opens() {
			h.size = node.Size
		} else if u.most > 0 {
			h.drawn = fmt.Sprintf("%d * math.random(%d, %d)", u.minimum, h.size/u.minimum, u.most/u.minimum)
		}
		h.keep = !t.bare(u) && node.Exists && !u.v.Has("filesize") && u.v.Size("size").Bytes == 0
		if u.full {
			h.keep, h.size = true, 0
		}
		h.layout = u.layout()
		u.files[i] = t.share(u, h)
	}
	return nil
}

// creates says whether the unit makes files that are not there.
func (u *unit) creates() bool { return u.v.On("allow_file_create") || !u.v.Has("allow_file_create") }

// drops says whether the page cache is to hold nothing of the unit's files when it begins.
func (u *unit) drops() bool {
	return u.rw.reads && u.invalidates()
}

// invalidates says whether fio drops what the page cache holds of the unit's files.
func (u *unit) invalidates() bool {
	return !u.null() && !u.v.On("pre_read") && (u.v.On("invalidate") || !u.v.Has("invalidate"))
}

// usable refuses what is neither a file nor a block device.
func (t *translation) usable(u *unit, h *handle, n Node) error {
	o, ok := u.v.Option("filename")
	if !ok {
		o = u.origin()
	}
	switch {
	case t.bare(u) || !n.Exists:
		return nil
	case n.Kind == Directory:
		return o.Fail("", "%s is a directory: name a file in it, or give it as directory", h.path)
	case n.Kind == Other:
		return o.Fail("", "%s is neither a file nor a block device", h.path)
	case n.Kind == Device && n.Size == 0:
		return o.Fail("", "%s cannot be read, or there is no medium in it", h.path)
	case n.Kind == Device && u.offset+u.size > n.Size:
		return o.Fail("", "%s has %d bytes, and the job's region ends at %d", h.path, n.Size, u.offset+u.size)
	}
	return nil
}

// look is what there is at a path.
func (t *translation) look(path string) Node {
	if t.setup.Look == nil {
		return Node{}
	}
	return t.setup.Look(path)
}

// bare says whether the unit runs where there is no storage.
func (t *translation) bare(u *unit) bool { return t.setup.Look == nil || t.setup.Virtual || u.null() }

// share finds the handle of an earlier job that opens the same file in the same way.
func (t *translation) share(u *unit, h *handle) *handle {
	if h.format != "" {
		t.handles = append(t.handles, h)
		return h
	}
	key := fmt.Sprintf("%s direct=%v sync=%s advice=%s", h.path, h.direct, h.sync, h.advice)
	have, ok := t.opened[key]
	if !ok {
		t.opened[key] = h
		t.handles = append(t.handles, h)
		return h
	}
	have.size = max(have.size, h.size)
	have.keep = have.keep && h.keep
	have.create = have.create || h.create
	have.written = have.written || h.written
	have.unlink = have.unlink || h.unlink
	have.drop = have.drop || h.drop && have.first.stage == u.stage
	have.preread = have.preread || h.preread
	if h.layout == "write" && have.first.stage == u.stage {
		have.layout = h.layout
	}
	return have
}

// layout is how the unit's files come to their size: those that are read are written first.
func (u *unit) layout() string {
	if u.rw.reads || u.v.On("overwrite") || u.v.Text("verify") != "0" && !u.rw.writes {
		return "write"
	}
	switch u.v.Text("fallocate") {
	case "none", "0", "truncate":
		return "sparse"
	}
	if u.v.On("create_on_open") {
		return "sparse"
	}
	return "allocate"
}

// direct says whether the unit goes past the page cache. Of direct and buffered the one
// that comes later holds.
func (u *unit) direct() bool {
	d, hasDirect := u.v.Option("direct")
	b, hasBuffered := u.v.Option("buffered")
	if hasBuffered && (!hasDirect || later(b, d)) {
		return !u.v.On("buffered")
	}
	return hasDirect && u.v.On("direct")
}

// syncs is the option sync in the script's words.
func (u *unit) syncs() string {
	switch u.v.Text("sync") {
	case "1", "sync":
		return "sync"
	case "dsync":
		return "dsync"
	}
	return ""
}

// advice is what the kernel is told of the places of the unit's operations; "" if nothing.
func (u *unit) advice() string {
	switch hint := u.v.Text("fadvise_hint"); {
	case hint == "0", !u.rw.reads && !u.readsBack():
		return ""
	case hint == "random", hint == "1" && u.rw.random:
		return "random"
	}
	return "sequential"
}

// mapped says whether the unit's files are mapped into memory.
func (u *unit) mapped() bool {
	engine, _ := u.v.Word("ioengine")
	return engine == "mmap"
}

// null says whether the unit touches no storage.
func (u *unit) null() bool {
	engine, _ := u.v.Word("ioengine")
	return engine == "null"
}

// origin is an option that stands for the job where no other does.
func (u *unit) origin() fiojob.Option {
	j := u.jobs[0]
	for _, list := range [][]fiojob.Option{j.Options, j.All} {
		if len(list) > 0 {
			return list[0]
		}
	}
	return fiojob.Option{Name: "name", Value: u.name, Given: true, Pos: j.Pos}
}
