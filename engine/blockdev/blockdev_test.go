package blockdev

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func TestNoBlockDevice(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := errors.Join(os.WriteFile(file, make([]byte, 12<<10), 0o644), unix.Mkfifo(dir+"/pipe", 0o600)); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		file:             "it is a regular file of 12.0 KiB, not a block device; name the directory it is in with --dir, or make a device of it with losetup",
		dir:              "it is a directory, not a block device; name it with --dir",
		"/dev/null":      "it is a character device, not a block device",
		dir + "/pipe":    "it is not a block device",
		dir + "/missing": "no such file or directory",
	} {
		for _, destroy := range []bool{false, true} {
			if d, err := Open(path, destroy); err == nil || err.Error() != "device "+path+": "+want {
				t.Errorf("%s: %v, %v", path, d, err)
			}
		}
	}
}

func run(t *testing.T, name string, arg ...string) string {
	t.Helper()
	out, err := exec.Command(name, arg...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(arg, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

// needs skips a test that can't be carried out here.
func needs(t *testing.T, tools ...string) {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("NOT TESTED: needs root")
	}
	if f, err := os.OpenFile("/dev/loop-control", os.O_RDWR, 0); err != nil {
		t.Skipf("NOT TESTED: needs loop devices: %v", err)
	} else {
		f.Close()
	}
	for _, tool := range append(tools, "losetup") {
		if _, err := exec.LookPath(tool); err != nil {
			if os.Getenv("CI") != "" {
				t.Fatalf("needs %s", tool)
			}
			t.Skipf("NOT TESTED: needs %s", tool)
		}
	}
}

const size = 8 << 20

// loop makes a loop device over a fresh file.
func loop(t *testing.T, flags ...string) (dev string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "disk")
	if err := errors.Join(os.WriteFile(file, nil, 0o600), os.Truncate(file, size)); err != nil {
		t.Fatal(err)
	}
	return loopOver(t, file, flags...)
}

func loopOver(t *testing.T, file string, flags ...string) (dev string) {
	t.Helper()
	out, err := exec.Command("losetup", append(flags, "--find", "--show", file)...).CombinedOutput()
	if err != nil {
		t.Skipf("NOT TESTED: losetup: %v: %s", err, out)
	}
	dev = strings.TrimSpace(string(out))
	t.Cleanup(func() { run(t, "losetup", "--detach", dev) })
	return dev
}

func mount(t *testing.T, dev string) (at string) {
	t.Helper()
	at = t.TempDir()
	if err := unix.Mount(dev, at, "ext4", 0, ""); err != nil {
		t.Skipf("NOT TESTED: mounting ext4: %v", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(at, 0); err != nil {
			t.Error(err)
		}
	})
	return at
}

func open(t *testing.T, path string, destroyData bool) *Device {
	t.Helper()
	d, err := Open(path, destroyData)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	looked, err := Look(path, false)
	if err != nil || looked.Size != d.Size || looked.LogicalBlock != d.LogicalBlock {
		t.Errorf("looking at %s: %+v, %v; open it is %+v", path, looked, err, d)
	}
	return d
}

// inUse checks that a device is not opened for writing, and can be read all the same. Where
// that shows in what is wanted, looking at the device says so too.
func inUse(t *testing.T, path string, want ...string) {
	t.Helper()
	d, err := Open(path, true)
	if err == nil {
		d.Close()
	}
	if !errors.Is(err, ErrInUse) {
		t.Errorf("%s: got %v, want it in use", path, err)
		return
	}
	for _, w := range append(want, "device "+path+" is in use, and nothing is written to it: ") {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("%q does not say %q", err, w)
		}
	}
	if _, looked := Look(path, true); len(want) == 1 && (looked == nil || looked.Error() != err.Error()) {
		t.Errorf("looking at %s: got %v, want %v", path, looked, err)
	}
	open(t, path, false)
}

func TestFreeDeviceIsHeld(t *testing.T) {
	needs(t, "mkfs.ext4")
	dev := loop(t)
	run(t, "mkfs.ext4", "-q", dev)
	link := filepath.Join(t.TempDir(), "by-id")
	if err := os.Symlink(dev, link); err != nil {
		t.Fatal(err)
	}
	d := open(t, link, true)
	if d.Path != link || d.Size != size || d.LogicalBlock != 512 || !d.Writable {
		t.Errorf("%+v", d)
	}
	// It is ours for as long as it is open: for a program that asks, and for a mount.
	inUse(t, dev, "a program holds it exclusively", "`fuser -v "+dev+"` may name it")
	if err := unix.Mount(dev, t.TempDir(), "ext4", 0, ""); err != unix.EBUSY {
		t.Errorf("mounting it: %v", err)
	}
	writeThrough(t, d)
	d.Close()
	open(t, dev, true)
}

// writeThrough writes by way of the handle, and reads back by the path.
func writeThrough(t *testing.T, d *Device) {
	t.Helper()
	f, err := os.OpenFile(d.Handle(), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	want, got := bytes.Repeat([]byte("x"), 4096), make([]byte, 4096)
	if _, err := f.WriteAt(want, 4096); err != nil {
		t.Fatal(err)
	}
	r, err := os.Open(d.Path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err := r.ReadAt(got, 4096); err != nil || !bytes.Equal(got, want) {
		t.Errorf("read back %.8q, %v", got, err)
	}
}

func TestReadingNeedsNoPermission(t *testing.T) {
	needs(t)
	d := open(t, loop(t), false)
	if d.Writable {
		t.Error("the device says that it can be written")
	}
	if err := unix.Fallocate(d.fd, 0, 0, 4096); err == nil {
		t.Error("the descriptor can write")
	}
}

func TestMountedDevice(t *testing.T) {
	needs(t, "mkfs.ext4")
	dev := loop(t)
	run(t, "mkfs.ext4", "-q", dev)
	at := mount(t, dev)
	inUse(t, dev, filepath.Base(dev)+" is mounted on "+at)
}

// TestRootFileSystem is about the device that must not be written by any means.
func TestRootFileSystem(t *testing.T) {
	var st unix.Stat_t
	if err := unix.Stat("/", &st); err != nil {
		t.Fatal(err)
	}
	b, err := newSystem("/").find(numberOf(st.Dev))
	if err != nil {
		t.Skipf("NOT TESTED: / is on no block device: %v", err)
	}
	dev := filepath.Join("/dev", filepath.Base(b.dir))
	if _, err := os.Stat(dev); err != nil {
		t.Skipf("NOT TESTED: %v", err)
	}
	if d, err := Open(dev, true); !errors.Is(err, ErrInUse) || !strings.Contains(err.Error(), "is mounted on /") {
		t.Errorf("%s: %v, %v", dev, d, err)
	}
}

func TestMountedInAnotherNamespace(t *testing.T) {
	needs(t, "mkfs.ext4", "unshare", "mount")
	dev, at := loop(t), t.TempDir()
	run(t, "mkfs.ext4", "-q", dev)
	cmd := exec.Command("unshare", "--mount", "--propagation", "private", "sh", "-c", `mount -t ext4 "$0" "$1" && echo mounted && read line`, dev, at)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stdin.Close()
		cmd.Wait()
		waitUntilFree(t, dev)
	})
	if n, err := stdout.Read(make([]byte, 16)); n == 0 {
		t.Skipf("NOT TESTED: mounting in a namespace: %v", err)
	}
	inUse(t, dev, " is mounted on "+at+" (as process ")
}

// waitUntilFree waits for the kernel to take down a namespace that has ended.
func waitUntilFree(t *testing.T, dev string) {
	t.Helper()
	for range 6000 {
		if d, err := Open(dev, true); err == nil {
			d.Close()
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("%s is still mounted", dev)
}

func TestSwap(t *testing.T) {
	needs(t, "mkswap", "swapon", "swapoff")
	dev := loop(t)
	run(t, "mkswap", dev)
	if out, err := exec.Command("swapon", "--priority", "0", dev).CombinedOutput(); err != nil {
		t.Skipf("NOT TESTED: swapon: %v: %s", err, out)
	}
	t.Cleanup(func() { run(t, "swapoff", dev) })
	inUse(t, dev, filepath.Base(dev)+" is in use as swap")
}

// partitioned makes a loop device with two partitions, of which the kernel is
// told directly: it need not know any kind of partition table.
func partitioned(t *testing.T) (disk, first, second string) {
	t.Helper()
	disk = loop(t, "--partscan")
	for i, start := range []string{"2048", "8192"} {
		part := strconv.Itoa(i + 1)
		if out, err := exec.Command("addpart", disk, part, start, "6144").CombinedOutput(); err != nil {
			t.Skipf("NOT TESTED: addpart: %v: %s", err, out)
		}
		t.Cleanup(func() { run(t, "delpart", disk, part) })
	}
	first, second = disk+"p1", disk+"p2"
	for _, node := range []string{first, second} {
		if _, err := os.Stat(node); err != nil {
			t.Skipf("NOT TESTED: the partition has no node: %v", err)
		}
	}
	return disk, first, second
}

func TestPartitions(t *testing.T) {
	needs(t, "mkfs.ext4", "addpart", "delpart")
	disk, first, second := partitioned(t)
	d := open(t, second, true)
	if d.Size != 6144*512 {
		t.Errorf("size %d", d.Size)
	}
	inUse(t, disk)
	d.Close()
	run(t, "mkfs.ext4", "-q", first)
	at := mount(t, first)
	name := filepath.Base(disk)
	inUse(t, first, filepath.Base(first)+" is mounted on "+at)
	inUse(t, disk, filepath.Base(first)+", a partition of "+name+", is mounted on "+at)
	open(t, second, true)
}

// TestLoopOverDevice is about a use that the kernel doesn't count as one.
func TestLoopOverDevice(t *testing.T) {
	needs(t, "mkfs.ext4")
	lower := loop(t)
	upper := loopOver(t, lower)
	inUse(t, lower, filepath.Base(upper)+" is set up over "+filepath.Base(lower))
	run(t, "mkfs.ext4", "-q", upper)
	at := mount(t, upper)
	inUse(t, lower, filepath.Base(upper)+", set up over "+filepath.Base(lower)+", is mounted on "+at)
}

func TestMappedDevice(t *testing.T) {
	needs(t, "dmsetup")
	lower := loop(t)
	name := fmt.Sprint("moonio-test-", os.Getpid())
	out, err := exec.Command("dmsetup", "create", name, "--table", "0 8192 linear "+lower+" 0").CombinedOutput()
	if err != nil {
		t.Skipf("NOT TESTED: dmsetup: %v: %s", err, out)
	}
	t.Cleanup(func() { run(t, "dmsetup", "remove", "--retry", name) })
	inUse(t, lower, "("+name+") is set up over "+filepath.Base(lower))
}

func TestReadOnlyDevice(t *testing.T) {
	needs(t)
	dev := loop(t, "--read-only")
	if d, err := Open(dev, true); !errors.Is(err, ErrReadOnly) {
		t.Errorf("%v, %v", d, err)
	}
	open(t, dev, false)
}

func TestDeviceWithoutMedium(t *testing.T) {
	needs(t)
	// A loop device with nothing behind it, unless another program puts something there at this moment.
	var d *Device
	var err error
	for range 10 {
		dev := run(t, "losetup", "--find")
		if d, err = Open(dev, false); err != nil && (strings.Contains(err.Error(), "size of device "+dev) || errors.Is(err, unix.ENXIO)) {
			return
		}
		if err == nil {
			d.Close()
		}
	}
	t.Errorf("%v, %v", d, err)
}
