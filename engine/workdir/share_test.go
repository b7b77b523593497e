package workdir

import (
	"context"
	"errors"
	"testing"
)

// Two runs that keep what they make, and share it, work on the same files, whichever makes
// them and whichever ends first. What stays is vouched for.
func TestSharing(t *testing.T) {
	shared := Config{Keep: true, Share: true}
	for _, order := range []string{"first", "second"} {
		dir := t.TempDir()
		write(t, "mine", dir, "yours")
		a, b := use(t, dir, shared), use(t, dir, shared)
		create(t, a, "data")
		fresh, err := b.Guard().WillCreate("data")
		noError(t, err)
		if fresh {
			t.Error("a file that another run has made is fresh")
		}
		refused(t, b.Guard().Writable("yours"), "moonio did not make it")
		c := use(t, dir, Config{Keep: true})
		refused(t, c.Guard().Writable("data"), "it belongs to run", "which is at work")
		closeDir(t, c)
		if order == "second" {
			a, b = b, a
		}
		closeDir(t, a)
		noError(t, b.Guard().Writable("data"))
		closeDir(t, b)
		next := use(t, dir, Config{Keep: true})
		noError(t, next.Guard().Writable("data"))
		closeDir(t, next)
	}
}

// Of two runs that are about to make a file, the second leaves it to the first, and does not
// insist that there is none.
func TestSharingWhatIsNotThereYet(t *testing.T) {
	dir := t.TempDir()
	shared := Config{Keep: true, Share: true}
	a, b := use(t, dir, shared), use(t, dir, shared)
	fresh, err := a.Guard().WillCreate("data")
	noError(t, err)
	if !fresh {
		t.Error("the first to make a file does not insist that there is none")
	}
	if fresh, err = b.Guard().WillCreate("data"); fresh {
		t.Error("the second insists that there is no file")
	}
	noError(t, err)
	closeDir(t, a)
	closeDir(t, b)
}

// Nor does it fail the first if the second was faster, and has even ended.
func TestSharingWhatTheOtherWasFasterToMake(t *testing.T) {
	dir := t.TempDir()
	shared := Config{Keep: true, Share: true}
	a, b := use(t, dir, shared), use(t, dir, shared)
	create(t, a, "unused")
	if fresh, err := a.Guard().WillCreate("data"); !fresh || err != nil {
		t.Errorf("the first to make a file does not insist that there is none: %v", err)
	}
	create(t, b, "data")
	noError(t, a.Guard().Shared("data"))
	closeDir(t, b)
	noError(t, a.Guard().Shared("data"))
	closeDir(t, a)
	has(t, dir, "data=moonio's unused=moonio's")
}

// What somebody else has made in between is not the run's.
func TestNothingIsSharedWithOthers(t *testing.T) {
	dir := t.TempDir()
	a := use(t, dir, Config{Keep: true, Share: true})
	if fresh, err := a.Guard().WillCreate("data"); !fresh || err != nil {
		t.Errorf("fresh is %v: %v", fresh, err)
	}
	write(t, "mine", dir, "data")
	refused(t, a.Guard().Shared("data"), "moonio did not make it")
	closeDir(t, a)
	has(t, dir, "data=mine")
}

// A run that was killed leaves a file that two runs can take up at once.
func TestSharingWhatAKilledRunLeft(t *testing.T) {
	dir := t.TempDir()
	shared := Config{Keep: true, Share: true}
	write(t, "mine", dir, "user")
	killedIn(t, dir, childEnv+"_KEEP=1")
	a, b := use(t, dir, shared), use(t, dir, shared)
	noError(t, a.Guard().Writable("a"))
	noError(t, b.Guard().Writable("a"))
	closeDir(t, a)
	closeDir(t, b)
	next := use(t, dir, Config{})
	noError(t, next.Guard().Writable("a"))
	closeDir(t, next)
}

// While one run lays a file out, another waits.
func TestAlone(t *testing.T) {
	dir := t.TempDir()
	shared := Config{Keep: true, Share: true}
	a, b := use(t, dir, shared), use(t, dir, shared)
	create(t, a, "data")
	release, err := a.Guard().Alone(context.Background(), "data")
	noError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := b.Guard().Alone(ctx, "data"); !errors.Is(err, context.Canceled) {
		t.Errorf("the second to lay a file out is told %v", err)
	}
	release()
	release, err = b.Guard().Alone(context.Background(), "data")
	noError(t, err)
	release()
	for _, g := range []*Guard{nil, use(t, dir, Config{}).Guard(), a.Guard()} {
		release, err := g.Alone(ctx, "absent")
		noError(t, err)
		release()
	}
}
