package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/sys/unix"

	"moonio/engine/aio"
	"moonio/engine/uring"
)

// condition says whether this machine lets a test do what it must.
func condition(cond string) (bool, error) {
	switch cond {
	case "root":
		return os.Getuid() == 0, nil
	case "loop":
		return mayLoop(), nil
	case "tmpfs":
		return mayMount(), nil
	case "rings": // both of the kernel's asynchronous interfaces
		_, err1 := aio.Probe()
		_, err2 := uring.Probe()
		return err1 == nil && err2 == nil, nil
	}
	return false, errors.New("unknown condition")
}

func mayLoop() bool {
	f, err := os.CreateTemp("", "loop")
	if err != nil {
		return false
	}
	defer os.Remove(f.Name())
	defer f.Close()
	if f.Truncate(1<<20) != nil {
		return false
	}
	dev, err := attach(f.Name())
	return err == nil && detach(dev) == nil
}

func attach(file string) (dev string, err error) {
	out, err := exec.Command("losetup", "--find", "--show", file).Output()
	return strings.TrimSpace(string(out)), err
}

func detach(dev string) error { return exec.Command("losetup", "--detach", dev).Run() }

// loop FILE VARIABLE makes a block device of a file for the rest of the script.
func loop(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: loop FILE VARIABLE")
	}
	dev, err := attach(ts.MkAbs(args[0]))
	ts.Check(err)
	ts.Defer(func() { ts.Check(detach(dev)) })
	ts.Setenv(args[1], dev)
}

func mayMount() bool {
	dir, err := os.MkdirTemp("", "mount")
	if err != nil {
		return false
	}
	defer os.Remove(dir)
	return unix.Mount("tmpfs", dir, "tmpfs", 0, "size=1m") == nil && unix.Unmount(dir, 0) == nil
}

// tmpfs SIZE DIR mounts a file system of that size for the rest of the script.
func tmpfs(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: tmpfs SIZE DIR")
	}
	dir := filepath.Clean(ts.MkAbs(args[1]))
	ts.Check(os.MkdirAll(dir, 0o777))
	ts.Check(unix.Mount("tmpfs", dir, "tmpfs", 0, "size="+args[0]))
	ts.Defer(func() { ts.Check(unix.Unmount(dir, 0)) })
}

// mount DEVICE DIR mounts an ext4 file system for the rest of the script.
func mount(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: mount DEVICE DIR")
	}
	dir := ts.MkAbs(args[1])
	ts.Check(os.MkdirAll(dir, 0o777))
	ts.Check(unix.Mount(args[0], dir, "ext4", 0, ""))
	ts.Defer(func() { ts.Check(unix.Unmount(dir, 0)) })
}
