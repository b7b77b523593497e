package uring

import (
	"errors"
	"fmt"
	"strings"

	"golang.org/x/sys/unix"

	"moonio/engine"
	"moonio/engine/helper"
)

// Options are the engine's.
func Options() []engine.Option {
	return append([]engine.Option{
		{Name: "hipri", Also: []string{"iopoll"}, About: "poll the device for completions (IOPOLL); direct files on a device with polled queues"},
		{Name: "sqpoll", Also: []string{"sqthread_poll"}, About: "a thread of the kernel's takes what is submitted (SQPOLL)"},
		{Name: "sqpoll_idle", Value: "MS", About: "how long it looks for more before it sleeps; 1000 unless given"},
		{Name: "sqpoll_cpu", Also: []string{"sqthread_poll_cpu"}, Value: "N", About: "the processor that it runs on; any unless given"},
		{Name: "force_async", Also: []string{"async"}, About: "every operation goes to a thread of the kernel's at once (IOSQE_ASYNC); a number N: every Nth does"},
		{Name: "registerfiles", About: "1: files must be registered, 0: none is; otherwise as far as it can be had"},
		{Name: "fixedbufs", About: "1: buffers must be registered, 0: none is; otherwise as far as it can be had"},
		{Name: "nonvectored", About: "reads and writes without a vector, which is always so"},
		helper.PrioOption,
	}, helper.TransferOptions...)
}

// options are what Config.Options asks for.
type options struct {
	hipri, sqpoll bool
	idle          int // of the kernel's thread, in ms; 0: as the kernel has it
	cpu           int // of the kernel's thread; -1: any
	async         int // every Nth operation goes to a thread of the kernel's at once; 0: none
	files, bufs   demand
	prio          uint16
	transfer      helper.Transfers
}

// demand is whether something must be, must not be, or is as it can be had.
type demand uint8

const (
	perhaps demand = iota
	must
	mustNot
)

const maxCPU = 1 << 16

func readOptions(given map[string]string) (o options, err error) {
	s := helper.NewSettings(Name, given)
	o.hipri, _ = s.Switch("hipri")
	o.sqpoll, _ = s.Switch("sqpoll")
	o.idle = s.Int("sqpoll_idle", 0, 1, 1<<30)
	o.cpu = s.Int("sqpoll_cpu", -1, 0, maxCPU)
	o.async = s.Int("force_async", 0, 0, 1<<20)
	o.files, o.bufs = demanded(s, "registerfiles"), demanded(s, "fixedbufs")
	o.prio = s.Prio(helper.PrioOption.Name)
	o.transfer = helper.NewTransfers(Name, s)
	on, vectors := s.Switch("nonvectored")
	if err = s.Err(); err != nil {
		return o, err
	}
	switch {
	case vectors && !on:
		return o, errors.New("io_uring: nonvectored=0: it always reads and writes without a vector")
	case !o.sqpoll && (o.idle > 0 || o.cpu >= 0):
		return o, errors.New("io_uring: sqpoll_idle and sqpoll_cpu are of the thread that sqpoll asks for, and sqpoll is not given")
	}
	return o, nil
}

func demanded(s *helper.Settings, name string) demand {
	switch on, given := s.Switch(name); {
	case !given:
		return perhaps
	case on:
		return must
	}
	return mustNot
}

// CheckOptions says what is wrong with options.
func CheckOptions(options map[string]string) error {
	_, err := readOptions(options)
	return err
}

// params are a ring's, by what the options ask for, out of the flags of one way
// to set a ring up.
func (o *options) params(flags uint32) params {
	p := params{flags: flags}
	if o.hipri {
		p.flags |= setupIOPoll
	}
	if !o.sqpoll {
		return p
	}
	// The kernel's thread runs the tasks that these would give to ours.
	p.flags &^= setupDeferTaskrun | setupCoopTaskrun | setupTaskrunFlag
	p.flags |= setupSQPoll
	p.sqThreadIdle = uint32(o.idle)
	if o.cpu >= 0 {
		p.flags |= setupSQAff
		p.sqThreadCPU = uint32(o.cpu)
	}
	return p
}

// explain adds to an error what was asked for beside an ordinary ring.
func (o *options) explain(err error) error {
	switch {
	case err == nil || !o.hipri && !o.sqpoll:
		return err
	case o.cpu >= 0 && errors.Is(err, unix.EINVAL):
		return fmt.Errorf("io_uring is %w with sqpoll_cpu=%d: there is no such processor, or moonio may not use it (%w)", engine.ErrUnavailable, o.cpu, unix.EINVAL)
	}
	return fmt.Errorf("io_uring with %s: %w", strings.Join(o.features(), ", "), err)
}

// features names the options that are on.
func (o *options) features() (names []string) {
	if o.hipri {
		names = append(names, "hipri")
	}
	if o.sqpoll {
		names = append(names, "sqpoll")
	}
	if o.async > 0 {
		names = append(names, "force_async")
	}
	if o.prio != 0 {
		names = append(names, helper.PrioOption.Name)
	}
	return append(names, o.transfer.Features()...)
}
