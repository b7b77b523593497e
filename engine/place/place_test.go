package place

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

func TestLists(t *testing.T) {
	for in, want := range map[string][]int{"0": {0}, "0-3,8": {0, 1, 2, 3, 8}, "8, 1": {1, 8}, "2,1-2": {1, 2}} {
		got, err := ParseList(in)
		if err != nil || !cmp.Equal(got, want) {
			t.Errorf("ParseList(%q) = %v, %v; want %v", in, got, err, want)
		}
	}
	for in, want := range map[string]string{
		"": `"" is not a number`, "a": `"a" is not`, "3-1": "ends before", "-1": "is not a number", "0-2000": "above 1023", "1,,2": `"" is not`,
	} {
		if _, err := ParseList(in); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("ParseList(%q): %v, want %q", in, err, want)
		}
	}
	if got := formatList([]int{0, 1, 2, 5, 7, 8}); got != "0-2,5,7-8" {
		t.Error(got)
	}
}

func TestPrio(t *testing.T) {
	for in, want := range map[string]Prio{"rt/4": 1<<13 | 4, "be/7": 2<<13 | 7, "idle": 3 << 13, "be/0": 2 << 13} {
		p, err := ParsePrio(in)
		if err != nil || p != want || p.String() != in || p.check() != nil {
			t.Errorf("%q: %d %q %v", in, p, p, err)
		}
	}
	for _, in := range []string{"", "rt", "rt/8", "be/-1", "idle/2", "x/1", "rt/1/2"} {
		if _, err := ParsePrio(in); err == nil || !strings.Contains(err.Error(), "want rt/0 to rt/7") {
			t.Errorf("%q: %v", in, err)
		}
	}
}

// twoNodes is a machine of which a process may use some CPUs.
func twoNodes(t *testing.T, allowed ...int) *machine {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"cpu/online": "0-7\n", "node/node0/cpulist": "0-3\n", "node/node1/cpulist": "4-7\n", "node/node2/cpulist": "\n"} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	m, err := readMachine(dir, allowed)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestCheck(t *testing.T) {
	m := twoNodes(t, 0, 1, 4)
	for _, c := range []struct {
		place Place
		want  string // of the error
	}{
		{Place{CPUs: []int{0, 4}}, ""},
		{Place{CPUs: []int{0, 5}}, "cpus = 0,5: this process may not run on CPU 5, only on 0-1,4"},
		{Place{CPUs: []int{64}}, "cpus = 64: there is no CPU 64 here; there are 0-7"},
		{Place{Nodes: []int{1}}, ""},
		{Place{Nodes: []int{3}}, "numa = 3: there is no NUMA node 3 here; there are 0-2"},
		{Place{Nodes: []int{2}}, "numa = 2: this process may use no CPU of it, only 0-1,4"},
		{Place{Nodes: []int{2}, CPUs: []int{0}}, ""},
		{Place{Split: true}, `cpus_policy = "split" needs CPUs to share out`},
	} {
		err := c.place.check(m)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%v: %v, want %q", c.place, err, c.want)
		}
	}
	p := Place{Nodes: []int{0, 1}}
	if got, err := p.cpus(m); err != nil || formatList(got) != "0-1,4" {
		t.Error(got, err)
	}
	if err := (&Place{Nice: 20}).Check(); err == nil || !strings.Contains(err.Error(), "nice = 20: it is from -20") {
		t.Error(err)
	}
}

// A thread whose memory is to come from a node says so to the kernel, and runs on its CPUs.
func TestApplyNode(t *testing.T) {
	m, err := thisMachine()
	if err != nil {
		t.Fatal(err)
	}
	p := Place{Nodes: []int{0}}
	cpus, err := p.cpus(m)
	if _, ok := m.nodes[0]; !ok || err != nil {
		t.Skip("there is no NUMA node 0 here that this process may use")
	}
	if err := p.Check(); err != nil {
		t.Fatal(err)
	}
	OnThread(func() {
		switch err := p.Apply(0); {
		case errors.Is(err, unix.ENOSYS), errors.Is(err, unix.EPERM):
			return // a kernel or a container without memory policies
		case err != nil:
			t.Error(err)
		}
		if got, err := threadCPUs(); err != nil || !cmp.Equal(got, cpus) {
			t.Errorf("on CPUs %v, want %v: %v", got, cpus, err)
		}
		numa, err := os.ReadFile("/proc/thread-self/numa_maps")
		if err == nil && !strings.Contains(string(numa), "bind:0") {
			t.Error("no memory of the thread is bound to node 0")
		}
	})
}

// A thread that is placed is where it is asked to be, and no other thread is.
func TestApply(t *testing.T) {
	allowed, err := allowedCPUs()
	if err != nil {
		t.Fatal(err)
	}
	last := allowed[len(allowed)-1]
	be, err := ParsePrio("be/6")
	if err != nil {
		t.Fatal(err)
	}
	p := Place{CPUs: allowed, Split: true, Nice: 19, Prio: be}
	for range 4 {
		OnThread(func() {
			if unix.Gettid() == unix.Getpid() {
				t.Error("on the process's first thread")
			}
			if err := p.Apply(len(allowed) - 1); err != nil {
				t.Error(err)
			}
			if got, err := threadCPUs(); err != nil || len(got) != 1 || got[0] != last {
				t.Errorf("on CPUs %v, want only %d: %v", got, last, err)
			}
			if nice, err := unix.Getpriority(unix.PRIO_PROCESS, 0); err != nil || 20-nice != 19 {
				t.Errorf("nice %d, %v", 20-nice, err)
			}
			if got, _, _ := unix.RawSyscall(unix.SYS_IOPRIO_GET, 1, 0, 0); Prio(got) != be {
				t.Errorf("I/O priority %v", Prio(got))
			}
		})
	}
	for range 8 {
		OnThread(func() {
			if got, err := threadCPUs(); err != nil || !cmp.Equal(got, allowed) {
				t.Errorf("another thread may use %v, want %v: %v", got, allowed, err)
			}
		})
	}
}
