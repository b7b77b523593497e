package format_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"moonio/engine/trace"
	"moonio/engine/trace/format"
)

// TestAbsent names traces that are not there.
func TestAbsent(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for _, name := range []string{"orders.iolog", "sda.blktrace.0", "sub/app.strace"} {
		os.MkdirAll(filepath.Dir(name), 0o755)
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("nowhere", "dangling"); err != nil {
		t.Fatal(err)
	}
	const otherwise = ": a trace is a file in a format that `moonio trace formats` lists, a directory of such files, the name of a device whose files "
	for path, want := range map[string]string{
		"order.iolog":        ` (did you mean "orders.iolog"?)`,
		"sdb":                ` (did you mean "sda"?)`,
		"sda.blktrace.1":     ` (did you mean "sda.blktrace.0"?)`,
		"sub/app.strac":      ` (did you mean "app.strace"?)`,
		"elsewhere/a.iolog":  ": there is no directory elsewhere",
		dir + "/quite/other": ": there is no directory " + dir + "/quite",
		"dangling":           ": it is a link to nowhere, which is not there",
		"unlike":             otherwise + "unlike.blktrace.0 and so on are there, or - for standard input",
	} {
		_, err := format.Open([]string{path}, &trace.Options{})
		if !errors.Is(err, fs.ErrNotExist) || err.Error() != "trace: stat "+path+": no such file or directory"+want {
			t.Errorf("%s: got %v, want %s", path, err, want)
		}
	}
	if _, err := format.Open([]string{""}, &trace.Options{}); err == nil || err.Error() != "trace: a file's name is empty" {
		t.Error(err)
	}
}
