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
	median  = figure{"p50", func(r result) float64 { return r.p50NS }, " ns"}
)

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

func (s *setup) pairs() []pair {
	direct := []string{"--direct=1", "--ioengine=io_uring"}
	buffered := []string{"--direct=0", "--invalidate=0", "--ioengine=io_uring"}
	with := func(a []string, b ...string) []string { return append(append([]string{}, a...), b...) }
	stream := func(depth int) command {
		return s.ourRun(s.dir, "io_uring", fmt.Sprintf("depth=%d", depth))
	}
	return []pair{
		{"stream, 4 KiB direct random reads, depth 32", "fio io_uring, defaults", stream(32), s.fioRun(s.dir, 32, direct...), []figure{iops, userCPU, median}},
		{"stream, 4 KiB direct random reads, depth 32", "fio io_uring, tuned", stream(32), s.fioRun(s.dir, 32, with(direct, tuned...)...), []figure{iops, userCPU, median}},
		{"stream, 4 KiB direct random reads, depth 1", "fio io_uring, defaults", stream(1), s.fioRun(s.dir, 1, direct...), []figure{iops, userCPU, median}},
		{"stream, 4 KiB buffered random reads on tmpfs, depth 32", "fio io_uring, defaults", s.ourRun(s.tmpfs, "io_uring", "depth=32", "direct=false"), s.fioRun(s.tmpfs, 32, buffered...), []figure{iops, userCPU}},
		{"stream, 4 KiB buffered random reads on tmpfs, depth 32", "fio io_uring, tuned", s.ourRun(s.tmpfs, "io_uring", "depth=32", "direct=false"), s.fioRun(s.tmpfs, 32, with(buffered, tuned...)...), []figure{iops, userCPU}},
		{"stream, 4 KiB random reads on null, depth 32", "fio null, defaults", s.ourRun("", "null", "depth=32"), s.fioRun("", 1, "--ioengine=null"), []figure{iops}},
		{"32 clients, 4 KiB reads on null", "our stream on null, depth 32", s.ourRun("", "null", "depth=32", "clients=true"), s.ourRun("", "null", "depth=32"), []figure{iops}},
		{"32 clients, 4 KiB direct random reads", "our stream, depth 32", s.ourRun(s.dir, "io_uring", "depth=32", "clients=true"), stream(32), []figure{iops, userCPU, median}},
	}
}
