package block

import (
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"moonio/engine"
)

func TestCalls(t *testing.T) {
	f, err := os.OpenFile(filepath.Join(t.TempDir(), "f"), os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	fd := int(f.Fd())
	b := []byte("hello")
	vec := &unix.Iovec{Base: &b[0]}
	vec.SetLen(len(b))
	got := make([]byte, 20)
	for _, c := range []struct {
		what      string
		got, want int64
	}{
		{"pwrite", Pwrite(fd, b, 3), 5},
		{"pwritev2", Pwritev2(fd, vec, 8, unix.RWF_DSYNC), 5},
		{"empty pwrite", Pwrite(fd, nil, 100), 0},
		{"pread", Pread(fd, got, 3), 10},
		{"pread at the end", Pread(fd, got, 13), 0},
		{"fsync", Fsync(fd), 0},
		{"fdatasync", Fdatasync(fd), 0},
		{"sync_file_range", SyncFileRange(fd, 0, 13, unix.SYNC_FILE_RANGE_WRITE), 0},
		{"pread of no file", Pread(-1, got, 0), -int64(unix.EBADF)},
		{"pread at a negative offset", Pread(fd, got, -1), -int64(unix.EINVAL)},
	} {
		if c.got != c.want {
			t.Errorf("%s: %d, want %d", c.what, c.got, c.want)
		}
	}
	if string(got[:10]) != "hellohello" {
		t.Errorf("read %q", got[:10])
	}
}

func TestBell(t *testing.T) {
	b := new(Bell)
	b.Ring()
	b.Sleep(engine.NoDeadline) // does not sleep
	if b.Asked() {
		t.Error("a ring counts as a wake")
	}
	b.Wake()
	b.Wake()
	b.Sleep(engine.NoDeadline)
	if !b.Asked() || b.Asked() {
		t.Error("two wakes before a look must count once")
	}
	deadline := engine.Monotonic() + int64(time.Millisecond)
	for engine.Monotonic() < deadline {
		b.Sleep(deadline)
	}
	b.Sleep(0)
}

// Many sleep at once, more than there are processors, while stacks move and
// garbage is collected; each is woken as often as it slept.
func TestManySleep(t *testing.T) {
	const sleepers, turns = 16, 50
	bells := make([]Bell, sleepers)
	var asleep, all sync.WaitGroup
	asleep.Add(sleepers)
	for i := range bells {
		all.Go(func() {
			asleep.Done()
			for n := 0; n < turns; {
				bells[i].Sleep(engine.NoDeadline)
				if bells[i].Asked() {
					n++
					grow(n)
				}
			}
		})
	}
	asleep.Wait()
	awake := make(chan struct{})
	go func() {
		all.Wait()
		close(awake)
	}()
	for {
		select {
		case <-awake:
			return
		default:
			for i := range bells {
				bells[i].Wake()
			}
			runtime.GC()
		}
	}
}

// grow makes the stack deep.
func grow(n int) int {
	var pad [256]byte
	if n == 0 {
		return int(pad[0])
	}
	return grow(n-1) + int(pad[n])
}
