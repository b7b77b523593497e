package environ

import (
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
)

// Machine is a machine to be looked at: this one if Root is empty, else the
// one whose /proc, /sys and /dev are copied beneath Root.
type Machine struct {
	Root string
}

// Environment gathers the machine and what lies beneath path: a directory, which
// need not exist yet, or a block device. With no path there is no storage.
func (m Machine) Environment(path string) Environment {
	e := Environment{
		Hostname:       m.text("/proc/sys/kernel/hostname"),
		Kernel:         m.text("/proc/sys/kernel/osrelease"),
		Arch:           runtime.GOARCH,
		CPU:            m.field("/proc/cpuinfo", "model name"),
		CPUs:           count(m.field("/proc/self/status", "Cpus_allowed_list")),
		MemoryBytes:    m.memory(),
		Virtualization: m.virtualization(),
	}
	if path != "" {
		e.Storage = m.storage(path)
	}
	return e
}

func (m Machine) memory() int64 {
	kib, _, _ := strings.Cut(m.field("/proc/meminfo", "MemTotal"), " ")
	n := number(kib) << 10
	// Both hierarchies show a container its own limit at the top.
	for _, f := range []string{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"} {
		if limit := number(m.text(f)); limit > 0 && (limit < n || n == 0) {
			n = limit
		}
	}
	return n
}

func (m Machine) virtualization() string {
	var on []string
	if c := m.container(); c != "" {
		on = append(on, c)
	}
	if h := m.hypervisor(); h != "" {
		on = append(on, h)
	}
	return strings.Join(on, " on ")
}

func (m Machine) container() string {
	switch {
	case m.exists("/.dockerenv"):
		return "docker"
	case m.exists("/run/.containerenv"):
		return "podman"
	}
	return m.text("/run/systemd/container")
}

func (m Machine) hypervisor() string {
	const dmi = "/sys/class/dmi/id/"
	who := m.text(dmi+"sys_vendor") + " " + m.text(dmi+"product_name")
	for _, h := range []struct{ sign, name string }{
		{"VMware", "vmware"}, {"VirtualBox", "virtualbox"}, {"Amazon EC2", "amazon ec2"}, {"Google Compute Engine", "google compute engine"},
		{"Microsoft Corporation Virtual Machine", "hyper-v"}, {"Xen", "xen"}, {"KVM", "kvm"}, {"QEMU", "kvm"},
	} {
		if strings.Contains(who, h.sign) {
			return h.name
		}
	}
	if t := m.text("/sys/hypervisor/type"); t != "" {
		return t
	}
	if strings.Contains(" "+m.field("/proc/cpuinfo", "flags")+" ", " hypervisor ") {
		return "a hypervisor"
	}
	return ""
}

// text is a file's content without the space around it, empty if it cannot be read.
func (m Machine) text(path string) string {
	b, err := os.ReadFile(m.at(path))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}

// field is the value of the first line "name: value".
func (m Machine) field(path, name string) string {
	for line := range strings.Lines(m.text(path)) {
		k, v, ok := strings.Cut(line, ":")
		if ok && strings.TrimSpace(k) == name {
			return strings.TrimSpace(v)
		}
	}
	return ""
}

func (m Machine) at(path string) string { return filepath.Join("/", m.Root, path) }

func (m Machine) exists(path string) bool {
	_, err := os.Stat(m.at(path))
	return err == nil
}

// resolve follows the symbolic links in path as far as it exists.
func (m Machine) resolve(path string) string {
	at, err := filepath.EvalSymlinks(m.at(path))
	if err != nil {
		dir := filepath.Dir(path)
		if dir == path {
			return path
		}
		return filepath.Join(m.resolve(dir), filepath.Base(path))
	}
	root, err := filepath.EvalSymlinks(m.at("/"))
	if err != nil || root == "/" {
		return at
	}
	return filepath.Join("/", strings.TrimPrefix(at, root))
}

// number reads a whole number; 0 for what is none, such as "max".
func number(s string) int64 {
	n, _ := strconv.ParseInt(s, 10, 64)
	return n
}

// count is how many numbers a list such as "0-3,8" names.
func count(list string) int {
	n := 0
	for part := range strings.SplitSeq(list, ",") {
		from, to, ok := strings.Cut(part, "-")
		switch {
		case ok:
			n += int(number(to) - number(from) + 1)
		case part != "":
			n++
		}
	}
	return n
}
