package report

import (
	"fmt"
	"slices"
	"strings"
)

// The codes of the warnings, in the order in which they are looked for.
//
//	no-disk          the files lie in memory
//	system-disk      the running system uses the device too
//	slow-link        PCIe was trained below what both ends can do
//	busy-before      others used the device just before the run
//	other-traffic    others used it while a phase was measured
//	tool-limit       a worker had hardly any time to wait in
//	cpu-limit        the processors had no time left
//	late-reaping     completions lay ready for long
//	errors           operations failed
//	short-transfers  operations moved less than they were asked to
//	few-samples      a percentile rests on a handful of operations
//	idle             a job did nothing
//	page-cache       memory was measured and not the device
//	small-file       the device's own cache may hold the file
//	step             throughput fell from one level to another
//	not-steady       throughput was still changing at the end
//	stalls           latency peaks come at a steady period
//	tail             the mean says little about the slowest
//	beyond-range     percentiles lie above what histograms resolve
//	deep-queue       throughput was bought with long waits
//	shallow-queue    fewer operations were in flight than asked for
//	behind-schedule  operations went out late
//	rate-missed      fewer operations were done than fell due

// Each check gives a text for everything it finds.
var (
	runChecks = []struct {
		code string
		find func(*Result) []string
	}{
		{"no-disk", noDisk},
		{"system-disk", systemDisk},
		{"slow-link", slowLink},
		{"busy-before", busyBefore},
	}
	phaseChecks = []struct {
		code string
		find func(*Result, *Phase) []string
	}{
		{"other-traffic", otherTraffic},
		{"tool-limit", toolLimit},
		{"cpu-limit", cpuLimit},
		{"late-reaping", lateReaping},
		{"errors", failures},
		{"short-transfers", shortTransfers},
		{"few-samples", fewSamples},
	}
	jobChecks = []struct {
		code string
		find func(*Result, *Phase, *Job) []string
	}{
		{"idle", idle},
		{"page-cache", pageCache},
		{"small-file", smallFile},
		{"step", stepped},
		{"not-steady", notSteady},
		{"stalls", stalls},
		{"tail", tail},
		{"beyond-range", beyondRange},
		{"deep-queue", deepQueue},
		{"shallow-queue", shallowQueue},
		{"behind-schedule", behindSchedule},
		{"rate-missed", rateMissed},
	}
)

// Diagnose adds the warnings that the result itself gives rise to: each once,
// however often it is called, behind those that are there already.
func Diagnose(r *Result) {
	for _, c := range runChecks {
		r.Warnings = warn(r.Warnings, c.code, c.find(r))
	}
	for _, p := range r.Phases {
		for _, c := range phaseChecks {
			p.Warnings = warn(p.Warnings, c.code, c.find(r, p))
		}
		for _, c := range jobChecks {
			p.Warnings = warn(p.Warnings, c.code, ofJobs(p.Jobs, func(j *Job) []string { return c.find(r, p, j) }))
		}
	}
}

func warn(list []Warning, code string, texts []string) []Warning {
	for _, t := range texts {
		if w := (Warning{code, t}); !slices.Contains(list, w) {
			list = append(list, w)
		}
	}
	return list
}

// ofJobs are a check's texts, each of which begins with its job's name.
func ofJobs(jobs []*Job, find func(*Job) []string) []string {
	var texts []string
	for _, j := range jobs {
		texts = append(texts, find(j)...)
	}
	return merged(texts)
}

// Merge puts warnings of one code together, as Diagnose does with its own.
func Merge(list []Warning) []Warning {
	var codes []string
	texts := map[string][]string{}
	for _, w := range list {
		if texts[w.Code] == nil {
			codes = append(codes, w.Code)
		}
		texts[w.Code] = append(texts[w.Code], w.Text)
	}
	var out []Warning
	for _, code := range codes {
		out = warn(out, code, merged(texts[code]))
	}
	return out
}

// merged are texts that begin with names of jobs. What is said of several in the same words is said once, and what is
// said of very many is cut short: jobs may be clones by the dozen.
func merged(texts []string) []string {
	var order []string // what is behind the names
	names := map[string][]string{}
	for _, t := range texts {
		name, rest, _ := strings.Cut(t, ": ")
		if names[rest] == nil {
			order = append(order, rest)
		}
		names[rest] = append(names[rest], name)
	}
	var list []string
	for _, rest := range order[:min(len(order), perMessage)] {
		list = append(list, few(names[rest])+": "+rest)
	}
	if more := len(order) - len(list); more > 0 {
		list[len(list)-1] += fmt.Sprintf(" It is much the same with %d more.", more)
	}
	return list
}

// few is a list with the first of its words.
func few(words []string) string {
	if more := len(words) - perMessage; more > 0 {
		words = append(slices.Clip(words[:perMessage]), fmt.Sprintf("%d more", more))
	}
	return strings.Join(words, ", ")
}

// storage is whether there is a medium to speak of.
func (r *Result) storage() bool {
	return !r.EngineInfo.Memory && !r.Environment.Storage.InMemory()
}

// io calls f for each of the job's operations on storage, in the order they are shown.
func (j *Job) io(f func(name string, o *Op)) {
	for _, name := range j.OpNames() {
		if o := j.Ops[name]; !o.Span {
			f(name, o)
		}
	}
}

// count is the number of times that the job did any of these operations.
func (j *Job) count(names ...string) int64 {
	var n int64
	for _, name := range names {
		if o := j.Ops[name]; o != nil && !o.Span {
			n += o.Count
		}
	}
	return n
}

// open says whether the job has a schedule, and not its storage's pace.
func (j *Job) open() bool { return j.Conditions.Rate != "" }

// scheduled says whether an operation has a response time that tells what its service time does not. Of clients, it
// is the turns that have a schedule.
func (j *Job) scheduled(o *Op) bool {
	return j.open() && o.Response != nil && (o.Span || j.Kind != "clients")
}
