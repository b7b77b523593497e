package strace_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"testing"

	"moonio/engine/trace"
	"moonio/engine/trace/strace"
	"moonio/engine/trace/tracetest"
)

// threads is what two threads of a database print that read, write and sync files.
func threads() []byte {
	var b bytes.Buffer
	for i := range 250 {
		fmt.Fprintf(&b, "13505 1796028859.%06d pwrite64(3</srv/app/data/a.dat>, \"qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq\"..., 4096, %d <unfinished ...>\n", i*4, i*4096)
		fmt.Fprintf(&b, "13506 1796028859.%06d pread64(4</srv/app/data/b.dat>, \"\\0\\377\\\"\\\\\\0\\377\\\"\\\\\\0\\377\\\"\\\\\\0\\377\\\"\\\\\"..., 8192, %d) = 8192 <0.000020>\n", i*4+1, i*8192)
		fmt.Fprintf(&b, "13505 1796028859.%06d <... pwrite64 resumed>) = 4096 <0.000201>\n", i*4+2)
		fmt.Fprintf(&b, "13505 1796028859.%06d write(5</srv/app/data/t.db-journal>, \"SQLite format 3\\0\\20\\0\\1\\1\\0@  \\0\\0\\0\\1\\0\\0\\0\\2\"..., 4096) = 4096 <0.000053>\n", i*4+2)
		fmt.Fprintf(&b, "13506 1796028859.%06d fdatasync(4</srv/app/data/b.dat>) = 0 <0.000505>\n", i*4+3)
	}
	return b.Bytes()
}

func reader(tb testing.TB, in io.Reader) trace.Reader {
	r, err := strace.Format.OpenAll([]*trace.Input{{Reader: bufio.NewReaderSize(in, 1<<16), Name: "bench"}}, &trace.Log{}, nil)
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

func BenchmarkRead(b *testing.B) {
	tracetest.Benchmark(b, reader(b, &tracetest.Forever{Text: threads()}))
}

func TestReadDoesNotAllocate(t *testing.T) {
	tracetest.NoAllocations(t, reader(t, &tracetest.Forever{Text: threads()}))
}

func FuzzRead(f *testing.F) {
	for _, text := range []string{
		"13505 1796028859.000001 pwrite64(3</srv/a.dat>, \"qq\"..., 4096, 8192 <unfinished ...>\n13505 1796028859.1 <... pwrite64 resumed>) = 4096 <0.000201>\n",
		"1 1.0 openat(AT_FDCWD</d>, \"a\\76\", O_RDWR|O_CLOEXEC) = 3</d/a>\n1 1.2 clone3({flags=CLONE_FILES} <unfinished ...>\n2 1.3 write(3, \"\"..., 10) = 10\n1 1.4 <... clone3 resumed> => {parent_tid=[2]}, 88) = 2\n1 1.5 dup2(3, 2147483647) = 2147483647\n",
		"1 1.0 io_submit(0x7f, 3, [{aio_lio_opcode=IOCB_CMD_PREADV, aio_fildes=6</a, b>, aio_buf=[{iov_base=0x1, iov_len=9223372036854775807}, {iov_len=200}], aio_offset=9}]) = 3\n",
		"[pid 3] 23:59:59.9 fcntl(3, F_DUPFD, 0) = 9\n[pid 3] 00:00:00 close_range(0, 4294967295, CLOSE_RANGE_CLOEXEC) = 0\n[pid 3] 00:00:01 execve(\"/x\", [], 0x1) = 0\n",
		"   0.1 pipe2([3, 4], 0) = 0\n 0.1 copy_file_range(5, [9223372036854775807], 6, NULL, 10, 0) = 10\n0.1 lseek(5</a>, 0, SEEK_END) = 9223372036854775807\nread(5</a>, \"\"..., 5) = 9223372036854775807\n",
		"clone(child_stack=NULL, flags=SIGCHLDstrace: Process 8 attached\n, child_tidptr=0x1) = 8\n[pid 8] +++ exited with 0 +++\n",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		strace.Format.Sniff(data)
		for _, rec := range tracetest.All(t, reader(t, bytes.NewReader(data))) {
			if !trace.Fits(rec.Offset, rec.Length) || rec.Latency < trace.Unknown {
				t.Fatalf("%+v", rec)
			}
		}
	})
}
