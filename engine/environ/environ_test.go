package environ

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// tree makes a machine of files: path to content, or "-> target" for a symbolic link.
func tree(t *testing.T, parts ...map[string]string) Machine {
	t.Helper()
	m := Machine{Root: t.TempDir()}
	for _, files := range parts {
		for path, content := range files {
			at := m.at(path)
			if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
				t.Fatal(err)
			}
			if target, ok := strings.CutPrefix(content, "-> "); ok {
				if err := os.Symlink(target, at); err != nil {
					t.Fatal(err)
				}
				continue
			}
			if err := os.WriteFile(at, []byte(content+"\n"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	return m
}

const (
	nvme = "/sys/devices/pci0000:00/0000:00:1d.0/0000:3b:00.0/nvme/nvme0/nvme0n1"
	sata = "/sys/devices/pci0000:00/0000:00:17.0/ata1/host0/target0:0:0/0:0:0:0/block/sda"
	virt = "/sys/devices/virtual/block/"
)

var desk = map[string]string{
	"/proc/sys/kernel/hostname":  "desk",
	"/proc/sys/kernel/osrelease": "6.8.0-45-generic",
	"/proc/cpuinfo":              "processor\t: 0\nmodel name\t: AMD Ryzen 9 5950X\nflags\t\t: fpu vme\n\nprocessor\t: 1\nmodel name\t: AMD Ryzen 9 5950X",
	"/proc/self/status":          "Name:\tmoonio\nCpus_allowed_list:\t0-7,16-23,31",
	"/proc/meminfo":              "MemTotal:       65762820 kB\nMemFree:        1000 kB",
	"/proc/swaps":                "Filename Type Size Used Priority\n/dev/nvme0n1p3 partition 8388604 0 -2\n/swap.img file 1 0 -3",
	"/proc/self/mountinfo": `25 1 259:2 / / rw,relatime shared:1 - ext4 /dev/nvme0n1p2 rw,errors=remount-ro
26 25 0:5 / /dev rw,nosuid - devtmpfs udev rw,size=1k
27 26 0:24 / /dev/shm rw,nosuid,nodev - tmpfs tmpfs rw
28 25 8:1 / /data rw,noatime - xfs /dev/sda1 rw,attr2,noatime
29 25 252:0 / /home rw,relatime - ext4 /dev/mapper/vg-home rw
30 25 0:60 / /pool rw,relatime - btrfs /dev/sda1 rw,subvolid=5
31 25 0:61 / /tank rw - zfs tank rw
32 28 0:62 / /data/over rw - tmpfs tmpfs rw
33 28 8:1 /sub /data/over rw - xfs /dev/sda1 rw`,

	"/sys/class/block/nvme0n1":            "-> ../../devices/pci0000:00/0000:00:1d.0/0000:3b:00.0/nvme/nvme0/nvme0n1",
	"/sys/class/block/nvme0n1p2":          "-> ../../devices/pci0000:00/0000:00:1d.0/0000:3b:00.0/nvme/nvme0/nvme0n1/nvme0n1p2",
	"/sys/class/block/nvme0n1p3":          "-> ../../devices/pci0000:00/0000:00:1d.0/0000:3b:00.0/nvme/nvme0/nvme0n1/nvme0n1p3",
	"/sys/dev/block/259:2":                "-> ../../devices/pci0000:00/0000:00:1d.0/0000:3b:00.0/nvme/nvme0/nvme0n1/nvme0n1p2",
	nvme + "/device":                      "-> ../../nvme0",
	nvme + "/nvme0n1p2/partition":         "2",
	nvme + "/nvme0n1p3/partition":         "3",
	nvme + "/size":                        "1953525168",
	nvme + "/queue/rotational":            "0",
	nvme + "/queue/scheduler":             "[none] mq-deadline kyber",
	nvme + "/queue/nr_requests":           "1023",
	nvme + "/queue/write_cache":           "write back",
	nvme + "/../model":                    "Samsung SSD 980 PRO 1TB                 ",
	nvme + "/../firmware_rev":             "5B2QGXA7",
	nvme + "/../device":                   "-> ../../../0000:3b:00.0",
	nvme + "/../../../driver":             "-> ../../../../bus/pci/drivers/nvme",
	"/sys/bus/pci/drivers/nvme/new":       "",
	nvme + "/../../../current_link_speed": "8.0 GT/s PCIe",
	nvme + "/../../../max_link_speed":     "16.0 GT/s PCIe",
	nvme + "/../../../current_link_width": "4",
	nvme + "/../../../max_link_width":     "4",
	nvme + "/queue/logical_block_size":    "512",
	nvme + "/queue/physical_block_size":   "512",

	"/sys/class/block/sda":              "-> ../../devices/pci0000:00/0000:00:17.0/ata1/host0/target0:0:0/0:0:0:0/block/sda",
	"/sys/class/block/sda1":             "-> ../../devices/pci0000:00/0000:00:17.0/ata1/host0/target0:0:0/0:0:0:0/block/sda/sda1",
	"/sys/dev/block/8:1":                "-> ../../devices/pci0000:00/0000:00:17.0/ata1/host0/target0:0:0/0:0:0:0/block/sda/sda1",
	"/dev/sda1":                         "",
	sata + "/sda1/partition":            "1",
	sata + "/device":                    "-> ../../../0:0:0:0",
	sata + "/size":                      "7814037168",
	sata + "/queue/rotational":          "1",
	sata + "/queue/scheduler":           "none [mq-deadline]",
	sata + "/queue/nr_requests":         "64",
	sata + "/queue/logical_block_size":  "512",
	sata + "/queue/physical_block_size": "4096",
	sata + "/queue/write_cache":         "write through",
	sata + "/../../model":               "WDC WD40EFRX-68N",
	sata + "/../../rev":                 "0A82",
	sata + "/../../driver":              "-> ../../../../../../../bus/scsi/drivers/sd",
	"/sys/bus/scsi/drivers/sd/new":      "",
	"/sys/devices/pci0000:00/power":     "",
	"/sys/class/block/dm-0":             "-> ../../devices/virtual/block/dm-0",
	"/sys/dev/block/252:0":              "-> ../../devices/virtual/block/dm-0",
	"/dev/mapper/vg-home":               "-> ../dm-0",
	"/dev/dm-0":                         "",
	virt + "dm-0/size":                  "1000",
	virt + "dm-0/slaves/sda1":           "-> ../../../../../class/block/sda1",
	virt + "dm-0/queue/rotational":      "1",
	virt + "dm-0/queue/scheduler":       "none",
	virt + "dm-0/queue/nr_requests":     "1",
	"/sys/class/block/loop3":            "-> ../../devices/virtual/block/loop3",
	"/dev/loop3":                        "",
	virt + "loop3/size":                 "2048",
	virt + "loop3/loop/backing_file":    "/home/disk.img",
	virt + "loop3/queue/rotational":     "0",
	virt + "loop3/queue/scheduler":      "[none]",
}

var (
	wantNVMe = Device{
		Name: "nvme0n1", Partition: "nvme0n1p2", Model: "Samsung SSD 980 PRO 1TB", Firmware: "5B2QGXA7", Driver: "nvme",
		SizeBytes: 1953525168 * 512, Scheduler: "none", Requests: 1023, LogicalBlock: 512, PhysicalBlock: 512, WriteCache: "write back",
		Link:   &Link{Speed: "8.0 GT/s PCIe", MaxSpeed: "16.0 GT/s PCIe", Width: 4, MaxWidth: 4},
		System: true,
	}
	wantSATA = Device{
		Name: "sda", Partition: "sda1", Model: "WDC WD40EFRX-68N", Firmware: "0A82", Driver: "sd", SizeBytes: 7814037168 * 512,
		Rotational: true, Scheduler: "mq-deadline", Requests: 64, LogicalBlock: 512, PhysicalBlock: 4096, WriteCache: "write through",
	}
	wantHome = Device{
		Name: "dm-0", Under: []string{"sda"}, Model: "WDC WD40EFRX-68N", Firmware: "0A82", Driver: "sd", SizeBytes: 512000,
		Rotational: true, Scheduler: "mq-deadline", Requests: 64, WriteCache: "write through",
	}
	wantLoop = Device{
		Name: "loop3", Under: []string{"sda"}, Backing: "/home/disk.img", Model: "WDC WD40EFRX-68N", Firmware: "0A82", Driver: "sd",
		SizeBytes: 1 << 20, Scheduler: "mq-deadline", Requests: 64, WriteCache: "write through",
	}
)

func TestStorage(t *testing.T) {
	m := tree(t, desk)
	for _, c := range []struct {
		path string
		want Storage
	}{
		{"/var/tmp/not/yet", Storage{Mount: "/", FSType: "ext4", Options: "rw,relatime,errors=remount-ro", Source: "/dev/nvme0n1p2", Device: &wantNVMe}},
		{"/data", Storage{Mount: "/data", FSType: "xfs", Options: "rw,noatime,attr2", Source: "/dev/sda1", Device: &wantSATA}},
		{"/database", Storage{Mount: "/", FSType: "ext4", Options: "rw,relatime,errors=remount-ro", Source: "/dev/nvme0n1p2", Device: &wantNVMe}},
		{"/data/over/x", Storage{Mount: "/data/over", FSType: "xfs", Options: "rw", Source: "/dev/sda1", Device: &wantSATA}},
		{"/home/me", Storage{Mount: "/home", FSType: "ext4", Options: "rw,relatime", Source: "/dev/mapper/vg-home", Device: &wantHome}},
		{"/pool/a", Storage{Mount: "/pool", FSType: "btrfs", Options: "rw,relatime,subvolid=5", Source: "/dev/sda1", Device: &wantSATA}},
		{"/tank", Storage{Mount: "/tank", FSType: "zfs", Options: "rw", Source: "tank"}},
		{"/dev/shm/x", Storage{Mount: "/dev/shm", FSType: "tmpfs", Options: "rw,nosuid,nodev", Source: "tmpfs"}},
		{"/dev/sda1", Storage{Device: &wantSATA}},
		{"/dev/mapper/vg-home", Storage{Device: &wantHome}},
		{"/dev/loop3", Storage{Device: &wantLoop}},
	} {
		c.want.Path = c.path
		if d := cmp.Diff(&c.want, m.Environment(c.path).Storage); d != "" {
			t.Errorf("%s (-want +got):\n%s", c.path, d)
		}
	}
}

func TestMachine(t *testing.T) {
	got := tree(t, desk).Environment("")
	want := Environment{
		Hostname: "desk", Kernel: "6.8.0-45-generic", Arch: got.Arch, CPU: "AMD Ryzen 9 5950X", CPUs: 17, MemoryBytes: 65762820 << 10,
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("environment (-want +got):\n%s", d)
	}
}

func TestNothingToBeSeen(t *testing.T) {
	got := tree(t).Environment("/data")
	want := Environment{Arch: got.Arch, Storage: &Storage{Path: "/data"}}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("environment (-want +got):\n%s", d)
	}
}

func TestVirtualization(t *testing.T) {
	for want, files := range map[string]map[string]string{
		"":                       {"/sys/class/dmi/id/sys_vendor": "Gigabyte", "/sys/class/dmi/id/product_name": "B550"},
		"kvm":                    {"/sys/class/dmi/id/sys_vendor": "QEMU", "/sys/class/dmi/id/product_name": "Standard PC"},
		"hyper-v":                {"/sys/class/dmi/id/sys_vendor": "Microsoft Corporation", "/sys/class/dmi/id/product_name": "Virtual Machine"},
		"xen":                    {"/sys/hypervisor/type": "xen"},
		"podman":                 {"/run/.containerenv": ""},
		"systemd-nspawn":         {"/run/systemd/container": "systemd-nspawn"},
		"docker on amazon ec2":   {"/.dockerenv": "", "/sys/class/dmi/id/sys_vendor": "Amazon EC2"},
		"docker on a hypervisor": {"/.dockerenv": "", "/proc/cpuinfo": "flags : fpu hypervisor vme"},
	} {
		if got := tree(t, files).Environment("").Virtualization; got != want {
			t.Errorf("%v: virtualization %q, want %q", files, got, want)
		}
	}
}

func TestMemoryOfAContainer(t *testing.T) {
	for name, c := range map[string]struct {
		files map[string]string
		want  int64
	}{
		"unlimited":  {map[string]string{"/sys/fs/cgroup/memory.max": "max"}, 65762820 << 10},
		"limited":    {map[string]string{"/sys/fs/cgroup/memory.max": "1073741824"}, 1 << 30},
		"version 1":  {map[string]string{"/sys/fs/cgroup/memory/memory.limit_in_bytes": "2147483648"}, 2 << 30},
		"huge limit": {map[string]string{"/sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712"}, 65762820 << 10},
	} {
		if got := tree(t, desk, c.files).Environment("").MemoryBytes; got != c.want {
			t.Errorf("%s: %d bytes, want %d", name, got, c.want)
		}
	}
}

func TestCounters(t *testing.T) {
	m := tree(t, map[string]string{
		"/sys/class/block/vda/stat":  "   37108     7623  2030594    14126     4877    19104  1386128     4652        3     8404    19185     4519       53   276616      369      710       37",
		"/sys/class/block/old/stat":  "1 0 8 5 2 0 16 6 0 7 8",
		"/sys/class/block/torn/stat": "1 2 3",
	})
	vda := Counters{
		Reads: 37108, ReadBytes: 2030594 * 512, ReadNS: 14126 * ms, Writes: 4877, WriteBytes: 1386128 * 512, WriteNS: 4652 * ms,
		Trims: 4519, TrimBytes: 276616 * 512, Flushes: 710, BusyNS: 8404 * ms, QueueNS: 19185 * ms,
		ReadMerges: 7623, WriteMerges: 19104,
	}
	old := Counters{Reads: 1, ReadBytes: 4096, ReadNS: 5 * ms, Writes: 2, WriteBytes: 8192, WriteNS: 6 * ms, BusyNS: 7 * ms, QueueNS: 8 * ms}
	for name, want := range map[string]Counters{"vda": vda, "old": old} {
		got, err := m.Counters(name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
		if d := cmp.Diff(want, got.Since(Counters{})); d != "" {
			t.Errorf("%s since nothing (-want +got):\n%s", name, d)
		}
		if got.Since(want) != (Counters{}) {
			t.Errorf("%s since itself: %+v, want nothing", name, got.Since(want))
		}
	}
	for _, name := range []string{"torn", "gone"} {
		if _, err := m.Counters(name); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: error %v, want one that names the device", name, err)
		}
	}
}

// Whatever this machine is, looking at it succeeds.
func TestThisMachine(t *testing.T) {
	e := Machine{}.Environment(t.TempDir())
	if e.Kernel == "" || e.CPUs < 1 || e.MemoryBytes <= 0 || e.Storage == nil || e.Storage.Mount == "" {
		t.Errorf("this machine: %+v, storage %+v", e, e.Storage)
	}
}

func TestBeneath(t *testing.T) {
	m := tree(t, desk, nil)
	for device, want := range map[string][]string{"dm-0": {"sda"}, "loop3": {"sda"}, "sda": {}, "nvme0n1": {}, "": nil} {
		if got := m.Beneath(device); !cmp.Equal(got, want) {
			t.Errorf("%q: %q, want %q", device, got, want)
		}
	}
}
