// Package fioout writes results as fio 3.33 does: its text report, its JSON (with bins
// or without), its terse lines, its logs and its status line. Names, order, types
// and units are fio's, so that what reads fio's output reads this.
//
// It takes a [report.Result] and, for each of fio's jobs, where in it that job's figures
// are. Where fio's own figure misleads, the one here is right instead: windows in which nothing
// completed count, a percentile lies within the extremes, and so on. docs/fio.md lists each.
//
// Nothing here reads a clock or the machine.
package fioout

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"moonio/cmd/internal/fiojob"
	"moonio/engine/report"
)

// Version is the fio whose output this is.
const Version = "fio-3.33"

// Formats says which documents are written, in fio's order: terse, JSON, normal.
type Formats struct {
	Terse, JSON, Plus, Normal bool // Plus: JSON with bins
}

// ParseFormats reads a list such as "normal,json+".
func ParseFormats(list string) (f Formats, err error) {
	for _, name := range strings.Split(list, ",") {
		switch name {
		case "terse", "minimal":
			f.Terse = true
		case "json":
			f.JSON = true
		case "json+":
			f.JSON, f.Plus = true, true
		case "normal":
			f.Normal = true
		default:
			return f, fmt.Errorf("output-format=%s: %q is not one of normal, terse, json and json+", list, name)
		}
	}
	return f, nil
}

// Settings are what concerns a whole document.
type Settings struct {
	Global []fiojob.Option // [global]'s, as JSON repeats them
	Terse  int             // terse_version, from 2 to 5; 0: 3
	Now    time.Time       // when it is written
	PID    int             // of the program, in the text report
	Lines  bool            // each JSON document on one line, as for status-interval
	ETA    time.Duration   // time left of the whole run while it is under way; below 0: unknown
}

// Write writes r in the formats asked for. A job whose phase is not in r has not begun and has
// done nothing.
func Write(w io.Writer, f Formats, r *report.Result, jobs []fiojob.Reported, s Settings) error {
	entries, err := collect(r, jobs)
	if err != nil {
		return fmt.Errorf("fio's output: %w", err)
	}
	d := &document{entries: entries, groups: groupsOf(entries), disks: disksOf(r, unwatched(jobs)), set: s, elapsed: time.Duration(r.DurationNS)}
	var b bytes.Buffer
	if f.Terse {
		d.terse(&b)
	}
	if f.JSON {
		d.json(&b, f.Plus)
	}
	if f.Normal {
		d.normal(&b)
	}
	_, err = w.Write(b.Bytes())
	return err
}

// document is all that the formats have in common.
type document struct {
	entries []*entry
	groups  []*group
	disks   []disk
	set     Settings
	elapsed time.Duration
}

// ctime is the time as C's ctime gives it, without the newline.
func (d *document) ctime() string { return d.set.Now.Format("Mon Jan _2 15:04:05 2006") }

// disk is a block device's traffic over the whole run, and that of the disks beneath it.
type disk struct {
	report.Traffic
}

// unwatched are the phases without a job whose disks fio looks at. When it does so, it has not yet read
// which files a trace is of.
func unwatched(jobs []fiojob.Reported) map[string]bool {
	phases := map[string]bool{}
	for i := range jobs {
		o, phase := fiojob.ValuesOf(&jobs[i].Job), jobs[i].Phase
		before, known := phases[phase]
		phases[phase] = (before || !known) && (!o.On("disk_util") || o.Has("read_iolog"))
	}
	return phases
}

// disksOf sums what the phases saw of each device, but for those left out.
func disksOf(r *report.Result, without map[string]bool) []disk {
	var list []disk
	for _, p := range r.Phases {
		if p.Device == nil || without[p.Name] {
			continue
		}
		i := slices.IndexFunc(list, func(d disk) bool { return d.Device == p.Device.Device })
		if i < 0 {
			list = append(list, disk{report.Traffic{Device: p.Device.Device}})
			i = len(list) - 1
		}
		list[i].add(p.Device)
	}
	return list
}

func (d *disk) add(t *report.Traffic) {
	d.DurationNS += t.DurationNS
	d.Counters = d.Counters.Plus(t.Counters)
	if strings.HasPrefix(t.Device, "loop") { // fio goes by the kernel's slaves, and these have none
		return
	}
	for _, u := range t.Under {
		n := slices.IndexFunc(d.Under, func(o report.Beneath) bool { return o.Device == u.Device })
		if n < 0 {
			d.Under = append(d.Under, u)
			continue
		}
		d.Under[n].Counters = d.Under[n].Counters.Plus(u.Counters)
	}
}
