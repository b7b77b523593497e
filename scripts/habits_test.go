package scripts_test

import (
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"moonio/scripts/scripttest"
)

// fails says that a script refuses parameters, and with which words.
func fails(t *testing.T, name string, params map[string]string, want string) {
	t.Helper()
	r := scripttest.Run(t, scripttest.Config{Params: params}, name, source(t, name))
	if r.Err == nil || !strings.Contains(r.Err.Error(), want) {
		t.Errorf("%s %v: %v, want %q", name, params, r.Err, want)
	}
}

// prints says that a script prints exactly that.
func prints(t *testing.T, engine, name string, params map[string]string, want string) *scripttest.Result {
	t.Helper()
	r := run(t, engine, name, params)
	if r.Printed != want {
		t.Errorf("%s %v printed\n%s\nwant\n%s", name, params, r.Printed, want)
	}
	return r
}

// A simulated device on which an operation takes a round time.
const exact = "sim:nvme,parallelism=1,read=100us,write=100us,fsync=1ms,distribution=constant,read-bandwidth=0,write-bandwidth=0"

func TestDD(t *testing.T) {
	r := prints(t, exact, "dd", map[string]string{"bs": "32k", "count": "1k", "oflag": "direct"},
		"1024+0 records in\n1024+0 records out\n33554432 bytes (34 MB, 32 MiB) copied, 0.1024 s, 328 MB/s\n")
	if n := size(t, r.Files, "data"); n != 32<<20 {
		t.Errorf("%d bytes were written", n)
	}
	prints(t, exact, "dd", map[string]string{"bs": "4k", "count": "10", "conv": "fsync"},
		"10+0 records in\n10+0 records out\n40960 bytes (41 kB, 40 KiB) copied, 0.002008 s, 20.4 MB/s\n")
	prints(t, exact, "dd", map[string]string{"bs": "512", "count": "1"},
		"1+0 records in\n1+0 records out\n512 bytes copied, 0.0001 s, 5.1 MB/s\n")
	prints(t, exact, "dd", map[string]string{"bs": "1", "count": "1"},
		"1+0 records in\n1+0 records out\n1 byte copied, 0.0001 s, 10.0 kB/s\n")
	prints(t, exact, "dd", map[string]string{"bs": "1010", "count": "1"},
		"1+0 records in\n1+0 records out\n1010 bytes (1.0 kB) copied, 0.0001 s, 10.1 MB/s\n")
	prints(t, exact, "dd", map[string]string{"count": "0"},
		"0+0 records in\n0+0 records out\n0 bytes copied, 0 s, 0.0 kB/s\n")
}

func TestDDReadsAndCopies(t *testing.T) {
	r := prints(t, exact, "dd", map[string]string{"if": "in", "of": "/dev/null", "iflag": "direct", "bs": "4k", "count": "10", "skip": "2"},
		"10+0 records in\n10+0 records out\n40960 bytes (41 kB, 40 KiB) copied, 0.001 s, 41.0 MB/s\n")
	if n := r.Op(t, "dd", "dd", "read").Count; n != 10 || size(t, r.Files, "in") != 12*4096 {
		t.Errorf("%d reads of a file of %d bytes", n, size(t, r.Files, "in"))
	}
	r = prints(t, exact, "dd", map[string]string{"if": "in", "of": "out", "bs": "4k", "count": "3", "seek": "2"},
		"3+0 records in\n3+0 records out\n12288 bytes (12 kB, 12 KiB) copied, 0.0006 s, 20.5 MB/s\n")
	if n := size(t, r.Files, "out"); n != 5*4096 {
		t.Errorf("the copy has %d bytes", n)
	}
	r = run(t, exact, "dd", map[string]string{"bs": "4k", "count": "3", "seek": "1k", "conv": "notrunc,fdatasync"})
	if n := size(t, r.Files, "data"); n != 1027*4096 || r.Op(t, "sync", "dd", "fdatasync").Count != 1 {
		t.Errorf("the file has %d bytes", n)
	}
}

func TestDDRefuses(t *testing.T) {
	fails(t, "dd", map[string]string{"iflag": "direct"}, "iflag=direct: /dev/zero cannot be read so")
	fails(t, "dd", map[string]string{"if": "/dev/urandom", "of": "/dev/null"}, "there is no storage in between")
	fails(t, "dd", map[string]string{"if": "a", "of": "/dev/null", "oflag": "dsync"}, "oflag, conv and seek are for a file")
	fails(t, "dd", map[string]string{"if": "data"}, "the same file")
	fails(t, "dd", map[string]string{"oflag": "nonblock"}, `"nonblock" is not one of none, direct`)
	fails(t, "dd", map[string]string{"count": "x"}, `"x"`)
}

func TestIoping(t *testing.T) {
	const place = ". (" + exact + ")"
	r := prints(t, exact, "ioping", map[string]string{"count": "3", "interval": "2s", "size": "4k"}, ""+
		"4 KiB <<< "+place+": request=1 time=100 us (warmup)\n"+
		"4 KiB <<< "+place+": request=2 time=100 us\n"+
		"4 KiB <<< "+place+": request=3 time=100 us\n"+
		"\n--- "+place+" ioping statistics ---\n"+
		"2 requests completed in 200 us, 8 KiB read, 10.0 k iops, 39.1 MiB/s\n"+
		"generated 3 requests in 4.00 s, 12 KiB, 1 iops, 3.00 KiB/s\n"+
		"min/avg/max/mdev = 100 us / 100 us / 100 us / 0 ns\n")
	if n := r.Op(t, "ping", "ping", "read").Count; n != 3 {
		t.Errorf("%d reads", n)
	}
	r = run(t, exact, "ioping", map[string]string{"rapid": "true", "count": "10"})
	if n := r.Op(t, "ping", "ping", "read").Count; n != 30000 || strings.Contains(r.Printed, "request=") {
		t.Errorf("%d requests in 3 s, and printed %s", n, r.Printed)
	}
	r = run(t, exact, "ioping", map[string]string{"count": "4", "write": "true", "linear": "true"})
	if w, s := r.Op(t, "ping", "ping", "write"), r.Op(t, "ping", "ping", "fdatasync"); w.Count != 4 || s.Count != 4 || w.Bytes != 1<<20 {
		t.Errorf("%d writes of %d bytes, %d syncs", w.Count, w.Bytes, s.Count)
	}
	if !strings.Contains(r.Printed, "256 KiB >>> ") || !strings.Contains(r.Printed, "768 KiB written, ") {
		t.Errorf("printed %s", r.Printed)
	}
	r = run(t, exact, "ioping", map[string]string{"count": "4", "read_write": "true", "cached": "true"})
	if !strings.Contains(r.Printed, "4 KiB >>> "+place+": request=3 time=100 us\n4 KiB <<< "+place+": request=4 time=100 us\n") {
		t.Errorf("printed %s", r.Printed)
	}
}

func TestIopingRefuses(t *testing.T) {
	fails(t, "ioping", map[string]string{"count": "0"}, "count = 0 needs a work_time")
	fails(t, "ioping", map[string]string{"size": "2MiB"}, "larger than work_size")
	fails(t, "ioping", map[string]string{"direct": "false"}, "direct = false needs cached = true")
	fails(t, "ioping", map[string]string{"file": "/dev/none", "cached": "true"}, "cached and sync are for files")
}

func TestHdparm(t *testing.T) {
	prints(t, exact, "hdparm", map[string]string{"size": "64MiB", "time_T": "1s"},
		" Timing cached reads:   20000 MB in  1.00 seconds = 20000.00 MB/sec\n"+
			" Timing buffered disk reads:  64 MB in  0.00 seconds = 20000.00 MB/sec\n")
	r := run(t, exact, "hdparm", map[string]string{"direct": "true", "T": "false", "offset": "4MiB"})
	if !regexp.MustCompile(`\A Timing O_DIRECT disk reads: +4 MB in `).MatchString(r.Printed) {
		t.Errorf("printed %s", r.Printed)
	}
	fails(t, "hdparm", map[string]string{"t": "false", "T": "false"}, "neither t nor T")
	fails(t, "hdparm", map[string]string{"offset": "1G"}, "offset: a multiple of 2 MiB before the end")
	fails(t, "hdparm", map[string]string{"file": "/dev/none"}, "give direct = true too")
	fails(t, "hdparm", map[string]string{"file": "/dev/none", "direct": "true"}, "--device /dev/none lets the script open")
}

// A run that is limited by events makes as many of each kind as sysbench does.
func TestSysbenchCounts(t *testing.T) {
	const files, events, threads = "4", "2000", "1"
	for mode, want := range map[string][3]int64{ // reads, writes, syncs with those at the end
		"seqwr": {0, 1924, 80}, "seqrewr": {0, 1924, 80}, "rndwr": {0, 1924, 80},
		"seqrd": {2000, 0, 0}, "rndrd": {2000, 0, 0}, "rndrw": {1154, 770, 80},
	} {
		r := run(t, "sim", "sysbench", map[string]string{
			"file-test-mode": mode, "time": "0s", "events": events, "threads": threads, "file-num": files, "file-total-size": "16M",
		})
		if got := operations(r); got != want {
			t.Errorf("%s: %v reads, writes, syncs; want %v", mode, got, want)
		}
		if !strings.Contains(r.Printed, "total number of events:              2000\n") {
			t.Errorf("%s printed\n%s", mode, r.Printed)
		}
		if theirs, ok := sysbench(t, mode, files, events, threads); ok && !near(theirs, want) {
			t.Errorf("%s: sysbench makes %v reads, writes, syncs; want %v", mode, theirs, want)
		}
	}
}

// near says that counts that were worked out from rounded rates are the same.
func near(a, b [3]int64) bool {
	return !slices.ContainsFunc([]int64{a[0] - b[0], a[1] - b[1], a[2] - b[2]}, func(d int64) bool { return d < -1 || d > 1 })
}

// operations are all reads, writes and fsyncs of a run.
func operations(r *scripttest.Result) (n [3]int64) {
	for _, p := range r.Phases {
		for _, j := range p.Jobs {
			for i, op := range []string{"read", "write", "fsync"} {
				if o := j.Ops[op]; o != nil {
					n[i] += o.Count
				}
			}
		}
	}
	return n
}

// sysbench is how many reads, writes and fsyncs the real one makes. It prints only rates: of reads,
// writes and syncs without those at the end, there are as many as events.
func sysbench(t *testing.T, mode, files, events, threads string) (n [3]int64, ok bool) {
	t.Helper()
	path, err := exec.LookPath("sysbench")
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Error("there is no sysbench to compare with: apt-get install sysbench")
		}
		return n, false
	}
	dir := t.TempDir()
	call := func(verb string, args ...string) string {
		c := exec.Command(path, append([]string{"fileio", "--file-num=" + files, "--file-total-size=16M", "--file-test-mode=" + mode}, append(args, verb)...)...)
		c.Dir = dir
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("sysbench %s: %v\n%s", verb, err, out)
		}
		return string(out)
	}
	call("prepare")
	out := call("run", "--events="+events, "--time=0", "--threads="+threads)
	var rates [3]float64
	for i, what := range []string{"reads/s", "writes/s", "fsyncs/s"} {
		m := regexp.MustCompile(what + `: +([\d.]+)`).FindStringSubmatch(out)
		if m == nil {
			t.Fatalf("sysbench printed\n%s", out)
		}
		rates[i], _ = strconv.ParseFloat(m[1], 64)
	}
	number := func(s string) float64 { x, _ := strconv.ParseFloat(s, 64); return x }
	all := number(events)
	if rates[2] > 0 {
		all += number(files) * number(threads)
	}
	for i, r := range rates {
		n[i] = int64(math.Round(r * all / (rates[0] + rates[1] + rates[2])))
	}
	return n, true
}

func TestSysbenchReport(t *testing.T) {
	prints(t, exact, "sysbench", map[string]string{
		"file-test-mode": "seqrewr", "time": "0s", "events": "1000", "file-num": "2", "file-total-size": "3000000", "file-extra-flags": "dsync",
	}, `Extra file open flags: dsync
2 files, 1.4305MiB each
2.861MiB total file size
Block size 16KiB
Number of IO requests: 1000
Read/Write ratio for combined random IO test: 1.50
Periodic FSYNC enabled, calling fsync() each 100 requests.
Calling fsync() at the end of test, Enabled.
Using synchronous I/O mode
Doing sequential rewrite test

File operations:
    reads/s:                      0.00
    writes/s:                     885.96
    fsyncs/s:                     18.04

Throughput:
    read, MiB/s:                  0.00
    written, MiB/s:               13.84

General statistics:
    total time:                          1.1084s
    total number of events:              1000

Latency (ms):
         min:                                    1.01
         avg:                                    1.11
         max:                                    1.11
         95th percentile:                        1.11
         sum:                                 1106.39

Threads fairness:
    events (avg/stddev):           1000.0000/0.00
    execution time (avg/stddev):   1.1053/0.00

`)
}

func TestSysbenchSyncs(t *testing.T) {
	base := map[string]string{"file-test-mode": "rndwr", "time": "0s", "events": "200", "file-total-size": "16M"}
	for param, want := range map[string][3]int64{
		"file-fsync-all=true": {0, 200, 200}, "file-fsync-freq=0": {0, 200, 4}, "file-fsync-end=false": {0, 196, 4},
	} {
		params := maps.Clone(base)
		name, value, _ := strings.Cut(param, "=")
		params[name] = value
		if got := operations(run(t, "sim", "sysbench", params)); got != want {
			t.Errorf("%s: %v reads, writes, syncs; want %v", param, got, want)
		}
	}
	fails(t, "sysbench", map[string]string{"time": "0s"}, "time = 0s needs events")
	fails(t, "sysbench", map[string]string{"file-total-size": "1M"}, "smaller than file-block-size")
	fails(t, "sysbench", map[string]string{"file-merged-requests": "2"}, `no parameter "file-merged-requests"`)
}

// Every byte is an operation; a tenth of the seeks write; files are made, looked up and deleted one by one.
func TestBonnie(t *testing.T) {
	r := run(t, "sim", "bonnie", map[string]string{"seeks": "1000", "size": "4k"})
	for _, want := range []struct {
		phase, op string
		count     int64
	}{
		{"writing a byte at a time", "append", 64}, {"reading a byte at a time", "read", 64},
		{"writing blocks", "append", 128}, {"writing blocks", "fsync", 1},
		{"rewriting", "read", 128}, {"rewriting", "write", 128}, {"reading blocks", "read", 128}, {"seeking", "read", 1000},
		{"making files in sequential order", "create", 1024}, {"looking up files in random order", "stat", 1024},
		{"looking up files in random order", "read", 1024}, {"deleting files in random order", "unlink", 1024},
	} {
		if n := r.Op(t, want.phase, "bonnie", want.op).Count; n != want.count {
			t.Errorf("%s: %d × %s, want %d", want.phase, n, want.op, want.count)
		}
	}
	if n := r.Op(t, "seeking", "bonnie", "write").Count; n < 60 || n > 140 {
		t.Errorf("%d of 1000 seeks wrote", n)
	}
	if names, err := r.Files.List("bonnie"); err != nil || len(names) != 0 {
		t.Errorf("left are %q, %v", names, err)
	}
}

func TestBonnieTable(t *testing.T) {
	const head = "                    ------Sequential Output------ --Sequential Input- --Random-\n" +
		"                    -Per Chr- --Block-- -Rewrite- -Per Chr- --Block-- --Seeks--\n" +
		"Name:Size etc        /sec %CP  /sec %CP  /sec %CP  /sec %CP  /sec %CP  /sec %CP\n"
	prints(t, exact, "bonnie", map[string]string{"n": "0", "s": "64M"}, head+
		"moonio           64M    8k   0   78m   0   39m   0   10k   0   78m   0  9434   0\n"+
		"Latency                 100us     100us     200us     100us     100us    1000us\n\n")
	prints(t, exact, "bonnie", map[string]string{"n": "0", "s": "64M", "f": "true"}, head+
		"moonio           64M             78m   0   39m   0             78m   0  9091   0\n"+
		"Latency                           100us     200us               100us    1000us\n\n")
	fails(t, "bonnie", map[string]string{"chunk": "2M", "s": "1M"}, "smaller than a chunk")
}

func TestDiskspd(t *testing.T) {
	r := prints(t, exact, "diskspd", map[string]string{"b": "4K", "d": "1", "W": "0", "r": "4K", "o": "1", "w": "0", "S": "u", "c": "1G"},
		`actual test time:	1.00s
thread count:		1

Total IO
thread |       bytes     |     I/Os     |    MiB/s   |  I/O per s |  AvgLat  | LatStdDev |  file
------------------------------------------------------------------------------------------------------------
   all |        40960000 |        10000 |      39.06 |   10000.00 |    0.100 |     0.000 | testfile.dat (1GiB)
------------------------------------------------------------------------------------------------------------
total:          40960000 |        10000 |      39.06 |   10000.00 |    0.100 |     0.000

Read IO
thread |       bytes     |     I/Os     |    MiB/s   |  I/O per s |  AvgLat  | LatStdDev |  file
------------------------------------------------------------------------------------------------------------
   all |        40960000 |        10000 |      39.06 |   10000.00 |    0.100 |     0.000 | testfile.dat (1GiB)
------------------------------------------------------------------------------------------------------------
total:          40960000 |        10000 |      39.06 |   10000.00 |    0.100 |     0.000

Write IO
thread |       bytes     |     I/Os     |    MiB/s   |  I/O per s |  AvgLat  | LatStdDev |  file
------------------------------------------------------------------------------------------------------------
   all |               0 |            0 |       0.00 |       0.00 |    0.000 |     0.000 | testfile.dat (1GiB)
------------------------------------------------------------------------------------------------------------
total:                 0 |            0 |       0.00 |       0.00 |    0.000 |     0.000

  %-ile |  Read (ms) | Write (ms) | Total (ms)
----------------------------------------------
    min |      0.100 |        N/A |      0.100
   25th |      0.100 |        N/A |      0.100
   50th |      0.100 |        N/A |      0.100
   75th |      0.100 |        N/A |      0.100
   90th |      0.100 |        N/A |      0.100
   95th |      0.100 |        N/A |      0.100
   99th |      0.100 |        N/A |      0.100
3-nines |      0.100 |        N/A |      0.100
4-nines |      0.100 |        N/A |      0.100
5-nines |      0.100 |        N/A |      0.100
6-nines |      0.100 |        N/A |      0.100
7-nines |      0.100 |        N/A |      0.100
8-nines |      0.100 |        N/A |      0.100
9-nines |      0.100 |        N/A |      0.100
    max |      0.100 |        N/A |      0.100

`)
	if op := r.Op(t, "test", "threads", "read"); op.Count != 10000 {
		t.Errorf("%d reads", op.Count)
	}
	r = run(t, exact, "diskspd", map[string]string{"t": "2", "T": "512K", "w": "100", "L": "false", "d": "1"})
	if a, b := r.Op(t, "test", "thread 0", "write"), r.Op(t, "test", "thread 1", "write"); a.Count+b.Count < 800 || a.Count+b.Count > 1000 || a.Count < b.Count/2 {
		t.Errorf("%d and %d writes", a.Count, b.Count)
	}
	if strings.Contains(r.Printed, "AvgLat") || strings.Contains(r.Printed, "%-ile") {
		t.Errorf("without L it printed\n%s", r.Printed)
	}
	fails(t, "diskspd", map[string]string{"r": "4K", "s": "4K"}, "random or sequential")
	fails(t, "diskspd", map[string]string{"t": "5", "T": "64M"}, "thread 4 would begin beyond the end")
	fails(t, "diskspd", map[string]string{"z": "7"}, "--seed 7")
	fails(t, "diskspd", map[string]string{"f": "4K"}, "larger than the file")
}

func TestVdbench(t *testing.T) {
	prints(t, exact, "vdbench", map[string]string{"elapsed": "2", "interval": "1", "threads": "1", "rdpct": "50", "seekpct": "0"}, `
Starting RD=rd1: max; I/O rate: Uncontrolled MAX; elapsed=2; For loops: None

    interval       i/o    MB/sec   bytes    read   resp     read    write     read    write     resp  queue  cpu%  cpu%
                  rate   1024**2     i/o     pct   time     resp     resp      max      max   stddev  depth sys+u   sys
           1  10000.00     39.06    4096   50.76  0.100    0.100    0.100    0.100    0.100        -      -     -     -
           2  10000.00     39.06    4096   50.68  0.100    0.100    0.100    0.100    0.100        -      -     -     -
     avg_1-2  10000.00     39.06    4096   50.72  0.100    0.100    0.100    0.100    0.100    0.000    1.0   0.0   0.0
`)
	r := run(t, exact, "vdbench", map[string]string{"iorate": "curve", "curve": "10,50", "threads": "1", "elapsed": "1s"})
	if len(r.Phases) != 3 || r.Phases[1].Jobs[0].Conditions.Rate != "1k/s" || r.Phases[2].Jobs[0].Conditions.Rate != "5k/s" {
		t.Errorf("%d runs", len(r.Phases))
	}
	r = run(t, exact, "vdbench", map[string]string{"iorate": "100,200", "seekpct": "50", "xfersize": "4k/50:64k/50"})
	if len(r.Phases) != 2 || !strings.Contains(r.Printed, "Starting RD=rd2: 200; I/O rate: 200; elapsed=0.02;") {
		t.Errorf("printed %s", r.Printed)
	}
	fails(t, "vdbench", map[string]string{"seekpct": "x"}, `seekpct: "x" is not a share`)
	fails(t, "vdbench", map[string]string{"iorate": "fast"}, `iorate: "fast" is not a number`)
}

// peer runs a program that scripts are compared with, in a directory with a file "in" of 10000 bytes.
func peer(t *testing.T, name string, args ...string) (out string, ok bool) {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Errorf("there is no %s to compare with: apt-get install %s", name, name)
		}
		return "", false
	}
	c := exec.Command(path, args...)
	c.Dir = t.TempDir()
	c.Env = append(os.Environ(), "LC_ALL=C")
	if err := os.WriteFile(filepath.Join(c.Dir, "in"), make([]byte, 10000), 0o600); err != nil {
		t.Fatal(err)
	}
	b, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %q: %v\n%s", name, args, err, b)
	}
	return string(b), true
}

// But for the time and the rate, the real dd prints the same.
func TestDDPrintsAsDD(t *testing.T) {
	taken := regexp.MustCompile(`copied, [\d.e-]+ s, [\d.]+ .?B/s`)
	for _, args := range []string{
		"bs=1M count=3", "bs=512 count=1", "bs=1 count=1", "bs=999 count=1", "bs=1000 count=1", "bs=1023 count=1", "bs=1024 count=1",
		"bs=9999 count=1", "bs=99999 count=1", "bs=999999 count=1", "bs=9961472 count=1", "bs=32k count=1k", "bs=4k count=0",
		"if=in of=/dev/null bs=4k", "if=in of=/dev/null bs=4k skip=1", "if=in of=/dev/null bs=1000", "if=in bs=3000 count=2 seek=1 conv=notrunc,fsync",
		"if=in bs=4k",
	} {
		params := map[string]string{"bs": "512", "count": "", "if": "/dev/zero", "of": "data"}
		for arg := range strings.FieldsSeq(args) {
			name, value, _ := strings.Cut(arg, "=")
			params[name] = value
		}
		var theirs []string
		for name, value := range params {
			if value != "" {
				theirs = append(theirs, name+"="+value)
			}
		}
		want, ok := peer(t, "dd", theirs...)
		if !ok {
			return
		}
		in := `local f = open("in", { size = 10000 })` + "\n"
		r := scripttest.Run(t, scripttest.Config{Engine: exact, Params: params}, "dd", in+source(t, "dd"))
		if r.Err != nil {
			t.Errorf("%s: %v", args, r.Err)
		}
		if got, want := taken.ReplaceAllString(r.Printed, ""), taken.ReplaceAllString(want, ""); got != want {
			t.Errorf("dd %s printed\n%s\nand the script\n%s", args, want, got)
		}
	}
}

// The lines of ioping's have the same form: figures and names apart, they are the same.
func TestIopingPrintsAsIoping(t *testing.T) {
	figures := regexp.MustCompile(`\([^)]+ [^)]+\)|\(sim[^)]*\)|[\d.]+ (ns|us|ms|s)\b|[\d.]+( k)? iops|[\d.]+ [KMG]iB/s`)
	for args, params := range map[string]map[string]string{
		"-D -c 3 -i 10ms .":    {"count": "3", "interval": "10ms"},
		"-W -c 2 -i 10ms .":    {"count": "2", "interval": "10ms", "write": "true"},
		"-L -c 3 -i 10ms .":    {"count": "3", "interval": "10ms", "linear": "true"},
		"-q -G -c 5 -i 10ms .": {"count": "5", "interval": "10ms", "read_write": "true", "quiet": "true"},
		"-a 2 -c 5 -i 10ms .":  {"count": "5", "interval": "10ms", "warmup": "2"},
	} {
		want, ok := peer(t, "ioping", strings.Fields(args)...)
		if !ok {
			return
		}
		form := func(s string) string { return figures.ReplaceAllString(strings.TrimRight(s, "\n"), "#") }
		if got := form(run(t, "sim", "ioping", params).Printed); got != form(want) {
			t.Errorf("ioping %s printed\n%s\nand the script\n%s", args, form(want), got)
		}
	}
}
