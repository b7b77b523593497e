package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestRequire(t *testing.T) {
	top := t.TempDir()
	dir := filepath.Join(top, "scripts")
	for _, d := range []string{dir, filepath.Join(dir, "lib")} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	put(t, filepath.Join(dir, "a.lua"), "return 1")
	put(t, filepath.Join(dir, "lib", "b.lua"), "return 2")
	put(t, filepath.Join(top, "secret.lua"), "return 3")
	if err := os.Symlink("../secret.lua", filepath.Join(dir, "out.lua")); err != nil {
		t.Fatal(err)
	}
	s := &script{name: "x.lua", dir: dir}
	for name, want := range map[string]string{"a": "return 1", "lib.b": "return 2"} {
		source, chunk, err := s.require(name)
		if err != nil || source != want || chunk != filepath.Join(dir, strings.ReplaceAll(name, ".", "/")+".lua") {
			t.Errorf("%s: %q, %q, %v", name, source, chunk, err)
		}
	}
	for name, want := range map[string]string{
		"c":                      `no module "c"`,
		"../secret":              "a module's name is made of",
		"/etc/passwd":            "a module's name is made of",
		"..secret":               "a module's name is made of",
		"lib..b":                 "a module's name is made of",
		"":                       "a module's name is made of",
		"out":                    "escapes",
		"lib":                    `no module "lib"`,
		strings.Repeat("x", 300): "too long",
	} {
		if _, _, err := s.require(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %s", name, err, want)
		}
	}
	if _, _, err := (&script{name: "wal"}).require("a"); err == nil || !strings.Contains(err.Error(), `no module "a"`) {
		t.Errorf("a built-in script: %v", err)
	}
}
