package main

import (
	"fmt"
	"path/filepath"
	"strings"
)

// pair is two commands that do the same work.
type pair struct {
	name, against string
	ours, theirs  command
	figures       []figure
}

// command is a command line, and who reads its result.
type command struct {
	args []string
	read func(c command, out []byte) (result, error)
	file string // where the result is, if not on standard output
}

func (c command) String() string { return strings.Join(c.args, " ") }

// figure is something that is compared.
type figure struct {
	name string
	of   func(result) float64
	unit string
}

var (
	iops    = figure{"IOPS", func(r result) float64 { return r.iops }, ""}
	userCPU = figure{"user CPU per I/O", func(r result) float64 { return r.userNS }, " ns"}
	seconds = figure{"time taken", func(r result) float64 { return r.seconds }, " s"}
	median  = figure{"p50", func(r result) float64 { return r.p50NS }, " ns"}
)

// both is a pair of fio's own command, run by moonio as it stands and by fio with more options.
func (s *setup) both(name, against, dir string, more []string, options ...string) pair {
	args := append([]string{"--name=x", "--thread", fmt.Sprintf("--runtime=%.0f", s.time.Seconds()), "--time_based", "--output-format=json", "--size=" + fileSize}, options...)
	if dir != "" {
		args = append(args, "--filename="+filepath.Join(dir, fileName), "--invalidate=0")
	}
	return pair{name, against,
		command{args: append([]string{s.moonio, "fio"}, args...), read: readFio},
		command{args: append(append([]string{s.fio}, args...), more...), read: readFio},
		[]figure{iops}}
}

// ourRun is a run of the script that all comparisons use.
func (s *setup) ourRun(dir, engine string, params ...string) command {
	args := []string{s.moonio, "run", "testdata/bench/reads.lua", "--engine", engine, "--quiet", "--format", "json", "--out", s.out}
	if dir != "" {
		args = append(args, "--dir", dir)
	}
	for _, p := range append([]string{"time=" + s.time.String()}, params...) {
		args = append(args, "-p", p)
	}
	return command{args: args, read: readMoonio, file: s.out}
}

// fioRun is fio's run of the same.
func (s *setup) fioRun(dir string, depth int, options ...string) command {
	args := []string{s.fio, "--name=x", "--rw=randread", "--bs=4k", fmt.Sprintf("--iodepth=%d", depth), "--thread",
		fmt.Sprintf("--runtime=%.0f", s.time.Seconds()), "--time_based", "--lat_percentiles=1", "--output-format=json"}
	if dir != "" {
		args = append(args, "--filename="+filepath.Join(dir, fileName))
	}
	args = append(args, "--size="+fileSize)
	return command{args: append(args, options...), read: readFio}
}

var tuned = []string{"--fixedbufs", "--registerfiles", "--iodepth_batch=16", "--norandommap"}

// pairs are all that are compared.
func (s *setup) pairs() []pair { return append(append(s.scripts(), s.jobs()...), s.replays()...) }

// scripts are moonio's own streams and clients beside fio's jobs.
func (s *setup) scripts() []pair {
	direct := []string{"--direct=1", "--ioengine=io_uring"}
	buffered := []string{"--direct=0", "--invalidate=0", "--ioengine=io_uring"}
	with := func(a []string, b ...string) []string { return append(append([]string{}, a...), b...) }
	stream := func(depth int) command {
		return s.ourRun(s.dir, "io_uring", fmt.Sprintf("depth=%d", depth))
	}
	return []pair{
		{"stream, 4 KiB direct random reads, depth 32", "fio io_uring, defaults", stream(32), s.fioRun(s.dir, 32, direct...), []figure{iops, userCPU, median}},
		{"stream, 4 KiB direct random reads, depth 32", "fio io_uring, tuned", stream(32), s.fioRun(s.dir, 32, with(direct, tuned...)...), []figure{iops, userCPU, median}},
		{"fio io_uring tuned, depth 128: the most that the storage does", "fio io_uring, defaults, depth 32",
			s.fioRun(s.dir, 128, with(direct, tuned...)...), s.fioRun(s.dir, 32, direct...), []figure{iops}},
		{"stream, 4 KiB direct random reads, depth 1", "fio io_uring, defaults", stream(1), s.fioRun(s.dir, 1, direct...), []figure{iops, userCPU, median}},
		{"stream, 4 KiB buffered random reads on tmpfs, depth 32", "fio io_uring, defaults", s.ourRun(s.tmpfs, "io_uring", "depth=32", "direct=false"), s.fioRun(s.tmpfs, 32, buffered...), []figure{iops, userCPU}},
		{"stream, 4 KiB buffered random reads on tmpfs, depth 32", "fio io_uring, tuned", s.ourRun(s.tmpfs, "io_uring", "depth=32", "direct=false"), s.fioRun(s.tmpfs, 32, with(buffered, tuned...)...), []figure{iops, userCPU}},
		{"stream, 4 KiB random reads on null, depth 32", "fio null, defaults", s.ourRun("", "null", "depth=32"), s.fioRun("", 1, "--ioengine=null"), []figure{iops}},
		{"32 clients, 4 KiB reads on null", "our stream on null, depth 32", s.ourRun("", "null", "depth=32", "clients=true"), s.ourRun("", "null", "depth=32"), []figure{iops}},
		{"32 clients, 4 KiB direct random reads", "our stream, depth 32", s.ourRun(s.dir, "io_uring", "depth=32", "clients=true"), stream(32), []figure{iops, userCPU, median}},
	}
}

// jobs are fio's own jobs, run by both.
func (s *setup) jobs() []pair {
	batched := []string{"--iodepth_batch=16", "--iodepth_batch_complete_min=8", "--iodepth_batch_complete_max=16"}
	null := func(name string, options ...string) pair {
		return s.both("null: "+name, "fio, the same job", "", nil, append([]string{"--ioengine=null", "--bs=4k"}, options...)...)
	}
	libaio := []string{"--ioengine=libaio", "--iodepth=32", "--rw=randread", "--bs=4k"}
	direct := append([]string{"--direct=1"}, libaio...)
	cached := func(engine string) []string { return []string{"--ioengine=" + engine, "--rw=randread", "--bs=4k"} }
	return []pair{
		null("randread", "--rw=randread"),
		null("randrw", "--rw=randrw"),
		null("zipf", "--rw=randread", "--random_distribution=zipf:1.1"),
		null("bssplit", "--rw=randread", "--bssplit=4k/60:8k/20:64k/20"),
		null("read", "--rw=read"),
		null("randwrite, crc32c verify", "--rw=randwrite", "--verify=crc32c", "--do_verify=0", "--verify_state_save=0"),
		s.both("libaio, direct randread, depth 32", "fio libaio, defaults", s.dir, nil, direct...),
		s.both("libaio, direct randread, depth 32", "fio libaio, batches of 16", s.dir, batched, direct...),
		s.both("psync, randread from the page cache", "fio psync", s.tmpfs, nil, cached("psync")...),
		s.both("mmap, randread from the page cache", "fio mmap", s.tmpfs, nil, cached("mmap")...),
		s.both("libaio, randread on tmpfs, depth 32", "fio libaio, batches of 16", s.tmpfs, batched, libaio...),
		s.both("io_uring, two threads, direct randread, depth 32", "fio io_uring, tuned", s.dir, tuned,
			"--numjobs=2", "--group_reporting", "--direct=1", "--ioengine=io_uring", "--iodepth=32", "--rw=randread", "--bs=4k"),
	}
}

// replays are a log of fio's, played by both into the same file.
func (s *setup) replays() []pair {
	ours := func(timing string) command {
		return command{args: []string{s.moonio, "replay", s.iolog, "--timing", timing, "--depth", "32", "--map", "*=" + fileName, "--dir", s.dir,
			"--quiet", "--format", "json", "--out", s.out}, read: readMoonio, file: s.out}
	}
	theirs := func(options ...string) command {
		return command{args: append([]string{s.fio, "--name=x", "--thread", "--read_iolog=" + s.iolog, "--ioengine=io_uring", "--iodepth=32", "--direct=1",
			"--output-format=json"}, options...), read: readFio}
	}
	return []pair{
		{"replay of 200000 reads, as fast as possible, depth 32", "fio --read_iolog --replay_no_stall", ours("fast"), theirs("--replay_no_stall=1"), []figure{iops}},
		{"replay of 200000 reads at their times, 20 s", "fio --read_iolog", ours("captured"), theirs(), []figure{seconds}},
	}
}
