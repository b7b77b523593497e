// Package fiojob reads fio's job files and command lines into jobs, as fio's own rules
// of sections, inheritance, includes and variables have it. What the options
// mean is for others: here they are names and values with their positions, and numbers
// in fio's units.
package fiojob

// Command is what one invocation asks for.
type Command struct {
	Options []Option // those of the command line that concern no job, such as output-format
	Global  []Option // of the last file's [global] sections, and command-line options before the first --name
	Jobs    []Job    // in order, clones of numjobs included
}

// Job is one job as it runs: numjobs makes several of one section.
type Job struct {
	Name    string   // in reports
	Section string   // what its files are named after
	Clone   int      // of numjobs, from 0
	Group   int      // reporting group, from 0: a stonewall or new_group begins another
	Stage   int      // from 0: a stonewall begins another, which waits for those before
	After   string   // the job of its stage that it waits for; "": none
	Options []Option // its own, without those of Global; a later one of the same name wins
	All     []Option // Global's and its own, in order
	Pos     Pos      // where it begins
}

// Option is one option as it was written.
type Option struct {
	Name  string // as fio's manual spells it: aliases are resolved
	Value string // "" if none was given; variables are replaced
	Given bool   // whether a value was given
	Pos   Pos
}

// Pos is where an option was written.
type Pos struct {
	File string // "" for the command line
	Line int    // or the argument's number, from 1
	Text string // the line or the argument, as it was written
}

// Reported ties a job to where its figures are in the result of the script that was
// made of it.
type Reported struct {
	Job
	Phase string // the phase's name
	Name  string // the job's name in that phase
}
