package blktrace_test

import (
	"fmt"
	"strings"
	"testing"

	"moonio/engine/trace"
	"moonio/engine/trace/tracetest"
)

// show is everything that a record says.
func show(log *trace.Log, r trace.Record) string {
	return fmt.Sprintf("%d %s %s %s %d+%d flags %d latency %d", r.Time, log.Streams.Name(r.Stream), log.Files.Name(r.File), r.Op, r.Offset, r.Length, r.Flags, r.Latency)
}

// lines is all records of a trace, one a line.
func lines(t *testing.T, tr interface {
	Read(*trace.Record) error
}, log *trace.Log) string {
	var b strings.Builder
	for _, r := range tracetest.All(t, tr) {
		b.WriteString(show(log, r) + "\n")
	}
	return b.String()
}

func TestSameStream(t *testing.T) {
	for _, event := range []string{"Q", "D"} {
		tr := tracetest.Open(t, &trace.Options{Args: map[string]string{"event": event}}, "same_stream/mssql.blktrace.1.gz")
		got := tracetest.All(t, tr)
		tracetest.SameStream(t, got, 10_000)
		for i, r := range got {
			if r.Latency == trace.Unknown {
				t.Fatalf("event=%s: record %d has no latency", event, i)
			}
		}
		if tr.Log.Bad+tr.Log.Lost+tr.Log.Disorder != 0 || tr.Log.Lines != 6000 || tr.Log.Files.Name(0) != "mssql" {
			t.Errorf("%+v", tr.Log)
		}
	}
}

const sdb = `1000000 writer/4242 NAME read 1048576+4096 flags 0 latency 80000
2000000 writer/4242 NAME write 2097152+8192 flags 4 latency 90000
3000000 writer/4242 NAME write 4194304+4096 flags 7 latency 900000
5000000 writer/4242 NAME fsync 0+0 flags 4 latency 700000
7000000 writer/4242 NAME trim 33554432+1048576 flags 4 latency 50000
8000000 writer/4242 NAME read 4398046511104+512 flags 24 latency 100000
`

// TestFlags reads every kind of I/O, in both versions. FWFS with data is one write that flushes
// first (1) and is durable (2); 4 is synchronous, 8 metadata, 16 read-ahead.
func TestFlags(t *testing.T) {
	for _, name := range []string{"sdb", "sdb_v8"} {
		tr := tracetest.Open(t, nil, "blktrace/"+name)
		want := strings.ReplaceAll(sdb, "NAME", name)
		if got := lines(t, tr, tr.Log); got != want {
			t.Errorf("%s:\n%s\nnot\n%s", name, got, want)
		}
		if epoch := tr.Log.Epoch.UnixNano(); epoch != 1_700_000_000_000_000_500-1000 {
			t.Errorf("%s: epoch %d", name, epoch)
		}
		if tr.Log.Bad+tr.Log.Lost != 0 || len(tr.Log.Notes) != 0 {
			t.Errorf("%s: %+v", name, tr.Log)
		}
	}
}

func TestDispatched(t *testing.T) {
	tr := tracetest.Open(t, &trace.Options{Args: map[string]string{"event": "D"}}, "blktrace/sdb")
	want := ""
	for _, line := range strings.SplitAfter(strings.ReplaceAll(sdb, "NAME", "sdb"), "\n") {
		if line != "" {
			var at, latency int
			head, tail, _ := strings.Cut(line, " ")
			fmt.Sscan(head, &at)
			body, last, _ := strings.Cut(tail, "latency ")
			fmt.Sscan(last, &latency)
			want += fmt.Sprintf("%d %slatency %d\n", at+5000, body, latency-5000)
		}
	}
	if got := lines(t, tr, tr.Log); got != want {
		t.Errorf("\n%s\nnot\n%s", got, want)
	}
}
