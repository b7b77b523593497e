package perf_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"moonio/engine"
	"moonio/engine/trace"
	"moonio/engine/trace/format"
	"moonio/engine/trace/perf"
	"moonio/engine/trace/tracetest"
)

// read sniffs a text and reads it.
func read(t *testing.T, want *trace.Format, spec, text string) (string, *trace.Log) {
	t.Helper()
	o, err := format.Parse(spec)
	if err != nil {
		t.Fatal(err)
	}
	o.Stdin = strings.NewReader(text)
	tr, err := format.Open([]string{"-"}, o)
	if err != nil {
		t.Fatal(err)
	}
	defer tr.Close()
	if tr.Formats[0] != want {
		t.Fatalf("taken for %s", tr.Formats[0].Name)
	}
	return tracetest.Show(t, tr), tr.Log
}

// sums are what is counted of a trace.
type sums struct {
	Counts    map[engine.OpCode]int
	Bytes     map[engine.OpCode]int64
	Latencies int
	Lines     int64
	Skipped   map[string]int64
}

func sum(t *testing.T, tr *format.Trace) sums {
	s := sums{Counts: map[engine.OpCode]int{}, Bytes: map[engine.OpCode]int64{}}
	for _, r := range tracetest.All(t, tr) {
		s.Counts[r.Op]++
		if r.Length > 0 {
			s.Bytes[r.Op] += r.Length
		}
		if r.Latency >= 0 {
			s.Latencies++
		}
	}
	s.Lines, s.Skipped = tr.Log.Lines, tr.Log.Skipped
	if tr.Log.Bad != 0 || tr.Log.Disorder != 0 {
		t.Errorf("%d bad lines %v, %d out of order", tr.Log.Bad, tr.Log.First, tr.Log.Disorder)
	}
	return s
}

// What is expected here was counted with awk and with a script of regular expressions. The capture ends
// before two of the I/Os complete, one of them before it is issued.
func TestSamples(t *testing.T) {
	others := map[string]int64{"block events that are neither queued, issued nor completed I/O": 641}
	for _, c := range []struct {
		name, spec string
		want       sums
	}{
		{"perf/perf_script.block.us.txt.gz", "", sums{
			map[engine.OpCode]int{engine.Read: 1, engine.Write: 80 + 1 + 94, engine.Trim: 26, engine.Fsync: 69},
			map[engine.OpCode]int64{engine.Read: 16384, engine.Write: 327680 + 4096 + 544768, engine.Trim: 962560},
			269, 1700, others,
		}},
		{"perf/perf_script.block.us.txt.gz", ":event=D", sums{
			map[engine.OpCode]int{engine.Read: 1, engine.Write: 80 + 1 + 86, engine.Trim: 26, engine.Fsync: 69},
			map[engine.OpCode]int64{engine.Read: 16384, engine.Write: 327680 + 4096 + 540672, engine.Trim: 962560},
			262, 1700, others,
		}},
		{"perf/perf_trace.T.sqlite.txt.gz", "", sums{
			map[engine.OpCode]int{engine.Read: 123, engine.Write: 213, engine.Fdatasync: 71, engine.Fsync: 2},
			map[engine.OpCode]int64{engine.Read: 1692025, engine.Write: 947608},
			409, 1113, map[string]int64{
				"I/O on character devices, such as /dev/null": 11, "I/O on pipes": 1,
				"I/O on standard input and output, where what they are is not known": 12,
				"reads at the end of a file, and transfers of 0 bytes":               82,
				"calls that move no data (open, close, lseek and their like)":        577,
			},
		}},
	} {
		t.Run(c.name+c.spec, func(t *testing.T) {
			o, err := format.Parse(c.spec)
			if err != nil {
				t.Fatal(err)
			}
			got := sum(t, tracetest.Open(t, o, c.name))
			if d := cmp.Diff(c.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestScript(t *testing.T) {
	for name, c := range map[string]struct{ spec, text, want string }{
		"an old kernel, in nanoseconds, issued requests only": {"",
			"     my app d  1450 [001]   754.607859123: block:block_rq_issue: 8,0 WBS 4096 () 8 + 8 [my app d]\n" +
				"swapper     0 [000] 754.607959123: block:block_rq_complete: 8,0 WBS () 8 + 8 [0]\n",
			"754607859123 write 4096+4096 8,0 by my app d/1450 took 100000 preflush fua sync\n",
		},
		"a new kernel's priority": {"",
			" kworker/0:1H-kb    58 [000]   754.000001:       block:block_rq_issue: 254,0 DS 8192 () 16 + 16 0x2,0,4 [kworker/0:1H]\n" +
				"   fio 1 [001]   754.000003:    block:block_rq_complete: 254,0 DS () 16 + 16 0x2,0,4 [0]\n",
			"754000001000 trim 8192+8192 254,0 by kworker/0:1H/58 took 2000 sync\n",
		},
		"flags of interrupts and preemption": {"",
			"a b 1/7 [001] d..1.   1.0: block:block_rq_issue: 8,0 R 512 () 8 + 1 [a b]\nx 0 [000] ..s2 1.5: block:block_rq_complete: 8,0 R () 8 + 1 [0]\n",
			"1000000000 read 4096+512 8,0 by a b/7 took 500000000\n",
		},
		"inserts where there are no issues": {"",
			"a 1 [000] 1.0: block:block_rq_insert: 8,0 R 512 () 8 + 1 [a]\na 1 [000] 1.5: block:block_rq_complete: 8,0 R () 8 + 1 [0]\n",
			"1000000000 read 4096+512 8,0 by a/1 took 500000000\n",
		},
		"one of two devices": {":device=8:16",
			"a 1 [000] 1.0: block:block_rq_issue: 8,0 R 512 () 8 + 1 [a]\na 1 [000] 1.5: block:block_rq_issue: 8,16 R 512 () 8 + 1 [a]\n",
			"1500000000 read 4096+512 8,16 by a/1\n",
		},
		"a write that flushes and one that only does; a split, a merge, and what is no I/O": {"",
			"a 1 [000] 1.0: block:block_bio_queue: 8,0 FWFS 8 + 8 [a]\na 1 [000] 1.1: block:block_bio_queue: 8,0 FWS 0 + 0 [a]\n" +
				"a 1 [000] 1.2: block:block_bio_queue: 8,0 R 100 + 16 [a]\na 1 [000] 1.3: block:block_split: 8,0 R 100 / 108 [a]\n" +
				"b 2 [000] 1.4: block:block_bio_queue: 8,0 W 200 + 8 [b]\nb 2 [000] 1.5: block:block_bio_queue: 8,0 W 208 + 8 [b]\n" +
				"b 2 [000] 1.6: block:block_rq_complete: 8,0 R () 100 + 8 [0]\nb 2 [000] 1.7: block:block_rq_complete: 8,0 R () 108 + 8 [0]\n" +
				"b 2 [000] 1.8: block:block_rq_complete: 8,0 W () 200 + 16 [0]\nb 2 [000] 1.9: block:block_bio_queue: 8,0 N 0 + 0 [b]\n" +
				"b 2 [000] 2.0: sched:sched_switch: prev_comm=b\n\tffffffff81 blk_start+0x1 ([kernel.kallsyms])\n\nb 2 [000] 2.1: PERF_RECORD_LOST lost 7\n",
			"1000000000 write 4096+4096 8,0 by a/1 preflush fua sync\n1100000000 fsync 0+0 8,0 by a/1 sync\n1200000000 read 51200+8192 8,0 by a/1 took 500000000\n" +
				"1400000000 write 102400+4096 8,0 by b/2 took 400000000\n1500000000 write 106496+4096 8,0 by b/2 took 300000000\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, log := read(t, perf.Script, c.spec, c.text)
			if d := cmp.Diff(c.want, got); d != "" || log.Bad != 0 {
				t.Error(d, log.First)
			}
			if strings.Contains(c.text, "LOST") && log.Lost != 7 {
				t.Errorf("%d lost", log.Lost)
			}
		})
	}
}

// TestScriptAside begins with more of other things than a format is told by.
func TestScriptAside(t *testing.T) {
	text := strings.Repeat("# a comment\n", 30) + strings.Repeat("         swapper     0 [000]     0.000000: PERF_RECORD_FORK(1:1):(0:0)\n", 60)
	chain := strings.Repeat("\tffffffff8146a2c1 submit_bio_noacct+0x1 ([kernel.kallsyms])\n", 20) + "\n"
	for i := range 3 {
		text += fmt.Sprintf("a 1 [000] 1.%d: block:block_rq_issue: 8,0 R 512 () 8 + 1 [a]\n%s", i, chain)
	}
	got, log := read(t, perf.Script, "", text)
	if strings.Count(got, "read 4096+512") != 3 || log.Bad != 0 || log.Skipped["records of perf's own"] != 60 || log.Skipped["call chains"] != 60 {
		t.Errorf("%s%+v", got, log)
	}
}

// TestScriptLayouts has lines as perf script prints them with --header, and with -F without some of what it prints else; and
// a beginning that is all of perf's own records.
func TestScriptLayouts(t *testing.T) {
	const event = "block:block_rq_issue: 8,0 R 512 () 8 + 1 [a b]\n"
	text := "# cmdline : /usr/bin/perf record -e block:block_rq_issue -a \n# event : name = block:block_rq_issue, , id = { 1, 2 }\n" +
		"1.000001: " + event + "7 [000] 1.000002: " + event + "a b [000] 1.000003: " + event + "a b 7/8 [000] 1.000004: 1 " + event
	got, log := read(t, perf.Script, "", text)
	want := "1000001000 read 4096+512 8,0 by a b/0\n1000002000 read 4096+512 8,0 by a b/7\n1000003000 read 4096+512 8,0 by a b/0\n1000004000 read 4096+512 8,0 by a b/8\n"
	if d := cmp.Diff(want, got); d != "" || log.Bad != 0 {
		t.Error(d, log.First)
	}
	if records := strings.Repeat("swapper 0 [000] 0.0: PERF_RECORD_FORK(1:1):(0:0)\n", 2000); perf.Script.Sniff([]byte(records)) == 0 {
		t.Error("not told by perf's own records")
	}
	if perf.Script.Sniff([]byte("a 7 "+event)) == 0 {
		t.Error("not told without times")
	}
}

func TestScriptBadLines(t *testing.T) {
	good := "a 1 [000] 1.0: block:block_rq_issue: 8,0 R 512 () 8 + 1 [a]\n"
	_, log := read(t, perf.Script, "", good+
		"a 1 [000] 1.0: block:block_rq_issue: 8,0 R 512 () 18446744073709551614 + 1 [a]\n"+
		"a 1 [000] 1.0: block:block_rq_issue: 8,0 R 512 () 9223372036854775807 + 1 [a]\n"+
		"a 1 [000] 1.0: block:block_rq_issue: 8,0 R 512 () 8 + 99999999999 [a]\n"+
		"a 1 [000] 1.0: block:block_rq_issue: 9999,0 R 512 () 8 + 1 [a]\n"+
		"a 1 [000] x: block:block_rq_issue: 8,0 R 512 () 8 + 1 [a]\n"+
		"a -7 [000] 1.0: block:block_rq_issue: 8,0 R 512 () 8 + 1 [a]\n"+
		"a 1 [000] 1.0: block:block_rq_issue: 8,0 ? 512 () 8 + 1 [a]\n"+
		"garbage\n"+strings.Repeat(good, 20))
	if log.Bad != 8 || log.Records != 21 {
		t.Errorf("%d bad, %d records: %v", log.Bad, log.Records, log.First)
	}
}

func TestTrace(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"calls that are continued, and positions that are left out": {
			"732942.936 (         ): my app/x/14065 pwrite64(fd: 4</srv/c d, e>, buf: 0x7fef, count: 4096, pos: 24576)       ...\n" +
				"732943.0 ( 0.5 ms): b/7 pread64(fd: 4</srv/b>, buf: 0x7fef, count: 100)   = 96\n" +
				"732942.936 ( 3.374 ms): my app/x/14065  ... [continued]: pwrite64())                 = 4096\n",
			"732942936000 write 24576+4096 /srv/c d, e by my app/x/14065 took 3374000\n732943000000 read 0+96 /srv/b by b/7 took 500000\n",
		},
		"one thread, whose name is left out; arguments that are 0 too": {
			"     0.000 ( 0.042 ms): openat(dfd: CWD, filename: 0x17c624f0, flags: RDWR|APPEND|DSYNC|CLOEXEC)      = 3\n" +
				"     1.000 ( 0.042 ms): write(fd: 3</a>x>, buf: 0x1, count: 10)   = 10\n     2.000 ( 0.042 ms): lseek(fd: 3</a>x>, whence: SET) = 0\n" +
				"     3.000 ( 0.042 ms): read(fd: 3</a>x>, buf: 0x1, count: 10)   = 4\n     4.000 ( 0.042 ms): read(buf: 0x1, count: 10)   = 4\n",
			"1000000 write -1+10 /a>x by main took 42000 fua\n3000000 read 0+4 /a>x by main took 42000\n",
		},
		"a thread's descriptors, a copy with pointers, space": {
			" 1.0 ( 0.1 ms): a/1 openat(dfd: CWD, filename: 0x1, flags: RDWR|DIRECT) = 3\n 1.1 ( 0.1 ms): a/1 clone3(uargs: 0x7ffd, size: 88) = 2\n" +
				" 1.2 ( 0.1 ms): a/2 write(fd: 3</a>, buf: 0x1, count: 512) = 512\n 1.3 ( 0.1 ms): a/1 dup2(oldfd: 3</a>, newfd: 9</a>) = 9\n" +
				" 1.4 ( 0.1 ms): a/2 write(fd: 9</a>, buf: 0x1, count: 512) = 512\n 1.5 ( 0.1 ms): a/1 sendfile(out_fd: 9</a>, in_fd: 4</b>, offset: 0x7ff, count: 30) = 30\n" +
				" 1.6 ( 0.1 ms): a/1 fallocate(fd: 9</a>, mode: 3, offset: 4096, len: 8192) = 0\n 1.7 ( 0.1 ms): a/1 ftruncate(fd: 9</a>, length: 7) = 0\n 1.8 ( 0.1 ms): a/1 fsync(fd: 9</a>) = -1 EIO (Input/output error)\n",
			"1200000 write 0+512 /a by a/2 took 100000 direct\n1400000 write 512+512 /a by a/2 took 100000 direct\n1500000 write 1024+30 /a by a/1 took 100000 direct\n" +
				"1600000 trim 4096+8192 /a by a/1 took 100000\n1700000 truncate 0+7 /a by a/1 took 100000\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, log := read(t, perf.Trace, "", c.text)
			if d := cmp.Diff(c.want, got); d != "" || log.Bad != 0 {
				t.Error(d, log.First)
			}
		})
	}
}

// TestTraceResults has results that perf spells out, and a path with a bracket in it.
func TestTraceResults(t *testing.T) {
	got, log := read(t, perf.Trace, "", "1.0 ( 0.015 ms): sh/7 fcntl(fd: 3</a>, cmd: GETFL)      = RDWR|LARGE\n1.5 ( 0.015 ms): sh/7 fcntl(cmd: GETFD)    = CLOEXEC\n"+
		"2.0 ( 0.010 ms): sh/7 pread64(fd: 4</srv/3<etc>, buf: 0x1, count: 512, pos: 512)   = 512\n")
	if want := "2000000 read 512+512 /srv/3<etc by sh/7 took 10000\n"; got != want && got != "2000000 read 512+512 /srv/3<etc> by sh/7 took 10000\n" || log.Bad != 0 {
		t.Errorf("%s %+v", got, log)
	}
}

func TestTraceAside(t *testing.T) {
	got, log := read(t, perf.Trace, "", "# comment\n\n? (         ): a/2  ... [continued]: clone3())   = 0\nLOST 5 events!\n"+
		"1.0 ( 0.1 ms): a/1  ... [continued]: fsync())   = 0\n1.0 (         ): a/1 fsync(fd: 3</a>)   ...\n1.0 ( 0.1 ms): a/1  ... [continued]: fsync() = 0\n"+
		"1.0 (         ): a/2 close(fd: 3</a>)   ...\n1.0 ( x ms): a/1 fsync(fd: 3</a>) = 0\n"+strings.Repeat("1.0 ( 0.1 ms): a/1 getpid() = 7\n", 40))
	want := map[string]int64{"empty lines and comments": 2, "calls whose beginning is not in the trace": 2, "calls whose end is not in the trace": 2, "other calls": 40}
	if d := cmp.Diff(want, log.Skipped); d != "" || got != "" || log.Lost != 5 || log.Bad != 2 {
		t.Error(d, got, log.Lost, log.First)
	}
}

// TestTraceLayouts has what --no-comm, --call-graph and -S make of the lines.
func TestTraceLayouts(t *testing.T) {
	text := "     1.000 ( 0.1 ms): 7 fsync(fd: 3</a>)          = 0\n                                       fsync (/usr/lib/libc.so.6)\n                                       main (inlined)\n" +
		"\n Summary of events:\n\n sh (7), 2 events, 97.9%\n\n   syscall            calls  errors  total       min\n   fsync                  1      0     0.013     0.013\n"
	got, log := read(t, perf.Trace, "", text+strings.Replace(text, "1.000", "2.000", 1))
	if want := "1000000 fsync 0+0 /a by 7 took 100000\n2000000 fsync 0+0 /a by 7 took 100000\n"; got != want || log.Bad != 0 {
		t.Error(got, log.First)
	}
	if perf.Trace.Sniff([]byte(text)) == 0 {
		t.Error("not told")
	}
}

// TestTraceCloses has a close that has not returned when another thread is given its number.
func TestTraceCloses(t *testing.T) {
	got, _ := read(t, perf.Trace, "", "1.0 ( 0.1 ms): a/1 clone3(uargs: 0x7ffd, size: 88) = 2\n1.1 ( 0.1 ms): a/1 read(fd: 3</a>, count: 10) = 10\n1.2 (         ): a/1 close(fd: 3</a>)   ...\n"+
		"1.3 ( 0.1 ms): a/2 openat(dfd: CWD, filename: 0x1, flags: RDONLY) = 3\n1.4 ( 0.1 ms): a/1  ... [continued]: close()) = 0\n1.5 ( 0.1 ms): a/2 read(fd: 3</a>, count: 10) = 10\n"+
		"1.6 (         ): a/1 close(fd: 3</a>)   ...\n1.7 ( 0.1 ms): a/1  ... [continued]: close()) = 0\n1.8 ( 0.1 ms): a/2 read(fd: 3</a>, count: 10) = 10\n")
	if want := "1100000 read 0+10 /a by a/1 took 100000\n1500000 read 0+10 /a by a/2 took 100000\n1800000 read 0+10 /a by a/2 took 100000\n"; got != want {
		t.Error(got)
	}
}

func TestStackedDevices(t *testing.T) {
	_, log := read(t, perf.Script, "", "a 1 [000] 1.0: block:block_bio_queue: 253,0 R 8 + 8 [a]\na 1 [000] 1.1: block:block_bio_queue: 8,0 R 108 + 8 [a]\n"+
		strings.Repeat("a 1 [000] 1.2: block:block_bio_remap: 8,0 R 108 + 8 <- (253,0) 8\n", 2))
	if len(log.Notes) != 1 || !strings.HasPrefix(log.Notes[0], "253,0 stands on 8,0") {
		t.Error(log.Notes)
	}
}

func reader(tb testing.TB, f *trace.Format, in io.Reader) trace.Reader {
	r, err := f.Open(&trace.Input{Reader: bufio.NewReaderSize(in, 1<<16), Name: "bench"}, &trace.Log{}, nil)
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

// texts are what each format repeats.
func texts() map[*trace.Format][]byte {
	var script, calls bytes.Buffer
	for i := range 500 {
		fmt.Fprintf(&script, " kworker/0:1H-kb    58 [000]   754.%06d:       block:block_rq_issue: 254,0 WS 4096 () %d + 8 0x2,0,4 [kworker/0:1H]\n", i*2, i*8)
		fmt.Fprintf(&script, "             fio 14489 [001]   754.%06d:    block:block_rq_complete: 254,0 WS () %d + 8 0x2,0,4 [0]\n", i*2+1, i*8)
		fmt.Fprintf(&calls, "732715.%03d ( 0.012 ms): python3/14041 pwrite64(fd: 5</srv/app/data/t.db-journal>, buf: 0x7ffc17c62ac4, count: 4, pos: %d) = 4\n", i, i*4)
	}
	return map[*trace.Format][]byte{perf.Script: script.Bytes(), perf.Trace: calls.Bytes()}
}

func BenchmarkRead(b *testing.B) {
	for f, text := range texts() {
		b.Run(f.Name, func(b *testing.B) { tracetest.Benchmark(b, reader(b, f, &tracetest.Forever{Text: text})) })
	}
}

func TestReadDoesNotAllocate(t *testing.T) {
	for f, text := range texts() {
		t.Run(f.Name, func(t *testing.T) { tracetest.NoAllocations(t, reader(t, f, &tracetest.Forever{Text: text})) })
	}
}

func FuzzRead(f *testing.F) {
	for _, text := range []string{
		"a 1 [000] 1.0: block:block_rq_issue: 8,0 WBS 4096 () 8 + 8 0x2,0,4 [a]\nb 1 [000] 1.5: block:block_rq_complete: 8,0 WBS () 8 + 8 [0]\n",
		"a 1 [000] 1.0: block:block_bio_queue: 8,0 R 100 + 16 [a]\na 1 [000] 1.3: block:block_split: 8,0 R 100 / 108 [a]\na 1 [000] 1.3: block:block_bio_remap: 8,0 R 100 + 8 <- (8,1) 10\n",
		"1.0 (         ): a b/1 pwrite64(fd: 4</c, d>, buf: 0x7f, count: 4096, pos: 9223372036854775807)  ...\n1.0 ( 3.374 ms): a b/1  ... [continued]: pwrite64())   = 4096\n",
		"1.0 ( 0.1 ms): a/1 clone3(uargs: 0x7ffd, size: 88) = 2\n1.0 ( 0.1 ms): a/1 dup2(oldfd: 3</a>, newfd: 9</a>) = 9\n1 ( 0.1 ms): write(fd: 3</a>, count: 5) = 5\n",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, format := range perf.Formats {
			format.Sniff(data)
			r := reader(t, format, bytes.NewReader(data))
			for {
				var rec trace.Record
				if err := r.Read(&rec); err != nil {
					break // io.EOF, or that there are only events of the other kind
				}
				if !trace.Fits(rec.Offset, rec.Length) || rec.Latency < trace.Unknown {
					t.Fatalf("%+v", rec)
				}
			}
		}
	})
}
