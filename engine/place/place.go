// Package place puts threads where a workload wants them: on which CPUs they run, from
// which NUMA nodes their memory comes, and with which priority they and their I/O are
// scheduled.
//
// [Place.Check] compares a place with the machine and says what is wrong with it. [Place.Apply]
// moves the calling thread, to which the caller has locked its goroutine; [OnThread] gives it
// one that nobody gets afterwards, since nothing is undone.
package place

import (
	"fmt"
	"runtime"
	"slices"

	"golang.org/x/sys/unix"
)

// Place is where threads are to run. The zero value leaves them as they are.
type Place struct {
	CPUs  []int // those that they may run on; none: those of Nodes, or any
	Split bool  // each thread on one of the CPUs, taken in turn
	Nodes []int // NUMA nodes that their memory comes from
	Nice  int   // -20, the most favourable, to 19; 0 leaves it
	Prio  Prio  // of their I/O; 0 leaves it
}

// IsZero says that there is nothing to do.
func (p *Place) IsZero() bool {
	return len(p.CPUs) == 0 && len(p.Nodes) == 0 && p.Nice == 0 && p.Prio == 0
}

// String is the place as people read it; nothing for the zero value.
func (p *Place) String() string {
	var s string
	add := func(format string, args ...any) {
		if s != "" {
			s += ", "
		}
		s += fmt.Sprintf(format, args...)
	}
	if len(p.CPUs) > 0 {
		add("CPUs %s", formatList(p.CPUs))
	}
	if len(p.Nodes) > 0 {
		add("NUMA nodes %s", formatList(p.Nodes))
	}
	if p.Split {
		add("one CPU for each thread")
	}
	if p.Nice != 0 {
		add("nice %d", p.Nice)
	}
	if p.Prio != 0 {
		add("I/O priority %s", p.Prio)
	}
	return s
}

// The bounds of Nice.
const (
	MinNice = -20
	MaxNice = 19
)

// Check says why threads cannot be there on this machine. That the user may not give them
// their priorities only shows in Apply.
func (p *Place) Check() error {
	if p.Nice < MinNice || p.Nice > MaxNice {
		return fmt.Errorf("nice = %d: it is from %d, the most favourable, to %d", p.Nice, MinNice, MaxNice)
	}
	if err := p.Prio.check(); err != nil {
		return err
	}
	if p.IsZero() && !p.Split {
		return nil
	}
	m, err := thisMachine()
	if err != nil {
		return err
	}
	return p.check(m)
}

func (p *Place) check(m *machine) error {
	if p.Split && len(p.CPUs) == 0 && len(p.Nodes) == 0 {
		return fmt.Errorf(`cpus_policy = "split" needs CPUs to share out: give cpus or numa too`)
	}
	for _, c := range p.CPUs {
		switch {
		case slices.Contains(m.allowed, c):
		case slices.Contains(m.online, c):
			return fmt.Errorf("cpus = %s: this process may not run on CPU %d, only on %s (taskset or a cgroup keeps it there)", formatList(p.CPUs), c, formatList(m.allowed))
		default:
			return fmt.Errorf("cpus = %s: there is no CPU %d here; there are %s", formatList(p.CPUs), c, formatList(m.online))
		}
	}
	for _, n := range p.Nodes {
		if _, ok := m.nodes[n]; !ok {
			return fmt.Errorf("numa = %s: there is no NUMA node %d here; %s", formatList(p.Nodes), n, m.nodeList())
		}
	}
	if _, err := p.cpus(m); err != nil {
		return err
	}
	return nil
}

// cpus are the CPUs that the threads may use; none if they may use any.
func (p *Place) cpus(m *machine) ([]int, error) {
	if len(p.CPUs) > 0 || len(p.Nodes) == 0 {
		return p.CPUs, nil
	}
	var list []int
	for _, n := range p.Nodes {
		for _, c := range m.nodes[n] {
			if slices.Contains(m.allowed, c) {
				list = append(list, c)
			}
		}
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("numa = %s: this process may use no CPU of it, only %s", formatList(p.Nodes), formatList(m.allowed))
	}
	return list, nil
}

// Apply moves the calling thread there. n is its number among those that share the
// place, from 0.
func (p *Place) Apply(n int) error {
	if p.IsZero() {
		return nil
	}
	m, err := thisMachine()
	if err != nil {
		return err
	}
	cpus, err := p.cpus(m)
	if err != nil {
		return err
	}
	if p.Split && len(cpus) > 0 {
		cpus = cpus[n%len(cpus) : n%len(cpus)+1]
	}
	return p.apply(cpus)
}

func (p *Place) apply(cpus []int) error {
	if len(cpus) > 0 {
		if err := unix.SchedSetaffinity(0, setOf(cpus)); err != nil {
			return fmt.Errorf("cpus = %s: the kernel refuses it: %w", formatList(cpus), err)
		}
	}
	if len(p.Nodes) > 0 {
		if err := unix.SetMemPolicy(unix.MPOL_BIND, setOf(p.Nodes)); err != nil {
			return fmt.Errorf("numa = %s: the kernel refuses to take memory from there: %w", formatList(p.Nodes), err)
		}
	}
	if p.Nice != 0 {
		if err := unix.Setpriority(unix.PRIO_PROCESS, 0, p.Nice); err != nil {
			return fmt.Errorf("nice = %d: %w%s", p.Nice, err, hint(err, "below the present one it needs CAP_SYS_NICE or `ulimit -e`"))
		}
	}
	if p.Prio != 0 {
		if err := p.Prio.apply(); err != nil {
			return fmt.Errorf("ioprio = %q: %w%s", p.Prio, err, hint(err, "class rt needs CAP_SYS_NICE or CAP_SYS_ADMIN"))
		}
	}
	return nil
}

func hint(err error, text string) string {
	if err == unix.EPERM || err == unix.EACCES {
		return ": " + text
	}
	return ""
}

// OnThread calls f on a thread that ends with the call. It is not the process's
// first, which cannot end.
func OnThread(f func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // and never unlocked
		if unix.Gettid() == unix.Getpid() {
			defer runtime.UnlockOSThread()
			OnThread(f) // which cannot get the first thread now
			return
		}
		f()
	}()
	<-done
}

func setOf(list []int) *unix.CPUSet {
	set := new(unix.CPUSet)
	for _, n := range list {
		set.Set(n)
	}
	return set
}
