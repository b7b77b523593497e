package trace

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"testing"
)

func TestLines(t *testing.T) {
	long := strings.Repeat("x", maxLine-1)
	text := "a\r\n\n" + long + "\n" + long + "y\n" + long + long + long + "\nb\n" + long
	log := &Log{}
	l := NewLines(&Input{Reader: bufio.NewReaderSize(strings.NewReader(text), 64<<10), Name: "in"}, log)
	for i, want := range []string{"a", "", long, "b", long} {
		if got, err := l.Next(); err != nil || string(got) != want {
			t.Fatalf("line %d has %d bytes, not %d (%v)", i, len(got), len(want), err)
		}
	}
	if _, err := l.Next(); err != io.EOF {
		t.Fatal(err)
	}
	if log.Lines != 7 || log.Bad != 2 || fmt.Sprint(log.First[0].Line, log.First[1].Line) != "4 5" || l.Number() != 7 {
		t.Errorf("%d lines, %d bad, number %d", log.Lines, log.Bad, l.Number())
	}
}
