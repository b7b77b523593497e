package iolog_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"moonio/engine"
	"moonio/engine/trace"
	"moonio/engine/trace/format"
	"moonio/engine/trace/iolog"
	"moonio/engine/trace/tracetest"
)

// read reads a log's text.
func read(t *testing.T, text string, args map[string]string) ([]trace.Record, *trace.Log) {
	t.Helper()
	tr, err := format.Open([]string{"-"}, &trace.Options{Stdin: strings.NewReader(text), Args: args})
	if err != nil {
		t.Fatal(err)
	}
	defer tr.Close()
	return tracetest.All(t, tr), tr.Log
}

// show is a record in the words of a log, with its time in µs.
func show(log *trace.Log, r trace.Record) string {
	return fmt.Sprintf("%d %s %s %d %d", r.Time/1000, log.Files.Name(r.File), r.Op, r.Offset, r.Length)
}

func TestSameStream(t *testing.T) {
	tracetest.SameStream(t, tracetest.All(t, tracetest.Open(t, nil, "same_stream/mssql.fio_v3.iolog.gz")), 1000)
	tracetest.SameStream(t, tracetest.All(t, tracetest.Open(t, nil, "same_stream/mssql.fio_v2_wait.iolog.gz")), 1_000_000)
}

func TestTwoFiles(t *testing.T) {
	tr := tracetest.Open(t, nil, "fio/real_v3_libaio_2files.iolog")
	got := tracetest.All(t, tr)
	if tr.Log.Files.Len() != 2 || tr.Log.Files.Name(1) != "/srv/app/fio/fb" || tr.Log.Streams.Len() != 1 {
		t.Errorf("%d files, %d streams", tr.Log.Files.Len(), tr.Log.Streams.Len())
	}
	if got := show(tr.Log, got[1]); got != "2364 /srv/app/fio/fb read 774144 24576" {
		t.Error(got)
	}
	if tr.Log.Bad != 0 || tr.Log.Records != int64(len(got)) || tr.Log.Disorder != 0 {
		t.Errorf("%+v", tr.Log)
	}
}

// TestTwoHeaders merges the two jobs, which ran at the same time.
func TestTwoHeaders(t *testing.T) {
	tr := tracetest.Open(t, nil, "fio/real_v3_numjobs2_two_headers.iolog")
	got := tracetest.All(t, tr)
	writes, syncs := map[trace.ID]int{}, map[trace.ID]int{}
	for i, r := range got {
		if i > 0 && r.Time < got[i-1].Time {
			t.Errorf("record %d goes back in time", i)
		}
		if r.Op == engine.Fdatasync {
			syncs[r.Stream]++
		} else {
			writes[r.Stream]++
		}
	}
	if len(got) != 40-2 || writes[0] != 16 || writes[1] != 16 || syncs[0] != 3 || syncs[1] != 3 {
		t.Errorf("%d records, writes %v, syncs %v", len(got), writes, syncs)
	}
	if tr.Log.Streams.Name(1) != "real_v3_numjobs2_two_headers.iolog:2" || tr.Log.Bad+tr.Log.Disorder != 0 {
		t.Errorf("%+v", tr.Log)
	}
}

func TestVersion2(t *testing.T) {
	tr := tracetest.Open(t, nil, "fio/synth_v2.iolog")
	want := []string{
		"0 /srv/replay/a.dat read 0 4096",
		"4000000 /srv/replay/a.dat write 8192 16384",
		"6000000 /srv/replay/b.dat read 1048576 65536",
		"6000000 /srv/replay/a.dat fsync 0 0",
		"6000000 /srv/replay/b.dat fdatasync 0 0",
		"6000000 /srv/replay/b.dat trim 0 65536",
	}
	for i, r := range tracetest.All(t, tr) {
		if got := show(tr.Log, r); got != want[i] {
			t.Errorf("%s, not %s", got, want[i])
		}
	}
	if tr.Log.Records != 6 || tr.Log.Bad != 0 {
		t.Errorf("%+v", tr.Log)
	}
}

func TestWaitFromPrevious(t *testing.T) {
	const text = "fio version 2 iolog\nf add\nf open\nf wait 500 0\nf read 0 1\nf wait 250 0\nf read 1 1\n"
	got, _ := read(t, text, map[string]string{"wait": "previous"})
	if got[0].Time != 500_000 || got[1].Time != 750_000 {
		t.Error(got)
	}
	got, log := read(t, text, nil)
	if got[0].Time != 500_000_000 || got[1].Time != 500_000_000 || len(log.Notes) != 1 {
		t.Error(got, log.Notes)
	}
}

// TestInterleaved has two jobs that wrote to one log in pieces, the second in the middle of a
// line of the first: what is lost is counted, and nothing is made up.
func TestInterleaved(t *testing.T) {
	got, log := read(t, `fio version 3 iolog
1 /a b add
2 /a b open
3 /a b read 0 512
9 /a b refio version 3 iolog
1 /c add
4 /c read 0 512
5 /c read 512 51ad 512 512
11 /a b read 1024 512
`, nil)
	var lines []string
	for _, r := range got {
		lines = append(lines, show(log, r))
	}
	want := "3 /a b read 0 512; 4 /c read 0 512; 11 /a b read 1024 512"
	if s := strings.Join(lines, "; "); s != want {
		t.Errorf("%s, not %s", s, want)
	}
	if log.Bad != 2 || log.Lines != 9 || log.First[0].Line != 5 || log.First[0].Why != "the line is cut off" {
		t.Errorf("%+v", log)
	}
}

// TestAppendedRuns has a second run behind more than the window holds.
func TestAppendedRuns(t *testing.T) {
	var b strings.Builder
	for range 2 {
		b.WriteString("fio version 3 iolog\n0 f add\n0 f open\n")
		for i := range 20_000 {
			fmt.Fprintf(&b, "%d f read %d 512\n", i, i*512)
		}
	}
	got, log := read(t, b.String(), nil)
	if len(got) != 40_000 || log.Disorder != 0 || len(log.Notes) != 1 {
		t.Fatalf("%d records, %+v", len(got), log)
	}
	if last := got[len(got)-1].Time; last != 2*19_999_000 {
		t.Error(last)
	}
}

func TestBadLines(t *testing.T) {
	for line, why := range map[string]string{
		"x f read 0 1":                    "the time is not a number of µs",
		"-1 f read 0 1":                   "the time is not a number of µs",
		"9223372036854775807 f read 0 1":  "the time is not a number of µs",
		"1 f read 9223372036854775807 1":  "the range is not one that a file can have",
		"1 f read -1 1":                   "the range is not one that a file can have",
		"1 f read 0 -1":                   "the range is not one that a file can have",
		"1 f read 18446744073709551615 1": "there is no action, or no offset and length",
		"1 f wait 1 1":                    "version 3 has no waits",
		"1 f erase 1 1":                   "the action is unknown",
		"1 f":                             "there is no action, or no offset and length",
		"1 read 0 1":                      "the file's name is not one that was added",
		"1 no such read 0 1":              "the file's name is not one that was added",
		"fio version 2 iolog":             "the header is not that of the log's beginning",
		"1 f read 0 " + strings.Repeat("1", 1<<20): "the line is too long",
	} {
		got, log := read(t, "fio version 3 iolog\n"+line+"\n5 f read 0 4096\n", nil)
		if len(got) != 1 || log.Bad != 1 || log.First[0].Why != why {
			t.Errorf("%.60s: %d records, %+v", line, len(got), log)
		}
	}
}

func TestOpenErrors(t *testing.T) {
	for text, want := range map[string]string{
		"fio version 4 iolog\n": `trace -: header: "fio version 4 iolog" is not "fio version 2 iolog", nor 3`,
	} {
		_, err := format.Open([]string{"-"}, &trace.Options{Stdin: strings.NewReader(text)})
		if err == nil || err.Error() != want {
			t.Errorf("%v", err)
		}
	}
}

func TestWriter(t *testing.T) {
	log := &trace.Log{}
	file, _ := log.Files.ID([]byte("my file"))
	records := []trace.Record{
		{Time: 1_000_000_000, Op: engine.Write, Length: 4096, File: file},
		{Time: 1_000_005_999, Op: engine.Append, Offset: trace.AtEnd, Length: 512, File: file},
		{Time: 1_000_006_000, Op: engine.Write, Offset: 8192, Length: 512, Flags: trace.Preflush | trace.FUA, File: file},
		{Time: 1_000_005_000, Op: engine.Fsync, File: file},
		{Time: 1_000_009_000, Op: engine.Stat, File: file},
		{Time: 1_000_009_000, Op: engine.Trim, Length: 4096, File: file},
		{Time: 1_000_009_000, Op: engine.Truncate, Length: 512, File: file},
		{Time: 1_000_009_000, Op: engine.Append, Offset: trace.AtEnd, Length: 512, File: file},
	}
	var out bytes.Buffer
	w := iolog.NewWriter(&out, log)
	for i := range records {
		if err := w.Write(&records[i]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	const want = `fio version 3 iolog
0 my_file add
0 my_file open
0 my_file write 0 4096
5 my_file write 4096 512
6 my_file datasync 0 0
6 my_file write 8192 512
6 my_file datasync 0 0
6 my_file sync 0 0
9 my_file trim 0 4096
9 my_file write 512 512
9 my_file close
`
	if out.String() != want {
		t.Errorf("wrote\n%s\nnot\n%s", out.String(), want)
	}
	if log.Skipped["an iolog cannot say stat"] != 1 || len(log.Notes) != 3 { // blanks, latencies, flags
		t.Errorf("%+v", log)
	}
}

// TestRoundTrip writes what was read, and reads that.
func TestRoundTrip(t *testing.T) {
	tr := tracetest.Open(t, nil, "same_stream/mssql.fio_v3.iolog.gz")
	var out bytes.Buffer
	w := iolog.NewWriter(&out, tr.Log)
	for _, r := range tracetest.All(t, tr) {
		if err := w.Write(&r); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	got, _ := read(t, out.String(), nil)
	tracetest.SameStream(t, got, 1000)
}

// TestWriterNames keeps files apart whose names would be the same in a log, or none.
func TestWriterNames(t *testing.T) {
	log := &trace.Log{}
	var out bytes.Buffer
	w := iolog.NewWriter(&out, log)
	names := []string{"a b", "a_b", "", "a\tb", "_", "a_b_2"}
	for range 2 {
		for i, name := range names {
			file, _ := log.Files.ID([]byte(name))
			if err := w.Write(&trace.Record{Op: engine.Read, Offset: int64(i) * 512, Length: 512, File: file, Latency: trace.Unknown}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	tr, err := format.Open([]string{"-"}, &trace.Options{Stdin: &out})
	if err != nil {
		t.Fatal(err)
	}
	defer tr.Close()
	got := tracetest.All(t, tr)
	if len(got) != 2*len(names) || tr.Log.Bad != 0 || tr.Log.Files.Len() != len(names) {
		t.Fatalf("%d records of %d files, %+v", len(got), tr.Log.Files.Len(), tr.Log)
	}
	for i, r := range got {
		if int(r.File) != i%len(names) || r.Offset != int64(i%len(names))*512 {
			t.Errorf("record %d: %+v of %s", i, r, tr.Log.Files.Name(r.File))
		}
	}
}
