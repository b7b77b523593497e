package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"moonio/engine/trace/profile"
)

// One stream in many encodings has one profile, whatever it was read from.
func TestKnownTraceInEveryEncoding(t *testing.T) {
	dir := filepath.Join("..", "..", "testdata", "traces", "same_stream")
	files, err := filepath.Glob(filepath.Join(dir, "*.gz"))
	if err != nil || len(files) < 7 {
		t.Fatalf("%v, %v", files, err)
	}
	for _, path := range files {
		if strings.HasSuffix(path, ".blktrace.1.gz") {
			continue // comes with .0
		}
		t.Run(filepath.Base(path), func(t *testing.T) {
			args := []string{path}
			if strings.HasSuffix(path, ".tsv.gz") {
				args = append(args, "--trace-format", "columns:time=1:ns,op=2:R/W,offset=3:bytes,length=4:bytes,separator=tab,header=1")
			}
			if one, ok := strings.CutSuffix(path, ".0.gz"); ok {
				args = append(args, one+".1.gz")
			}
			known(t, infoOf(t, args...))
		})
	}
}

// A script of any trace is one that moonio takes.
func TestScriptsOfTraces(t *testing.T) {
	dir := filepath.Join("..", "..", "testdata", "traces")
	files, err := filepath.Glob(filepath.Join(dir, "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	tried := 0
	for _, path := range files {
		var script, errs bytes.Buffer
		switch code := Main([]string{"trace", "script", "--no-run", path}, nil, &script, &errs); code {
		case exitFailed: // it is no trace, or one of no time
			continue
		case exitDone:
			tried++
		default:
			t.Errorf("%s: exit code %d: %s", path, code, errs.String())
			continue
		}
		if code := Main([]string{"check", "-"}, &script, io.Discard, &errs); code != exitDone {
			t.Errorf("%s: the script is wrong: %s", path, errs.String())
		}
	}
	if tried < 12 {
		t.Errorf("scripts of %d traces of %d", tried, len(files))
	}
}

// Of a trace whose times go back further than its reader mends, nothing gets lost: what comes late counts as
// of the latest time so far.
func TestTimesThatGoBack(t *testing.T) {
	path := filepath.Join(t.TempDir(), "back.csv")
	var text strings.Builder
	const many = 10_000
	for i := range many {
		fmt.Fprintf(&text, "1,R,%d,512,%d\n", i%100*512, int64(1e15)-int64(i)*1e8)
	}
	if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	if r := infoOf(t, path); r.IOs != many {
		t.Errorf("%d I/Os", r.IOs)
	}
	// It spans days: what the script of it does is not kept second by second.
	var errs bytes.Buffer
	if code := Main([]string{"trace", "script", path}, nil, io.Discard, &errs); code != exitDone {
		t.Errorf("exit code %d: %s", code, errs.String())
	}
}

func TestTraceTooLongToModel(t *testing.T) {
	var errs bytes.Buffer
	if code := Main([]string{"trace", "script", "-"}, strings.NewReader("1,R,0,512,1\n1,R,512,512,8700000000000\n"), io.Discard, &errs); code != exitFailed {
		t.Errorf("exit code %d", code)
	}
	if !strings.Contains(errs.String(), "it spans 100 d 16 h, and rates can go on for 100 days: choose a part of it with --from and --to") {
		t.Error(errs.String())
	}
}

func infoOf(t *testing.T, args ...string) *profile.Result {
	t.Helper()
	var out, errs bytes.Buffer
	args = append([]string{"trace", "info", "--format", "json"}, args...)
	if code := Main(args, nil, &out, &errs); code != exitDone {
		t.Fatalf("exit code %d: %s", code, errs.String())
	}
	r := &profile.Result{}
	if err := json.Unmarshal(out.Bytes(), r); err != nil {
		t.Fatal(err)
	}
	return r
}

// known holds a profile to what is known of the stream.
func known(t *testing.T, r *profile.Result) {
	if r.IOs != 2000 || r.Reads != 664 || r.Bytes != 21_980_160 || r.Footprint != 4_239_360 || r.MaxEnd != 25_288_437_248 {
		t.Errorf("%d I/Os, %d reads, %d bytes, %d touched up to %d", r.IOs, r.Reads, r.Bytes, r.Footprint, r.MaxEnd)
	}
	for _, c := range []struct {
		what              string
		got, want, within float64
	}{
		{"sequential share", r.Sequential, 0.4285, 1e-9},
		{"share not on 4 KiB", r.Unaligned4K, 0.7075, 1e-9},
		{"span", float64(r.SpanNS), 1_223_110_898_807, 2e6},
		{"coefficient of variation", r.CV, 4.401, 0.002},
		{"peak to mean", r.PeakToMean1s, 44.6435, 0.001},
	} {
		if math.Abs(c.got-c.want) > c.within {
			t.Errorf("%s: %v, want %v", c.what, c.got, c.want)
		}
	}
}
