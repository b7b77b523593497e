package scripts_test

import (
	"regexp"
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
}
