package fiolua

import "slices"

// forget drops from the page cache what jobs are going to read and earlier ones have used.
func (t *translation) forget(w *writer, units []*unit) {
	done := map[string]bool{}
	for _, u := range units {
		for _, h := range u.files {
			if path := h.at(0, 0); u.drops() && !h.direct && !done[path] && t.usedBefore(h, u.stage) {
				done[path] = true
				w.line("")
				h.each(w, func(file, indent string) {
					w.line("%s%s:invalidate() -- %s", indent, file, u.sinceOr("invalidate=1 is fio's default", "invalidate"))
				})
			}
		}
	}
}

// usedBefore says whether jobs before a stage have a file of the handle's.
func (t *translation) usedBefore(h *handle, stage int) bool {
	if t.usedIn == nil {
		t.usedIn = map[string]int{}
		for _, u := range t.units { // in the order of their stages
			for _, other := range u.files {
				for _, p := range other.paths(t.clonesOf(other)) {
					if _, ok := t.usedIn[p]; !ok {
						t.usedIn[p] = u.stage
					}
				}
			}
		}
	}
	return slices.ContainsFunc(h.paths(t.clonesOf(h)), func(p string) bool { return t.usedIn[p] < stage })
}
