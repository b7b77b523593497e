package blkparse_test

import (
	"fmt"
	"strings"
	"testing"

	"moonio/engine/trace"
	"moonio/engine/trace/format"
	"moonio/engine/trace/tracetest"
)

// show is everything that a record says.
func show(log *trace.Log, r trace.Record) string {
	return fmt.Sprintf("%d %s %s %s %d+%d flags %d latency %d\n", r.Time, log.Streams.Name(r.Stream), log.Files.Name(r.File), r.Op, r.Offset, r.Length, r.Flags, r.Latency)
}

func all(t *testing.T, tr *format.Trace) string {
	t.Helper()
	var b strings.Builder
	for _, r := range tracetest.All(t, tr) {
		b.WriteString(show(tr.Log, r))
	}
	return b.String()
}

func read(t *testing.T, text string, args map[string]string) (string, *trace.Log) {
	t.Helper()
	tr, err := format.Open([]string{"-"}, &trace.Options{Stdin: strings.NewReader(text), Args: args})
	if err != nil {
		t.Fatal(err)
	}
	return all(t, tr), tr.Log
}

// TestSameAsBinary reads a capture as text and as blktrace wrote it: only the devices' names and the
// beginning of time may differ.
func TestSameAsBinary(t *testing.T) {
	for event, count := range map[string]int{"Q": 454, "D": 395} {
		o := &trace.Options{Args: map[string]string{"event": event}}
		text := tracetest.Open(t, o, "blktrace/vda.blkparse.txt.gz")
		binary := tracetest.Open(t, o, "blktrace/vda")
		a, b := tracetest.All(t, text), tracetest.All(t, binary)
		if len(a) != count || len(b) != count {
			t.Fatalf("%s: %d and %d records, not %d", event, len(a), len(b), count)
		}
		for i := range a {
			x, y := a[i], b[i]
			x.Time -= a[0].Time
			y.Time -= b[0].Time
			if got, want := show(text.Log, x), show(binary.Log, y); got != strings.Replace(want, " vda ", " 254,0 ", 1) {
				t.Fatalf("%s: record %d: %snot %s", event, i, got, want)
			}
		}
		if text.Log.Bad+text.Log.Disorder != 0 {
			t.Errorf("%+v", text.Log)
		}
	}
}

const kinds = `Input file sda.blktrace.0 added
  8,0    3        1     0.000000000  697  Q  RA 223490 + 8 [my (odd) [name] x]
  8,0    3        2     0.000001829  697  G  RA 223490 + 8 [my (odd) [name] x]
  8,0    3        0     0.000002000     0  m   N cfq697S / insert_request
  8,0    3        4     0.000005499  697  Q FWFS 16 + 8 [(null)]
  8,0    3        5     0.000006000  697  Q FWS [jbd2/sda-8]
  8,0    3        6     0.000007000  697  Q  WB 24 + 8 [old]
  8,0    3        7     0.000008000  697  Q  DS 32 + 2048 [fstrim]
  8,0    3        8     0.000009000  697  Q   R 36 (12 00 00 00 24 00 ..) [hdparm]
  8,0    3        9     0.000010000  697  Q   N 0 + 0 [x]
  8,1    3       10     0.000011000  697  Q   W 1 + 1 [x]
  8,0    3       11     0.000012000  697  A   W 65 + 1 <- (8,1) 1
  8,0    0       11     0.000100000    0  C  RA 223490 + 8 (   98171) [0]
  8,0    0       12     0.000110000    0  C  FN 18446744073709551615 + 0 [0]
  8,0    0       13     0.000120000    0  C FWS 0 [0]
CPU0 (sda):
 Reads Queued:           1,        4KiB	 Writes Queued:           3,       12KiB
`

func TestKinds(t *testing.T) {
	got, log := read(t, kinds, map[string]string{"device": "8:0"})
	want := `0 my (odd) [name] x/697 8,0 read 114426880+4096 flags 16 latency 100000
5499 my (odd) [name] x/697 8,0 write 8192+4096 flags 7 latency -1
6000 jbd2/sda-8/697 8,0 fsync 0+0 flags 4 latency 114000
7000 old/697 8,0 write 12288+4096 flags 3 latency -1
8000 fstrim/697 8,0 trim 16384+1048576 flags 4 latency -1
`
	if got != want {
		t.Errorf("%s\nnot\n%s", got, want)
	}
	if log.Bad != 0 || log.Skipped["of another device"] != 1 || log.Skipped["no data and no flush"] != 1 || len(log.Skipped) != 3 {
		t.Errorf("%+v", log)
	}
}

func TestSplit(t *testing.T) {
	got, _ := read(t, `254,0 1 1 0.000000000 9 Q WS 100 + 16 [fio]
254,0 1 2 0.000000100 9 X WS 100 / 108 [fio]
254,0 1 3 0.000000300 9 C WS 108 + 8 [0]
254,0 1 4 0.000000500 9 C WS 100 + 8 [0]
`, nil)
	if got != "0 fio/9 254,0 write 51200+8192 flags 4 latency 500\n" {
		t.Error(got)
	}
}

// TestSummaries has two texts in one file, each with the summary of its processes (-s) and of its CPUs.
func TestSummaries(t *testing.T) {
	const text = `8,0 1 1 0.000000000 9 Q R 0 + 8 [x]
my (odd) app (9)
 Reads Queued:           1,        4KiB	 Writes Queued:           0,        0KiB
 IO unplugs:             1        	 Timer unplugs:           0

CPU0 (sda):
 Reads Queued:           1,        4KiB	 Writes Queued:           0,        0KiB

Throughput (R/W): 110KiB/s / 1426KiB/s
Events (sda): 1 entries
Skips: 0 forward (0 -   0.0%)
`
	got, log := read(t, text+strings.Replace(text, "8,0", "8,16", 1), nil)
	if want := "0 x/9 8,0 read 0+4096 flags 0 latency -1\n0 x/9 8,16 read 0+4096 flags 0 latency -1\n"; got != want || log.Bad != 0 {
		t.Errorf("%s%+v", got, log)
	}
}

func TestNothingIssued(t *testing.T) {
	for text, want := range map[string]string{
		"8,0 1 1 0.000000000 9 D R 0 + 8 [x]\n": "say event=D",
		"8,0 1 1 0.000000000 9 C R 0 + 8 [0]\n": "completions (C)",
	} {
		tr, err := format.Open([]string{"-"}, &trace.Options{Stdin: strings.NewReader(text)})
		if err != nil {
			t.Fatal(err)
		}
		if err := tr.Read(&trace.Record{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestBadLines(t *testing.T) {
	const good = "8,0 1 1 0.000000000 9 Q R 0 + 8 [x]\n"
	for line, why := range map[string]string{
		"hello":                                         "it does not begin with a device",
		"8,9999999 1 1 0.0 9 Q R 0 + 8 [x]":             "it does not begin with a device",
		"8,0 x 1 0.0 9 Q R 0 + 8 [x]":                   "the CPU or the sequence is not a number",
		"8,0 1 1 99999999999999999999.0 9 Q R 0 + 8":    "the time is not a number of seconds",
		"8,0 1 1 0.0 -9 Q R 0 + 8 [x]":                  "the process is not a number",
		"8,0 1 1 0.0 9":                                 "there is no action",
		"8,0 1 1 0.0 9 Q ? 0 + 8 [x]":                   "the kind of the I/O is unknown",
		"8,0 1 1 0.0 9 Q R 9223372036854775807 + 8 [x]": "the sector is beyond what a device can have",
	} {
		got, log := read(t, good+good+good+line+"\n", nil)
		if strings.Count(got, "\n") != 3 || log.Bad != 1 || log.First[0].Why != why || log.First[0].Line != 4 {
			t.Errorf("%s: %+v", line, log)
		}
	}
}

func BenchmarkRead(b *testing.B) {
	line := "254,0    1     1742     0.679992357 14516  Q  WS 29196288 + 8 [fio]\n"
	b.ReportAllocs()
	b.SetBytes(int64(len(line)))
	tr, err := format.Open([]string{"-"}, &trace.Options{Stdin: strings.NewReader(strings.Repeat(line, b.N+1))})
	if err != nil {
		b.Fatal(err)
	}
	var rec trace.Record
	b.ResetTimer()
	for range b.N {
		if err := tr.Read(&rec); err != nil {
			b.Fatal(err)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(kinds))
	f.Add([]byte("254,0 1 1 0.0 9 Q WS 100 + 16 [fio]\n254,0 1 2 0.0 9 X WS 100 / 108 [fio]\n254,0 1 3 0.1 9 C WS 108 + 8 [0]\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, event := range []string{"Q", "D"} {
			tracetest.Survives(t, &trace.Options{Format: "blkparse", Args: map[string]string{"event": event}}, b)
		}
	})
}
