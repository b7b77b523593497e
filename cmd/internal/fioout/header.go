package fioout

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"moonio/cmd/internal/fiojob"
)

// Header writes what the text report begins with: a line for each job, and how many start.
func Header(w io.Writer, jobs []fiojob.Reported) error {
	var b bytes.Buffer
	threads, processes := 0, 0
	for i := range jobs {
		if again(jobs, i) {
			continue
		}
		j := &jobs[i].Job
		o := fiojob.ValuesOf(j)
		if o.On("thread") {
			threads++
		} else {
			processes++
		}
		switch j.Clone {
		case 0:
			headerJob(&b, j, o)
		case 1:
			b.WriteString("...\n")
		}
	}
	fmt.Fprintf(&b, "%s\nStarting %s\n", Version, starting(threads, processes))
	_, err := w.Write(b.Bytes())
	return err
}

func headerJob(b *bytes.Buffer, j *fiojob.Job, o *fiojob.Values) {
	s := styleOf(o)
	var sizes []string
	for i, name := range []string{"R", "W", "T"} {
		lo, hi := blocks(o, i)
		sizes = append(sizes, fmt.Sprintf("(%s) %s-%s", name, s.size(uint64(lo)), s.size(uint64(hi))))
	}
	rw, _ := o.Word("rw")
	if rw == "readwrite" {
		rw = "rw"
	}
	engine, _ := o.Word("ioengine")
	fmt.Fprintf(b, "%s: (g=%d): rw=%s, bs=%s, ioengine=%s, iodepth=%d\n", j.Name, j.Group, rw, strings.Join(sizes, ", "), engine, o.Integer("iodepth"))
}

// blocks are the smallest and the largest block of a direction.
func blocks(o *fiojob.Values, part int) (lo, hi int64) {
	split := ""
	if option, ok := o.Option("bssplit"); ok {
		split = fiojob.Parts(option.Value)[part]
		for _, s := range strings.Split(split, ":") {
			size, _, _ := strings.Cut(s, "/")
			n, err := o.Bytes(option, size)
			if err != nil {
				continue
			}
			if lo == 0 || n < lo {
				lo = n
			}
			hi = max(hi, n)
		}
	}
	if hi > 0 {
		return lo, hi
	}
	if o.Has("bsrange") {
		return o.Range("bsrange", part)
	}
	n := o.Part("bs", part)
	return n, n
}

// starting counts threads and processes. What fio would fork is a thread here, and named as fio names it.
func starting(threads, processes int) string {
	var parts []string
	if threads > 0 {
		parts = append(parts, plural(threads, "thread", "s"))
	}
	if processes > 0 {
		parts = append(parts, plural(processes, "process", "es"))
	}
	return strings.Join(parts, " and ")
}

func plural(n int, word, many string) string {
	if n > 1 {
		word += many
	}
	return fmt.Sprintf("%d %s", n, word)
}
