package format_test

import (
	"os"
	"path/filepath"
	"testing"

	"moonio/engine/trace"
	"moonio/engine/trace/tracetest"
)

// FuzzOpen has whatever may stand in a file: it is decompressed, told and read.
func FuzzOpen(f *testing.F) {
	f.Add([]byte(log))
	f.Add(logBZ2)
	f.Add(compressed(f, []byte(log), toGzip))
	f.Add(compressed(f, []byte(log), toZstd))
	f.Add(compressed(f, []byte(log), toXZ))
	samples, err := filepath.Glob(tracetest.Path("*/*"))
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range samples {
		if b, err := os.ReadFile(path); err == nil && len(b) < 8<<10 {
			f.Add(b)
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		tracetest.Survives(t, &trace.Options{}, b)
	})
}
