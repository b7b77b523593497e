package uring

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"moonio/engine"
)

// Ways to set a ring up, the best first. An older kernel refuses a flag that it
// doesn't know with EINVAL.
var setups = []uint32{
	setupSingleIssuer | setupDeferTaskrun | setupTaskrunFlag | setupSubmitAll | setupDisabled | setupNoSQArray, // Linux 6.6
	setupSingleIssuer | setupDeferTaskrun | setupTaskrunFlag | setupSubmitAll | setupDisabled,                  // 6.1
	setupCoopTaskrun | setupTaskrunFlag | setupSubmitAll | setupDisabled,                                       // 5.19
	setupDisabled, // 5.10
}

// openRing makes the best ring that the kernel has. It is born disabled, so
// that the thread that first uses it, and not the one that opens it, becomes its owner.
func openRing(entries, completions uint32, setups []uint32, o *options) (*ring, error) {
	r, err := tryOpen(entries, completions, setups, o)
	// Rings count as locked memory, and one that was closed gives its back late.
	for i := 0; i < 20 && errors.Is(err, unix.ENOMEM); i++ {
		time.Sleep(5 * time.Millisecond)
		r, err = tryOpen(entries, completions, setups, o)
	}
	if err != nil {
		return nil, o.explain(unavailable(err))
	}
	return r, nil
}

func tryOpen(entries, completions uint32, setups []uint32, o *options) (r *ring, err error) {
	for _, flags := range setups {
		r, err = newRing(entries, completions, o.params(flags))
		if !errors.Is(err, unix.EINVAL) {
			break
		}
	}
	return r, err
}

// disabled says whether the ring has no owner yet.
func (r *ring) disabled() bool { return r.flags&setupDisabled != 0 }

// enable makes the calling thread the ring's owner, and registers the ring with it.
func (r *ring) enable(workers int) error {
	if err := register(r.fd, registerEnableRings, nil, 0); err != nil {
		return fmt.Errorf("enabling the ring: %w", err)
	}
	r.flags &^= setupDisabled
	// What the kernel can't start without blocking goes to its worker threads, by
	// default four a processor. With fewer than operations, a depth would not be
	// what it says. Kernels before 5.15 can't be told.
	limits := [2]uint32{uint32(workers), 0} // for files; 0 keeps the limit for the rest
	_ = register(r.fd, registerIOWQWorkers, unsafe.Pointer(&limits), len(limits))
	// A registered ring spares a descriptor look-up per enter. The thread's table
	// may be full, and kernels before 5.18 have none: then do without.
	u := rsrcUpdate{offset: ^uint32(0), data: uint64(r.fd)}
	if register(r.fd, registerRingFDs, unsafe.Pointer(&u), 1) == nil {
		r.enterFD, r.enter = int(u.offset), enterRegisteredRing
	}
	return nil
}

// disown undoes enable's registration. The thread's table would keep the ring alive.
func (r *ring) disown() error {
	if r.enter&enterRegisteredRing == 0 {
		return nil
	}
	u := rsrcUpdate{offset: uint32(r.enterFD)}
	r.enterFD, r.enter = r.fd, 0
	if err := register(r.fd, unregisterRingFDs, unsafe.Pointer(&u), 1); err != nil {
		return fmt.Errorf("unregistering the ring: %w", err)
	}
	return nil
}

// opcodes asks which opcodes the kernel has.
func (r *ring) opcodes() (has [256]bool, err error) {
	var p probe
	if err := register(r.fd, registerProbe, unsafe.Pointer(&p), len(p.ops)); err != nil {
		return has, fmt.Errorf("asking io_uring for its opcodes: %w", err)
	}
	for _, o := range p.ops[:p.opsLen] {
		has[o.op] = o.flags&opSupported != 0
	}
	return has, nil
}

// Probe says which optional features of io_uring this machine offers, or, with
// an error that wraps engine.ErrUnavailable, why it offers none.
func Probe() (features []string, err error) {
	r, err := openRing(1, 2, setups, new(options))
	if err != nil {
		return nil, err
	}
	has, err := r.opcodes()
	if err == nil {
		features = r.featureNames(&has)
	}
	return features, errors.Join(err, r.close())
}

// Optional features by the kernel's names for them.
var (
	setupNames = []struct {
		flag uint32
		name string
	}{
		{setupSingleIssuer, "SINGLE_ISSUER"},
		{setupDeferTaskrun, "DEFER_TASKRUN"},
		{setupCoopTaskrun, "COOP_TASKRUN"},
		{setupNoSQArray, "NO_SQARRAY"},
	}
	opcodeNames = []struct {
		op   uint8
		name string
	}{
		{opRenameat, "RENAMEAT"},
		{opUnlinkat, "UNLINKAT"},
		{opMkdirat, "MKDIRAT"},
		{opFtruncate, "FTRUNCATE"},
	}
)

func (r *ring) featureNames(has *[256]bool) []string {
	var names []string
	for _, s := range setupNames {
		if r.flags&s.flag != 0 {
			names = append(names, s.name)
		}
	}
	if r.features&featExtArg != 0 {
		names = append(names, "EXT_ARG")
	}
	// Before the ring is enabled: kernels that know either flag can register one.
	if r.enter&enterRegisteredRing != 0 || r.disabled() && r.flags&(setupCoopTaskrun|setupDeferTaskrun) != 0 {
		names = append(names, "registered ring")
	}
	for _, o := range opcodeNames {
		if has[o.op] {
			names = append(names, o.name)
		}
	}
	return names
}

// unavailable explains why io_uring_setup failed.
func unavailable(err error) error {
	why := err.Error()
	switch {
	case errors.Is(err, unix.ENOSYS):
		why = "this kernel has no io_uring, or a seccomp filter hides it"
	case errors.Is(err, unix.EPERM):
		why = forbidden()
	case errors.Is(err, unix.EOPNOTSUPP):
	case errors.Is(err, unix.EINVAL):
		why = "this kernel refuses every way of setting a ring up; Linux 5.10 or later is needed"
	case errors.Is(err, unix.ENOMEM):
		why = "the ring's memory was refused; a higher RLIMIT_MEMLOCK (ulimit -l) may help"
	}
	return fmt.Errorf("io_uring is %w: %s (%w)", engine.ErrUnavailable, why, err)
}

const disabledSysctl = "/proc/sys/kernel/io_uring_disabled"

func forbidden() string {
	b, err := os.ReadFile(disabledSysctl)
	if err != nil {
		return "a seccomp filter forbids it, as containers often do"
	}
	switch strings.TrimSpace(string(b)) {
	case "2":
		return "kernel.io_uring_disabled is 2, which forbids it to everyone"
	case "1":
		return "kernel.io_uring_disabled is 1, which leaves it to CAP_SYS_ADMIN and the group in kernel.io_uring_group"
	}
	return "a seccomp filter or security module forbids it, as containers often do"
}
