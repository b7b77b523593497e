package content

import (
	"bytes"
	"compress/flate"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func source(t testing.TB, s Spec, largest int64) *Source {
	t.Helper()
	src, err := New(s, 7, largest, 0)
	if err != nil {
		t.Fatal(err)
	}
	return src
}

func pattern(t testing.TB, text string) Pattern {
	t.Helper()
	p, err := ParsePattern(text, nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// write is what n writes of size bytes one behind the other put into a file.
func write(t testing.TB, s *Source, n, size int) []byte {
	t.Helper()
	k := s.Keys(3)
	var all []byte
	b := make([]byte, size)
	s.Prime(b)
	for i := range n {
		s.Fill(b, int64(i*size), k.Next())
		all = append(all, b...)
	}
	return all
}

var patterns = map[string]string{
	"-12":              "f4ffffff",
	"-120xdead":        "f4ffffffdead",
	"4660":             "3412",
	"0":                "00",
	"010":              "0a",
	"65536":            "000001",
	"305419896":        "78563412",
	"-70000":           "90eefeff",
	"0xdeadface":       "deadface",
	"0xabc":            "0abc",
	`"ab"`:             "6162",
	`0xff%o"abcd"-12`:  "ff001000000000000061626364f4ffffff",
	"%o":               "0010000000000000",
	"deadline":         "646561646c696e65",
	`0xab "c d" 7 "'"`: "ab63206407" + "27",
}

func TestPatterns(t *testing.T) {
	for text, want := range patterns {
		s := source(t, Spec{Kind: Repeat, Pattern: pattern(t, text)}, 100)
		b := make([]byte, 100)
		s.Make(b, 4096, 1)
		one, _ := hex.DecodeString(want)
		if all := bytes.Repeat(one, 100)[:100]; !bytes.Equal(b, all) {
			t.Errorf("%s fills %x, want %x", text, b, all)
		}
	}
	for _, bad := range []string{"", "0x", `"open`, "0xff&", "-9999999999", "'file'", "%x", "7z"} {
		if p, err := ParsePattern(bad, nil); err == nil {
			t.Errorf("pattern %q is taken for %x", bad, p.bytes)
		}
	}
	gone := errors.New("gone")
	read := func(name string) ([]byte, error) {
		if name == "f" {
			return []byte("content"), nil
		}
		return nil, gone
	}
	if p, err := ParsePattern("'f'0x00", read); err != nil || string(p.bytes) != "content\x00" {
		t.Errorf("a file's content: %q, %v", p.bytes, err)
	}
	if _, err := ParsePattern("'g'", read); !errors.Is(err, gone) {
		t.Errorf("a missing file: %v", err)
	}
	if off, ok := new(Pattern).Offset(nil); ok {
		t.Errorf("an empty pattern holds the offset %d", off)
	}
	p := pattern(t, "0xff%o")
	b := make([]byte, 50)
	source(t, Spec{Kind: Repeat, Pattern: p}, 50).Make(b, 1<<40, 0)
	if off, ok := p.Offset(b); !ok || off != 1<<40 {
		t.Errorf("the offset reads as %d, %v", off, ok)
	}
}

// fio fills with the same bytes for the same patterns.
func TestPatternsAreFio(t *testing.T) {
	fio, err := exec.LookPath("fio")
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("fio is missing")
		}
		t.Skip("fio is missing")
	}
	dir := t.TempDir()
	args := []string{"--thread", "--rw=write", "--bs=512", "--size=1024", "--ioengine=psync", "--verify=pattern", "--do_verify=0"}
	var texts []string
	for text := range patterns {
		if bare(text) || strings.Contains(text, " ") {
			continue // fio refuses these
		}
		name := fmt.Sprint("f", len(texts))
		args = append(args, "--name="+name, "--filename="+name, "--verify_pattern="+text)
		texts = append(texts, text)
	}
	cmd := exec.Command(fio, args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for i, text := range texts {
		theirs, err := os.ReadFile(filepath.Join(dir, fmt.Sprint("f", i)))
		if err != nil {
			t.Fatal(err)
		}
		ours := write(t, source(t, Spec{Kind: Repeat, Pattern: pattern(t, text)}, 512), 2, 512)
		if !bytes.Equal(ours, theirs) {
			t.Errorf("%s: fio writes %x, and this %x", text, theirs[:32], ours[:32])
		}
	}
}

func compressed(t testing.TB, b []byte) float64 {
	t.Helper()
	var out bytes.Buffer
	w, err := flate.NewWriter(&out, flate.DefaultCompression)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(b); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return 1 - float64(out.Len())/float64(len(b))
}

// What is asked to compress does, by that share and a few per cent that code words take.
func TestCompressible(t *testing.T) {
	for _, share := range []int{0, 10, 25, 50, 75, 90, 100} {
		for _, chunk := range []int64{0, 4096, 16384} {
			for _, p := range []string{"", "abc"} {
				spec := Spec{Compress: share, Chunk: chunk, Refill: true}
				if p != "" && share > 0 {
					spec.Pattern = pattern(t, p)
				}
				got := 100 * compressed(t, write(t, source(t, spec, 16384), 16, 16384))
				if got < float64(share)-3.5 || got > float64(share)+1 {
					t.Errorf("compress = %d, chunk = %d, pattern %q: %.1f %% compress away", share, chunk, p, got)
				}
			}
		}
	}
	for _, s := range []Spec{{Kind: Zero}, {Kind: Repeat, Pattern: pattern(t, "0xcafe")}} {
		if got := compressed(t, write(t, source(t, s, 16384), 16, 16384)); got < 0.99 {
			t.Errorf("%s: only %.1f %% compress away", &s, 100*got)
		}
	}
	// Even a single block is not made of pieces that repeat.
	if got := compressed(t, write(t, source(t, Spec{}, 1<<20), 1, 1<<20)); got > 0 {
		t.Errorf("random data compresses by %.2f %%", 100*got)
	}
}

// blocks counts the different ones of size bytes.
func blocks(b []byte, size int) int {
	seen := map[string]bool{}
	for ; len(b) > 0; b = b[size:] {
		seen[string(b[:size])] = true
	}
	return len(seen)
}

func TestDedupe(t *testing.T) {
	const n, size = 4000, 512
	for _, refill := range []bool{false, true} {
		for _, c := range []struct {
			share float64
			pool  int
		}{{0, 0}, {30, 0}, {80, 0}, {80, 64}} {
			s := source(t, Spec{Dedupe: c.share, Pool: c.pool, Refill: refill}, size)
			got := 100 * (1 - float64(blocks(write(t, s, n, size), size))/n)
			if got < c.share-2.5 || got > c.share+2.5 {
				t.Errorf("dedupe = %v, pool = %d, refill = %v: %.1f %% of blocks repeat", c.share, c.pool, refill, got)
			}
		}
	}
	// Copies are made of as many different blocks as the pool holds.
	k := source(t, Spec{Dedupe: 99, Pool: 100}, size).Keys(1)
	times := map[uint64]int{}
	for range 100_000 {
		times[k.Next()]++
	}
	if len(times) < 900 || len(times) > 1100 {
		t.Errorf("%d different blocks of 100000", len(times))
	}
}

// The same seed and key give the same block, whatever was in the buffer.
func TestDeterministic(t *testing.T) {
	for _, spec := range []Spec{
		{}, {Refill: true}, {Compress: 50}, {Compress: 50, Refill: true, Chunk: 100}, {Kind: Zero},
		{Kind: Repeat, Pattern: pattern(t, "0xff%o")}, {Compress: 30, Pattern: pattern(t, "xyz"), Refill: true}, {Compress: 30, Pattern: pattern(t, "%o")},
	} {
		for _, size := range []int{1, 7, 512, 1000, 4096, 70000} {
			a, b := bytes.Repeat([]byte{0xaa}, size), make([]byte, size)
			s := source(t, spec, int64(size))
			s.Make(a, 8192, 42)
			s.Prime(b)
			for key := range uint64(3) {
				s.Fill(b, 4096, key)
			}
			s.Fill(b, 8192, 42)
			if !bytes.Equal(a, b) {
				t.Errorf("%s of %d bytes: two blocks differ", &spec, size)
			}
			other, err := New(spec, 8, int64(size), 0)
			if err != nil {
				t.Fatal(err)
			}
			other.Make(b, 8192, 42)
			if spec.Kind == Random && size >= 512 && bytes.Equal(a, b) {
				t.Errorf("%s: another seed gives the same block", &spec)
			}
		}
	}
}

func TestCheck(t *testing.T) {
	p := pattern(t, "0xff")
	for want, s := range map[string]Spec{
		"needs a pattern":      {Kind: Repeat},
		"has no pattern":       {Kind: Zero, Pattern: p},
		"give compress too":    {Pattern: p},
		"from 0 to 100":        {Compress: 101},
		"only random data has": {Compress: 5, Kind: Zero},
		"at least 16 B":        {Compress: 5, Chunk: 8},
		"dedupe = -1":          {Dedupe: -1},
		"pool = -1":            {Dedupe: 1, Pool: -1},
		"give dedupe too":      {Pool: 4},
		"can be made anew":     {Kind: Zero, Refill: true},
	} {
		if err := s.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", s, err, want)
		}
	}
}

func TestFillAllocatesNothing(t *testing.T) {
	for _, spec := range []Spec{{}, {Refill: true}, {Compress: 50, Refill: true}, {Kind: Repeat, Pattern: pattern(t, "0xff%o")}, {Dedupe: 50}} {
		s := source(t, spec, 4096)
		k := s.Keys(1)
		b := make([]byte, 4096)
		if n := testing.AllocsPerRun(100, func() { s.Make(b, 0, k.Next()) }); n > 0 {
			t.Errorf("%s: %v allocations a block", &spec, n)
		}
	}
}

func BenchmarkFill(b *testing.B) {
	for name, spec := range map[string]Spec{
		"kept": {}, "refilled": {Refill: true}, "compress=50,refilled": {Compress: 50, Refill: true},
		"pattern": {Kind: Repeat, Pattern: pattern(b, "0xdeadbeef")}, "pattern,offset": {Kind: Repeat, Pattern: pattern(b, `0xff%o"abcd"`)},
	} {
		b.Run(name, func(b *testing.B) {
			s := source(b, spec, 64<<10)
			k := s.Keys(1)
			buf := make([]byte, 64<<10)
			s.Prime(buf)
			b.ReportAllocs()
			b.SetBytes(int64(len(buf)))
			for b.Loop() {
				s.Fill(buf, 4096, k.Next())
			}
		})
	}
}
