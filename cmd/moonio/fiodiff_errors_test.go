package main

import (
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// badJob is a job that is an error here, with what is said of it.
type badJob struct {
	args string // after a job of 64 KiB in a file data
	says string
	lax  bool // fio takes it, and does something else than it says
	disk bool // fio takes it where files are in memory
}

var badJobs = []badJob{
	{args: "--nosuch=1", says: `"nosuch": fio has no such option`},
	{args: "--iodpeth=4", says: `did you mean "iodepth"?`},
	{args: "--rw=reed", says: `"reed" is not one of read, write`},
	{args: "--bs=4q", says: `"q" is no unit of bytes`, lax: true},
	{args: "--bs=4kk", says: `"kk" is no unit of bytes`, lax: true},
	{args: "--bs=0", says: "the least is 1"},
	{args: "--bs=-1", says: "the least is 1"},
	{args: "--bs=1m --size=32k", says: "the region has 32768 bytes in each file, and the smallest block 1048576"},
	{args: "--direct=1 --bs=100", says: "which a direct operation here needs", disk: true},
	{args: "--ioengine=nosuch", says: `"nosuch" is not one of sync, psync`},
	{args: "--bssplit=4k/60:8k/60", says: "the shares come to 120 %, and the most is 100", lax: true},
	{args: "--bssplit=4k/ten", says: `"ten" is not per cent`, lax: true},
	{args: "--allow_file_create=0", says: "there is no file"},
	{args: "--directory=nodir", says: "there is no directory"},
	{args: "--size=200%", says: "it is more than 100 %"},
	{args: "--offset=1m --filesize=64k", says: "the region has"},
	{args: "--rwmixread=130", says: "the most is 100"},
	{args: "--iodepth=0", says: "the least is 1"},
	{args: "--numjobs=0", says: "the least is 1"},
	{args: "--loops=abc", says: `"abc" is not a number`},
	{args: "--rw=randread --random_distribution=zipf:1", says: "zipf of exactly 1"},
	{args: "--rw=randread --random_distribution=nosuch:1", says: `"nosuch" is not one of random, zipf`},
	{args: "--rw=randread --random_distribution=pareto:2", says: "between 0 and 1"},
	{args: "--rw=randread --random_distribution=zoned:60/10:50/20", says: "the zones come to 110 % of the accesses"},
	{args: "--file_service_type=nosuch", says: `"nosuch" is not one of random`},
	{args: "--zonemode=strided", says: "it needs zonesize"},
	{args: "--zonesize=4k", says: "it needs zonemode=strided"},
	{args: "--verify=nosuch", says: `"nosuch" is not one of 0, md5`},
	{args: "--rw=write --verify=pattern --verify_pattern=0xzz", says: "no hexadecimal digits behind 0x"},
	{args: "--rw=write --buffer_pattern=zz", says: "a text stands in double quotes"},
	{args: "--rw=write --dedupe_percentage=120", says: "the most is 100"},
	{args: "--rw=write --fsync=-1", says: "the least is 0", lax: true},
	{args: "--rw=write --sync=perhaps", says: `"perhaps" is not one of none`},
	{args: "--rw=write --sync_file_range=nosuch:4", says: `"nosuch" is not one of wait_before`},
	{args: "--rw=write --readonly", says: "--readonly allows no job that writes or trims"},
	{args: "--readonly", says: "there is no file"},
	{args: "--rw=write --verify=pattern", says: "it needs verify_pattern", lax: true},
	{args: "--rw=write --verify=md5 --offset=1000", says: "what is verified begins at a multiple of 128 bytes", lax: true},
	{args: "--section=nosuch", says: "there is no such section, and no job of that name", lax: true},
	{args: "--rw=write --bsrange=1k-4k --verify=md5 --bs_unaligned", says: "has blocks that are multiples of the smallest", lax: true},
	{args: "--runtime=10x", says: `"x" is no unit of time`, lax: true},
	{args: "--runtime=abc", says: `"abc" is not a number`},
	{args: "--thinktime=abc", says: `"abc" is not a number`},
	{args: "--rate_iops=abc", says: `"abc" is not a number`},
	{args: "--steadystate=nosuch:1%", says: `"nosuch" is not one of iops`},
	{args: "--latency_percentile=120", says: "120 is not from 0 to 100"},
	{args: "--percentile_list=101", says: "101 is not from 0 to 100"},
	{args: "--percentile_list=1:2:3:4:5:6:7:8:9:10:11:12:13:14:15:16:17:18:19:20:21", says: "there are 21 numbers, and the most is 20", lax: true},
	{args: "--unified_rw_reporting=5", says: `"5" is not one of none`},
	{args: "--continue_on_error=maybe", says: `"maybe" is not one of none`},
	{args: "--wait_for=nosuch", says: "there is no job of that name before this one"},
	{args: "--stonewall --wait_for=nosuch", says: "there is no job of that name before this one"},
	{args: "--cpus_allowed=4096", says: "4096 is above 1023"},
	{args: "--prio=9", says: "the most is 7"},
	{args: "--direct=2", says: "it is 0 or 1"},
	{args: "--output-format=xml", says: `"xml" is not one of normal, terse, json`},
	{args: "nosuch.fio", says: "job file nosuch.fio: no such file or directory"},
}

// What is wrong with a job for fio is wrong here, and what is said of it names the option, its place and
// the cause. So is what fio takes for something else than it says.
func TestErrorsAsFio(t *testing.T) {
	t.Parallel()
	var jobs []peerJob
	bad := fewer(badJobs, 1)
	for _, b := range bad {
		jobs = append(jobs, peerJob{args: "--name=a --size=64k --filename=data " + b.args, order: loose})
	}
	var fs unix.Statfs_t
	if err := unix.Statfs(t.TempDir(), &fs); err != nil {
		t.Fatal(err)
	}
	memory := fs.Type == unix.TMPFS_MAGIC
	for i, p := range startPairs(t, jobs) {
		b := bad[i]
		t.Run(b.args, func(t *testing.T) {
			<-p.done
			if p.fio.code == 0 && !b.lax && !(b.disk && memory) {
				t.Errorf("fio takes it:\n%s", p.fio.complain)
			}
			said := strings.TrimSpace(p.moonio.complain)
			if p.moonio.code != exitUsage && p.moonio.code != exitFailed || !strings.Contains(said, b.says) {
				t.Errorf("exit code %d: %s", p.moonio.code, said)
			}
			option, value, _ := strings.Cut(strings.TrimLeft(b.args[strings.LastIndex(b.args, " ")+1:], "-"), "=")
			if p.moonio.code == exitUsage && !strings.Contains(said, option) || !strings.Contains(said, value) {
				t.Errorf("%q or %q is not named: %s", option, value, said)
			}
		})
	}
}
