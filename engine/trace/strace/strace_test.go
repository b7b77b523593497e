package strace_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"moonio/engine"
	"moonio/engine/trace"
	"moonio/engine/trace/format"
	"moonio/engine/trace/tracetest"
)

// read sniffs a text as strace's, and reads it.
func read(t *testing.T, text string) (string, *trace.Log) {
	t.Helper()
	tr, err := format.Open([]string{"-"}, &trace.Options{Stdin: strings.NewReader(text)})
	if err != nil {
		t.Fatal(err)
	}
	defer tr.Close()
	if tr.Formats[0].Name != "strace" {
		t.Fatalf("taken for %s", tr.Formats[0].Name)
	}
	return tracetest.Show(t, tr), tr.Log
}

// What is counted here was counted by a script of regular expressions, apart from the reader.
func TestSamples(t *testing.T) {
	for _, c := range []struct {
		name              string
		counts            map[engine.OpCode]int
		read, written     int64
		lines             int64
		skipped           map[string]int64
		span              int64
		latencies, direct int
	}{
		{
			name:   "strace/sqlite_dio_threads.f.ttt.T.y.strace.gz",
			counts: map[engine.OpCode]int{engine.Read: 38, engine.Write: 214, engine.Fdatasync: 71, engine.Fsync: 2, engine.Truncate: 3, engine.Allocate: 1},
			read:   265841, written: 1013144, lines: 917,
			skipped: map[string]int64{
				"I/O on character devices, such as /dev/null": 19, "I/O on pipes": 2, "advice (fadvise, readahead)": 1,
				"reads at the end of a file, and transfers of 0 bytes": 19, "signals and ends of processes": 8,
				"calls that move no data (open, close, lseek and their like)": 423, "other calls": 82,
			},
			span: 1796028860321254000 - 1796028859656367000, latencies: 329, direct: 40,
		},
		{
			name:   "strace/sqlite.f.r.strace.gz",
			counts: map[engine.OpCode]int{engine.Read: 110, engine.Write: 150, engine.Fdatasync: 59},
			read:   1664743, written: 249336, lines: 399,
			skipped: map[string]int64{"reads at the end of a file, and transfers of 0 bytes": 80},
			span:    1,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			tr := tracetest.Open(t, nil, c.name)
			records := tracetest.All(t, tr)
			counts := map[engine.OpCode]int{}
			bytes := map[engine.OpCode]int64{}
			var latencies, direct int
			for _, r := range records {
				counts[r.Op]++
				bytes[r.Op] += r.Length
				if r.Latency >= 0 {
					latencies++
				}
				if r.Flags&trace.Direct != 0 {
					direct++
				}
			}
			d := cmp.Diff(c.counts, counts) + cmp.Diff(c.skipped, tr.Log.Skipped)
			if d != "" || bytes[engine.Read] != c.read || bytes[engine.Write] != c.written || tr.Log.Lines != c.lines || tr.Log.Bad != 0 {
				t.Errorf("%s read %d, written %d, lines %d, bad %d", d, bytes[engine.Read], bytes[engine.Write], tr.Log.Lines, tr.Log.Bad)
			}
			if span := records[len(records)-1].Time - records[0].Time; c.span != 1 && span != c.span || latencies != c.latencies || direct != c.direct {
				t.Errorf("span %d, latencies %d, direct %d", span, latencies, direct)
			}
		})
	}
}

// Copies, appends through duplicates, and dd's descriptors, by the second sample's paths.
func TestSampleOffsets(t *testing.T) {
	tr := tracetest.Open(t, nil, "strace/sqlite_dio_threads.f.ttt.T.y.strace.gz")
	all := strings.Split(tracetest.Show(t, tr), "\n")
	var b []string
	for _, line := range all {
		if strings.Contains(line, "/b.dat ") {
			_, line, _ = strings.Cut(line, " ")
			line, _, _ = strings.Cut(line, " took")
			b = append(b, line)
		}
	}
	want := []string{
		"write -1+140 /srv/app/data/b.dat by 13495", "write -1+140 /srv/app/data/b.dat by 13495",
		"write -1+140 /srv/app/data/b.dat by 13495", "write -1+140 /srv/app/data/b.dat by 13495",
		"read 0+100 /srv/app/data/b.dat by 13495", "read 100+50 /srv/app/data/b.dat by 13495",
		"allocate 0+65536 /srv/app/data/b.dat by 13495",
	}
	for i := range 8 {
		want = append(want, fmt.Sprintf("write %d+65536 /srv/app/data/b.dat by 13511", i*65536))
	}
	want = append(want, "fsync 0+0 /srv/app/data/b.dat by 13511")
	for i := range 4 {
		want = append(want, fmt.Sprintf("read %d+32768 /srv/app/data/b.dat by 13520", 65536+i*32768))
	}
	if d := cmp.Diff(want, b); d != "" {
		t.Error(d)
	}
}

// Times are short in the cases: they stand for ones after 1700000000.
var (
	short = regexp.MustCompile(`(?m)^(\d+ )(\d\.\d+ )`)
	long  = regexp.MustCompile(`(?m)^\d{10} `)
)

func TestCases(t *testing.T) {
	for name, c := range map[string]struct {
		text, want string
		bad        int64
	}{
		"times of day wrap at midnight": {
			"1 23:59:59.5 pwrite64(3</a>, \"\"..., 10, 0) = 10\n1 00:00:01.25 fsync(3</a>) = 0\n",
			"86399500000000 write 0+10 /a by 1\n86401250000000 fsync 0+0 /a by 1\n", 0,
		},
		"times between lines add up, of all lines": {
			"     0.000000 fsync(3</a>) = 0\n     0.5 getpid() = 7\n     0.25 fsync(3</a>) = 0\n",
			"0 fsync 0+0 /a by main\n750000000 fsync 0+0 /a by main\n", 0,
		},
		"no times, and no paths": {
			"open(\"/a\", O_RDWR|O_CREAT, 0644) = 3\nwrite(3, \"x\", 1) = 1\nread(3, \"yz\", 5) = 2\n",
			"0 write 0+1 /a by main\n0 read 1+2 /a by main\n", 0,
		},
		"a string that ends in backslashes": {
			`7 1.5 pwrite64(3</a (b), c>, "x\", 9) = 3 \\", 9, 0x10) = 5 <0.000002>` + "\n",
			"1500000000 write 16+5 /a (b), c by 7 took 2000\n", 0,
		},
		"escapes in paths": {
			`7 1.5 fsync(3</a\76\134\nb->) = 0` + "\n", "1500000000 fsync 0+0 /a>\\\nb- by 7\n", 0,
		},
		"details of devices": {
			"7 1.5 pread64(3</dev/sda<block 8:0>>, \"\"..., 512, 1024) = 512\n7 1.5 read(4</dev/x<char 1:9>>, \"\"..., 512) = 512\n",
			"1500000000 read 1024+512 /dev/sda by 7\n", 0,
		},
		"unfinished calls begin when they began": {
			"1 1.0 pwrite64(3</a>, \"\"..., 9, 4096 <unfinished ...>\n2 1.1 pread64(3</b>,  <unfinished ...>\n3 1.2 fsync(3</c>) = 0\n" +
				"2 1.3 <... pread64 resumed>\"\"..., 7, 1) = 7 <0.2>\n1 1.4 <... pwrite64 resumed>) = 5 <0.4>\n2 1.5 fsync(3</c> <unfinished ...>\n4 1.6 <... fsync resumed>) = 0\n",
			"1000000000 write 4096+5 /a by 1 took 400000000\n1100000000 read 1+7 /b by 2 took 200000000\n1200000000 fsync 0+0 /c by 3\n", 0,
		},
		"iovecs": {
			"1 1.0 pwritev2(3</a>, [{iov_base=\"}])\", iov_len=3}, {iov_base=\"\", iov_len=4}], 2, -1, RWF_DSYNC) = 7\n" +
				"1 2.0 preadv2(3</a>,  <unfinished ...>\n1 3.0 <... preadv2 resumed>[{iov_base=\"z\"..., iov_len=8}], 1, 100, 0) = 6\n1 4.0 writev(3</a>, [{iov_base=\"z\", iov_len=1}], 1) = 1\n",
			"1000000000 write 0+7 /a by 1 fua\n2000000000 read 100+6 /a by 1\n4000000000 write 7+1 /a by 1\n", 0,
		},
		"threads share descriptors, children copy them, exec closes": {
			"1 1.0 openat(AT_FDCWD, \"/a\", O_RDWR|O_CLOEXEC) = 3\n1 1.1 openat(AT_FDCWD, \"/b\", O_RDWR|O_DIRECT) = 4\n" +
				"1 1.2 clone3({flags=CLONE_VM|CLONE_FILES|CLONE_THREAD} <unfinished ...>\n2 1.3 write(3, \"\"..., 10) = 10\n1 1.4 <... clone3 resumed> => {parent_tid=[2]}, 88) = 2\n" +
				"2 1.5 dup2(4, 5) = 5\n1 1.6 write(5, \"\"..., 512) = 512\n1 1.7 vfork( <unfinished ...>\n9 1.8 write(3, \"\"..., 1) = 1\n9 1.85 close(5) = 0\n9 1.9 execve(\"/x\", [\"x\"], 0x7f /* 3 vars */) = 0\n" +
				"1 2.0 <... vfork resumed>) = 9\n9 2.1 openat(AT_FDCWD, \"/c\", O_RDONLY) = 3\n9 2.2 read(3, \"\"..., 2) = 2\n1 2.3 write(3, \"\"..., 3) = 3\n9 2.4 read(4, \"\"..., 512) = 512\n1 2.5 write(5, \"\"..., 512) = 512\n",
			"1300000000 write 0+10 /a by 2\n1600000000 write 0+512 /b by 1 direct\n1800000000 write 10+1 /a by 9\n2200000000 read 0+2 /c by 9\n" +
				"2300000000 write 11+3 /a by 1\n2400000000 read 512+512 /b by 9 direct\n2500000000 write 1024+512 /b by 1 direct\n", 0,
		},
		"a close that has begun frees the number": {
			"1 1.0 open(\"/a\", O_RDWR) = 3\n1 1.05 clone(child_stack=0x1, flags=CLONE_FILES) = 2\n1 1.1 close(3 <unfinished ...>\n2 1.2 open(\"/b\", O_RDWR) = 3\n1 1.3 <... close resumed>) = 0\n2 1.4 write(3, \"\"..., 4) = 4\n",
			"1400000000 write 0+4 /b by 2\n", 0,
		},
		"flags of fcntl, and duplicates": {
			"1 1.0 open(\"/a\", O_RDWR) = 3\n1 1.1 fcntl(3, F_DUPFD_CLOEXEC, 10) = 11\n1 1.2 fcntl(11, F_SETFL, O_RDONLY|O_APPEND|O_DIRECT) = 0\n1 1.3 write(3, \"\"..., 512) = 512\n1 1.4 lseek(11, 8, SEEK_SET) = 8\n1 1.5 read(3, \"\"..., 1) = 1\n" +
				"1 1.6 fcntl(3, F_SETFD, FD_CLOEXEC) = 0\n1 1.7 pwrite64(3, \"\"..., 3, 0) = 3\n1 1.8 execve(\"/x\", [], 0x1) = 0\n1 1.9 read(3, \"\"..., 5) = 5\n",
			"1300000000 write -1+512 /a by 1 direct\n1500000000 read 8+1 /a by 1 direct\n1700000000 write -1+3 /a by 1 direct\n1900000000 read 0+5 fd 3 of 1 by 1\n", 0,
		},
		"copies within the kernel": {
			"1 1.0 copy_file_range(3</a>, [5] => [15], 4</b>, NULL, 10, 0) = 10\n1 1.1 sendfile(5<TCP:[1.2.3.4:1->5.6.7.8:2]>, 3</a>, NULL, 40) = 40\n1 1.2 sendfile(4</b>, 3</a>, [3] => [33], 30) = 30\n1 1.3 splice(6<pipe:[7]>, NULL, 4</b>, [100] => [107], 7, 0) = 7\n",
			"1000000000 read 5+10 /a by 1\n1000000000 write 0+10 /b by 1\n1100000000 read 0+40 /a by 1\n1200000000 read 3+30 /a by 1\n1200000000 write 10+30 /b by 1\n1300000000 write 100+7 /b by 1\n", 0,
		},
		"space": {
			"1 1.0 fallocate(3</a>, FALLOC_FL_KEEP_SIZE|FALLOC_FL_PUNCH_HOLE, 4096, 8192) = 0\n1 1.1 fallocate(3</a>, 0, 0, 100) = 0\n1 1.2 fallocate(3</a>, FALLOC_FL_ZERO_RANGE, 0, 100) = 0\n" +
				"1 1.3 ftruncate(3</a>, 77) = 0\n1 1.4 openat(AT_FDCWD</d>, \"n\", O_WRONLY|O_TRUNC) = 4</d/n>\n1 1.5 truncate(\"n\", 5) = 0\n1 1.6 sync_file_range(3</a>, 1, 2, SYNC_FILE_RANGE_WRITE) = 0\n",
			"1000000000 trim 4096+8192 /a by 1\n1100000000 allocate 0+100 /a by 1\n1300000000 truncate 0+77 /a by 1\n1500000000 truncate 0+5 /d/n by 1\n1600000000 sync_range 1+2 /a by 1\n", 0,
		},
		"io_submit": {
			"1 1.0 io_submit(0x7f, 3, [{aio_data=0x7, aio_lio_opcode=IOCB_CMD_PWRITE, aio_fildes=6</a, b>, aio_buf=\"aio_nbytes=1, }\"..., aio_nbytes=512, aio_offset=1024}, " +
				"{aio_data=0, aio_lio_opcode=IOCB_CMD_PREADV, aio_fildes=6</a, b>, aio_buf=[{iov_base=0x1, iov_len=100}, {iov_base=0x2, iov_len=200}], aio_offset=9}, {aio_data=0, aio_lio_opcode=IOCB_CMD_FDSYNC, aio_fildes=6</a, b>}]) = 3\n1 1.1 io_submit(0x7f, 3, [...]) = 3\n",
			"1000000000 write 1024+512 /a, b by 1\n1000000000 read 9+300 /a, b by 1\n1000000000 fdatasync 0+0 /a, b by 1\n", 0,
		},
		"io_submit to io_getevents, told apart by the application's data": {
			"1 1.0 io_submit(0x7f, 2, [{aio_data=0x7, aio_lio_opcode=IOCB_CMD_PREAD, aio_fildes=6</a>, aio_buf=0x1, aio_nbytes=512, aio_offset=0}, " +
				"{aio_data=0x8, aio_lio_opcode=IOCB_CMD_PREAD, aio_fildes=6</a>, aio_buf=0x1, aio_nbytes=512, aio_offset=512}]) = 2 <0.1>\n" +
				"2 1.3 io_getevents(0x7f, 1, 8,  <unfinished ...>\n1 1.4 io_submit(0x80, 1, [{aio_data=0x8, aio_lio_opcode=IOCB_CMD_FSYNC, aio_fildes=6</a>}]) = 1 <0.1>\n" +
				"2 1.9 <... io_getevents resumed>[{data=0x8, obj=0x55, res=100, res2=0}], NULL) = 1 <0.5>\n" +
				"1 2.0 io_pgetevents(0x7f, 1, 8, [{data=0x7, obj=0x56, res=512, res2=0}], NULL, NULL) = 1 <0.25>\n1 2.5 read(6</a>, \"\"..., 5) = 5 <0.1>\n",
			"1000000000 read 0+512 /a by 1 took 1250000000\n1000000000 read 512+100 /a by 1 took 800000000\n1400000000 fsync 0+0 /a by 1\n2500000000 read 0+5 /a by 1 took 100000000\n", 0,
		},
		"requests that fail, reach the end, or complete without being shown": {
			"1 1.0 io_submit(0x7f, 4, [{aio_data=1, aio_lio_opcode=IOCB_CMD_PREAD, aio_fildes=6</a>, aio_nbytes=512, aio_offset=0}, {aio_data=2, aio_lio_opcode=IOCB_CMD_PREAD, aio_fildes=6</a>, aio_nbytes=512, aio_offset=512}, " +
				"{aio_data=3, aio_lio_opcode=IOCB_CMD_PREAD, aio_fildes=6</a>, aio_nbytes=512, aio_offset=1024}, {aio_data=4, aio_lio_opcode=IOCB_CMD_PREAD, aio_fildes=6</a>, aio_nbytes=512, aio_offset=1536}]) = 4 <0.1>\n" +
				"1 1.5 io_getevents(0x7f, 1, 8, [{data=1, obj=0x1, res=-5, res2=0}, {data=2, obj=0x2, res=0, res2=0}, ...], NULL) = 3 <0.5>\n1 2.5 io_getevents(0x7f, 1, 8, [{data=4, obj=0x1, res=512, res2=0}], NULL) = 1 <0.5>\n",
			"1000000000 read 1024+512 /a by 1\n1000000000 read 1536+512 /a by 1 took 2000000000\n", 0,
		},
		"what else strace can print": {
			"1 1.0 read(0x6</a>, 0x7f, 0x5) = 0x5\n | 00000  68 65 6c 6c 6f                                    hello            |\n > /usr/lib/libc.so.6(read+0x10) [0xfe190]\n" +
				" * 1 vectors in\n > unexpected_backtracing_error [0x1]\n1 1.1 read(6</a>, \"\", 5) = 5\n% time     seconds  usecs/call     calls    errors syscall\n" +
				"------ ----------- ----------- --------- --------- ----------------\n100.00    0.000000           0         2           read\n100.00    0.000000           0         2           total\n1 1.2 read(6</a>, \"\", 5) = 5\n",
			"1000000000 read 0+5 /a by 1\n1100000000 read 5+5 /a by 1\n1200000000 read 10+5 /a by 1\n", 0,
		},
		"one file by several names": {
			"1 1.0 chdir(\"/srv/x/\") = 0\n1 1.1 open(\"./a\", O_RDWR) = 3\n1 1.2 fsync(3) = 0\n1 1.3 open(\"//srv/y/../x//a\", O_RDWR) = 4\n1 1.4 fsync(4) = 0\n1 1.5 open(\"a..\", O_RDWR) = 5\n1 1.6 fsync(5) = 0\n",
			"1200000000 fsync 0+0 /srv/x/a by 1\n1400000000 fsync 0+0 /srv/x/a by 1\n1600000000 fsync 0+0 /srv/x/a.. by 1\n", 0,
		},
		"sockets, pipes, terminals and what failed give nothing": {
			"1 1.0 socket(AF_INET, SOCK_STREAM, 0) = 3\n1 1.1 write(3, \"x\", 1) = 1\n1 1.2 pipe2([4, 5], 0) = 0\n1 1.3 write(5, \"x\", 1) = 1\n1 1.4 write(1, \"x\", 1) = 1\n1 1.5 read(7</dev/pts/0<char 136:0>>, \"x\", 1) = 1\n" +
				"1 1.6 read(8</proc/self/maps>, \"x\", 1) = 1\n1 1.7 write(9</a>, \"x\", 1) = -1 ENOSPC (No space left on device)\n1 1.8 read(9</a>, 0x7f, 1) = ? ERESTARTSYS (To be restarted)\n1 1.9 read(9</a>,  <unfinished ...>) = ?\n",
			"", 0,
		},
		"names relative to directories": {
			"1 1.0 chdir(\"/srv\") = 0\n1 1.1 open(\"a\\n\\t\\r\\v\\f\\\"\\x41\", O_RDWR) = 3\n1 1.2 fsync(3) = 0\n1 1.3 chdir(\"sub\") = 0\n1 1.4 openat(AT_FDCWD, \"b\", O_RDWR) = 4\n1 1.5 fsync(4) = 0\n" +
				"1 1.6 open(\"/d\", O_RDONLY|O_DIRECTORY) = 5\n1 1.7 openat(5, \"c\", O_RDWR) = 6\n1 1.8 fsync(6) = 0\n1 1.9 openat(7, \"e\", O_RDWR) = 8\n1 2.0 fsync(8) = 0\n1 2.1 creat(\"f\", 0600) = 9\n1 2.2 write(9, \"x\", 1) = 1\n" +
				"1 2.3 openat2(AT_FDCWD, \"/g\", {flags=O_WRONLY|O_APPEND, mode=0, resolve=0}, 24) = 10\n1 2.4 write(10, \"x\", 1) = 1\n1 2.5 fchdir(5</d>) = 0\n1 2.6 truncate(\"h\", 3) = 0\n",
			"1200000000 fsync 0+0 /srv/a\n\t\r\v\f\"A by 1\n1500000000 fsync 0+0 /srv/sub/b by 1\n1800000000 fsync 0+0 /d/c by 1\n2000000000 fsync 0+0 e by 1\n" +
				"2200000000 write 0+1 /srv/sub/f by 1\n2400000000 write -1+1 /g by 1\n2600000000 truncate 0+3 /d/h by 1\n", 0,
		},
		"a directory that was opened, and is moved to by its number": {
			"1 1.0 chdir(\"/srv\") = 0\n1 1.1 open(\"sub\", O_RDONLY|O_DIRECTORY) = 3\n1 1.2 fchdir(3) = 0\n1 1.3 open(\"a\", O_RDWR) = 4\n1 1.4 fsync(4) = 0\n1 1.5 chdir(\"..\") = 0\n1 1.6 open(\"b\", O_RDWR) = 5\n1 1.7 fsync(5) = 0\n1 1.8 fchdir(9) = 0\n1 1.9 open(\"c\", O_RDWR) = 6\n1 2.0 fsync(6) = 0\n",
			"1400000000 fsync 0+0 /srv/sub/a by 1\n1700000000 fsync 0+0 /srv/b by 1\n2000000000 fsync 0+0 c by 1\n", 0,
		},
		"flags and commands as numbers, and with words behind them": {
			"1 1.0 openat(AT_FDCWD</d>, \"a\", 0x80441, 0x1b6) = 0x3</d/a>\n1 1.1 write(0x3</d/a>, \"x\", 0x5) = 0x5\n1 1.2 fcntl(0x3</d/a>, 0x4, 0) = 0\n1 1.3 write(0x3</d/a>, \"x\", 0x6) = 0x6\n" +
				"1 1.4 fcntl(0x3</d/a>, 0, 0x32) = 0x32</d/a>\n1 1.5 write(0x32</d/a>, \"x\", 0x7) = 0x7\n1 1.6 pwritev2(0x3</d/a>, [{iov_base=\"x\", iov_len=1}], 1, 5, 0x12) = 1\n1 1.7 fallocate(3</d/a>, 0x10 /* FALLOC_FL_ZERO_RANGE */, 0, 100) = 0\n" +
				"1 1.8 fallocate(3</d/a>, 0x3 /* FALLOC_FL_KEEP_SIZE|FALLOC_FL_PUNCH_HOLE */, 0, 100) = 0\n1 1.9 fallocate(3</d/a>, 0x1, 0, 200) = 0\n1 2.0 clone(0x1200411, 0, 0, 0, 0) = 2\n2 2.1 write(3</d/a>, \"x\", 8) = 8\n" +
				"1 2.2 openat2(AT_FDCWD</d>, \"b\", 0x7ffc2b726fff, 24) = 4</d/b>\n1 2.3 write(4</d/b>, \"x\", 9) = 9\n",
			"1100000000 write -1+5 /d/a by 1\n1300000000 write 5+6 /d/a by 1\n1500000000 write 11+7 /d/a by 1\n1600000000 write -1+1 /d/a by 1 fua\n1800000000 trim 0+100 /d/a by 1\n1900000000 allocate 0+200 /d/a by 1\n2100000000 write 18+8 /d/a by 2\n2300000000 write 0+9 /d/b by 1\n", 0,
		},
		"children that end before fork returns in their parents": {
			strings.Repeat("0.5 getpid() = 7\n", 4) + "1.0 open(\"/a\", O_RDWR) = 3\n1.1 vfork(strace: Process 8 attached\n <unfinished ...>\n[pid 8] 0.1 write(3, \"\"..., 1) = 1\n[pid 8] 0.1 +++ exited with 0 +++\n0.1 <... vfork resumed>) = 8\n0.1 write(3, \"\"..., 2) = 2\n",
			"4200000000 write 0+1 /a by 8\n4500000000 write 1+2 /a by main\n", 0,
		},
		"two forks at once, whose children show in another order": {
			"1 1.0 open(\"/a\", O_RDWR) = 3\n2 1.1 open(\"/b\", O_RDWR) = 3\n1 1.2 fork( <unfinished ...>\n2 1.3 fork( <unfinished ...>\n9 1.4 fsync(4</c>) = 0\n9 1.5 +++ exited with 0 +++\n1 1.6 <... fork resumed>) = 8\n8 1.7 write(3, \"\", 5) = 5\n2 1.8 <... fork resumed>) = 9\n" +
				"1 1.9 write(3, \"\", 6) = 6\n7 2.0 fsync(3</d>) = 0\n",
			"1400000000 fsync 0+0 /c by 9\n1700000000 write 0+5 /a by 8\n1900000000 write 5+6 /a by 1\n2000000000 fsync 0+0 /d by 7\n", 0,
		},
		"files without names, and ranges of descriptors": {
			"1 1.0 memfd_create(\"m\", MFD_CLOEXEC) = 3\n1 1.1 write(3, \"x\", 5) = 5\n1 1.2 open(\"/a\", O_RDWR) = 4\n1 1.3 write(4, \"x\", 5) = 5\n1 1.4 close_range(3, 3, CLOSE_RANGE_CLOEXEC) = 0\n1 1.5 close_range(4, 4294967295, 0) = 0\n" +
				"1 1.6 write(4, \"x\", 7) = 7\n1 1.7 eventfd2(0, 0) = 5\n1 1.8 write(5, \"x\", 8) = 8\n1 1.9 write(6</c>(deleted), \"x\", 1) = 1\n",
			"1100000000 write 0+5 /memfd:m by 1\n1300000000 write 0+5 /a by 1\n1600000000 write 0+7 fd 4 of 1 by 1\n1900000000 write 0+1 /c by 1\n", 0,
		},
		"a thread that takes a table of its own": {
			"1 1.0 open(\"/a\", O_RDWR) = 3\n1 1.1 clone(child_stack=0x1, flags=CLONE_VM|CLONE_FILES) = 2\n2 1.2 unshare(CLONE_FILES) = 0\n2 1.3 close(3) = 0\n1 1.4 write(3, \"x\", 5) = 5\n2 1.5 open(\"/b\", O_RDWR) = 3\n2 1.6 write(3, \"x\", 6) = 6\n",
			"1400000000 write 0+5 /a by 1\n1600000000 write 0+6 /b by 2\n", 0,
		},
		"files that are renamed while they are open": {
			"1 1.0 openat(AT_FDCWD</d>, \"a\", O_RDWR|O_CREAT) = 3</d/a>\n1 1.1 write(3</d/a>, \"x\", 5) = 5\n1 1.2 close(7</d/x>) = 0\n1 1.3 rename(\"a\", \"b\") = 0\n1 1.4 write(3</d/b>, \"x\", 6) = 6\n",
			"1100000000 write 0+5 /d/a by 1\n1400000000 write 5+6 /d/b by 1\n", 0,
		},
		"descriptors that change unseen": {
			"1 1.0 read(3</a>, \"x\", 5) = 5\n1 1.1 read(3</b>, \"x\", 6) = 6\n1 1.2 read(3</b>, \"x\", 7) = 7\n",
			"1000000000 read 0+5 /a by 1\n1100000000 read 0+6 /b by 1\n1200000000 read 6+7 /b by 1\n", 0,
		},
		"ends without ends": {
			"1 1.0 fsync(3</a> <unfinished ...>\n1 1.1 +++ killed by SIGKILL +++\n2 1.2 write(3</a>, \"x\", 5 <unfinished ...>\n3 1.3 <... fsync resumed>) = 0\n4 1.4 fsync(3</a>) = 0\n4 1.5 --- SIGCHLD {si_signo=SIGCHLD} ---\n5 1.6 fsync(3</a> <unfinished ...>\n5 1.7 fsync(3</a>) = 0\n",
			"1400000000 fsync 0+0 /a by 4\n1700000000 fsync 0+0 /a by 5\n", 0,
		},
		"blanks at the ends of lines": {
			"1 1.0 fsync(3</a> <unfinished ...> \n2 1.1 vfork( \t\n2 1.2 fsync(3</a>) = 0 \n1 1.3 <... fsync resumed>) = 0 <0.3>\t\n1 1.4 clone(flags=SIGCHLDstrace: Process 3 attached \n, child_tidptr=0x1) = 3 \n1 1.5 fsync(3</a>,  <detached ...> \n",
			"1000000000 fsync 0+0 /a by 1 took 300000000\n1200000000 fsync 0+0 /a by 2\n", 1,
		},
		"a capture that was stopped": {
			"1 1.0 fsync(3</a>) = 0\n1 1.1 read(3</a>,  <detached ...>\n2 1.2 futex(0x1, FUTEX_WAIT, 2, NULLstrace: Process 1 detached\nstrace: Process 2 detached\n <detached ...>\n",
			"1000000000 fsync 0+0 /a by 1\n", 0,
		},
		"prefixes": {
			"[pid  12] 12:00:00 fsync(3</a>) = 0\n[pid 12] 12:00:01 [  74] [00007f00] fsync(3</a>) = 0\n12<my app> 12:00:02 (+     0.1) fsync(3</a>) = 0\n",
			"43200000000000 fsync 0+0 /a by 12\n43201000000000 fsync 0+0 /a by 12\n43202000000000 fsync 0+0 /a by 12\n", 0,
		},
		"a lone process gets its id when others come": {
			"0.5 getpid() = 7\n0.5 getpid() = 7\n0.5 getpid() = 7\n0.5 getpid() = 7\n1.0 open(\"/a\", O_RDWR) = 3\n1.1 clone(child_stack=NULL, flags=SIGCHLDstrace: Process 8 attached\n, child_tidptr=0x1) = 8\n[pid 7] 0.1 write(3, \"\"..., 1) = 1\n[pid 8] 0.1 write(3, \"\"..., 2) = 2\n[pid 8] 0.1 +++ exited with 0 +++\n0.1 write(3, \"\"..., 3) = 3\n",
			"4200000000 write 0+1 /a by 7\n4300000000 write 1+2 /a by 8\n4500000000 write 3+3 /a by 7\n", 0,
		},
		"hostile": {
			"1 1.0 pwrite64(3</a>, \"\"..., 9, 9223372036854775807) = 9\n1 1.1 pwrite64(3</a>, \"\"..., 9, -5) = 9\n1 1.2 pwrite64(3</a>, \"\"..., 9) = 9\n1 1.3 write(x, \"\"..., 9) = 9\n1 1.4 write(3</a>, \"\n1 1.5 write(3</a>, \"\"..., 9) 9\n1 1.6 lseek(3</a>, 9223372036854775800, SEEK_SET) = 9223372036854775800\n1 1.7 write(3</a>, \"\"..., 9) = 9\n1 99:00:00 fsync(3</a>) = 0\n1 1.8 fsync(99999999999</a>) = 0\n1 1.8 fsync(3</a>) = 0\n" +
				strings.Repeat("1 1.9 getpid() = 1\n", 60),
			"1800000000 fsync 0+0 /a by 1\n", 8,
		},
	} {
		t.Run(name, func(t *testing.T) {
			text, want := c.text, c.want
			if short.MatchString(text) {
				text, want = short.ReplaceAllString(text, "${1}170000000$2"), long.ReplaceAllString(want, "170000000$0")
			}
			got, log := read(t, text)
			if d := cmp.Diff(want, got); d != "" || log.Bad != c.bad {
				t.Errorf("%s\n%d bad: %v\n%v", d, log.Bad, log.First, log.Skipped)
			}
		})
	}
}

func TestNotes(t *testing.T) {
	for text, want := range map[string]string{
		"fsync(3</a>) = 0\n": "no times",
		"1 1.0 mmap(NULL, 4096, PROT_WRITE, MAP_SHARED, 3</a>, 0) = 0x7f00\n": "mmap",
		"1 1.0 io_uring_setup(8, {flags=0, sq_entries=8}) = 4\n":              "io_uring",
		"1 1.0 copy_file_range(3</a>, NULL, 4</b>, NULL, 10, 0) = 10\n":       "copy_file_range",
		"1 1.0 io_submit(0x7f, 3, [...]) = 3\n":                               "larger -s",
		"1 1.0 read(3, \"\"..., 5) = 5\n":                                     "-y",
	} {
		if _, log := read(t, text); len(log.Notes) != 1 || !strings.Contains(log.Notes[0], want) {
			t.Errorf("%s: %q", text, log.Notes)
		}
	}
}

// TestProcessesThatDidNothing has a file of each process, of which one only ended, and one was still waiting.
func TestProcessesThatDidNothing(t *testing.T) {
	dir := t.TempDir()
	var names []string
	for pid, text := range []string{"1.0 fsync(3</a>) = 0\n1.5 +++ exited with 0 +++\n", "1.0 +++ exited with 0 +++\n", "1.0 --- SIGCHLD {si_signo=SIGCHLD} ---\n", "1.0 read(3</a>,  <detached ...>\n"} {
		name := filepath.Join(dir, fmt.Sprintf("x.%d", pid+1))
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	tr, err := format.Open(names, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer tr.Close()
	if got := tracetest.Show(t, tr); got != "1000000000 fsync 0+0 /a by 1\n" || tr.Log.Bad != 0 {
		t.Error(got, tr.Log.First)
	}
}

// asked is a request of io_submit for a block, and its completion.
func asked(block int) string {
	return fmt.Sprintf("{aio_data=0, aio_lio_opcode=IOCB_CMD_PREAD, aio_fildes=3</a>, aio_buf=0x1, aio_nbytes=512, aio_offset=%d}", block*512)
}

// TestRequestsWithoutData cannot be told apart by anything but their order and their lengths.
func TestRequestsWithoutData(t *testing.T) {
	got, log := read(t, "1 1.0 io_submit(0x7f, 3, ["+asked(0)+", "+asked(1)+", {aio_data=0, aio_lio_opcode=IOCB_CMD_PWRITE, aio_fildes=3</a>, aio_nbytes=100, aio_offset=9}]) = 3 <0.1>\n"+
		"1 2.0 io_getevents(0x7f, 1, 1, [{data=0, obj=0x2, res=100, res2=0}], NULL) = 1 <0>\n1 3.0 io_getevents(0x7f, 1, 2, [{data=0, obj=0x2, res=512, res2=0}, {data=0, obj=0x1, res=512, res2=0}], NULL) = 2 <0>\n")
	want := "1000000000 read 0+512 /a by 1 took 5000000000\n1000000000 read 512+512 /a by 1 took 5000000000\n1000000000 write 9+100 /a by 1 took 2000000000\n" // the times are between lines
	if got != want || len(log.Notes) != 1 || !strings.Contains(log.Notes[0], "aio_data") {
		t.Errorf("%s%q", got, log.Notes)
	}
}

// TestLostCompletions are not waited for: what is submitted is given in order, and all of it.
func TestLostCompletions(t *testing.T) {
	var text strings.Builder
	const many = 20_000
	for i := range many {
		fmt.Fprintf(&text, "1 %d.%06d io_submit(0x7f, 1, [%s]) = 1 <0.000001>\n", 1+i/1000000, i, asked(i))
		if i%4 > 0 {
			fmt.Fprintf(&text, "1 %d.%06d io_getevents(0x80, 1, 1, [{data=0, obj=0x1, res=512, res2=0}], NULL) = 1 <0.000001>\n", 1+i/1000000, i)
		}
	}
	got, log := read(t, text.String())
	if n := strings.Count(got, "\n"); n != many || log.Disorder != 0 || log.Bad != 0 {
		t.Errorf("%d records, %+v", n, log)
	}
	if log.Skipped["requests of io_submit that the trace does not show"] != 0 {
		t.Errorf("%v", log.Skipped)
	}
	_, log = read(t, "1 1.0 io_submit(0x7f, 40, ["+asked(0)+", "+asked(1)+", ...]) = 40\n")
	if log.Skipped["requests of io_submit that the trace does not show"] != 38 {
		t.Errorf("%v", log.Skipped)
	}
}

func TestTooManyProcesses(t *testing.T) {
	pids := &counter{}
	r := reader(t, pids)
	err := r.Read(&trace.Record{})
	if err == nil || !strings.Contains(err.Error(), "more than 262144 processes at once") {
		t.Error(err)
	}
}

// counter is a trace in which every line is another process's.
type counter struct {
	n    int
	rest []byte
}

func (c *counter) Read(b []byte) (int, error) {
	if len(c.rest) == 0 {
		c.n++
		c.rest = fmt.Appendf(nil, "%d getpid() = 1\n", c.n)
	}
	n := copy(b, c.rest)
	c.rest = c.rest[n:]
	return n, nil
}

// One capture in a file for each process is read as one.
func TestFilePerProcess(t *testing.T) {
	dir := t.TempDir()
	for pid, text := range map[string]string{
		"10": "1700000000.0 openat(AT_FDCWD, \"/a\", O_RDWR) = 3\n1700000000.1 clone(child_stack=0x1, flags=CLONE_FILES|CLONE_THREAD) = 11\n1700000000.3 write(3, \"\"..., 3) = 3\n",
		"11": "1700000000.2 write(3, \"\"..., 7) = 7\n1700000000.4 write(3, \"\"..., 1) = 1\n1700000000.5 +++ exited with 0 +++\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, "out."+pid), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	tr, err := format.Open([]string{dir}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer tr.Close()
	want := "1700000000200000000 write 0+7 /a by 11\n1700000000300000000 write 7+3 /a by 10\n1700000000400000000 write 10+1 /a by 11\n"
	if d := cmp.Diff(want, tracetest.Show(t, tr)); d != "" || !tr.Log.Epoch.Equal(time.Unix(0, 0)) {
		t.Error(d)
	}
}

// What dd does under strace is what is read, whatever the options.
func TestFresh(t *testing.T) {
	program, err := exec.LookPath("strace")
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip("strace is not installed")
	}
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in put"), filepath.Join(dir, "out")
	if err := os.WriteFile(in, make([]byte, 10000), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, options := range []string{"-f -ttt -T -y -s0 -a1", "-tt", "-f -r", "-t -yy", "-f -i -n", "", "-ff -ttt -y", "-f -ttt --decode-pids=comm"} {
		t.Run(options, func(t *testing.T) {
			capture := filepath.Join(t.TempDir(), "capture")
			args := append(strings.Fields(options), "-o", capture, "dd", "if="+in, "of="+out, "bs=4096", "conv=fsync")
			if text, err := exec.Command(program, args...).CombinedOutput(); err != nil {
				t.Skipf("strace cannot trace here: %v: %s", err, text)
			}
			tr, err := format.Open([]string{filepath.Dir(capture)}, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer tr.Close()
			var got []string
			for _, r := range tracetest.All(t, tr) {
				if name := tr.Log.Files.Name(r.File); name == in || name == out {
					got = append(got, fmt.Sprintf("%s %d+%d %s", r.Op, r.Offset, r.Length, filepath.Base(name)))
				}
			}
			want := []string{"read 0+4096 in put", "write 0+4096 out", "read 4096+4096 in put", "write 4096+4096 out", "read 8192+1808 in put", "write 8192+1808 out", "fsync 0+0 out"}
			if d := cmp.Diff(want, got); d != "" || tr.Log.Bad != 0 {
				t.Error(d, tr.Log.First)
			}
		})
	}
}
