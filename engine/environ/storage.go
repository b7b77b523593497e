package environ

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/moby/sys/mountinfo"
)

const (
	classBlock = "/sys/class/block/"
	devBlock   = "/sys/dev/block/"
)

func (m Machine) storage(path string) *Storage {
	s := &Storage{Path: path}
	abs, err := filepath.Abs(path)
	if err != nil {
		return s
	}
	real := m.resolve(abs)
	if name := filepath.Base(real); filepath.Dir(real) == "/dev" && m.exists(classBlock+name) {
		s.Device = m.device(name)
		return s
	}
	if mount := m.mountOf(real); mount != nil {
		s.Mount, s.FSType, s.Source = mount.Mountpoint, mount.FSType, mount.Source
		s.Options = options(mount)
		s.Device = m.device(m.deviceOf(mount))
	}
	return s
}

// mountOf is the mount that path lies on: the deepest, and of those at one
// point the last, which covers the others.
func (m Machine) mountOf(path string) *mountinfo.Info {
	f, err := os.Open(m.at("/proc/self/mountinfo"))
	if err != nil {
		return nil
	}
	defer f.Close()
	mounts, err := mountinfo.GetMountsFromReader(f, mountinfo.ParentsFilter(path))
	if err != nil {
		return nil
	}
	var best *mountinfo.Info
	for _, i := range mounts {
		if best == nil || len(i.Mountpoint) >= len(best.Mountpoint) {
			best = i
		}
	}
	return best
}

// options are the mount's own and the file system's, each once.
func options(i *mountinfo.Info) string {
	all := strings.Split(i.Options, ",")
	for o := range strings.SplitSeq(i.VFSOptions, ",") {
		if o != "" && !slices.Contains(all, o) {
			all = append(all, o)
		}
	}
	return strings.Join(all, ",")
}

// deviceOf is the name of the block device that is mounted, empty if there is none.
func (m Machine) deviceOf(i *mountinfo.Info) string {
	if i == nil {
		return ""
	}
	dev := devBlock + itoa(i.Major) + ":" + itoa(i.Minor)
	if m.exists(dev) {
		return filepath.Base(m.resolve(dev))
	}
	// btrfs and its like mount under a number of their own.
	if name := filepath.Base(m.resolve(i.Source)); strings.HasPrefix(i.Source, "/dev/") && m.exists(classBlock+name) {
		return name
	}
	return ""
}

// system are the disks that the running system is on.
func (m Machine) system() []string {
	var disks []string
	for _, mount := range []string{"/", "/usr", "/boot", "/boot/efi"} {
		if i := m.mountOf(mount); i != nil && i.Mountpoint == mount {
			disks = append(disks, m.disks(m.deviceOf(i))...)
		}
	}
	for line := range strings.Lines(m.text("/proc/swaps")) {
		if f := strings.Fields(line); len(f) > 1 && f[1] == "partition" {
			disks = append(disks, m.disks(filepath.Base(m.resolve(f[0])))...)
		}
	}
	return disks
}

// Beneath are the disks that a device, named as in Device.Name, is made of; none if it is one.
func (m Machine) Beneath(device string) []string {
	return slices.DeleteFunc(m.disks(device), func(s string) bool { return s == device })
}

// disks are the disks that a device lies on in the end, itself if it is one.
func (m Machine) disks(name string) []string {
	if name == "" {
		return nil
	}
	name = m.whole(name)
	var disks []string
	for _, n := range m.beneath(name) {
		disks = append(disks, m.disks(n)...)
	}
	if len(disks) == 0 {
		return []string{name}
	}
	slices.Sort(disks)
	return slices.Compact(disks)
}

// beneath are the devices that a mapped, striped or loop device is made of.
func (m Machine) beneath(disk string) []string {
	if file := m.text(classBlock + disk + "/loop/backing_file"); file != "" {
		return []string{m.deviceOf(m.mountOf(m.resolve(file)))}
	}
	// Without a directory of slaves there are none.
	slaves, _ := os.ReadDir(m.at(classBlock + disk + "/slaves"))
	var names []string
	for _, s := range slaves {
		names = append(names, s.Name())
	}
	return names
}

// whole is the disk of a partition, and of anything else itself.
func (m Machine) whole(name string) string {
	if m.exists(classBlock + name + "/partition") {
		return filepath.Base(filepath.Dir(m.resolve(classBlock + name)))
	}
	return name
}
