package lua51_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	lua "github.com/yuin/gopher-lua"

	"moonio/vm/lua51"
	"moonio/vm/luafix"
)

// FuzzRun holds a State to its word: whatever the script, Resume returns, without a panic of
// Go code, and its error is one of those that it says.
func FuzzRun(f *testing.F) {
	files, _ := filepath.Glob("../../testdata/lua/*/*.lua")
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, c := range strings.Split(string(source), "\n--- ") {
			_, c, _ = strings.Cut(c, "\n")
			f.Add(c)
		}
	}
	f.Fuzz(func(t *testing.T, source string) {
		if len(source) > 2000 {
			return
		}
		w := newWorld(t, io.Discard)
		defer time.AfterFunc(100*time.Millisecond, func() { w.Interrupt(context.Canceled) }).Stop()
		err := w.run(source, "fuzz")
		var thrown *lua51.Error
		var syntax *luafix.SyntaxError
		var api *lua.ApiError
		switch {
		case err == nil, errors.As(err, &thrown), errors.As(err, &syntax), errors.Is(err, context.Canceled):
		case errors.As(err, &api):
			t.Errorf("a panic: %v", api.Cause)
		default:
			t.Errorf("%T: %v", err, err)
		}
	})
}
