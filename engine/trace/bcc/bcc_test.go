package bcc_test

import (
	"bufio"
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"moonio/engine"
	"moonio/engine/trace"
	"moonio/engine/trace/bcc"
	"moonio/engine/trace/format"
	"moonio/engine/trace/tracetest"
)

func TestSameStream(t *testing.T) {
	tr := tracetest.Open(t, nil, "same_stream/mssql.biosnoop.txt.gz")
	got := tracetest.All(t, tr)
	tracetest.SameStream(t, got, 1000)
	for i, r := range got {
		if r.Latency != 1e6 {
			t.Fatalf("record %d took %d ns", i, r.Latency)
		}
	}
	log := tr.Log
	if log.Files.Name(0) != "sdb" || log.Files.Len() != 1 || log.Streams.Name(0) != "sqlservr/4242" || log.Streams.Len() != 1 || log.Bad != 0 {
		t.Errorf("log is %+v", log)
	}
}

// read sniffs a text and reads it.
func read(t *testing.T, want *trace.Format, text string) ([]trace.Record, *trace.Log, error) {
	t.Helper()
	if f := format.Sniff([]byte(text)); f != want {
		t.Fatalf("taken for %+v", f)
	}
	tr, err := format.Open([]string{"-"}, &trace.Options{Stdin: strings.NewReader(text)})
	if err != nil {
		return nil, nil, err
	}
	defer tr.Close()
	return tracetest.All(t, tr), tr.Log, nil
}

func names(n *trace.Names) (all []string) {
	for i := range n.Len() {
		all = append(all, n.Name(trace.ID(i)))
	}
	return all
}

func TestBiosnoop(t *testing.T) {
	for name, c := range map[string]struct {
		text           string
		want           []trace.Record
		files, streams []string
		bad            int64
	}{
		"BCC with queue time and a name with blanks": {
			"TIME(s)     COMM           PID     DISK      T SECTOR     BYTES  QUE(ms) LAT(ms)\n" +
				"0.000004    my sql d       1950    xvda1     W 13092560   4096      0.02    0.74\n" +
				"0.000100    ?              0                 R 8          512       0.00    0.01\n" +
				"0.000200    a              -1      sda       R 18446744073709551615 0 0.01    0.10\n" +
				"0.000300    a              7       sda       R 18446744073709551615 512 0.01    0.10\n",
			[]trace.Record{
				{Time: -736000, Op: engine.Write, Offset: 13092560 * 512, Length: 4096, Latency: 740000},
				{Time: 90000, Op: engine.Read, Offset: 4096, Length: 512, Latency: 10000, File: 1, Stream: 1},
			}, []string{"xvda1", "?"}, []string{"my sql d/1950", "?/0"}, 1,
		},
		"libbpf-tools": {
			"TIME(s)     COMM           PID     DISK      T    SECTOR     BYTES   LAT(ms)\n" +
				"0.000000    kworker/0:1H   58      vda       DS   319315328  8192      0.423\n" +
				"0.001000    kworker/0:1H   58      vda       FF   18446744073709551615 0       0.229\n" +
				"0.002000    jbd2/vda-8     58      vda       WSM  8          4096      5.000\n" +
				"0.003000    jbd2/vda-8     58      vda       FWFS 16         4096      0.001\n" +
				"0.004000    jbd2/vda-8     58      vda       N    16         4096      0.001\n",
			[]trace.Record{
				{Time: -3000000, Op: engine.Write, Offset: 4096, Length: 4096, Latency: 5000000, Flags: trace.Sync | trace.Meta, Stream: 1},
				{Time: -423000, Op: engine.Trim, Offset: 319315328 * 512, Length: 8192, Latency: 423000, Flags: trace.Sync},
				{Time: 771000, Op: engine.Fsync, Latency: 229000},
				{Time: 2999000, Op: engine.Write, Offset: 8192, Length: 4096, Latency: 1000, Flags: trace.Sync | trace.FUA | trace.Preflush, Stream: 1},
			}, []string{"vda"}, []string{"kworker/0:1H/58", "jbd2/vda-8/58"}, 0,
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, log, err := read(t, bcc.Biosnoop, c.text)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(c.want, got) + cmp.Diff(c.files, names(&log.Files)) + cmp.Diff(c.streams, names(&log.Streams)); d != "" || log.Bad != c.bad {
				t.Error(d, log.First)
			}
		})
	}
}

// TestBiosnoopNames has processes that are called like the columns behind them.
func TestBiosnoopNames(t *testing.T) {
	got, log, err := read(t, bcc.Biosnoop, "TIME(s)     COMM           PID     DISK      T SECTOR     BYTES P LAT(ms)\n"+
		"0.000100    R 12 34        7       sda       W 8          512    R    0.01\n0.000200    1 sdb R 1 2    8       sda       R 16         512    ?    0.01\n^C\n")
	if err != nil {
		t.Fatal(err)
	}
	want := []trace.Record{
		{Time: 90000, Op: engine.Write, Offset: 4096, Length: 512, Latency: 10000},
		{Time: 190000, Op: engine.Read, Offset: 8192, Length: 512, Latency: 10000, Stream: 1},
	}
	if d := cmp.Diff(want, got) + cmp.Diff([]string{"R 12 34/7", "1 sdb R 1 2/8"}, names(&log.Streams)) + cmp.Diff([]string{"sda"}, names(&log.Files)); d != "" || log.Bad != 0 || log.Skipped["messages"] != 1 {
		t.Error(d, log)
	}
}

func TestBpftraceIsRefused(t *testing.T) {
	const text = "Attaching 3 probes...\nTIME(ms)     DISK    COMM             PID    LAT(ms)\n611          nvme0n1 bash             4179         10\n"
	if _, _, err := read(t, bcc.BiosnoopBT, text); err == nil || !strings.Contains(err.Error(), "neither addresses nor lengths") {
		t.Error(err)
	}
}

func TestSlower(t *testing.T) {
	got, log, err := read(t, bcc.Slower, "ENDTIME_us,TASK,PID,TYPE,BYTES,OFFSET_b,LATENCY_us,FILE\n"+
		"1000,my,9,app,77,W,4096,8192,500,a,b.db\n1200,x,78,R,512,0,1100,c\n1300,x,78,S,0,0,1,c\n1400,x,78,O,0,0,1,c\n1500,x,78,R,0,0,1,c\n1600,x,78,Q,0,0,1,c\n1700,a,1,R,b,79,W,512,0,100,c\n")
	if err != nil {
		t.Fatal(err)
	}
	want := []trace.Record{
		{Time: 100000, Op: engine.Read, Flags: trace.Buffered, Length: 512, Latency: 1100000, File: 1, Stream: 1},
		{Time: 500000, Op: engine.Write, Flags: trace.Buffered, Offset: 8192, Length: 4096, Latency: 500000},
		{Time: 1299000, Op: engine.Fsync, Latency: 1000, File: 1, Stream: 1},
		{Time: 1600000, Op: engine.Write, Flags: trace.Buffered, Length: 512, Latency: 100000, File: 1, Stream: 2},
	}
	skipped := map[string]int64{"headers and empty lines": 1, "opens": 1, "reads and writes that moved nothing": 1}
	if d := cmp.Diff(want, got) + cmp.Diff([]string{"a,b.db", "c"}, names(&log.Files)) + cmp.Diff([]string{"my,9,app/77", "x/78", "a,1,R,b/79"}, names(&log.Streams)) + cmp.Diff(skipped, log.Skipped); d != "" || log.Bad != 1 {
		t.Error(d, log.First)
	}
}

func TestSlowerForPeopleIsRefused(t *testing.T) {
	const text = "Tracing ext4 operations slower than 10 ms\nTIME     COMM           PID    T BYTES   OFF_KB   LAT(ms) FILENAME\n06:35:01 cron           16464  R 1249    0          16.05 common-auth\n"
	if _, _, err := read(t, bcc.Slower, text); err == nil || !strings.Contains(err.Error(), "capture with -j") {
		t.Error(err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte("TIME(s)     COMM           PID     DISK      T SECTOR     BYTES  QUE(ms) LAT(ms)\n0.000004    my sql d       1950    xvda1     W 13092560   4096      0.02    0.74\n"))
	f.Add([]byte("0.1 a 1 d R 9223372036854775807 9223372036854775807 9223372036.9\n-9223372036.8 a b c 1 d FWFS 18014398509481983 512 -1\n"))
	f.Add([]byte("1000,my,9,app,77,W,4096,8192,500,a,b.db\n"))
	f.Add([]byte("9223372036854775807,x,78,R,9223372036854775807,1,9223372036854775,c\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, format := range bcc.Formats {
			format.Sniff(data)
			r, err := format.Open(&trace.Input{Reader: bufio.NewReader(bytes.NewReader(data)), Name: "fuzz"}, &trace.Log{}, &trace.Options{})
			if err != nil {
				continue
			}
			for _, rec := range tracetest.All(t, r) {
				if !trace.Fits(rec.Offset, rec.Length) || rec.Latency < trace.Unknown {
					t.Fatalf("%+v", rec)
				}
			}
		}
	})
}
