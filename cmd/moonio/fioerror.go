package main

import (
	"regexp"
	"strings"

	"moonio/cmd/internal/fiojob"
)

// fioError is an error of a run in the words of fio's users, who wrote no script.
type fioError struct {
	text string
	err  error
}

func (e *fioError) Error() string { return e.text }
func (e *fioError) Unwrap() error { return e.err }

// inScript is where the script that the jobs have become met an error.
var inScript = regexp.MustCompile(`^fio\.lua:\d+: `)

// otherDir is what there is here for the flag of other commands.
var otherDir = strings.NewReplacer("use another --dir", "name another directory", "another --dir", "another directory")

// explain takes the script out of an error. One that the script itself is blamed for follows
// from the options' values: it is wrong usage, unless something has run by then.
func (f *fioRun) explain(err error, ran bool) error {
	if f == nil || err == nil {
		return err
	}
	text := err.Error()
	if isScriptError(err) {
		text, err = firstLine(text), nil
	}
	text = inScript.ReplaceAllString(text, "")
	text = otherDir.Replace(text)
	if err == nil && !ran {
		return usage("%s", f.placed(text))
	}
	return &fioError{text, err}
}

// inPhase is what the error says of the script's phase, whose name no user wrote.
var inPhase = regexp.MustCompile(`^(phase "(?:[^"\\]|\\.)*": )?((job|stream) "(?:[^"\\]|\\.)*": )?`)

// placed says where what an error is about was written: the option that it follows from, or
// the job.
func (f *fioRun) placed(text string) string {
	jobs := f.program.Jobs
	for _, j := range jobs {
		if strings.Contains(text, `job "`+j.Name+`"`) || strings.Contains(text, `stream "`+j.Name+`"`) {
			jobs = []fiojob.Reported{j}
			break
		}
	}
	text = inPhase.ReplaceAllString(text, "")
	for _, w := range wordsOfScripts {
		for _, j := range jobs {
			if o, ok := fiojob.ValuesOf(&j.Job).Option(w.option); ok && strings.Contains(text, w.word) {
				return o.Fail("", "%s", text).Error()
			}
		}
	}
	if len(jobs) == 1 {
		if o, ok := firstOption(jobs[0].Job); ok {
			return (&fiojob.Error{Pos: o.Pos, What: "job " + jobs[0].Job.Name, Why: text}).Error()
		}
	}
	return text
}

// wordsOfScripts are what errors call the options that a script has of fio's.
var wordsOfScripts = []struct{ word, option string }{
	{"verify: interval", "verify_interval"}, {"verify: option pattern", "verify_pattern"}, {"data: option pattern", "buffer_pattern"}, {"data: chunk", "buffer_compress_chunk"},
	{"steady: ", "steadystate"}, {"numa = ", "numa_cpu_nodes"}, {"cpus = ", "cpus_allowed"}, {"cpus = ", "cpumask"}, {"depth_low = ", "iodepth_low"}, {"sqpoll_cpu", "sqthread_poll_cpu"},
	{"align on ", "bs_unaligned"}, {"zone_strided", "zonesize"}, {"offset on ", "offset"}, {"align on ", "ba"}, {"align on ", "bs"}, {"block on ", "bs"}, {"engine = ", "ioengine"},
}

// firstOption stands for the job.
func firstOption(j fiojob.Job) (fiojob.Option, bool) {
	for _, list := range [][]fiojob.Option{j.Options, j.All} {
		if len(list) > 0 {
			return list[0], true
		}
	}
	return fiojob.Option{}, false
}
