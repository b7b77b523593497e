package trace_test

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"runtime"
	"strings"
	"testing"

	"moonio/engine/trace"
)

func TestFits(t *testing.T) {
	for _, c := range []struct {
		offset, length int64
		want           bool
	}{
		{0, 0, true}, {0, math.MaxInt64, true}, {math.MaxInt64, 0, true}, {1, math.MaxInt64, false}, {math.MaxInt64, 1, false},
		{-2, 1, false}, {0, -1, false}, {trace.AtEnd, 5, true}, {trace.AtEnd, -5, false}, {math.MinInt64, 0, false},
	} {
		if got := trace.Fits(c.offset, c.length); got != c.want {
			t.Errorf("%d+%d: %v", c.offset, c.length, got)
		}
	}
}

// TestNames refuses more names, or longer ones, than a trace may have.
func TestNames(t *testing.T) {
	var n trace.Names
	var name []byte
	for i := range trace.MaxNames {
		name = fmt.Appendf(name[:0], "%d", i)
		if id, err := n.ID(name); err != nil || int(id) != i {
			t.Fatal(id, err)
		}
	}
	if _, err := n.ID([]byte("one more")); err == nil || err.Error() != "more than 262144 files or streams in one trace" {
		t.Error(err)
	}
	if id, err := n.ID([]byte("77")); err != nil || id != 77 || n.Name(77) != "77" {
		t.Error(id, err)
	}
	var long trace.Names
	text := []byte(strings.Repeat("x", 1<<20))
	var err error
	for i := 0; err == nil && i < 100; i++ {
		text[0]++
		_, err = long.ID(text)
	}
	if err == nil || long.Len() != 64 {
		t.Error(long.Len(), err)
	}
}

// spaces is a line of so many blanks.
type spaces struct{ left int64 }

func (s *spaces) Read(p []byte) (int, error) {
	if s.left == 0 {
		return 0, io.EOF
	}
	n := min(s.left, int64(len(p)))
	for i := range n {
		p[i] = ' '
	}
	s.left -= n
	return int(n), nil
}

// TestEndlessLine is counted once, and held nowhere.
func TestEndlessLine(t *testing.T) {
	log := &trace.Log{}
	in := io.MultiReader(strings.NewReader("first\r\n"), &spaces{32 << 20}, strings.NewReader("\nlast"))
	lines := trace.NewLines(&trace.Input{Reader: bufio.NewReaderSize(in, 64<<10), Name: "x"}, log)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for i, want := range []string{"first", "last"} {
		line, err := lines.Next()
		if string(line) != want || err != nil || lines.Number() != int64(2*i+1) {
			t.Fatalf("%q %v, line %d", line, err, lines.Number())
		}
	}
	if _, err := lines.Next(); err != io.EOF {
		t.Error(err)
	}
	runtime.ReadMemStats(&after)
	if log.Bad != 1 || log.Lines != 3 || after.TotalAlloc-before.TotalAlloc > 2<<20 {
		t.Errorf("%+v, %d bytes allocated", log, after.TotalAlloc-before.TotalAlloc)
	}
}

func TestNotes(t *testing.T) {
	log := &trace.Log{}
	for i := range 3 {
		log.Note("note %d", i/2)
		log.Skip("why")
	}
	if len(log.Notes) != 2 || log.Skipped["why"] != 3 {
		t.Errorf("%+v", log)
	}
	for i := range 10_000 {
		log.Note("note %d", i)
		log.Skip(fmt.Sprint(i))
	}
	if len(log.Notes) != 32 || len(log.Skipped) != 257 || log.Skipped["other reasons"] != 10_000-255 {
		t.Errorf("%d notes, %d reasons, %d others", len(log.Notes), len(log.Skipped), log.Skipped["other reasons"])
	}
}
