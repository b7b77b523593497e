package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "write what commands print into the scripts' goldens")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"moonio": main})
}

// TestScripts runs the whole program as testdata/script/*.txtar say.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "../../testdata/script",
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(e *testscript.Env) error {
			e.Setenv("NO_COLOR", "1")
			return nil
		},
		Condition: condition,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":    exits,
			"signal":   signalled,
			"tidy":     tidy,
			"json":     jsonValue,
			"agree":    agree,
			"schema":   schema,
			"little":   little,
			"filesize": fileSize,
			"same":     same,
			"unstable": unstable,
			"loop":     loop,
			"tmpfs":    tmpfs,
			"mount":    mount,
		},
	})
}

// exits CODE PROGRAM ARGS… runs a program that must end with that code.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM [ARGS…]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	code := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var e *exec.ExitError
		if !errors.As(err, &e) {
			ts.Fatalf("%v", err)
		}
		code = e.ExitCode()
	}
	if code != want {
		ts.Fatalf("exit code %d, want %d", code, want)
	}
}

// signal SIGNALS UNTIL END PROGRAM ARGS… starts a program, waits until a file that
// matches UNTIL is there, and sends it the signals, separated by commas: each when
// the one before has had its effect. END is the exit code that it must end with, or
// "killed". What it writes is in the files stdout and stderr.
func signalled(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 4 {
		ts.Fatalf("usage: signal SIGNALS UNTIL END PROGRAM [ARGS…]")
	}
	program, err := exec.LookPath(args[3])
	ts.Check(err)
	cmd := exec.Command(program, args[4:]...)
	cmd.Dir = ts.MkAbs(".")
	cmd.Env = append(os.Environ(), "NO_COLOR=1")
	stdout, err := os.Create(ts.MkAbs("stdout"))
	ts.Check(err)
	defer stdout.Close()
	stderr, err := os.Create(ts.MkAbs("stderr"))
	ts.Check(err)
	defer stderr.Close()
	cmd.Stdout, cmd.Stderr = stdout, stderr
	ts.Check(cmd.Start())
	defer cmd.Process.Kill()
	await(ts, args[1])
	last := ""
	for name := range strings.SplitSeq(args[0], ",") {
		ts.Check(until("the effect of "+last, func() bool { return effective(ts, last, cmd.Process.Pid, stderr.Name()) }))
		ts.Check(cmd.Process.Signal(signals[name]))
		last = name
	}
	_ = cmd.Wait() // how it ended is in its state
	end := strconv.Itoa(cmd.ProcessState.ExitCode())
	if cmd.ProcessState.Sys().(syscall.WaitStatus).Signaled() {
		end = "killed"
	}
	if end != args[2] {
		ts.Fatalf("ended with %s, want %s", end, args[2])
	}
}

// effective says whether a program has come to know of a signal. One that has been
// stopped stays so for a while, and one that goes on works for a while.
func effective(ts *testscript.TestScript, signal string, pid int, stderr string) bool {
	switch signal {
	case "":
		return true
	case "STOP":
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		ts.Check(err)
		stopped := bytes.Contains(stat, []byte(") T "))
		if stopped {
			time.Sleep(300 * time.Millisecond)
		}
		return stopped
	case "CONT":
		time.Sleep(time.Second)
		return true
	}
	said, err := os.ReadFile(stderr)
	ts.Check(err)
	return bytes.Contains(said, []byte("once more stops at once"))
}

var signals = map[string]os.Signal{"INT": syscall.SIGINT, "TERM": syscall.SIGTERM, "HUP": syscall.SIGHUP, "QUIT": syscall.SIGQUIT, "KILL": syscall.SIGKILL, "STOP": syscall.SIGSTOP, "CONT": syscall.SIGCONT}

// await waits until there is a file that matches the pattern.
func await(ts *testscript.TestScript, pattern string) {
	ts.Check(until("a file "+pattern, func() bool {
		found, err := filepath.Glob(ts.MkAbs(pattern))
		ts.Check(err)
		return len(found) > 0
	}))
}

// until waits for something that comes soon, or never.
func until(what string, come func() bool) error {
	for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if come() {
			return nil
		}
	}
	return fmt.Errorf("%s has not come", what)
}

// tidy says that no run has left anything in these directories, or in the
// current one.
func tidy(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) == 0 {
		args = []string{"."}
	}
	var left []string
	for _, dir := range args {
		for _, pattern := range []string{"moonio-*", ".moonio", ".*.json.*"} {
			found, err := filepath.Glob(filepath.Join(ts.MkAbs(dir), pattern))
			ts.Check(err)
			left = append(left, found...)
		}
	}
	if neg == (len(left) == 0) {
		ts.Fatalf("left behind: %q", left)
	}
}

// unstable FILE takes out of a report for people what differs from machine to machine.
func unstable(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: unstable FILE")
	}
	text := regexp.MustCompile(`(?m)^machine  .*\n( {9}.*\n)*`).ReplaceAllString(ts.ReadFile(args[0]), "")
	text = regexp.MustCompile(`(?m)^(run      seed \d+, )moonio .*`).ReplaceAllString(text, "${1}…")
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o666))
}
