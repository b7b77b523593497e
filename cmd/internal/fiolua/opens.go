package fiolua

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// opens opens the files before anything is measured.
func (t *translation) opens(w *writer) {
	w.line("")
	for _, d := range t.missingDirs() {
		w.line("mkdir(%s)", quote(d))
	}
	if len(t.handles) > mostLocals {
		w.line("local files = {}")
	}
	for _, h := range t.handles {
		if h.format == "" {
			t.open(w, h)
		} else {
			t.openMany(w, h)
		}
		if h.preread {
			t.preread(w, h)
		}
	}
}

// missingDirs are the directories beneath the run's that a file's name needs, those above
// others first.
func (t *translation) missingDirs() []string {
	var list []string
	for _, f := range t.program.Files {
		for d := filepath.Dir(f.Path); !f.Device && len(d) > len(t.program.Dir); d = filepath.Dir(d) {
			if name := t.inScript(d); (t.program.Null || !t.look(d).Exists) && !slices.Contains(list, name) {
				list = append(list, name)
			}
		}
	}
	slices.Sort(list)
	return list
}

func (h *handle) declare() string {
	if strings.HasPrefix(h.variable, "files[") {
		return h.variable
	}
	return "local " + h.variable
}

func (t *translation) open(w *writer, h *handle) {
	name := t.inScript(h.path)
	if h.device {
		name = h.path
	}
	note := ""
	if h.note != "" {
		note = " -- " + comment(h.note)
	}
	w.line("%s = open(%s%s)%s", h.declare(), quote(name), h.options(), note)
}

// options are the second argument of open.
func (h *handle) options() string {
	if h.device {
		return ""
	}
	var list []string
	if !h.keep {
		list = append(list, "size = "+cmp.Or(h.drawn, size(h.size)))
		if h.layout != "write" {
			list = append(list, "layout = "+quote(h.layout))
		}
	}
	for _, f := range []struct {
		on   bool
		text string
	}{
		{h.direct, "direct = true"}, {h.sync != "", "sync = " + quote(h.sync)},
		{!h.create, "create = false"}, {h.drop, "invalidate = true"},
		{h.advice != "", "advice = " + quote(h.advice)},
	} {
		if f.on {
			list = append(list, f.text)
		}
	}
	if len(list) == 0 {
		return ""
	}
	return ", { " + strings.Join(list, ", ") + " }"
}

// openMany opens files whose names are numbered.
func (t *translation) openMany(w *writer, h *handle) {
	u := h.first
	w.line("%s = {} -- named as fio does: %s", h.declare(), comment(u.v.Text("filename_format")))
	indent := ""
	target := h.variable + "[n + 1]"
	if u.own {
		w.line("for job = 0, %d do", len(u.jobs)-1)
		indent = "  "
		if h.count > 1 {
			w.line("  %s[job + 1] = {}", h.variable)
			target = h.variable + "[job + 1][n + 1]"
		} else {
			target = h.variable + "[job + 1]"
		}
	}
	inner := indent
	if h.count > 1 {
		w.line("%sfor n = 0, %d do", indent, h.count-1)
		inner += "  "
	}
	w.line("%s%s = open(%s%s)", inner, target, t.nameExpression(h), h.options())
	if h.count > 1 {
		w.line("%send", indent)
	}
	if u.own {
		w.line("end")
	}
}

// nameExpression is a file's name as Lua puts it together.
func (t *translation) nameExpression(h *handle) string {
	name := h.format
	dir := t.dirPrefix(h.dirs[0])
	if filepath.IsAbs(name) && len(h.dirs) == 1 {
		name, dir = t.inScript(name), ""
	}
	var parts []string
	if len(h.dirs) > 1 && h.first.own {
		var all []string
		for _, d := range h.dirs {
			all = append(all, quote(t.dirPrefix(d)))
		}
		parts = append(parts, fmt.Sprintf("({ %s })[job %% %d + 1]", strings.Join(all, ", "), len(h.dirs)))
	} else {
		name = dir + name
	}
	if !h.first.own {
		name = strings.ReplaceAll(name, "$jobnum", "0")
	}
	if h.count == 1 {
		name = strings.ReplaceAll(name, "$filenum", "0")
	}
	for name != "" {
		i, word, variable := nextVariable(name)
		if i > 0 {
			parts = append(parts, quote(name[:i]))
		}
		if variable != "" {
			parts = append(parts, variable)
		}
		name = name[i+len(word):]
	}
	return strings.Join(parts, " .. ")
}

// nextVariable finds the first variable of a file name's format.
func nextVariable(name string) (at int, word, variable string) {
	at = len(name)
	for _, v := range []struct{ word, variable string }{{"$jobnum", "job"}, {"$filenum", "n"}} {
		if i := strings.Index(name, v.word); i >= 0 && i < at {
			at, word, variable = i, v.word, v.variable
		}
	}
	return at, word, variable
}

func (t *translation) dirPrefix(dir string) string {
	if name := t.inScript(dir); name != "." {
		return name + "/"
	}
	return ""
}

// preread brings files into the page cache.
func (t *translation) preread(w *writer, h *handle) {
	h.each(w, func(file, indent string) {
		w.line("%sfor at = 0, %s:size() - 1, MiB(1) do -- pre_read", indent, file)
		w.line("%s  %s:read(math.min(MiB(1), %[2]s:size() - at), at)", indent, file)
		w.line("%send", indent)
	})
}

// each writes lines for each file of a handle.
func (h *handle) each(w *writer, lines func(file, indent string)) {
	switch {
	case h.format == "":
		lines(h.variable, "")
	case h.first.own && h.count > 1:
		w.line("for _, list in ipairs(%s) do", h.variable)
		w.line("  for _, file in ipairs(list) do")
		lines("file", "    ")
		w.line("  end")
		w.line("end")
	default:
		w.line("for _, file in ipairs(%s) do", h.variable)
		lines("file", "  ")
		w.line("end")
	}
}

// removals removes the files of jobs that say so.
func (t *translation) removals(w *writer) {
	for _, h := range t.handles {
		if !h.unlink || h.device {
			continue
		}
		for _, p := range h.paths(t.clonesOf(h)) {
			w.line("unlink(%s) -- unlink=1", quote(t.inScript(p)))
		}
	}
}
