// Package docs_test runs what the documentation shows.
package docs_test

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write what the commands print into the pages")

// block is a fenced block of a page.
type block struct {
	language   string
	start, end int // of what is in it
}

var fences = regexp.MustCompile("(?ms)^```(\\w+)\n(.*?)^```$")

func blocks(page string) []block {
	var list []block
	for _, m := range fences.FindAllStringSubmatchIndex(page, -1) {
		list = append(list, block{page[m[2]:m[3]], m[4], m[5]})
	}
	return list
}

// The page for fio's users shows the script that its job becomes.
func TestFioPage(t *testing.T) {
	const path = "fio.md"
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	s := &shell{dir: t.TempDir(), moonio: build(t)}
	page := string(text)
	for _, b := range blocks(page) {
		if b.language == "ini" {
			if err := os.WriteFile(filepath.Join(s.dir, "reads.fio"), []byte(page[b.start:b.end]), 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	got := s.play(t, page, nil)
	if got.sessions != 1 || s.code != 0 {
		t.Errorf("%d sessions, exit %d", got.sessions, s.code)
	}
	shows(t, path, page, got.text)
}

// shows compares what stands on a page with what is shown now, and writes that there if it is asked to.
func shows(t *testing.T, path, page, now string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(now), 0o666); err != nil {
			t.Fatal(err)
		}
	} else if now != page {
		t.Errorf("%s shows something else: run `go test ./docs -update`\n%s", path, now)
	}
}

// fileName is the first line of a Lua block that is a file: "-- NAME.lua: what it is".
var fileName = regexp.MustCompile(`\A-- ([\w-]+\.lua): `)

// The scripts of the tutorial do what is shown below their commands.
func TestTutorial(t *testing.T) {
	const path = "tutorial.md"
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	s := &shell{dir: dir, moonio: build(t)}
	page := string(text)
	got := s.play(t, page, nil)
	if got.scripts != 3 || got.sessions < 5 {
		t.Errorf("%d scripts and %d sessions", got.scripts, got.sessions)
	}
	shows(t, path, page, got.text)
	if left, _ := filepath.Glob(filepath.Join(dir, "moonio-*")); left != nil {
		t.Errorf("left behind: %q", left)
	}
}

func build(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "moonio")
	if out, err := exec.Command("go", "build", "-o", program, "../cmd/moonio").CombinedOutput(); err != nil {
		t.Fatalf("building moonio: %v\n%s", err, out)
	}
	return program
}

// played is a page whose sessions show what they do now.
type played struct {
	text              string
	scripts, sessions int
}

// play makes files of a page's scripts and goes through its sessions. Blocks of shell commands are for
// sh; nil passes them over.
func (s *shell) play(t *testing.T, page string, sh func(body string)) played {
	t.Helper()
	var got played
	at := 0
	for _, b := range blocks(page) {
		body := page[b.start:b.end]
		switch b.language {
		case "lua":
			name := fileName.FindStringSubmatch(body)
			if name == nil {
				t.Fatalf("a script without its name:\n%s", body)
			}
			if err := os.WriteFile(filepath.Join(s.dir, name[1]), []byte(body), 0o666); err != nil {
				t.Fatal(err)
			}
			got.scripts++
		case "console":
			got.text += page[at:b.start] + s.session(t, body)
			at = b.end
			got.sessions++
		case "sh":
			if sh != nil {
				sh(body)
			}
		}
	}
	got.text += page[at:]
	return got
}

// shell runs the commands of console blocks, one after another.
type shell struct {
	dir, moonio string
	all         bool // all that is written to standard error is shown, first
	code        int  // of the last command
}

// session is a console block with what its commands print now.
func (s *shell) session(t *testing.T, body string) string {
	t.Helper()
	var b strings.Builder
	for line := range strings.Lines(body) {
		command, ok := strings.CutPrefix(line, "$ ")
		if !ok {
			continue
		}
		b.WriteString(line)
		b.WriteString(s.run(t, strings.Fields(command)))
	}
	return b.String()
}

// run runs "moonio …", "moonio … | head -N", "moonio … > FILE" or "echo $?". Of quotes it knows those
// around a word.
func (s *shell) run(t *testing.T, words []string) string {
	t.Helper()
	if n := len(words) - 3; n > 0 && words[n] == "|" && words[n+1] == "head" {
		lines, err := strconv.Atoi(words[n+2][1:])
		if err != nil {
			t.Fatalf("%q: %v", words, err)
		}
		all := strings.SplitAfter(s.run(t, words[:n]), "\n")
		return strings.Join(all[:min(lines, len(all))], "")
	}
	if n := len(words) - 2; n > 0 && words[n] == ">" {
		return s.exec(t, words[:n], words[n+1])
	}
	switch {
	case strings.Join(words, " ") == "echo $?":
		return strconv.Itoa(s.code) + "\n"
	case words[0] != "moonio":
		t.Fatalf("%q is not a command of this shell", words)
	}
	return s.exec(t, words, "")
}

// exec runs moonio; to is the file that its standard output goes to, if it is not shown.
func (s *shell) exec(t *testing.T, words []string, to string) string {
	t.Helper()
	args := slices.Clone(words[1:])
	for i := range args {
		args[i] = strings.Trim(args[i], "'")
	}
	if args[0] == "run" || args[0] == "replay" {
		args = append(args, "--no-progress") // which a busy machine has time to show
	}
	cmd := exec.Command(s.moonio, args...)
	cmd.Dir = s.dir
	cmd.Env = append(os.Environ(), "NO_COLOR=1")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	s.code = cmd.ProcessState.ExitCode()
	if real, err := filepath.EvalSymlinks(s.dir); err == nil {
		stdout = *bytes.NewBuffer(bytes.ReplaceAll(stdout.Bytes(), []byte(real), []byte(".")))
	}
	if to != "" {
		if err := os.WriteFile(filepath.Join(s.dir, to), stdout.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
		stdout.Reset()
	}
	if s.all {
		return stderr.String() + stable(stdout.String())
	}
	return stable(stdout.String()) + messages(stderr.String())
}

// messages are what moonio says on standard error, besides its progress.
func messages(stderr string) string {
	var b strings.Builder
	for line := range strings.Lines(stderr) {
		if strings.HasPrefix(line, "moonio: ") {
			b.WriteString(line)
		}
	}
	return b.String()
}

var unstable = []struct {
	what *regexp.Regexp
	by   string
}{
	{regexp.MustCompile(`(?m)^machine  .*\n( {9}.*\n)*`), ""},
	{regexp.MustCompile(`(?m)^(run      seed \d+), .*`), "$1"},
	{regexp.MustCompile(`\n\n+\z`), "\n"},
}

// stable takes out of what moonio prints what differs from machine to machine.
func stable(text string) string {
	for _, u := range unstable {
		text = u.what.ReplaceAllString(text, u.by)
	}
	return text
}
