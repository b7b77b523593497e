package iolog_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestPieces has logs as fio's jobs write them: each in pieces of 8 KiB as its buffer fills up, and a rest
// when it ends. Nothing of them is lost, and nothing made up.
func TestPieces(t *testing.T) {
	for seed := range uint64(30) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		jobs := 1 + rnd.IntN(6)
		want := map[string]int{}
		buffers := make([]bytes.Buffer, jobs)
		for j := range buffers {
			job(&buffers[j], rnd, j, want)
		}
		var log bytes.Buffer
		for left := jobs; left > 0; {
			b := &buffers[rnd.IntN(jobs)]
			if b.Len() == 0 {
				continue
			}
			log.Write(b.Next(8 << 10))
			if b.Len() == 0 {
				left--
			}
		}
		got, l := read(t, log.String(), nil)
		for _, r := range got {
			want[show(l, r)]--
		}
		for line, n := range want {
			if n != 0 {
				t.Errorf("seed %d, %d jobs: %s: %d too few", seed, jobs, line, n)
			}
		}
		if l.Bad+l.Disorder != 0 || l.Streams.Len() != jobs {
			t.Fatalf("seed %d, %d jobs: %+v", seed, jobs, l)
		}
	}
}

// job writes the log of one job, with two files, and counts in want what it says.
func job(b *bytes.Buffer, rnd *rand.Rand, number int, want map[string]int) {
	files := []string{fmt.Sprintf("/data/my job.%d.0", number), fmt.Sprintf("/data/my job.%d.1", number)}
	b.WriteString("fio version 3 iolog\n")
	for _, f := range files {
		fmt.Fprintf(b, "0 %s add\n1 %s open\n", f, f)
	}
	at := 0
	for range rnd.IntN(1500) {
		at += rnd.IntN(100)
		line := fmt.Sprintf("%d %s %s %d %d", at, files[rnd.IntN(2)], []string{"read", "write"}[rnd.IntN(2)], rnd.IntN(1<<30), 512*(1+rnd.IntN(64)))
		want[line]++
		b.WriteString(line + "\n")
	}
	for _, f := range files {
		fmt.Fprintf(b, "%d %s close\n", at, f)
	}
}

// TestTornAtTheEnd has a job that was killed: the end of its last line was never written.
func TestTornAtTheEnd(t *testing.T) {
	var b strings.Builder
	b.WriteString("fio version 3 iolog\n0 f add\n")
	for n := 0; b.Len() < 8<<10; n++ {
		fmt.Fprintf(&b, "%d f read %d 512\n", n, n*512)
	}
	piece := b.String()[:8<<10]
	got, l := read(t, piece+"fio version 3 iolog\n0 g add\n9 g read 0 512\n", nil)
	if whole := strings.Count(piece, "\n") - 2; strings.HasSuffix(piece, "\n") || len(got) != whole+1 || l.Bad != 1 || l.First[0].Why != "the line is cut off" {
		t.Errorf("%d records, not %d, %+v", len(got), whole+1, l)
	}
}
