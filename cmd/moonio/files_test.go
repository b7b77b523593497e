package main

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func put(t *testing.T, path, text string) string {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func text(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func hello(w io.Writer) error {
	_, err := io.WriteString(w, "hello")
	return err
}

func TestReplaceFile(t *testing.T) {
	dir := t.TempDir()
	path := put(t, filepath.Join(dir, "r"), "old")
	if err := os.Chmod(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := replaceFile(path, func(w io.Writer) error { hello(w); return errors.New("no") }); err == nil || text(t, path) != "old" {
		t.Errorf("error %v, text %q", err, text(t, path))
	}
	if err := replaceFile(path, hello); err != nil || text(t, path) != "hello" {
		t.Errorf("error %v, text %q", err, text(t, path))
	}
	if st, _ := os.Stat(path); st.Mode().Perm() != 0o600 {
		t.Errorf("mode %v", st.Mode())
	}
	if names, _ := os.ReadDir(dir); len(names) != 1 {
		t.Errorf("left behind: %v", names)
	}
}

func TestResultFile(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	put(t, at("empty"), "")
	put(t, at("result"), "{\n \"schema\": \"moonio.result/1\",\n \"tool\": {}}")
	put(t, at("later"), `{"schema":"moonio.result/2"`)
	put(t, at("letter"), "Dear friend,")
	put(t, at("json"), `{"a": {"schema": "moonio.result/1"}}`)
	if err := errors.Join(os.Mkdir(at("dir"), 0o755), os.Symlink("result", at("link")), os.Symlink("nothing", at("lost")), unix.Mkfifo(at("pipe"), 0o600)); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		at("empty"):     "",
		at("result"):    "",
		at("later"):     "",
		at("new"):       "",
		at("link"):      "",
		at("pipe"):      "",
		"/dev/null":     "",
		at("letter"):    "it exists and is not a result of moonio's: remove it, or give another name",
		at("json"):      "is not a result of moonio's",
		at("dir"):       "it is neither a file nor a pipe",
		at("lost"):      "it is a link to nothing",
		at("no/file"):   "there is no directory " + at("no"),
		at("new") + "/": "there is no directory " + at("new"),
	} {
		f, err := newResultFile(path)
		if want == "" {
			if err != nil {
				t.Errorf("%s: %v", path, err)
			} else if f.stream != (path == "/dev/null" || path == at("pipe")) {
				t.Errorf("%s: %+v", path, f)
			}
		} else if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %s", path, err, want)
		}
	}
	if _, err := os.Stat(at("new")); err == nil {
		t.Error("checking a place made a file there")
	}
}

// A link stays one, and what it leads to is replaced.
func TestResultThroughLink(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "r"), "")
	link := filepath.Join(dir, "link")
	if err := os.Symlink("r", link); err != nil {
		t.Fatal(err)
	}
	f, err := newResultFile(link)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.write(0, hello); err != nil {
		t.Fatal(err)
	}
	if to, err := os.Readlink(link); err != nil || to != "r" || text(t, link) != "hello" {
		t.Errorf("link to %q (%v), text %q", to, err, text(t, link))
	}
}

// A pipe is written to if somebody reads it, and not waited for for ever.
func TestResultToPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := unix.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := newResultFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.write(0, hello); !errors.Is(err, unix.ENXIO) || !strings.HasPrefix(err.Error(), "nobody reads it: ") {
		t.Errorf("without a reader: %v", err)
	}
	got := make(chan string)
	go func() {
		b, _ := os.ReadFile(path)
		got <- string(b)
	}()
	if err := f.write(time.Minute, hello); err != nil {
		t.Error(err)
	}
	if s := <-got; s != "hello" {
		t.Errorf("read %q", s)
	}
}

func TestUnwritableDirectory(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("NOT TESTED: root can write everywhere")
	}
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o555); err != nil {
		t.Fatal(err)
	}
	if _, err := newResultFile(filepath.Join(dir, "r")); !errors.Is(err, unix.EACCES) {
		t.Errorf("error %v", err)
	}
}
