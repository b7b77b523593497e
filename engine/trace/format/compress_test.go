package format_test

import (
	"archive/tar"
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz"

	"moonio/engine/trace"
	"moonio/engine/trace/format"
	"moonio/engine/trace/tracetest"
)

// logBZ2 is log, compressed by bzip2, which no library here writes.
var logBZ2 = unbase64("QlpoOTFBWSZTWX+DpYsAABfZgAAQQAB9ICelnYAgAEhpJ+oR4p5QMQiDQBpoZGh1FO7mJKPt5RmfmEIqBKKjGOhj7NkWZOb1GPPCXymIgwu5IpwoSD/B0sWA")

func unbase64(s string) []byte {
	b, err := base64.StdEncoding.DecodeString(s)
	if err != nil {
		panic(err)
	}
	return b
}

// compressed is b after one of the libraries' writers.
func compressed(t testing.TB, b []byte, to func(w io.Writer) (io.WriteCloser, error)) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := to(&out)
	if err == nil {
		_, err = w.Write(b)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func toGzip(w io.Writer) (io.WriteCloser, error) { return gzip.NewWriter(w), nil }
func toZstd(w io.Writer) (io.WriteCloser, error) { return zstd.NewWriter(w) }
func toXZ(w io.Writer) (io.WriteCloser, error)   { return xz.NewWriter(w) }

func TestCompression(t *testing.T) {
	dir := t.TempDir()
	plain := []byte(log)
	for name, b := range map[string][]byte{
		"plain": plain, "gz": compressed(t, plain, toGzip), "zst": compressed(t, plain, toZstd), "xz": compressed(t, plain, toXZ), "bz2": logBZ2,
		"pzst":  slices.Concat([]byte("\x50\x2a\x4d\x18\x03\x00\x00\x00abc"), compressed(t, plain[:30], toZstd), []byte("\x5f\x2a\x4d\x18\x00\x00\x00\x00"), compressed(t, plain[30:], toZstd)),
		"two":   append(compressed(t, plain[:30], toGzip), compressed(t, plain[30:], toGzip)...),
		"twice": compressed(t, compressed(t, plain, toZstd), toGzip),
	} {
		if n, tr := count(t, file(t, dir, name, b)); n != 2 || tr.Log.Bad != 0 || tr.Formats[0].Name != "iolog" {
			t.Errorf("%s: %d records", name, n)
		}
	}
	deep := plain
	for range 5 {
		deep = compressed(t, deep, toGzip)
	}
	if _, err := format.Open([]string{file(t, dir, "deep", deep)}, nil); err == nil || !strings.Contains(err.Error(), "more than 3 times over") {
		t.Error(err)
	}
}

// TestCutOff has compressed files that end too early: what is there is read.
func TestCutOff(t *testing.T) {
	dir := t.TempDir()
	text := []byte(log + strings.Repeat("30 f read 8192 512\n", 100_000))
	for name, to := range map[string]func(io.Writer) (io.WriteCloser, error){"gz": toGzip, "zst": toZstd} {
		b := compressed(t, text, to)
		tr, err := format.Open([]string{file(t, dir, name, b[:len(b)*3/4])}, nil)
		if err != nil {
			t.Fatal(err)
		}
		var r trace.Record
		n := 0
		for ; err == nil; n++ {
			err = tr.Read(&r)
		}
		tr.Close()
		if !errors.Is(err, trace.ErrTruncated) || n == 0 {
			t.Errorf("%s: %v after %d records", name, err, n)
		}
	}
}

// TestDamaged has what comes before the damage of a compressed file, says where that is, and lets the other files of the trace
// go on.
func TestDamaged(t *testing.T) {
	dir := t.TempDir()
	text := []byte(log + strings.Repeat("30 f read 8192 512\n", 100_000))
	whole := file(t, dir, "whole", []byte(log+"40 f read 0 512\n"))
	for name, to := range map[string]func(io.Writer) (io.WriteCloser, error){"gz": toGzip, "zst": toZstd} {
		for kind, b := range map[string][]byte{
			"garbage": append(compressed(t, text, to), "garbage"...),
			"damaged": append(compressed(t, text, to), flipped(compressed(t, text, to))...),
		} {
			path := file(t, dir, kind+"."+name, b)
			tr, err := format.Open([]string{path, whole}, nil)
			if err != nil {
				t.Fatal(err)
			}
			var r trace.Record
			n, other := 0, false
			for ; err == nil; n++ {
				err = tr.Read(&r)
				other = other || r.Time == 40_000
			}
			tr.Close()
			if !errors.Is(err, trace.ErrTruncated) || !strings.Contains(err.Error(), path+", after ") || n < 100_000 || !other {
				t.Errorf("%s: %v after %d records", path, err, n)
			}
		}
	}
}

// flipped is b with its last bytes inverted, where its checksum is.
func flipped(b []byte) []byte {
	for i := range b[len(b)-8:] {
		b[len(b)-8+i] ^= 0xff
	}
	return b
}

// TestMemory refuses compressed files that ask for more memory than there may be.
func TestMemory(t *testing.T) {
	b := compressed(t, []byte(log), toXZ)
	at := bytes.Index(b, []byte("\x21\x01"))
	b[at+2] = 40 // 4 GiB
	if _, err := format.Open([]string{file(t, t.TempDir(), "x.xz", b)}, nil); err == nil || !strings.Contains(err.Error(), "dictionary of 4096 MiB") {
		t.Error(err)
	}
}

// archive is a tar file.
func archive(t *testing.T, files ...string) []byte {
	t.Helper()
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for i := 0; i < len(files); i += 2 {
		w.WriteHeader(&tar.Header{Name: files[i], Size: int64(len(files[i+1])), Mode: 0o600})
		io.WriteString(w, files[i+1])
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TestArchive has two logs, one of them compressed, and a page that is no trace.
func TestArchive(t *testing.T) {
	second := strings.ReplaceAll(strings.ReplaceAll(log, "f ", "g "), "10 ", "15 ")
	b := archive(t, "a/one.log", log, "README", "what this is\n", "a/two.log.gz", string(compressed(t, []byte(second), toGzip)))
	dir := t.TempDir()
	for name, b := range map[string][]byte{"x.tar": b, "x.tar.zst": compressed(t, b, toZstd)} {
		path := file(t, dir, name, b)
		tr, err := format.Open([]string{path}, nil)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, r := range tracetest.All(t, tr) {
			got = append(got, fmt.Sprintf("%d %s", r.Time/1000, tr.Log.Files.Name(r.File)))
		}
		tr.Close()
		if want := "10 f, 15 g, 20 f, 20 g"; strings.Join(got, ", ") != want {
			t.Errorf("%s: %v", name, got)
		}
		if want := []string{path + "/a/one.log", path + "/a/two.log.gz"}; !slices.Equal(tr.Inputs, want) {
			t.Errorf("%s: %v", name, tr.Inputs)
		}
		if want := "passed over, as they are empty or no traces: " + path + "/README"; len(tr.Log.Notes) != 1 || tr.Log.Notes[0] != want {
			t.Errorf("%s: %q", name, tr.Log.Notes)
		}
	}
	if _, err := format.Open([]string{"-"}, &trace.Options{Stdin: bytes.NewReader(b)}); err == nil || !strings.Contains(err.Error(), "name it as a file") {
		t.Error(err)
	}
	var many []string
	for i := range 17 {
		many = append(many, fmt.Sprint(i), log)
	}
	packed := file(t, dir, "many.tgz", compressed(t, archive(t, many...), toGzip))
	if _, err := format.Open([]string{packed}, nil); err == nil || !strings.Contains(err.Error(), "unpack it") {
		t.Error(err)
	}
	if n, _ := count(t, file(t, dir, "many.tar", archive(t, many...))); n != 34 {
		t.Error(n)
	}
}

// TestFilteredXZ is refused, with a way out: its library takes it for an empty file.
func TestFilteredXZ(t *testing.T) {
	const x86 = "/Td6WFoAAATm1rRGAgEEACEBFgANhjUfAQALMSxSLDAsNTEyLDEKALf2D7EkqJsCAAEkDKYY2NgftvN9AQAAAAAEWVo="
	_, err := format.Open([]string{"-"}, &trace.Options{Stdin: bytes.NewReader(unbase64(x86))})
	if err == nil || !strings.Contains(err.Error(), "xz -dc FILE | moonio trace info -") {
		t.Error(err)
	}
}
