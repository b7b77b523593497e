package fiolua

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"moonio/engine/place"
)

// engines are fio's engines in moonio's words; "" for those that need no storage.
var engines = map[string]string{
	"psync": "psync", "sync": "sync", "vsync": "sync", "pvsync": "psync", "pvsync2": "pvsync2",
	"libaio": "libaio", "io_uring": "io_uring", "posixaio": "pool", "mmap": "mmap", "null": "",
}

// instead is what there is for engines that moonio does not have.
var instead = map[string]string{
	"filecreate": "write a script whose clients call open: `moonio new FILE` begins one", "filestat": "write a script whose clients call stat",
	"filedelete": "write a script whose clients call unlink", "falloc": "write a script whose clients call file:allocate", "ftruncate": "write a script whose clients call file:truncate",
	"io_uring_cmd": "use ioengine=io_uring on the block device", "sg": "use ioengine=io_uring on the block device",
	"splice": "use ioengine=psync",
}

// putEngine says which engine does the job's operations. Each job has a thread of its
// own, as in fio.
func (t *translation) putEngine(u *unit) error {
	name, _ := u.v.Word("ioengine")
	lua, ok := engines[name]
	if !ok {
		o, _ := u.v.Option("ioengine")
		return o.Fail("", "moonio has no engine %s: %s", name, NoEngine(name))
	}
	if lua == "" {
		u.put("threads", "1", "each job has a thread of its own")
		return nil
	}
	if err := u.checkDirect(name); err != nil {
		return err
	}
	if u.v.On("hipri") && u.v.Has("hipri") && name == "pvsync2" {
		t.ignore("hipri: the kernel takes it of pvsync2, and polls for nothing: io_uring polls")
	}
	options, err := u.engineOptions(name)
	if err != nil {
		return err
	}
	u.put("engine", quote(lua+options), u.engineNote()+", on a thread of its own")
	if name == "vsync" || name == "pvsync" {
		t.ignore(fmt.Sprintf("ioengine=%s: %s does the same, since fio's vectors have one element", name, lua))
	}
	return nil
}

// checkDirect refuses what cannot go past the page cache, or through it.
func (u *unit) checkDirect(engine string) error {
	if o, ok := u.v.Option("direct"); ok && engine == "mmap" && u.direct() {
		return o.Fail("", "mmap maps the page cache: leave it out, or take another engine")
	}
	if o, ok := u.v.Option("hipri"); ok && u.v.On("hipri") && engine == "io_uring" && !u.direct() {
		return o.Fail("", "only direct I/O can be polled for: add direct=1")
	}
	return nil
}

// engineWords are options of fio's engines in the words of moonio's, for each engine that has them.
var engineWords = []struct{ option, word, engines string }{
	{"hipri", "hipri", "io_uring"}, {"sqthread_poll", "sqpoll", "io_uring"}, {"force_async", "force_async", "io_uring"},
	{"registerfiles", "registerfiles", "io_uring"}, {"fixedbufs", "fixedbufs", "io_uring"},
	{"uncached", "uncached", "io_uring pvsync2"}, {"nowait", "nowait", "io_uring libaio pvsync2"},
	{"thp", "advise=hugepage", "mmap"},
}

// engineOptions are an engine's options behind its name.
func (u *unit) engineOptions(engine string) (string, error) {
	var list []string
	for _, w := range engineWords {
		if !u.v.On(w.option) || !u.v.Has(w.option) || w.option == "hipri" && engine == "pvsync2" {
			continue
		}
		if !slices.Contains(strings.Fields(w.engines), engine) {
			o, _ := u.v.Option(w.option)
			return "", o.Fail("", "moonio has it with %s, and the job's engine is %s", w.engines, engine)
		}
		if n := u.v.Integer(w.option); w.option == "force_async" && n > 1 {
			w.word += "=" + integer(n)
		}
		list = append(list, w.word)
	}
	if h := u.advice(); h != "" && engine == "mmap" && len(list) == 0 {
		list = append(list, "advise="+h)
	}
	if u.v.Has("sqthread_poll_cpu") {
		list = append(list, fmt.Sprintf("sqpoll_cpu=%d", u.v.Integer("sqthread_poll_cpu")))
	}
	if len(list) == 0 {
		return "", nil
	}
	return ":" + strings.Join(list, ","), nil
}

// putThreads says where the job's thread runs, and with which priority.
func (t *translation) putThreads(u *unit) error {
	if err := u.putCPUs(); err != nil {
		return err
	}
	if o, ok := u.v.Option("numa_cpu_nodes"); ok {
		u.put("numa", quote(o.Value), o.String())
	}
	if o, ok := u.v.Option("numa_mem_policy"); ok {
		if err := u.putMemory(o.Value); err != "" {
			return o.Fail("", "%s", err)
		}
	}
	if n := u.v.Integer("nice"); n != 0 {
		u.put("nice", integer(n), u.since("nice"))
	}
	if u.v.Has("prio") || u.v.Has("prioclass") {
		u.put("ioprio", quote(priority(u.v.Integer("prioclass"), u.v.Integer("prio"))), u.since("prioclass", "prio"))
	}
	return t.putPriorities(u)
}

// priority is a class and a level as ionice has them. fio's default class is best effort.
func priority(class, level int64) string {
	switch class {
	case 1:
		return fmt.Sprintf("rt/%d", level)
	case 3:
		return "idle"
	}
	return fmt.Sprintf("be/%d", level)
}

// putCPUs reads cpus_allowed, or cpumask.
func (u *unit) putCPUs() error {
	list := u.v.Text("cpus_allowed")
	note := u.since("cpus_allowed")
	if list == "" && u.v.Has("cpumask") {
		list, note = cpus(u.v.Integer("cpumask")), u.since("cpumask")
	}
	if list == "" {
		return nil
	}
	if u.v.Text("cpus_allowed_policy") == "split" && len(u.jobs) > 1 {
		o, _ := u.v.Option("cpus_allowed")
		all, err := expand(list)
		if err != nil {
			return o.Fail("", "%v", err)
		}
		u.put("cpus", fmt.Sprintf("({ %s })[job %% %d + 1]", strings.Join(all, ", "), len(all)), note+" "+u.since("cpus_allowed_policy"))
		return nil
	}
	list = strings.ReplaceAll(list, ":", ",")
	if _, err := place.ParseList(list); err != nil {
		o, ok := u.v.Option("cpus_allowed")
		if !ok {
			o, _ = u.v.Option("cpumask")
		}
		return o.Fail("", "%v", err)
	}
	u.put("cpus", quote(list), note)
	return nil
}

// cpus are the CPUs of a mask.
func cpus(mask int64) string {
	var list []string
	for i := range 63 {
		if mask>>i&1 == 1 {
			list = append(list, strconv.Itoa(i))
		}
	}
	return strings.Join(list, ",")
}

// mostCPUs is more than any machine has.
const mostCPUs = 8192

// expand lists the numbers of 0-3,8.
func expand(text string) ([]string, error) {
	var list []string
	for _, part := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ':' }) {
		a, b, isRange := strings.Cut(part, "-")
		lo, err1 := strconv.Atoi(a)
		hi := lo
		var err2 error
		if isRange {
			hi, err2 = strconv.Atoi(b)
		}
		if err1 != nil || err2 != nil || lo < 0 || hi < lo || hi >= mostCPUs {
			return nil, fmt.Errorf("%q is no list of CPUs such as 0-3,8", text)
		}
		for i := lo; i <= hi; i++ {
			list = append(list, strconv.Itoa(i))
		}
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%q names no CPU", text)
	}
	return list, nil
}

// putMemory reads numa_mem_policy, and returns what is wrong with it.
func (u *unit) putMemory(value string) string {
	mode, nodes, _ := strings.Cut(value, ":")
	switch mode {
	case "default", "local":
		return ""
	case "bind", "prefer":
		if nodes == "" {
			return "it names no node, as in bind:0"
		}
		if other := u.v.Text("numa_cpu_nodes"); other != "" && other != nodes {
			return "a job's memory and its CPUs are on the same nodes here: give cpus_allowed instead of numa_cpu_nodes"
		}
		if !u.v.Has("numa_cpu_nodes") {
			u.put("numa", quote(nodes), "numa_mem_policy="+value)
		}
		return ""
	}
	return "memory comes from the job's nodes here: use bind:NODES, or local"
}
