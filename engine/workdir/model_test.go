package workdir

import (
	"os"
	"path/filepath"
	"testing"

	"pgregory.net/rapid"
)

// TestNothingOfTheUsersChanges lets scripts do at random whatever the guard
// lets pass. At the end the directory must be as the user left it.
func TestNothingOfTheUsersChanges(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		dir, err := os.MkdirTemp(t.TempDir(), "")
		noError(t, err)
		write(t, "mine", dir, "a")
		mkdir(t, dir, "u")
		write(t, "mine", dir, "u/a")
		mkdir(t, dir, "u/v")
		const before = "a=mine u u/a=mine u/v"

		d := use(t, dir, Config{})
		name := rapid.SampledFrom([]string{"a", "b", "c", "u", "u/a", "u/b", "u/v", "d", "d/a", "d/e", "d/e/f", "u/v/x"})
		for range rapid.IntRange(1, 40).Draw(rt, "operations") {
			step(rt, d, name)
		}
		if notes := closeDir(t, d); notes != "" {
			rt.Errorf("notes: %s", notes)
		}
		if got := contents(t, dir); got != before {
			rt.Fatalf("the directory holds %q, and held %q", got, before)
		}
		unmarked(t, dir)
	})
}

// step does one operation, if the guard lets it. Failures of the operation itself are part of the game.
func step(rt *rapid.T, d *Dir, names *rapid.Generator[string]) {
	g, a := d.Guard(), names.Draw(rt, "name")
	path := filepath.Join(d.Path(), a)
	switch rapid.SampledFrom([]string{"create", "write", "rename", "unlink", "mkdir", "sign"}).Draw(rt, "operation") {
	case "create":
		if _, err := g.WillCreate(a); err == nil {
			os.WriteFile(path, []byte("moonio's"), 0o644)
		}
	case "write":
		if err := g.Writable(a); err == nil {
			os.Truncate(path, 3)
		}
	case "rename":
		b := names.Draw(rt, "new name")
		if err := g.WillRename(a, b); err == nil {
			os.Rename(path, filepath.Join(d.Path(), b))
		}
	case "unlink":
		if err := g.WillUnlink(a); err == nil {
			os.Remove(path)
		}
	case "mkdir":
		if err := g.WillMkdir(a); err == nil {
			os.Mkdir(path, 0o755)
		}
	case "sign":
		if g.mark.Load() != nil {
			g.sign()
		}
	}
}
