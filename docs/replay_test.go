package docs_test

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"moonio/engine/replay"
	"moonio/engine/report"
	"moonio/engine/run"
	"moonio/engine/trace/format"
)

const replayPage = "replay.md"

// The page on captured workloads shows what its commands do with the trace of sqlite3 that is
// kept beside it.
func TestReplayPage(t *testing.T) {
	text, err := os.ReadFile(replayPage)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	unpack(t, "testdata/app.strace.gz", filepath.Join(dir, "app.strace"))
	if err := os.CopyFS(dir, os.DirFS("testdata/tables")); err != nil {
		t.Fatal(err)
	}
	s := &shell{dir: dir, moonio: build(t), all: true}
	page, ran := string(text), 0
	got := s.play(t, page, func(body string) {
		if strings.Contains(body, "strace ") {
			capture(t, s.moonio, body)
		} else {
			commands(t, s, body)
		}
		ran++
	})
	if got.sessions < 8 || ran != 3 {
		t.Errorf("%d sessions and %d blocks of commands", got.sessions, ran)
	}
	const mark = "<!-- formats -->\n"
	head, _, _ := strings.Cut(got.text, mark)
	whole := head + mark + formats()
	shows(t, replayPage, page, whole)
	if left, _ := filepath.Glob(filepath.Join(dir, "moonio-*")); left != nil {
		t.Errorf("left behind: %q", left)
	}
}

func unpack(t *testing.T, from, to string) {
	t.Helper()
	f, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, b, 0o666); err != nil {
		t.Fatal(err)
	}
}

// capture runs the commands that make a trace, where their programs are, and sees that moonio
// can read it.
func capture(t *testing.T, moonio, script string) {
	t.Helper()
	for _, peer := range []string{"sqlite3", "strace"} {
		if _, err := exec.LookPath(peer); err != nil {
			if os.Getenv("CI") != "" {
				t.Errorf("%s is needed", peer)
			}
			t.Logf("nothing is captured: %v", err)
			return
		}
	}
	dir := t.TempDir()
	cmd := exec.Command("sh", "-ec", script)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		if strings.Contains(string(out), "ptrace") && os.Getenv("CI") == "" {
			t.Logf("nothing is captured: %s", out)
			return
		}
		t.Errorf("%v: %s", err, out)
		return
	}
	out, err := exec.Command(moonio, "trace", "info", filepath.Join(dir, "app.strace"), "--device", "app.db*", "--format", "json").Output()
	var profile struct{ IOs, Reads, Writes int64 }
	if err == nil {
		err = json.Unmarshal(out, &profile)
	}
	if err != nil || profile.Writes < 200 || profile.Reads < 100 {
		t.Errorf("captured %+v, %v", profile, err)
	}
}

// commands runs commands of moonio's whose output is not shown.
func commands(t *testing.T, s *shell, script string) {
	t.Helper()
	for line := range strings.Lines(script) {
		if out := s.run(t, strings.Fields(line)); s.code != 0 {
			t.Errorf("%s: %s", line, out)
		}
	}
}

// formats is the table of what moonio reads.
func formats() string {
	var b strings.Builder
	b.WriteString("| format | what it is | |\n|---|---|---|\n")
	for _, f := range format.List() {
		note := ""
		if f.ProfileOnly {
			note = "profile only"
		} else if f.Create != nil {
			note = "written too"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", f.Name, strings.ReplaceAll(f.Help, "|", "\\|"), note)
	}
	return b.String()
}

// The page names every policy, and every figure of a replay's result.
func TestReplayPolicies(t *testing.T) {
	b, err := os.ReadFile(replayPage)
	if err != nil {
		t.Fatal(err)
	}
	names := slices.Concat(run.TimingNames(), run.OverlapNames(), run.LateNames(), replay.AddressNames(), replay.AlignmentNames())
	result, err := json.Marshal(report.Replay{Dropped: map[string]int64{"": 1}, CapturedDepth: 1, CapturedMostDepth: 1})
	if err != nil {
		t.Fatal(err)
	}
	var figures map[string]any
	if err := json.Unmarshal(result, &figures); err != nil {
		t.Fatal(err)
	}
	for name := range figures {
		names = append(names, name)
	}
	for _, name := range names {
		if !strings.Contains(string(b), "`"+name+"`") {
			t.Errorf("%s is not on the page", name)
		}
	}
}
