package blockdev

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// machine is a made-up machine's /sys and /proc.
type machine struct {
	*system
	t    *testing.T
	devs map[string]number // by path in /dev
}

func newMachine(t *testing.T) *machine {
	m := &machine{t: t, devs: map[string]number{}}
	m.system = &system{root: t.TempDir(), rdev: func(path string) (number, bool) {
		no, ok := m.devs[path]
		return no, ok
	}}
	m.mounted("self", "mnt:[1]", "22 1 0:21 / /proc rw - proc proc rw")
	m.write("Filename\t\t\t\tType\t\tSize\tUsed\tPriority\n", "proc/swaps")
	return m
}

func (m *machine) write(text string, path ...string) {
	m.t.Helper()
	file := m.path(path...)
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o644)); err != nil {
		m.t.Fatal(err)
	}
}

func (m *machine) link(target string, path ...string) {
	m.t.Helper()
	file := m.path(path...)
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.Symlink(target, file)); err != nil {
		m.t.Fatal(err)
	}
}

// add adds a device with its attributes, path=text, beneath a directory of /sys/devices.
func (m *machine) add(dir string, no number, attributes ...string) {
	m.t.Helper()
	m.write(no.String()+"\n", "sys/devices", dir, "dev")
	if err := os.MkdirAll(m.path("sys/devices", dir, "holders"), 0o755); err != nil {
		m.t.Fatal(err)
	}
	for _, a := range attributes {
		name, text, _ := strings.Cut(a, "=")
		m.write(text+"\n", "sys/devices", dir, name)
	}
	m.link(m.path("sys/devices", dir), "sys/dev/block", no.String())
	m.link(m.path("sys/devices", dir), "sys/block", filepath.Base(dir))
	m.devs["/dev/"+filepath.Base(dir)] = no
}

// holds makes one device a holder of another.
func (m *machine) holds(holder, held string) {
	m.t.Helper()
	m.link(m.path("sys/devices", holder), "sys/devices", held, "holders", filepath.Base(holder))
}

// mounted gives a process a mount namespace and lines of mountinfo.
func (m *machine) mounted(pid, namespace string, lines ...string) {
	m.t.Helper()
	m.write(strings.Join(lines, "\n")+"\n", "proc", pid, "mountinfo")
	if _, err := os.Readlink(m.path("proc", pid, "ns/mnt")); err != nil {
		m.link(namespace, "proc", pid, "ns/mnt")
	}
}

var (
	sda   = number{8, 0}
	sda1  = number{8, 1}
	sda2  = number{8, 2}
	sdb   = number{8, 16}
	dm0   = number{253, 0}
	dm1   = number{253, 1}
	md0   = number{9, 0}
	md0p1 = number{259, 0}
	loop0 = number{7, 0}
)

// disks adds a disk with two partitions, a volume over the second, an array
// over another disk, and one with nothing.
func disks(t *testing.T) *machine {
	m := newMachine(t)
	m.add("sda", sda, "ro=0")
	m.add("sda/sda1", sda1, "partition=1", "ro=0")
	m.add("sda/sda2", sda2, "partition=2", "ro=1")
	m.add("sdb", sdb)
	m.add("sdc", number{8, 32})
	m.add("virtual/dm-0", dm0, "dm/name=vg-root")
	m.add("virtual/dm-1", dm1, "dm/name=crypt")
	m.add("virtual/md0", md0)
	m.add("virtual/md0/md0p1", md0p1, "partition=1")
	m.add("virtual/loop0", loop0)
	m.holds("virtual/dm-0", "sda/sda2")
	m.holds("virtual/dm-1", "virtual/dm-0")
	m.holds("virtual/md0", "sdb")
	return m
}

func TestReasons(t *testing.T) {
	const proc = "22 1 0:21 / /proc rw - proc proc rw"
	for name, c := range map[string]struct {
		set  func(*machine)
		no   number
		want string
	}{
		"free":           {func(m *machine) {}, number{8, 32}, ""},
		"free partition": {func(m *machine) {}, sda1, ""},
		"mounted":        {func(m *machine) { m.mounted("self", "", proc, "30 1 8:32 / /data rw - ext4 /dev/sdc rw") }, number{8, 32}, "sdc is mounted on /data"},
		"mounted twice": {func(m *machine) {
			m.mounted("self", "", "30 1 8:32 / /a rw - ext4 x rw", "31 1 8:32 /b /b rw - ext4 x rw")
		}, number{8, 32}, "sdc is mounted on /a, /b"},
		"mount with space": {func(m *machine) { m.mounted("self", "", `30 1 8:32 / /my\040data rw - ext4 /dev/sdc rw`) }, number{8, 32}, "sdc is mounted on /my data"},
		"btrfs": {func(m *machine) { m.mounted("self", "", "30 1 0:44 /sub /data rw - btrfs /dev/sdc rw") }, number{8, 32},
			"sdc is mounted on /data"},
		"partition mounted": {func(m *machine) { m.mounted("self", "", "30 1 8:1 / /boot rw - ext4 /dev/sda1 rw") }, sda,
			"sda1, a partition of sda, is mounted on /boot; dm-0 (vg-root) is set up over sda2; dm-1 (crypt) is set up over dm-0 (vg-root)"},
		"other partition mounted": {func(m *machine) { m.mounted("self", "", "30 1 8:1 / /boot rw - ext4 /dev/sda1 rw") }, sda2,
			"dm-0 (vg-root) is set up over sda2; dm-1 (crypt) is set up over dm-0 (vg-root)"},
		"disk mounted": {func(m *machine) { m.mounted("self", "", "30 1 8:0 / /data rw - ext4 /dev/sda rw") }, sda1,
			"sda, the disk it is on, is mounted on /data"},
		"holder mounted": {func(m *machine) { m.mounted("self", "", "30 1 253:1 / / rw - ext4 /dev/dm-1 rw") }, sda2,
			"dm-0 (vg-root) is set up over sda2; dm-1 (crypt), set up over dm-0 (vg-root), is mounted on /"},
		"holder's partition mounted": {func(m *machine) { m.mounted("self", "", "30 1 259:0 / /raid rw - ext4 /dev/md0p1 rw") }, sdb,
			"md0 is set up over sdb; md0p1, a partition of md0, is mounted on /raid"},
		"holder of the disk":                 {func(m *machine) { m.holds("virtual/md0", "sda") }, sda1, "md0 is set up over sda"},
		"a holder's slave is not its holder": {func(m *machine) {}, dm1, ""},
		"swap":                               {func(m *machine) { m.write("Filename\n/dev/sdc   partition\t1\t0\t-2\n", "proc/swaps") }, number{8, 32}, "sdc is in use as swap"},
		"swap on a holder": {func(m *machine) { m.write("Filename\n/dev/md0 partition\t1\t0\t-2\n", "proc/swaps") }, sdb,
			"md0, set up over sdb, is in use as swap"},
		"swap to a file": {func(m *machine) { m.write("Filename\n/swap\\040file file\t1\t0\t-2\n", "proc/swaps") }, number{8, 32}, ""},
		"no swap at all": {func(m *machine) { os.Remove(m.path("proc/swaps")) }, number{8, 32}, ""},
		"loop": {func(m *machine) { m.write("/dev/sdc\n", "sys/devices/virtual/loop0/loop/backing_file") }, number{8, 32},
			"loop0 is set up over sdc"},
		"loop over a file": {func(m *machine) { m.write("/images/disk\n", "sys/devices/virtual/loop0/loop/backing_file") }, number{8, 32}, ""},
		"other namespace": {func(m *machine) {
			m.mounted("41", "mnt:[1]", proc, "30 1 8:16 / /not/read rw - ext4 x rw")
			m.mounted("42", "mnt:[2]", proc, "30 1 8:32 / /inner rw - ext4 /dev/sdb rw")
			m.mounted("43", "mnt:[2]", proc, "30 1 8:32 / /inner rw - ext4 /dev/sdb rw")
		}, number{8, 32}, "sdc is mounted on /inner (as process 42 sees it)"},
		"mounted here and elsewhere": {func(m *machine) {
			m.mounted("self", "", "30 1 8:32 / /data rw - ext4 x rw")
			m.mounted("42", "mnt:[2]", "30 1 8:32 / /inner rw - ext4 x rw")
		}, number{8, 32}, "sdc is mounted on /data"},
	} {
		m := disks(t)
		c.set(m)
		reasons, err := m.reasons(c.no)
		if got := strings.Join(reasons, "; "); got != c.want || err != nil {
			t.Errorf("%s:\n got %q, %v\nwant %q", name, got, err, c.want)
		}
	}
}

func TestWhatCannotBeSeenIsNotFree(t *testing.T) {
	for name, hide := range map[string]string{"no /sys": "sys", "no /proc": "proc", "no device number": "sys/devices/sda/sda1/dev", "no disk": "sys/devices/sda/dev"} {
		m := disks(t)
		if err := os.RemoveAll(m.path(hide)); err != nil {
			t.Fatal(err)
		}
		if err := m.free("/dev/sda1", sda1); err == nil || !strings.Contains(err.Error(), "can't be found out, so nothing is written to it") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestFree(t *testing.T) {
	m := disks(t)
	if err := m.free("/dev/sda1", sda1); err != nil {
		t.Error(err)
	}
	err := m.free("/dev/disk/by-id/x", sda2)
	const want = "device /dev/disk/by-id/x is in use, and nothing is written to it: dm-0 (vg-root) is set up over sda2; dm-1 (crypt) is set up over dm-0 (vg-root); release it, or choose another"
	if !errors.Is(err, ErrInUse) || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

func TestAttributes(t *testing.T) {
	m := disks(t)
	for no, want := range map[number]bool{sda: false, sda1: false, sda2: true, sdb: false, {99, 99}: false} {
		if got := m.readOnly(no); got != want {
			t.Errorf("%s: read-only %v, want %v", no, got, want)
		}
	}
}
