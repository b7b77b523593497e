package place

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// machine is what there is to be placed on.
type machine struct {
	online  []int         // CPUs
	allowed []int         // of them, those that this process may use
	nodes   map[int][]int // CPUs by NUMA node; none if the kernel knows no nodes
}

// sysDevices is where the kernel describes the machine.
const sysDevices = "/sys/devices/system"

func thisMachine() (*machine, error) {
	allowed, err := allowedCPUs()
	if err != nil {
		return nil, err
	}
	return readMachine(sysDevices, allowed)
}

// allowedCPUs are those that the process was started on. They are asked for once: by Check,
// before any thread has been moved.
var allowedCPUs = sync.OnceValues(threadCPUs)

// threadCPUs are the CPUs that the calling thread may use.
func threadCPUs() ([]int, error) {
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &set); err != nil {
		return nil, fmt.Errorf("which CPUs this process may use: %w", err)
	}
	var list []int
	for c := range len(set) * 64 {
		if set.IsSet(c) {
			list = append(list, c)
		}
	}
	return list, nil
}

// readMachine reads what the kernel says below a directory. Where it says nothing, there are the
// allowed CPUs and no nodes.
func readMachine(dir string, allowed []int) (*machine, error) {
	m := &machine{online: allowed, allowed: allowed, nodes: map[int][]int{}}
	if online, err := readList(filepath.Join(dir, "cpu", "online")); err == nil {
		m.online = online
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	lists, err := filepath.Glob(filepath.Join(dir, "node", "node*", "cpulist"))
	if err != nil {
		return nil, err
	}
	for _, path := range lists {
		n, err := strconv.Atoi(strings.TrimPrefix(filepath.Base(filepath.Dir(path)), "node"))
		if err != nil {
			continue
		}
		if m.nodes[n], err = readList(path); err != nil {
			return nil, err
		}
	}
	return m, nil
}

func readList(path string) ([]int, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	text := strings.TrimSpace(string(b))
	if text == "" { // a node of memory alone
		return nil, nil
	}
	list, err := ParseList(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return list, nil
}

func (m *machine) nodeList() string {
	if len(m.nodes) == 0 {
		return "the kernel knows none"
	}
	return "there are " + formatList(slices.Sorted(maps.Keys(m.nodes)))
}

// maxNumber is the highest number of a CPU or node that there can be.
const maxNumber = 1023

// ParseList reads numbers of CPUs or nodes, "0-3,8", and returns them in order.
func ParseList(s string) ([]int, error) {
	var list []int
	for part := range strings.SplitSeq(s, ",") {
		first, last, isRange := strings.Cut(strings.TrimSpace(part), "-")
		if !isRange {
			last = first
		}
		from, err1 := strconv.Atoi(first)
		to, err2 := strconv.Atoi(last)
		switch {
		case err1 != nil || err2 != nil || from < 0:
			return nil, fmt.Errorf(`%q is not a number or a range such as 0-3`, part)
		case to < from:
			return nil, fmt.Errorf("the range %q ends before it begins", part)
		case to > maxNumber:
			return nil, fmt.Errorf("%d is above %d, the highest that is possible", to, maxNumber)
		}
		for n := from; n <= to; n++ {
			list = append(list, n)
		}
	}
	slices.Sort(list)
	return slices.Compact(list), nil
}

// formatList writes numbers as ParseList reads them.
func formatList(list []int) string {
	var parts []string
	for i := 0; i < len(list); {
		last := i
		for last+1 < len(list) && list[last+1] == list[last]+1 {
			last++
		}
		part := strconv.Itoa(list[i])
		if last > i {
			part += "-" + strconv.Itoa(list[last])
		}
		parts = append(parts, part)
		i = last + 1
	}
	return strings.Join(parts, ",")
}
