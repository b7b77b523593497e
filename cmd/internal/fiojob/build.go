package fiojob

import (
	"fmt"
	"slices"
)

// mostJobs is as many as fio makes at the most, unless --max-jobs says otherwise.
const mostJobs = 4096

// Parse reads a command line, without the program's name, and the job files that it names.
// Every option is one that fio has, and every value one that fio could read; other than
// in fio, what it would misread is an error. The errors are of type *Error.
func Parse(args []string, src Sources) (*Command, error) {
	line, err := src.scan(args)
	if err != nil {
		return nil, err
	}
	sections := slices.DeleteFunc(line.sections, func(s *section) bool { return !line.wants(s) })
	for i, f := range line.files {
		more, err := src.readFile(f.Value, f.Pos, i > 0)
		if err != nil {
			return nil, err
		}
		for _, s := range more {
			s.file = i + 1
			if line.wants(s) {
				sections = append(sections, s)
			}
		}
	}
	if err := line.unmatched(sections); err != nil {
		return nil, err
	}
	b := &builder{command: &Command{Options: line.general}, most: mostJobs}
	if err := b.limit(); err != nil {
		return nil, err
	}
	for _, s := range sections {
		if err := b.section(s); err != nil {
			return nil, err
		}
	}
	return b.command, nil
}

// builder makes jobs of sections.
type builder struct {
	command *Command
	most    int
	inGroup int // jobs in the group so far
	inStage []string
	group   int
	stage   int
	base    int      // the latest stage that no wait for a job has begun
	global  []Option // that hold for the next job
	line    []Option // those of them that stand on the command line: each file begins with them
	file    int      // that the section is of, from 1; 0: the command line
}

// limit reads --max-jobs.
func (b *builder) limit() error {
	for _, o := range b.command.Options {
		if o.Name != "max-jobs" {
			continue
		}
		n, err := number(o.Value, 1, units{})
		if err != nil {
			return o.Fail(err.part, "%s", err.why)
		}
		b.most = int(min(max(n, 1), 1<<20))
	}
	return nil
}

func (b *builder) section(s *section) error {
	if s.file != b.file {
		b.file, b.global = s.file, b.line
	}
	job := Job{Name: s.name, Section: s.name, Options: s.options, All: slices.Concat(b.global, s.options), Pos: s.pos}
	v := ValuesOf(&job)
	for _, o := range s.options {
		if err := v.check(o); err != nil {
			return err
		}
	}
	if s.global {
		b.global, b.command.Global = job.All, job.All
		if s.file == 0 {
			b.line = job.All
		}
		return nil
	}
	if o, ok := ValuesOf(&Job{All: s.options}).Option("name"); ok { // that of [global] names no job
		job.Name = o.Value
	}
	if err := b.place(&job, v, s); err != nil {
		return err
	}
	return b.clones(job, v, s.pos)
}

// place finds the job's group and stage.
func (b *builder) place(job *Job, v *Values, s *section) error {
	wall := s.wall || v.On("stonewall")
	stone := wall
	if (wall || v.On("new_group")) && b.inGroup > 0 {
		b.group, b.inGroup = b.group+1, 0
	}
	o, waits := v.Option("wait_for")
	if waits && !slices.ContainsFunc(b.command.Jobs, func(j Job) bool { return j.Name == o.Value }) {
		return o.Fail("", "there is no job of that name before this one")
	}
	if !waits && !wall {
		b.together()
	}
	if waits && !wall {
		wall, job.After = b.waits(o)
	}
	if wall && len(b.inStage) > 0 {
		b.stage, b.inStage = b.stage+1, nil
	}
	if stone {
		b.base = b.stage
	}
	job.Group, job.Stage = b.group, b.stage
	b.inStage = append(b.inStage, job.Name)
	return nil
}

// together puts the stages that waits for jobs have begun into one, for a job that waits for none: it begins with the
// first of them.
func (b *builder) together() {
	if b.stage == b.base {
		return
	}
	for i := range b.command.Jobs {
		j := &b.command.Jobs[i]
		if j.Stage < b.base {
			continue
		}
		if o, ok := ValuesOf(j).Option("wait_for"); ok && j.Stage > b.base {
			j.Stage, j.After = b.base, o.Value
		}
		if !slices.Contains(b.inStage, j.Name) {
			b.inStage = append(b.inStage, j.Name)
		}
	}
	b.stage = b.base
}

// waits says whether a wait needs another stage, or which job of this stage has to be over where others run beside
// that one.
func (b *builder) waits(o Option) (wall bool, after string) {
	named := func(j Job) bool { return j.Name == o.Value }
	if !slices.ContainsFunc(b.command.Jobs, func(j Job) bool { return named(j) && j.Stage == b.stage }) {
		return false, "" // it is over when this stage begins
	}
	if slices.ContainsFunc(b.inStage, func(name string) bool { return name != o.Value }) {
		return false, o.Value
	}
	return true, ""
}

// clones adds the job as often as numjobs says.
func (b *builder) clones(job Job, v *Values, at Pos) error {
	n := v.Integer("numjobs")
	if have := len(b.command.Jobs); n > int64(b.most-have) {
		what, mark := "job "+job.Name, ""
		if o, ok := v.Option("numjobs"); ok {
			what, mark, at = o.String(), o.Value, o.Pos
		}
		return &Error{Pos: at, What: what, Why: fmt.Sprintf("that makes %d jobs, and the most are %d: --max-jobs changes that", int64(have)+n, b.most), Mark: mark}
	}
	for i := range max(n, 1) {
		job.Clone = int(i)
		b.command.Jobs = append(b.command.Jobs, job)
		b.inGroup++
	}
	return nil
}
