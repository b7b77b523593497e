package helper

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"

	"moonio/engine"
)

// MaxTransfer is the most that Linux moves in one call.
const MaxTransfer = math.MaxInt32 &^ 4095

// dontCache is RWF_DONTCACHE (Linux 6.14), which x/sys does not have.
const dontCache = 0x80

// Transfers are the options that go with every read and write, and the files
// that they were tried on.
type Transfers struct {
	Flags  uint32 // RWF_*
	engine string
	tried  []*engine.File // by ID
}

// TransferOptions are those that NewTransfers reads.
var TransferOptions = []engine.Option{
	{Name: "uncached", About: "drop what passes through the page cache at once (RWF_DONTCACHE, Linux 6.14)"},
	{Name: "nowait", About: "an operation that would have to wait for something fails with EAGAIN (RWF_NOWAIT)"},
}

// PrioOption is for engines that honour Op.Prio: it stands in for one that is 0.
var PrioOption = engine.Option{Name: "ioprio", Also: []string{"prio"}, Value: "P", About: "priority of every read and write: rt/0 to rt/7, be/0 to be/7, or idle"}

// NewTransfers reads the options of the engine of that name.
func NewTransfers(name string, s *Settings) Transfers {
	t := Transfers{engine: name}
	if on, _ := s.Switch("uncached"); on {
		t.Flags |= dontCache
	}
	if on, _ := s.Switch("nowait"); on {
		t.Flags |= unix.RWF_NOWAIT
	}
	return t
}

// Features names what is on.
func (t *Transfers) Features() (names []string) {
	for _, f := range []struct {
		flag uint32
		name string
	}{{dontCache, "uncached"}, {unix.RWF_NOWAIT, "nowait"}} {
		if t.Flags&f.flag != 0 {
			names = append(names, f.name)
		}
	}
	return names
}

// Check says why the options can't be had on a file, which it tries at the
// file's first use by reading a block.
func (t *Transfers) Check(f *engine.File) error {
	if t.Flags == 0 || f.ID < uint32(len(t.tried)) && t.tried[f.ID] == f {
		return nil
	}
	for _, flag := range []uint32{dontCache, unix.RWF_NOWAIT} {
		if t.Flags&flag == 0 {
			continue
		}
		if err := tryRead(f, flag); errors.Is(err, unix.EOPNOTSUPP) || errors.Is(err, unix.EINVAL) {
			one := Transfers{Flags: flag}
			name := strings.Join(one.Features(), "")
			return fmt.Errorf("%s: option %s on file %q: %s refuses it: leave the option out, or use another file system: %w", t.engine, name, f.Name, FileSystem(f), err)
		}
	}
	if missing := int(f.ID) + 1 - len(t.tried); missing > 0 {
		t.tried = append(t.tried, make([]*engine.File, missing)...)
	}
	t.tried[f.ID] = f
	return nil
}

// tryRead reads a file's first block with a flag.
func tryRead(f *engine.File, flag uint32) error {
	fd, err := Reopen(f, unix.O_RDONLY|unix.O_NONBLOCK|direct(f))
	if err != nil {
		return err // the operation will say why
	}
	defer unix.Close(fd)
	buf, err := unix.Mmap(-1, 0, max(4096, f.Align.Offset), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
	if err != nil {
		return err
	}
	defer unix.Munmap(buf)
	_, err = unix.Preadv2(fd, [][]byte{buf}, 0, int(flag))
	return err
}

func direct(f *engine.File) int {
	if f.Direct {
		return unix.O_DIRECT
	}
	return 0
}

// FileSystem names what a file lies on, for messages.
func FileSystem(f *engine.File) string {
	if f.Device {
		return "the block device"
	}
	var st unix.Statfs_t
	if err := unix.Fstatfs(f.FD, &st); err != nil {
		return "the file system"
	}
	if name, ok := fileSystems[int64(st.Type)]; ok {
		return name
	}
	return fmt.Sprintf("the file system (type %#x)", st.Type)
}

var fileSystems = map[int64]string{
	unix.EXT4_SUPER_MAGIC: "ext4", unix.XFS_SUPER_MAGIC: "xfs", unix.BTRFS_SUPER_MAGIC: "btrfs", unix.TMPFS_MAGIC: "tmpfs",
	unix.F2FS_SUPER_MAGIC: "f2fs", unix.OVERLAYFS_SUPER_MAGIC: "overlayfs", unix.NFS_SUPER_MAGIC: "nfs",
	unix.SMB2_SUPER_MAGIC: "smb", unix.FUSE_SUPER_MAGIC: "fuse", unix.SQUASHFS_MAGIC: "squashfs", unix.RAMFS_MAGIC: "ramfs",
}

// Address is a buffer's address as the kernel wants it. The buffer is outside Go's heap.
func Address(b []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(b))) }
