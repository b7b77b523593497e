package fiolua

import (
	"math"

	"moonio/cmd/internal/fiojob"
	"moonio/engine/run"
)

// mostInRing is how many operations the kernel's asynchronous interfaces are asked to hold.
const mostInRing = 1<<15 - 1

// checkDepth refuses a depth that the job's engine does not go to.
func (u *unit) checkDepth() error {
	most := int64(run.MaxInFlight)
	engine, _ := u.v.Word("ioengine")
	if engine == "libaio" || engine == "io_uring" {
		most = mostInRing
	}
	if o, ok := u.v.Option("iodepth"); ok && u.v.Integer("iodepth") > most {
		return o.Fail("", "the most operations in flight with %s are %d", engine, most)
	}
	return nil
}

// mostAtOnce is how many bytes one operation transfers.
const mostAtOnce = int64(1) << 30

// checkBlocks refuses blocks that no system call moves at once.
func (u *unit) checkBlocks(read, write blocks) error {
	if max(read.max, write.max) <= mostAtOnce {
		return nil
	}
	for _, name := range []string{"bssplit", "bsrange", "bs"} {
		if o, ok := u.v.Option(name); ok {
			return o.Fail("", "one operation can transfer at most 1g")
		}
	}
	return nil
}

// checkRoom refuses more threads, operations in flight and buffers than there can be in one
// stage.
func (t *translation) checkRoom(stage []*unit) error {
	threads, flights, buffers := int64(0), int64(0), 0.0
	for _, u := range stage {
		n, depth := int64(len(u.jobs)), int64(1)
		if !u.synchronous() {
			depth = u.v.Integer("iodepth")
		}
		threads, flights, buffers = threads+n, flights+n*depth, buffers+float64(n*depth*u.largest)
		switch {
		case threads > run.MaxThreads:
			return u.blame("numjobs").Fail("", "with this job %d run at the same time, and the most are %d: a stonewall lets some wait for others", threads, run.MaxThreads)
		case flights > run.MaxInFlight:
			return u.blame("iodepth", "numjobs").Fail("", "the jobs that run at the same time come to %d operations in flight with this one, and the most are %d", flights, run.MaxInFlight)
		case t.setup.Memory > 0 && buffers > float64(t.setup.Memory)/2:
			return u.blame("bs", "bssplit", "bsrange", "iodepth").Fail("", "blocks times depth of the jobs that run at the same time come to %s of buffers, more than half of the memory of %s: lower one of them", about(int64(buffers)), about(t.setup.Memory))
		}
	}
	return nil
}

// blame is the first of these options that was given, or what else stands for the job.
func (u *unit) blame(names ...string) fiojob.Option {
	for _, n := range names {
		if o, ok := u.v.Option(n); ok {
			return o
		}
	}
	return u.origin()
}

// most is the greatest number that a script holds exactly. Sums and products stop there.
const most = int64(1) << 53

func times(a, b int64) int64 {
	if a > 0 && b > most/a {
		return most
	}
	return min(a*b, most)
}

func plus(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return most
	}
	return min(a+b, most)
}
