package workdir

import (
	"os"
	"path/filepath"
	"testing"
)

func gathered(t *testing.T, root string, overwrite ...string) *Dir {
	t.Helper()
	d, err := Gather(root, []string{"a", "b/c", "a/deep"}, Config{Script: "s", Keep: true, Overwrite: overwrite})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestGather holds directories that lie apart to the rules of one.
func TestGather(t *testing.T) {
	root := t.TempDir()
	for _, dir := range []string{"a/deep", "b/c"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	write := func(name string) {
		if err := os.WriteFile(filepath.Join(root, name), []byte("theirs"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("b/c/theirs")
	write("b/c/named")
	d := gathered(t, root, "b/c/named")
	g := d.Guard()
	for name, may := range map[string]bool{
		"a/f": true, "b/c/f": true, "a/deep/f": true, "b/c/named": true, "b/c/theirs": false, "b/f": false, "f": false, "ab/f": false,
	} {
		if _, err := g.WillCreate(name); (err == nil) != may {
			t.Errorf("creating %s: %v", name, err)
		}
	}
	if err := g.Readable("b/c/theirs"); err != nil {
		t.Error(err)
	}
	for _, name := range []string{"a/f", "b/c/f"} {
		write(name)
	}
	if err := g.WillRename("a/f", "b/c/g"); err == nil {
		t.Error("a file could be renamed from one directory to another")
	}
	if _, err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(root, ".moonio")); err == nil {
		t.Error("there is a mark in the directory that the others are in")
	}
	again := gathered(t, root)
	for name, may := range map[string]bool{"a/f": true, "b/c/f": true, "b/c/theirs": false, "b/c/named": false} {
		if err := again.Guard().Writable(name); (err == nil) != may {
			t.Errorf("writing %s in a later run: %v", name, err)
		}
	}
	if _, err := again.Close(); err != nil {
		t.Fatal(err)
	}
}
