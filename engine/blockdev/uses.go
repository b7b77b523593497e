package blockdev

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/moby/sys/mountinfo"
)

// free says that nothing uses a device, or who does.
func (s *system) free(path string, no number) error {
	reasons, err := s.reasons(no)
	if err != nil {
		return fmt.Errorf("whether device %s is in use can't be found out, so nothing is written to it: %w", path, err)
	}
	if len(reasons) == 0 {
		return nil
	}
	return fmt.Errorf("device %s is %w, and nothing is written to it: %s; release it, or choose another", path, ErrInUse, strings.Join(reasons, "; "))
}

// heldUnseen is for a device that the kernel says is busy while nothing can be seen to use it.
func heldUnseen(path string) error {
	return fmt.Errorf("device %s is %w, and nothing is written to it: a program holds it exclusively, or a file system or volume manager that can't be seen from here; `fuser -v %s` may name it", path, ErrInUse, path)
}

// reasons says how a device, or what is bound up with it, is used.
func (s *system) reasons(no number) ([]string, error) {
	family, err := s.family(no)
	if err != nil {
		return nil, err
	}
	mounts, err := s.mounts()
	if err != nil {
		return nil, err
	}
	swaps, err := s.swaps()
	if err != nil {
		return nil, err
	}
	var all []string
	for _, b := range family {
		var uses []string
		if at := mounts[b.no]; len(at) > 0 {
			uses = append(uses, "is mounted on "+strings.Join(at, ", "))
		}
		if swaps[b.no] {
			uses = append(uses, "is in use as swap")
		}
		if r := b.reason(strings.Join(uses, " and ")); r != "" {
			all = append(all, r)
		}
	}
	return all, nil
}

// reason puts a device's relation and its use into one clause; "" if there is none.
func (b block) reason(use string) string {
	switch {
	case use == "" && b.over:
		return b.name + " is " + b.how
	case use == "":
		return ""
	case b.how == "":
		return b.name + " " + use
	}
	return b.name + ", " + b.how + ", " + use
}

// mounts finds what is mounted where, in every mount namespace that can be
// seen. Another namespace is only asked about devices that are not mounted in ours.
func (s *system) mounts() (map[number][]string, error) {
	all := map[number][]string{}
	if err := s.addMounts(all, "self"); err != nil {
		return nil, err
	}
	procs, err := filepath.Glob(s.path("proc/[0-9]*"))
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{s.namespace("self"): true}
	for _, p := range procs {
		pid := filepath.Base(p)
		ns := s.namespace(pid)
		if seen[ns] && ns != "" {
			continue
		}
		seen[ns] = true
		// A process that has ended, or is none of ours, has nothing to tell.
		_ = s.addMounts(all, pid)
	}
	return all, nil
}

func (s *system) namespace(pid string) string {
	ns, _ := os.Readlink(s.path("proc", pid, "ns/mnt"))
	return ns
}

func (s *system) addMounts(all map[number][]string, pid string) error {
	f, err := os.Open(s.path("proc", pid, "mountinfo"))
	if err != nil {
		return err
	}
	defer f.Close()
	mounts, err := mountinfo.GetMountsFromReader(f, nil)
	if err != nil {
		return err
	}
	found := map[number][]string{}
	for _, m := range mounts {
		for _, no := range s.numbers(m, pid == "self") {
			if !slices.Contains(found[no], m.Mountpoint) {
				found[no] = append(found[no], m.Mountpoint)
			}
		}
	}
	for no, at := range found {
		if len(all[no]) > 0 {
			continue
		}
		if pid != "self" {
			at[len(at)-1] += " (as process " + pid + " sees it)"
		}
		all[no] = at
	}
	return nil
}

// numbers is the device of a mount, and that of its source where file systems
// such as btrfs show a number that is no device's. Other namespaces' paths
// may not mean here what they mean there.
func (s *system) numbers(m *mountinfo.Info, own bool) []number {
	all := []number{{uint32(m.Major), uint32(m.Minor)}}
	if own {
		if no, ok := s.rdev(m.Source); ok && no != all[0] {
			all = append(all, no)
		}
	}
	return all
}

// octal is how the kernel writes what would break a line's fields.
var octal = strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`)

// swaps finds the devices that are swapped to.
func (s *system) swaps() (map[number]bool, error) {
	text, err := os.ReadFile(s.path("proc/swaps"))
	if os.IsNotExist(err) {
		return nil, nil // a kernel that does not swap
	}
	if err != nil {
		return nil, err
	}
	all := map[number]bool{}
	for l := range strings.Lines(string(text)) {
		name, _, _ := strings.Cut(l, " ")
		if no, ok := s.rdev(octal.Replace(name)); ok {
			all[no] = true
		}
	}
	return all, nil
}
