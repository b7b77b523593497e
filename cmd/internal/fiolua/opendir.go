package fiolua

import (
	"fmt"
	"path/filepath"
	"slices"
)

// besides are options that say which files there are, or which part of them is used: opendir says so itself.
var besides = []string{"filename", "size", "filesize", "offset", "offset_increment", "nrfiles", "fill_device", "file_append", "zonemode", "unlink"}

// openedDir finds the files in the directory that opendir names, and in those beneath it.
func (t *translation) openedDir(u *unit) error {
	o, _ := u.v.Option("opendir")
	for _, name := range besides {
		if other, ok := u.v.Option(name); ok && !off(u.v, spec(name)) {
			return other.Fail("", "it does not go with opendir, whose files are used as they are, and whole")
		}
	}
	if t.bare(u) || t.setup.List == nil {
		return o.Fail("", "there is no storage that files could be on already")
	}
	dir := t.absolute(o.Value)
	if err := t.there(u, o, dir); err != nil {
		return err
	}
	paths, err := t.setup.List(dir)
	if err != nil {
		return o.Fail("", "%v", err)
	}
	slices.Sort(paths)
	small := 0
	for _, p := range paths {
		if t.look(p).Size < u.largest {
			small++
			continue
		}
		u.files = append(u.files, &handle{path: p, base: dir, note: o.String(), count: 1, first: u})
	}
	if small > 0 {
		t.warn(fmt.Sprintf("job %s: files in %s that are smaller than a block are left out: %d", u.name, filepath.Clean(o.Value), small))
	}
	if len(u.files) == 0 {
		return o.Fail("", "there is no file in it that a block fits into")
	}
	return nil
}

// opens says whether the unit's files are those of a directory.
func (u *unit) opens() bool { return u.v.Text("opendir") != "" }

// measureOpened finds how large they are.
func (t *translation) measureOpened(u *unit) {
	for i, h := range u.files {
		n := t.look(h.path).Size
		if i == 0 || n < u.size {
			u.size = n
		}
		u.most = max(u.most, n)
		u.total = plus(u.total, n-n%u.grain)
		u.room = u.total
	}
}
