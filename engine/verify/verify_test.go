package verify

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"moonio/engine/content"
)

const unit = 4096

func fileOf(t testing.TB, c Config) *File {
	t.Helper()
	if c.Name == "" {
		c.Name = "f"
	}
	if c.Interval == 0 {
		c.Interval = unit
	}
	c.Seed = 7
	f, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// disk is storage that does what it is told.
type disk struct {
	*File
	t    testing.TB
	data []byte
}

func (d *disk) write(off, n int64) {
	d.t.Helper()
	b := make([]byte, n)
	d.Prime(b)
	if err := d.Write(b, off); err != nil {
		d.t.Fatal(err)
	}
	copy(d.data[off:], b)
	d.Wrote(off, n, n, false)
}

func (d *disk) read(off, n int64) (t Tally) {
	d.Read(d.data[off:off+n], off, d.Reading(off, n), &t)
	return t
}

// written is a disk of blocks, each of which has been written twice.
func written(t testing.TB, c Config, blocks int64) (d *disk, before []byte) {
	d = &disk{File: fileOf(t, c), t: t, data: make([]byte, blocks*unit)}
	d.write(0, blocks*unit)
	before = bytes.Clone(d.data)
	for i := range blocks {
		d.write(i*unit, unit)
	}
	return d, before
}

func methods() (list []Config) {
	for m := range numMethods {
		c := Config{Method: m}
		if m == Pattern {
			p, err := content.ParsePattern(`0xff%o"abcd"`, nil)
			if err != nil {
				panic(err)
			}
			c.Data = content.Spec{Kind: content.Repeat, Pattern: p}
		}
		list = append(list, c)
	}
	return append(list, Config{Data: content.Spec{Refill: true}}, Config{Data: content.Spec{Compress: 50}}, Config{Data: content.Spec{Kind: content.Zero}})
}

func (c Config) String() string { return fmt.Sprintf("%s of %s", c.Method, &c.Data) }

func TestRight(t *testing.T) {
	for _, c := range methods() {
		d, _ := written(t, c, 8)
		for _, r := range [][3]int64{{0, 8 * unit, 8}, {unit, unit, 1}, {100, 3 * unit, 2}, {0, 100, 0}, {5, unit, 0}} {
			got := d.read(r[0], r[1])
			if got.Checked != r[2] || got.Bytes != r[2]*unit || got.Mismatches+got.Unknown+got.Unsettled != 0 {
				t.Errorf("%s: %d bytes at %d: %+v, want %d blocks", c, r[1], r[0], got, r[2])
			}
		}
	}
}

// Each way in which storage can fail is named, in the right place.
func TestMismatches(t *testing.T) {
	const b = 3 // the block
	for _, c := range methods() {
		for name, k := range map[string]struct {
			want   Kind
			spoil  func(data, before []byte)
			at     int64 // -1: wherever
			detail string
			not    func(c Config) bool // the method can't tell
		}{
			"bit of the data": {Flipped, func(data, _ []byte) { data[1000] ^= 4 }, 1000, "bit 2 of byte 1000 is wrong",
				func(c Config) bool { return c.Method == Header }},
			"bit of the header": {Flipped, func(data, _ []byte) { data[27] ^= 128 }, 27, "bit 7 of byte 27 is wrong", nil},
			"bits": {Flipped, func(data, _ []byte) { data[2000] ^= 3; data[2001] ^= 1 }, 2000, "3 bits are wrong",
				func(c Config) bool { return c.Method == Header }},
			"swapped": {Swapped, func(data, _ []byte) { copy(data, data[unit:2*unit]) }, -1, "it is the block at offset 16384", nil},
			"stale": {Stale, func(data, before []byte) { copy(data, before[:unit]) }, atGeneration, "it is generation 1, and generation 2 was written",
				func(c Config) bool { return c.Method == Pattern }},
			"torn, old": {Torn, func(data, before []byte) { copy(data[2048:], before[2048:unit]) }, -1, "bytes 0 to 2047 are of generation 2, bytes 2048 to 4095 are of generation 1",
				func(c Config) bool { return c.Method == Pattern || c.Data.Kind == content.Zero || c.Method == Header }},
			"torn, new behind": {Torn, func(data, before []byte) { copy(data[:2048], before[:2048]) }, -1, "bytes 0 to 2047 are of generation 1, bytes 2048 to 4095 are of generation 2",
				func(c Config) bool { return c.Method == Pattern || c.Data.Kind == content.Zero || c.Method == Header }},
			"torn, zero": {Torn, func(data, _ []byte) { clear(data[512:unit]) }, -1, "bytes 512 to 4095 are zero",
				func(c Config) bool { return c.Method == Header || c.Data.Kind == content.Zero }},
			"torn within a sector": {Torn, func(data, _ []byte) { clear(data[700:unit]) }, -1, "",
				func(c Config) bool { return c.Method == Header || c.Data.Kind == content.Zero }},
			"lost": {Lost, func(data, _ []byte) { clear(data[:unit]) }, 0, "nothing but zeros", nil},
			"foreign": {Other, func(data, _ []byte) { copy(data, bytes.Repeat([]byte("other"), 1000)[:unit]) }, 0, "nothing that was written there",
				func(c Config) bool { return c.Data.Kind == content.Zero }},
			"middle": {Corrupt, func(data, _ []byte) { copy(data[1024:], bytes.Repeat([]byte("x"), 512)) }, 1024, "1 of its 8 sectors",
				func(c Config) bool { return c.Method == Header }},
		} {
			if k.not != nil && k.not(c) {
				continue
			}
			d, before := written(t, c, 8)
			k.spoil(d.data[b*unit:], before[b*unit:])
			got := d.read(0, 8*unit)
			if got.Checked != 8 || got.Mismatches != 1 || len(got.First) != 1 {
				t.Errorf("%s, %s: %+v", c, name, got)
				continue
			}
			m := got.First[0]
			if m.Kind != k.want || m.Block != b || m.Offset != b*unit || m.File != "f" || !strings.Contains(m.Detail, k.detail) {
				t.Errorf("%s, %s: %s", c, name, m.Error())
			}
			if k.at >= 0 && m.At != k.at && c.Method != Pattern || m.Expected == m.Found || len(m.Found) > 2*excerptSize {
				t.Errorf("%s, %s: at %d, expected %s, found %s", c, name, m.At, m.Expected, m.Found)
			}
			if !bytes.Equal(m.Have, d.data[b*unit:][:unit]) || len(m.Want) != unit {
				t.Errorf("%s, %s: the blocks are not kept", c, name)
			}
		}
	}
}

func TestBlockOfAnotherFile(t *testing.T) {
	f, _ := written(t, Config{}, 4)
	g, _ := written(t, Config{Name: "g", Whose: func(seed uint64) string {
		if f.Own(seed) {
			return "f"
		}
		return ""
	}}, 4)
	copy(g.data[unit:2*unit], f.data[unit:])
	m := g.read(0, 4*unit).First[0]
	if m.Kind != Swapped || !strings.Contains(m.Detail, `offset 4096 of "f"`) {
		t.Error(m.Error())
	}
}

// Where nothing is known, a block is judged by what it says of itself.
func TestForeign(t *testing.T) {
	d, before := written(t, Config{}, 8)
	d.File = fileOf(t, Config{Foreign: true})
	clear(d.data[7*unit:])
	copy(d.data[unit:], before[unit:2*unit]) // can't be known
	if got := d.read(0, 8*unit); got.Checked != 7 || got.Unknown != 1 || got.Mismatches != 0 {
		t.Errorf("%+v", got)
	}
	d.data[5*unit+3] ^= 1
	d.data[6*unit+3000] ^= 1
	if got := d.read(0, 8*unit); got.Mismatches != 2 || got.First[0].Kind != Flipped || got.First[1].Kind != Flipped {
		t.Errorf("%+v", got)
	}
	d.File = fileOf(t, Config{Foreign: true, Expect: 2})
	if got := d.read(0, 8*unit); got.Mismatches != 4 || got.First[0].Kind != Stale || got.First[3].Kind != Lost {
		t.Errorf("%+v", got)
	}
}

// A short or failed write leaves what was there, or what was to be; so does one that overlaps another.
func TestUnsettled(t *testing.T) {
	d, before := written(t, Config{}, 4)
	b := make([]byte, 2*unit)
	d.Prime(b)
	if err := d.Write(b, 0); err != nil {
		t.Fatal(err)
	}
	if got := d.read(0, 4*unit); got.Unsettled != 4 {
		t.Errorf("while a write is in flight: %+v", got)
	}
	token := d.Reading(2*unit, unit)
	d.Wrote(0, 2*unit, unit, false)
	copy(d.data, b[:unit])
	if got := d.read(0, 4*unit); got.Checked != 4 || got.Mismatches != 0 {
		t.Errorf("after a short write: %+v", got)
	}
	copy(d.data[unit:], b[unit:])
	if got := d.read(0, 4*unit); got.Checked != 4 || got.Mismatches != 0 {
		t.Errorf("after a short write that wrote all: %+v", got)
	}
	copy(d.data[unit:], before[unit:2*unit])
	if got := d.read(0, 4*unit); got.Mismatches != 1 || got.First[0].Kind != Stale {
		t.Errorf("what was there before both: %+v", got)
	}
	d.write(2*unit, unit)
	var tally Tally
	if d.Read(d.data[2*unit:3*unit], 2*unit, token, &tally); tally.Unsettled != 1 {
		t.Errorf("a write has come and gone during a read: %+v", tally)
	}
	if err := d.Destroy(3*unit, unit); err != nil {
		t.Fatal(err)
	}
	d.Destroyed(3*unit, unit)
	clear(d.data[3*unit:])
	if got := d.read(3*unit, unit); got.Unknown != 1 {
		t.Errorf("trimmed: %+v", got)
	}
}

// Next finds all that is written, and nothing else.
func TestNext(t *testing.T) {
	f := fileOf(t, Config{})
	d := &disk{File: f, t: t, data: make([]byte, 300*unit)}
	for _, u := range []int64{3, 4, 70, 299} {
		d.write(u*unit, unit)
	}
	var got []int64
	for off := int64(0); ; {
		at, n, ok := f.Next(off, 300*unit, 8*unit)
		if !ok {
			break
		}
		got = append(got, at/unit, n/unit)
		off = at + n
	}
	if want := fmt.Sprint([]int64{3, 8, 70, 8, 299, 1}); fmt.Sprint(got) != want {
		t.Errorf("found %v, want %v", got, want)
	}
}

func TestRefused(t *testing.T) {
	for want, c := range map[string]Config{
		"interval = 64":      {Interval: 64},
		"needs data that is": {Interval: unit, Method: Pattern},
		"dedupe = 5":         {Interval: unit, Data: content.Spec{Dedupe: 5}},
	} {
		if _, err := New(c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", c, err, want)
		}
	}
	if _, err := ParseMethod("crc32d"); err == nil || !strings.Contains(err.Error(), "crc32c") {
		t.Errorf("a method that is not there: %v", err)
	}
	for m := range numMethods {
		if got, err := ParseMethod(m.String()); got != m || err != nil {
			t.Errorf("%s is parsed as %s, %v", m, got, err)
		}
	}
}

func stateFile(t rapid.TB, dir string) int {
	t.Helper()
	f, err := os.OpenFile(filepath.Join(dir, "state"), os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	fd, err := dup(f)
	if err != nil {
		t.Fatal(err)
	}
	return fd
}

// A block that another thread writes between a read and its check is not called wrong.
// What lies so far off that the table of all blocks up to it would not fit into memory is refused.
func TestTooFar(t *testing.T) {
	f := fileOf(t, Config{})
	const most = maxChunks * chunkUnits * unit
	want := fmt.Sprintf(`verify: offset %d of "f": of blocks of 4KiB what lies behind 256TiB can't be known`, int64(most))
	for _, off := range []int64{most, 1 << 62} {
		for _, err := range []error{f.Write(make([]byte, unit), off), f.Destroy(off, unit)} {
			if err == nil || off == most && err.Error() != want {
				t.Errorf("at %d: %v", off, err)
			}
		}
	}
	if n := f.units(); n > 0 {
		t.Errorf("room for %d blocks was made", n)
	}
}

func TestWrittenWhileChecked(t *testing.T) {
	const blocks, turns = 4, 20_000
	f := fileOf(t, Config{Interval: 512})
	var mu sync.Mutex
	data := make([]byte, blocks*512)
	var wg sync.WaitGroup
	var tallies [2]Tally
	for i := range tallies {
		wg.Go(func() {
			b := make([]byte, len(data))
			f.Prime(b)
			for range turns {
				if err := f.Write(b, 0); err != nil {
					t.Error(err)
				}
				mu.Lock()
				copy(data, b)
				mu.Unlock()
				f.Wrote(0, int64(len(b)), int64(len(b)), false)
			}
		})
		wg.Go(func() {
			b := make([]byte, len(data))
			for range turns {
				token := f.Reading(0, int64(len(b)))
				mu.Lock()
				copy(b, data)
				mu.Unlock()
				f.Read(b, 0, token, &tallies[i])
			}
		})
	}
	wg.Wait()
	for i := range tallies {
		if tallies[i].Mismatches > 0 {
			t.Error(tallies[i].First[0])
		}
	}
}
