package format_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"moonio/engine/trace"
	"moonio/engine/trace/format"
	"moonio/engine/trace/tracetest"
)

const log = "fio version 3 iolog\n0 f add\n10 f read 0 4096\n20 f write 4096 4096\n"

// file writes a file, and returns its path.
func file(t testing.TB, dir, name string, b []byte) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// count opens files and counts their records.
func count(t *testing.T, paths ...string) (int, *format.Trace) {
	t.Helper()
	tr, err := format.Open(paths, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer tr.Close()
	return len(tracetest.All(t, tr)), tr
}

func TestSiblings(t *testing.T) {
	for _, name := range []string{"blktrace/vda", "blktrace/vda.blktrace.0.gz", "blktrace/vda.blktrace.1.gz"} {
		n, tr := count(t, tracetest.Path(name))
		if n != 454 || len(tr.Inputs) != 2 {
			t.Errorf("%s: %d records of %v", name, n, tr.Inputs)
		}
		if noted := len(tr.Log.Notes) == 1; noted != strings.Contains(name, "blktrace.") {
			t.Errorf("%s: %q", name, tr.Log.Notes)
		}
	}
	if n, tr := count(t, tracetest.Path("blktrace/vda.blktrace.1.gz"), tracetest.Path("blktrace/vda"), tracetest.Path("blktrace/../blktrace/vda.blktrace.0.gz")); n != 454 {
		t.Errorf("named three times: %d records of %v", n, tr.Inputs)
	}
}

func TestDirectory(t *testing.T) {
	dir := t.TempDir()
	file(t, dir, "a/one", []byte(log))
	file(t, dir, "two.gz", compressed(t, []byte(log), toGzip))
	file(t, dir, ".hidden", []byte(log))
	file(t, dir, "empty", nil)
	n, tr := count(t, dir)
	if n != 4 || len(tr.Inputs) != 2 || len(tr.Log.Notes) != 1 {
		t.Errorf("%d records of %v, %q", n, tr.Inputs, tr.Log.Notes)
	}
}

// TestMerge merges by time; of equal times the first file's record comes first.
func TestMerge(t *testing.T) {
	dir := t.TempDir()
	var paths []string
	for i := range 5 {
		var b strings.Builder
		b.WriteString("fio version 3 iolog\n")
		for j := range 100 {
			fmt.Fprintf(&b, "%d f%d read 0 512\n", (j*(i+3))/2, i)
		}
		paths = append(paths, file(t, dir, fmt.Sprint(i), []byte(b.String())))
	}
	tr, err := format.Open(paths, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer tr.Close()
	got := tracetest.All(t, tr)
	for i := 1; i < len(got); i++ {
		a, b := got[i-1], got[i]
		if a.Time > b.Time || a.Time == b.Time && tr.Log.Files.Name(a.File) > tr.Log.Files.Name(b.File) {
			t.Fatalf("record %d: %+v before %+v", i, a, b)
		}
	}
	if len(got) != 500 || tr.Log.Records != 500 || tr.Log.Disorder != 0 {
		t.Errorf("%d records, %+v", len(got), tr.Log)
	}
}

func TestStdin(t *testing.T) {
	tr, err := format.Open([]string{"-"}, &trace.Options{Stdin: bytes.NewReader(compressed(t, []byte(log), toGzip))})
	if err != nil {
		t.Fatal(err)
	}
	defer tr.Close()
	if n := len(tracetest.All(t, tr)); n != 2 {
		t.Error(n)
	}
}

func TestErrors(t *testing.T) {
	dir := t.TempDir()
	text := file(t, dir, "letter.txt", []byte("Dear all,\nhow are you?\n"))
	perf := file(t, dir, "perf.data", append([]byte("PERFILE2"), make([]byte, 100)...))
	empty := file(t, dir, "empty", nil)
	os.Mkdir(filepath.Join(dir, "nothing"), 0o700)
	lab := file(t, dir, "lab.csv", []byte("ts;op;off;len\n0.5;R;0;4096\n"))
	if _, err := format.Open([]string{lab}, nil); err == nil || !strings.HasSuffix(err.Error(), "oraclegeneral); of a table, columns wants to know where its columns are, as in columns:time=1:s,op=2:R/W,offset=3:bytes,length=4:bytes") {
		t.Error(err)
	}
	if _, err := format.Open([]string{text}, nil); err == nil || !strings.HasSuffix(err.Error(), "oraclegeneral)") {
		t.Error(err)
	}
	for _, c := range []struct {
		paths []string
		o     *trace.Options
		want  string
	}{
		{nil, nil, "trace: no file is named"},
		{[]string{dir + "/none"}, nil, "trace: stat " + dir + "/none: no such file or directory"},
		{[]string{text}, nil, "trace " + text + ": its format is none that moonio can tell; name it with --trace-format (blktrace, iolog,"},
		{[]string{perf}, nil, "trace " + perf + `: it is perf's own file, which only perf can read: run "perf script -i FILE > FILE.txt", and give moonio that`},
		{[]string{empty}, nil, "trace " + empty + ": it is empty"},
		{[]string{file(t, dir, "comments", []byte("# nothing\n\n \n"))}, nil, "trace " + dir + "/comments: it has only empty lines and comments"},
		{[]string{file(t, dir, "counts", []byte("% time     seconds  usecs/call     calls    errors syscall\n100.00    0.000000           0         2           total\n"))}, nil, "trace " + dir + "/counts: it is strace's count of calls (-c)"},
		{[]string{file(t, dir, "counted", []byte("\n Summary of events:\n\n sh (7), 2 events, 97.9%\n"))}, nil, "trace " + dir + "/counted: it is perf trace's count of calls (-s)"},
		{[]string{file(t, dir, "script", []byte("sh 7 [001] 4.28: syscalls:sys_enter_pread64: fd: 0x3, buf: 0x7f\n"))}, nil, "trace " + dir + "/script: it is perf script's text of system calls"},
		{[]string{file(t, dir, "latencies", []byte("     usecs               : count     distribution\n         0 -> 1          : 0        |          |\n"))}, nil, "trace " + dir + "/latencies: it is a histogram"},
		{[]string{file(t, dir, "usecs", []byte("@usecs: \n[512, 1K)             10 |@@@@@@     |\n"))}, nil, "trace " + dir + "/usecs: it is a histogram"},
		{[]string{dir + "/nothing"}, nil, "trace: " + dir + "/nothing: there is no file in it"},
		{[]string{text}, &trace.Options{Format: "blktrce"}, `trace format "blktrce": there is none (did you mean "blktrace"?); known are blktrace, iolog,`},
		{[]string{text}, &trace.Options{Format: "iolog"}, "trace " + text + `: header: "Dear all," is not "fio version 2 iolog", nor 3`},
		{[]string{file(t, dir, "x.log", []byte(log))}, &trace.Options{Args: map[string]string{"wiat": "start"}}, `trace format iolog: it has no option "wiat" (did you mean "wait"?); it has wait`},
		{[]string{file(t, dir, "bad.gz", []byte("\x1f\x8bnot really"))}, nil, "trace: " + dir + "/bad.gz: decompression: "},
	} {
		tr, err := format.Open(c.paths, c.o)
		if err == nil {
			tr.Close()
		}
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%v: %v\nnot %s", c.paths, err, c.want)
		}
	}
}

func TestParse(t *testing.T) {
	o, err := format.Parse("BLKTRACE:event=D,device=8:16")
	if err != nil || o.Format != "blktrace" || o.Arg("event") != "D" || o.Arg("device") != "8:16" {
		t.Errorf("%+v %v", o, err)
	}
	if o, err = format.Parse(":wait=previous"); err != nil || o.Format != "" || o.Arg("wait") != "previous" {
		t.Errorf("%+v %v", o, err)
	}
	for spec, want := range map[string]string{
		"iolog:wait":      `trace format "iolog:wait": "wait" is not KEY=VALUE`,
		"moonio:x=y":      `trace format moonio: it takes no options, so not "x"`,
		"blktrace:evnt=D": `trace format blktrace: it has no option "evnt" (did you mean "event"?); it has event, device`,
	} {
		if _, err := format.Parse(spec); err == nil || err.Error() != want {
			t.Errorf("%s: %v", spec, err)
		}
	}
}

func TestCreate(t *testing.T) {
	for _, name := range []string{"iolog", "moonio"} {
		if _, err := format.Create(name, io.Discard, &trace.Log{}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, err := format.Create("blktrace", io.Discard, &trace.Log{})
	if want := `trace format "blktrace": moonio reads it and does not write it; it writes iolog, moonio`; err == nil || err.Error() != want {
		t.Error(err)
	}
}

// TestFormats holds for every format: a name and a help of its own, and a reader.
func TestFormats(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range format.List() {
		if f.Name == "" || f.Help == "" || f.Sniff == nil || (f.Open == nil) == (f.OpenAll == nil) || seen[f.Name] {
			t.Errorf("%+v", f)
		}
		seen[f.Name] = true
		if sure := f.Sniff(nil); sure != 0 {
			t.Errorf("%s is %d sure of nothing", f.Name, sure)
		}
	}
}

// TestSniff tells every sample's format.
func TestSniff(t *testing.T) {
	for name, want := range map[string]string{
		"blktrace/sdb.blktrace.0": "blktrace", "blktrace/sdb_v8.blktrace.0": "blktrace", "blktrace/vda.blkparse.txt.gz": "blkparse",
		"fio/synth_v2.iolog": "iolog", "fio/synth_v3_paced_5ms.iolog": "iolog", "same_stream/mssql.v1.vscsi.gz": "vscsi",
	} {
		if tr := tracetest.Open(t, nil, name); len(tr.Formats) != 1 || tr.Formats[0].Name != want {
			t.Errorf("%s: %v", name, tr.Formats[0].Name)
		}
	}
}

func TestCheck(t *testing.T) {
	var b strings.Builder
	b.WriteString(log)
	for i := range 96 {
		fmt.Fprintf(&b, "%d f read 0 512\n", i+30)
	}
	_, tr := count(t, file(t, t.TempDir(), "x", []byte(b.String()+"\x1b[2J\n")))
	if err := tr.Log.Check(trace.MaxBad); err != nil {
		t.Error(err) // 1 of 101
	}
	path := file(t, t.TempDir(), "y", []byte(b.String()+"\x1b[2J\n\x1b[2J\n"))
	_, tr = count(t, path)
	err := tr.Log.Check(trace.MaxBad)
	want := "too much of the trace cannot be read: 2 of 102 lines cannot be parsed\n  " + path + `:101: the time is not a number of µs: "\x1b[2J"` +
		"\n  " + path + `:102: the time is not a number of µs: "\x1b[2J"`
	if !errors.Is(err, trace.ErrBad) || err.Error() != want {
		t.Errorf("%v\nnot\n%s", err, want)
	}
	if tr.Log.Check(1) != nil {
		t.Error("nothing passes")
	}
}

// openFiles is how many files beneath a directory this process has open.
func openFiles(t *testing.T, dir string) (n int) {
	t.Helper()
	fds, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip(err)
	}
	for _, fd := range fds {
		if to, err := os.Readlink("/proc/self/fd/" + fd.Name()); err == nil && strings.HasPrefix(to, dir) {
			n++
		}
	}
	return n
}

// TestManyFiles has a file for each hour and volume: only those of the present hour are open.
func TestManyFiles(t *testing.T) {
	dir := t.TempDir()
	for i := range 100 {
		var b strings.Builder
		b.WriteString("fio version 3 iolog\n")
		for j := range 50 {
			fmt.Fprintf(&b, "%d volume%d read 0 512\n", i/2*1000+j*10+i%2, i%2)
		}
		file(t, dir, fmt.Sprintf("%03d", 99-i), []byte(b.String()))
	}
	file(t, dir, "notes", []byte("nothing\n"))
	tr, err := format.Open([]string{dir}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer tr.Close()
	most := 0
	var last int64
	for n := 0; ; n++ {
		var r trace.Record
		if err := tr.Read(&r); err == io.EOF {
			if n != 5000 {
				t.Errorf("%d records", n)
			}
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if r.Time < last {
			t.Fatalf("record %d: time went back", n)
		}
		last = r.Time
		if n%100 == 50 {
			most = max(most, openFiles(t, dir))
		}
	}
	if most > 4 || openFiles(t, dir) != 0 {
		t.Errorf("%d files open at a time, %d at the end", most, openFiles(t, dir))
	}
	if len(tr.Inputs) != 100 || len(tr.Log.Notes) != 1 || tr.Log.Lines != 5100 || tr.Log.Disorder != 0 {
		t.Errorf("%d files, %+v", len(tr.Inputs), tr.Log)
	}
}

// failing fails in the middle.
type failing struct{ r io.Reader }

func (f *failing) Read(p []byte) (int, error) {
	n, err := f.r.Read(p)
	if err == io.EOF {
		err = errors.New("the disk is gone")
	}
	return n, err
}

// TestFailure gives what was read before an error, then the error, and that again.
func TestFailure(t *testing.T) {
	dir := t.TempDir()
	tr, err := format.Open([]string{"-", file(t, dir, "x", []byte(log))}, &trace.Options{Stdin: &failing{strings.NewReader(log)}})
	if err != nil {
		t.Fatal(err)
	}
	defer tr.Close()
	var r trace.Record
	n := 0
	for err = tr.Read(&r); err == nil; err = tr.Read(&r) {
		n++
	}
	if n != 3 || err.Error() != "trace -, after 4 lines: the disk is gone" || tr.Read(&r) != err {
		t.Errorf("%d records, then %v", n, err)
	}
}
