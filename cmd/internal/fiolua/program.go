// Package fiolua translates fio's jobs into a Lua script that does the same. The script is
// what is run, and is there to be read: its comments say which option of fio's became what.
//
// An option that moonio does not have is an error that says what to use instead; one that
// can make no difference here is named as ignored. What misleads is a warning.
package fiolua

import (
	"path/filepath"

	"moonio/cmd/internal/fiojob"
)

// Setup is what a translation has to know besides the jobs.
type Setup struct {
	Dir      string                                      // the current directory, absolute
	Look     func(string) Node                           // what there is at an absolute path
	Real     func(string) string                         // an absolute path with links followed; nil: there are none
	Room     Room                                        // how much files in a directory may take; nil: not known
	Memory   int64                                       // the machine's, in bytes; 0: not known
	ReadOnly bool                                        // whether jobs that write or trim are refused
	Read     func(path string, most int) ([]byte, error) // the beginning of a file; nil: none can be read
	List     func(dir string) ([]string, error)          // the files in a directory and those beneath it; nil: there are none
	// Trace reads through a trace; place says where an offset goes. nil: none can be read.
	Trace   func(path string, place func(offset int64) int64) (*Captured, error)
	Virtual bool     // whether the run's engine touches no storage
	Args    []string // the command line, for the script's first lines
}

// Room is how many bytes files in a directory may take, if 5 % of the file system stay free, and if they need not; why
// says why they must.
type Room func(dir string) (most, brim int64, why string)

// Node is what there is at a path.
type Node struct {
	Exists bool
	Kind   Kind
	Size   int64
}

// Kind is what a path leads to.
type Kind int

const (
	Regular Kind = iota
	Device       // a block device
	Directory
	Other
)

// Program is what a translation comes to.
type Program struct {
	Script   string
	Jobs     []fiojob.Reported
	Warnings []string // what misleads about the jobs
	Ignored  []string // options that make no difference here, each with the reason

	Dir      string    // the directory that the script's file names are beneath
	Parts    []string  // those beneath it, by name, that the files live in, if they are several
	Files    []File    // those that it opens, devices among them
	Null     bool      // the jobs touch no storage: they run on the engine null
	Traces   []string  // that it plays; TraceParam names the parameter of each
	Commands []Command // of exec_prerun and exec_postrun
	IOLog    string    // where what the only job does is written down in fio's format; "": nowhere
	Seed     uint64
	Seeded   bool // Seed decides; otherwise each run differs
}

// Command is a line for the shell, which the script that the jobs become has no means to run.
type Command struct {
	Phase  string // before which it runs, or after which if After
	After  bool
	Job    string
	Option fiojob.Option // whose value it is
}

// File is a file that the script opens.
type File struct {
	Path    string // absolute
	Name    string // in the script
	Written bool   // whether a job writes or trims it
	Size    int64  // that it must have, in bytes; what is there must have it if it is not to be written
	Device  bool
	Option  fiojob.Option // what names it, or the job that fio's naming follows
}

// Translate makes a script of fio's jobs. Errors are *fiojob.Error where an option is the
// matter.
func Translate(cmd *fiojob.Command, s Setup) (*Program, error) {
	t := &translation{setup: s, program: &Program{Seed: fioSeed, Seeded: true}, said: map[string]bool{}, opened: map[string]*handle{}}
	for _, u := range unitsOf(cmd.Jobs) {
		if err := t.add(u); err != nil {
			return nil, err
		}
	}
	if err := t.settle(); err != nil {
		return nil, err
	}
	t.program.Script = t.script()
	return t.program, nil
}

// fioSeed is what fio seeds its generators with by default: runs are the same.
const fioSeed = 0x89

// translation is a translation on its way.
type translation struct {
	setup   Setup
	program *Program
	units   []*unit
	said    map[string]bool // warnings, so that each comes once

	handles []*handle
	opened  map[string]*handle
	seed    *fiojob.Option // that decided the seed
	locals  []string       // of the script, beside those that hold files
	filled  bool           // a job fills the file system
	usedIn  map[string]int // by a file's path: the first stage whose jobs have it
}

// unit is a section of a job file, with all its clones.
type unit struct {
	jobs []fiojob.Job
	v    *fiojob.Values
	name string
	rw   rw
	base
	playback *playback // nil: the unit makes up what it does

	stage   int
	results []string // the name of each clone's result in its phase
	phase   string
	files   []*handle // of all its clones, if they share them; else those of the first
	own     bool      // each clone has files of its own
	fields  []field
}

// base are figures that several options follow from.
type base struct {
	size    int64   // of the region in each file
	offset  int64   // where it begins
	starts  []int64 // where those of the clones begin
	most    int64   // that a file has, if each has a size of its own; else 0
	total   int64   // of all files' regions; of files of sizes of their own, what is to be expected
	asked   int64   // of them all, if that is to be done and they need not be whole blocks
	full    bool    // it goes on until the file system is full
	room    int64   // of them all, of which io_size can be a share
	minimum int64   // smallest block
	largest int64   // and the largest
	grain   int64   // what sums of blocks are multiples of
}

func unitsOf(jobs []fiojob.Job) []*unit {
	var list []*unit
	for _, j := range jobs {
		if j.Clone == 0 {
			list = append(list, &unit{v: fiojob.ValuesOf(&j), name: j.Name, stage: j.Stage})
		}
		u := list[len(list)-1]
		u.jobs = append(u.jobs, j)
	}
	return list
}

// warn notes what misleads, once.
func (t *translation) warn(text string) {
	if !t.said[text] {
		t.said[text] = true
		t.program.Warnings = append(t.program.Warnings, text)
	}
}

func (t *translation) ignore(text string) {
	if !t.said[text] {
		t.said[text] = true
		t.program.Ignored = append(t.program.Ignored, text)
	}
}

// absolute is a path from the root on.
func (t *translation) absolute(path string) string {
	if !filepath.IsAbs(path) {
		path = filepath.Join(t.setup.Dir, path)
	}
	if t.setup.Real != nil {
		return t.setup.Real(path)
	}
	return filepath.Clean(path)
}
