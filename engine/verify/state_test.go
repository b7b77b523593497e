package verify

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

func dup(f *os.File) (int, error) {
	defer f.Close()
	return unix.Dup(int(f.Fd()))
}

func reopen(t testing.TB, dir string, seed uint64, interval int64) (*State, error) {
	t.Helper()
	return OpenState(Open{FD: stateFile(t, dir), Name: "state", Interval: interval, Seed: seed})
}

// A later run knows what an earlier one wrote, with its seed.
func TestState(t *testing.T) {
	dir := t.TempDir()
	s, err := reopen(t, dir, 7, unit)
	if err != nil {
		t.Fatal(err)
	}
	d, before := written(t, Config{State: s}, 8)
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if s, err = reopen(t, dir, 99, unit); err != nil {
		t.Fatal(err)
	}
	if s.crashed || s.fresh {
		t.Errorf("crashed: %v, fresh: %v", s.crashed, s.fresh)
	}
	d.File = fileOf(t, Config{State: s})
	if got := d.read(0, 8*unit); got.Checked != 8 || got.Mismatches != 0 {
		t.Errorf("%+v", got)
	}
	copy(d.data, before[:unit])
	if got := d.read(0, 8*unit); got.Mismatches != 1 || got.First[0].Kind != Stale {
		t.Errorf("%+v", got)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err = reopen(t, dir, 7, 512); err == nil || !strings.Contains(err.Error(), "interval = 4096") {
		t.Errorf("a state of another interval: %v", err)
	}
	if n, err := Interval(stateFile(t, dir)); n != unit || err != nil {
		t.Errorf("interval %d, %v", n, err)
	}
	if err := os.WriteFile(filepath.Join(dir, "state"), bytes.Repeat([]byte("x"), 5000), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err = reopen(t, dir, 7, unit); err == nil || !strings.Contains(err.Error(), "not a state of moonio's") {
		t.Errorf("some other file: %v", err)
	}
}

// crash opens anew what a dead program left, as after a power cut if it says so.
func crash(t *testing.T, d *disk, dir string, powerCut bool) {
	t.Helper()
	old := d.State
	if powerCut {
		copy(old.head[atBoot:], "another boot                        ")
	}
	s, err := reopen(t, dir, 7, unit)
	if err != nil {
		t.Fatal(err)
	}
	if !s.crashed || s.powerCut != powerCut {
		t.Fatalf("crashed: %v, power cut: %v", s.crashed, s.powerCut)
	}
	d.File = fileOf(t, Config{State: s})
	t.Cleanup(func() {
		old.unmap()
		_ = unix.Close(old.fd)
	})
}

// After a crash, what was acknowledged must be there, and what was in flight may be old, new or,
// by whole sectors, both.
func TestCrash(t *testing.T) {
	for _, powerCut := range []bool{false, true} {
		dir := t.TempDir()
		s, err := reopen(t, dir, 7, unit)
		if err != nil {
			t.Fatal(err)
		}
		d, _ := written(t, Config{State: s}, 8)
		d.Synced(d.Syncing())
		synced := bytes.Clone(d.data)
		d.write(0, unit) // acknowledged, not synced
		flying := make([]byte, 4*unit)
		d.Prime(flying)
		if err := d.Write(flying, 4*unit); err != nil {
			t.Fatal(err)
		}
		copy(d.data[4*unit:], flying[:2*unit+512]) // 4 and 5 are new, 6 is torn, 7 is old
		crash(t, d, dir, powerCut)
		if got := d.read(0, 8*unit); got.Checked != 8 || got.Mismatches != 0 || got.Unsettled != 1 {
			t.Errorf("power cut %v: %+v", powerCut, got)
		}
		copy(d.data, synced[:unit])
		want := int64(1)
		if powerCut {
			want = 0
		}
		if got := d.read(0, unit); got.Mismatches != want {
			t.Errorf("power cut %v: without what was not synced: %+v", powerCut, got)
		}
		clear(d.data[unit : 2*unit])
		if got := d.read(unit, unit); got.Mismatches != 1 || got.First[0].Kind != Lost {
			t.Errorf("power cut %v: without what was synced: %+v", powerCut, got)
		}
		copy(d.data[6*unit+700:7*unit], bytes.Repeat([]byte{0}, 300))
		if got := d.read(6*unit, unit); got.Mismatches != 1 {
			t.Errorf("power cut %v: torn within a sector: %+v", powerCut, got)
		}
		// Work goes on, and ends well.
		d.write(0, 8*unit)
		if got := d.read(0, 8*unit); got.Checked != 8 || got.Mismatches != 0 {
			t.Errorf("power cut %v: written again: %+v", powerCut, got)
		}
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestDurableWrites(t *testing.T) {
	dir := t.TempDir()
	s, err := reopen(t, dir, 7, unit)
	if err != nil {
		t.Fatal(err)
	}
	d, before := written(t, Config{State: s}, 2)
	b := make([]byte, unit)
	d.Prime(b)
	if err := d.Write(b, 0); err != nil {
		t.Fatal(err)
	}
	d.Wrote(0, unit, unit, true)
	crash(t, d, dir, true)
	copy(d.data, before)
	if got := d.read(0, 2*unit); got.Mismatches != 1 || got.First[0].Kind != Stale || got.Unknown != 1 {
		t.Errorf("a durable write is gone, and one that was not: %+v", got)
	}
	if !strings.Contains(d.read(0, unit).First[0].Detail, "acknowledged as durable before the machine went down") {
		t.Errorf("%+v", d.read(0, unit).First[0].Detail)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
}

// What was written with one method is checked by it whatever is asked for; whether there are headers
// must be known.
func TestStateOfAnotherMethod(t *testing.T) {
	dir := t.TempDir()
	open := func(m Method) (*State, error) {
		return OpenState(Open{FD: stateFile(t, dir), Name: "state", Method: m, Interval: unit, Seed: 7})
	}
	s, err := open(CRC32C)
	if err != nil {
		t.Fatal(err)
	}
	d, _ := written(t, Config{State: s}, 8)
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if s, err = open(MD5); err != nil {
		t.Fatal(err)
	}
	d.File = fileOf(t, Config{State: s, Method: MD5})
	if got := d.read(0, 8*unit); got.Checked != 8 || got.Mismatches != 0 || got.Otherwise != 8 {
		t.Errorf("%+v", got)
	}
	d.write(0, 2*unit)
	if got := d.read(0, 8*unit); got.Checked != 8 || got.Mismatches != 0 || got.Otherwise != 6 {
		t.Errorf("after two were written again: %+v", got)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := open(Pattern); err == nil || !strings.Contains(err.Error(), "has headers, and pattern looks for none") {
		t.Errorf("blocks with headers by pattern: %v", err)
	}
}
