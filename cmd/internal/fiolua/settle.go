package fiolua

import (
	"cmp"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"moonio/cmd/internal/fiojob"
)

// settle finds what concerns all jobs together: the directory, the names, the engine.
func (t *translation) settle() error {
	if len(t.units) == 0 {
		return fmt.Errorf("there is no job to run: name one with --name=NAME, or give a job file")
	}
	t.program.Null = t.units[0].null()
	for _, u := range t.units {
		if u.null() != t.program.Null {
			o, ok := u.v.Option("ioengine")
			if !ok {
				o = u.origin()
			}
			return o.Fail("", "jobs on ioengine=null and jobs on storage don't run together: give them command lines of their own")
		}
	}
	if err := t.aloneWithTarget(); err != nil {
		return err
	}
	if err := t.recorded(); err != nil {
		return err
	}
	for _, stage := range t.stages() {
		t.cautionRamp(stage)
		if err := t.checkRoom(stage); err != nil {
			return err
		}
		if err := t.checkExit(stage); err != nil {
			return err
		}
	}
	t.placeFiles()
	t.listFiles()
	if err := t.thereAlready(); err != nil {
		return err
	}
	t.nameResults()
	if err := t.commands(); err != nil {
		return err
	}
	return t.variables()
}

// placeFiles finds the directories that the files live in, and the deepest one that holds
// them all, beneath which the script names them.
func (t *translation) placeFiles() {
	var bases []string
	root := ""
	for _, h := range t.handles {
		if h.device {
			continue
		}
		for _, b := range h.bases(t) {
			if !slices.Contains(bases, b) {
				bases = append(bases, b)
			}
			root = common(root, b)
		}
	}
	t.program.Dir = cmp.Or(root, t.setup.Dir)
	if len(bases) < 2 {
		return
	}
	for _, b := range bases {
		t.program.Parts = append(t.program.Parts, t.inScript(b))
	}
}

// bases are the directories that the user named for the handle's files: what is made beneath
// them is the run's.
func (h *handle) bases(t *translation) []string {
	switch {
	case h.base != "":
		return []string{h.base}
	case h.format == "" || filepath.IsAbs(h.format) && len(h.dirs) == 1:
		dir := filepath.Dir(h.path)
		for t.setup.Look != nil && dir != "/" && !t.look(dir).Exists {
			dir = filepath.Dir(dir)
		}
		return []string{dir}
	}
	return h.dirs
}

// clonesOf is how many clones have files by the handle's format.
func (t *translation) clonesOf(h *handle) int {
	if h.first.own {
		return len(h.first.jobs)
	}
	return 1
}

// common is the deepest directory that holds both; a alone if it is the first.
func common(a, b string) string {
	if a == "" {
		return b
	}
	for a != b {
		if len(a) > len(b) {
			a = filepath.Dir(a)
		} else {
			b = filepath.Dir(b)
		}
	}
	return a
}

// inScript is what the script calls a path.
func (t *translation) inScript(path string) string {
	name, err := filepath.Rel(t.program.Dir, path)
	if err != nil {
		return path
	}
	return name
}

func (t *translation) listFiles() {
	at := map[string]int{}
	for _, h := range t.handles {
		option, ok := h.first.v.Option("filename")
		if !ok {
			option = h.first.origin()
		}
		for _, p := range h.paths(t.clonesOf(h)) {
			if i, ok := at[p]; ok {
				t.program.Files[i].Written = t.program.Files[i].Written || h.written
				continue
			}
			at[p] = len(t.program.Files)
			f := File{Path: p, Name: t.inScript(p), Written: h.written, Device: h.device, Option: option}
			if !h.keep {
				f.Size = h.size
			}
			if h.device {
				f.Name = p
			}
			t.program.Files = append(t.program.Files, f)
		}
	}
}

// thereAlready refuses files that are not there and that no job may make.
func (t *translation) thereAlready() error {
	made := map[string]bool{}
	for _, pass := range []bool{true, false} {
		for _, h := range t.handles {
			for _, p := range h.paths(t.clonesOf(h)) {
				switch {
				case t.setup.ReadOnly && !t.bare(h.first) && !t.look(p).Exists:
					return h.first.blame("filename", "rw").Fail("", "there is no file %s, and --readonly lays none out", p)
				case h.create:
					made[p] = true
				case !pass && !made[p] && !t.bare(h.first) && !t.look(p).Exists:
					o, _ := h.first.v.Option("allow_file_create")
					return o.Fail("", "there is no file %s", p)
				}
			}
		}
	}
	return nil
}

// nameResults gives every stage a phase and every clone a name in it, and none twice.
func (t *translation) nameResults() {
	phases := map[string]bool{}
	for _, stage := range t.stages() {
		name := stage[0].name
		if len(stage) > 1 {
			name = fmt.Sprintf("stage %d", stage[0].stage+1)
		}
		name = unused(phases, printable(name))
		jobs := map[string]bool{"name": true, "duration": true}
		for _, u := range stage {
			u.phase = name
			base := unused(jobs, printable(u.name))
			for i, j := range u.jobs {
				result := base
				if len(u.jobs) > 1 {
					result = fmt.Sprintf("%s.%d", base, i)
					jobs[result] = true
				}
				u.results = append(u.results, result)
				t.program.Jobs = append(t.program.Jobs, fiojob.Reported{Job: j, Phase: name, Name: result})
				if u.readsBack() {
					t.program.Jobs = append(t.program.Jobs, fiojob.Reported{Job: j, Phase: u.checkPhase(), Name: result})
				}
			}
		}
		putTurns(stage)
		t.putExits(stage)
	}
}

// putTurns says which jobs of a stage have to be over before others begin.
func putTurns(stage []*unit) {
	for _, u := range stage {
		var names []string
		for _, other := range stage {
			if other == u { // those behind it are none that it can wait for
				break
			}
			if after := u.jobs[0].After; after != "" && other.name == after {
				for _, r := range other.results {
					names = append(names, quote(r))
				}
			}
		}
		if len(names) == 1 {
			u.put("after", names[0], u.since("wait_for"))
		} else if len(names) > 1 {
			u.put("after", "{ "+strings.Join(names, ", ")+" }", u.since("wait_for"))
		}
	}
}

// unused is the name, or one like it that has not been given yet.
func unused(taken map[string]bool, name string) string {
	for n := 2; taken[name]; n++ {
		if !taken[fmt.Sprintf("%s (%d)", name, n)] {
			name = fmt.Sprintf("%s (%d)", name, n)
		}
	}
	taken[name] = true
	return name
}

// stages are the units that run at the same time, stage by stage.
func (t *translation) stages() [][]*unit {
	var list [][]*unit
	for _, u := range t.units {
		if n := len(list); n > 0 && list[n-1][0].stage == u.stage {
			list[n-1] = append(list[n-1], u)
		} else {
			list = append(list, []*unit{u})
		}
	}
	return list
}

// mostLocals keeps the script's locals well below the 200 that Lua has.
const mostLocals = 60

// variables names the locals that hold the files.
func (t *translation) variables() error {
	taken := map[string]bool{}
	for i, h := range t.handles {
		switch {
		case len(t.handles) > mostLocals:
			h.variable = fmt.Sprintf("files[%d]", i+1)
		case h.format != "":
			h.variable = local(taken, h.first.name+"_files")
		default:
			h.variable = local(taken, filepath.Base(h.path))
		}
	}
	return nil
}

var notInNames = regexp.MustCompile(`[^A-Za-z0-9_]+`)

// reserved are Lua's words and moonio's functions.
var reserved = strings.Fields("and break do else elseif end false for function if in local nil not or repeat return then true until while " +
	"open phase stream clients params queue span sleep expect log list stat mkdir rename unlink random sequential reverse strided zipf pareto " +
	"normal gaussian exponential trace options checks zoned hotspot permute runs either zone_strided verify replay math jobs job files result table string rand chance choose ms us sec bytes seconds n now print")

// local makes a local's name of a file's.
func local(taken map[string]bool, name string) string {
	name = strings.Trim(notInNames.ReplaceAllString(name, "_"), "_")
	if name == "" || name[0] >= '0' && name[0] <= '9' || slices.Contains(reserved, name) {
		name = strings.TrimRight("file_"+name, "_")
	}
	base := name
	for n := 2; taken[name]; n++ {
		name = fmt.Sprintf("%s_%d", base, n)
	}
	taken[name] = true
	return name
}

func printable(s string) string { return strings.TrimSpace(comment(s)) }

// numeric says whether an option's value is a number of bytes.
func numeric(name string) bool {
	s, _ := fiojob.Find(name)
	return s.Kind == fiojob.Integer || s.Kind == fiojob.Size || s.Kind == fiojob.Range || name == "bssplit"
}
