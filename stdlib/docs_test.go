package stdlib_test

import (
	"bytes"
	"flag"
	"os"
	"testing"

	"moonio/stdlib"
	"moonio/stdlib/luals"
)

var update = flag.Bool("update", false, "write docs/dsl.md anew")

//go:generate go test -run TestReference . -update

// docs/dsl.md says what the annotations say.
func TestReference(t *testing.T) {
	const path = "../docs/dsl.md"
	var modules []*luals.File
	for _, name := range stdlib.Modules() {
		source, _ := stdlib.Module(name)
		f, err := luals.Parse(name, source)
		if err != nil {
			t.Fatal(err)
		}
		modules = append(modules, f)
	}
	var b bytes.Buffer
	b.WriteString("<!-- Made from stdlib by `go generate ./stdlib`: change the annotations there. -->\n")
	if err := luals.Reference(&b, dsl(t), modules...); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(have, b.Bytes()) {
		t.Errorf("%s is not what the annotations say: run `go generate ./stdlib`", path)
	}
}
