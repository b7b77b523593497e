// Bench measures moonio beside fio: the same work, in turn, several times. It
// prints for each pair of commands the median of the ratios of their figures, as a
// table in Markdown.
//
// Usage, from the module's root, on a machine with nothing else to do:
//
//	go run ./cmd/bench [-dir DIR] [-runs 5] [-time 5s] [-only REGEXP]
//
// It needs fio. It lays a file of 1 GiB out in -dir, and one in -tmpfs, and removes
// both at the end.
package main

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"
)

func main() {
	if err := bench(); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// setup is where and how long everything runs.
type setup struct {
	moonio, fio string // programs
	dir, tmpfs  string // each with a file named fileName
	time        time.Duration
	runs        int
	out         string // scratch for moonio's results
	iolog       string // of reads of the file in dir, 100 µs apart
}

const (
	fileName = "bench.dat"
	fileSize = "1g"
)

func bench() error {
	dir := flag.String("dir", ".", "a directory on the storage to measure")
	tmpfs := flag.String("tmpfs", "/dev/shm", "a directory in a tmpfs")
	runs := flag.Int("runs", 5, "how often each pair runs")
	length := flag.Duration("time", 5*time.Second, "how long each run measures")
	only := flag.String("only", "", "a regular expression: pairs to run")
	list := flag.Bool("list", false, "print the commands and run nothing")
	flag.Parse()
	if err := check(flag.Args(), *runs, *length); err != nil {
		return err
	}
	which, err := regexp.Compile(*only)
	if err != nil {
		return fmt.Errorf("-only: %w", err)
	}
	s := &setup{moonio: "moonio", fio: "fio", dir: *dir, tmpfs: *tmpfs, runs: *runs, time: *length, out: "result.json", iolog: "reads.iolog"}
	if !*list {
		done, err := s.prepare()
		if err != nil {
			return err
		}
		defer done()
	}
	fmt.Println("| work | against | figure | moonio, median | other, median | ratio, median | ratios |\n|---|---|---|---|---|---|---|")
	for _, p := range s.pairs() {
		if !which.MatchString(p.name + " " + p.against) {
			continue
		}
		if *list {
			fmt.Printf("\n%s, against %s\n  %s\n  %s\n", p.name, p.against, p.ours, p.theirs)
			continue
		}
		if err := s.measure(p); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	return nil
}

// check finds what is wrong with the command line.
func check(args []string, runs int, length time.Duration) error {
	switch {
	case len(args) > 0:
		return fmt.Errorf("%s: there are flags, and no arguments", args[0])
	case runs < 1:
		return fmt.Errorf("-runs %d: each pair runs at least once", runs)
	case length < time.Second || length%time.Second != 0:
		return fmt.Errorf("-time %v: it is in whole seconds, which is how fio's runtime is given", length)
	}
	return nil
}

// prepare builds moonio and lays the files out. done removes everything again.
func (s *setup) prepare() (done func(), err error) {
	if _, err := exec.LookPath(s.fio); err != nil {
		return nil, fmt.Errorf("fio is needed to compare with: %w", err)
	}
	var made []string
	done = func() {
		for _, path := range made {
			_ = os.RemoveAll(path)
		}
	}
	interrupted := make(chan os.Signal, 1)
	signal.Notify(interrupted, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	go func() {
		<-interrupted
		done()
		os.Exit(130)
	}()
	work, err := os.MkdirTemp("", "moonio-bench-")
	if err != nil {
		return nil, err
	}
	made = append(made, work)
	s.moonio, s.out = filepath.Join(work, "moonio"), filepath.Join(work, "result.json")
	if out, err := exec.Command("go", "build", "-o", s.moonio, "./cmd/moonio").CombinedOutput(); err != nil {
		done()
		return nil, fmt.Errorf("building moonio: %w\n%s", err, out)
	}
	for _, base := range []*string{&s.dir, &s.tmpfs} {
		d, err := os.MkdirTemp(*base, "moonio-bench-")
		if err != nil {
			done()
			return nil, err
		}
		*base = d
		made = append(made, d)
		if err := s.layOut(filepath.Join(d, fileName)); err != nil {
			done()
			return nil, err
		}
	}
	s.iolog = filepath.Join(work, "reads.iolog")
	if err := s.writeLog(); err != nil {
		done()
		return nil, err
	}
	return done, nil
}

// writeLog writes a log of 200000 reads at random places of the file in dir, 100 µs apart.
func (s *setup) writeLog() error {
	path, err := filepath.Abs(filepath.Join(s.dir, fileName))
	if err != nil {
		return err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "fio version 3 iolog\n0 %s add\n0 %[1]s open\n", path)
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range 200_000 {
		fmt.Fprintf(&b, "%d %s read %d 4096\n", i*100, path, rng.Int64N(1<<18)*4096)
	}
	return os.WriteFile(s.iolog, []byte(b.String()), 0o600)
}

// layOut fills a file with data that does not compress.
func (s *setup) layOut(path string) error {
	cmd := exec.Command(s.fio, "--name=layout", "--filename="+path, "--rw=write", "--bs=1m", "--size="+fileSize, "--refill_buffers", "--end_fsync=1", "--output=/dev/null")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("laying out %s: %w\n%s", path, err, out)
	}
	return nil
}
