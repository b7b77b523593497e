package run

import (
	"bytes"
	"compress/flate"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
	"pgregory.net/rapid"

	"moonio/engine"
	"moonio/engine/content"
	"moonio/engine/dist"
	"moonio/engine/osfs"
	"moonio/engine/pool"
	"moonio/engine/report"
	"moonio/engine/verify"
)

// diskSession is one whose files hold what is written to them.
func diskSession(t testing.TB, dir string) *Session {
	t.Helper()
	fs, err := osfs.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = fs.Shutdown() })
	s := &Session{FS: fs, Engine: pool.Open, Seed: 1}
	s.State = func(name string, create bool) (int, error) {
		flags := unix.O_RDWR
		if create {
			flags |= unix.O_CREAT
		}
		return fs.Open(name, flags, 0o644)
	}
	s.Keep = func(name string) (int, error) { return fs.Open(name, unix.O_WRONLY|unix.O_CREAT|unix.O_TRUNC, 0o644) }
	return s
}

// sparse makes a file of holes.
func sparse(t testing.TB, s *Session, name string, size int64) *engine.File {
	t.Helper()
	fd, err := s.FS.Open(name, unix.O_RDWR|unix.O_CREAT, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.FS.Truncate(fd, size); err != nil {
		t.Fatal(err)
	}
	f, err := s.Opened(name, fd, unix.O_RDWR)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func verified(t testing.TB, r *report.Phase, job string) *report.Verification {
	t.Helper()
	for _, j := range r.Jobs {
		if j.Name == job && j.Verify != nil {
			return j.Verify
		}
	}
	t.Fatalf("job %q has verified nothing", job)
	return nil
}

// readBack is a job that reads back what a stream wrote.
func readBack(s *Stream) []Job {
	b := *s
	v := *s.Verify
	v.Only, v.Fatal, v.Backlog = true, false, 0
	b.Verify, b.Mix = &v, dist.Mix{{Op: engine.Read, Weight: 1}}
	b.Ops, b.Bytes, b.Passes, b.Syncs = 0, 0, 0, nil
	return []Job{{Name: "back", Stream: &b}}
}

func TestDataOnDisk(t *testing.T) {
	for _, c := range []struct {
		spec        content.Spec
		least, most float64 // share that compresses away
	}{
		{content.Spec{}, 0, 1}, {content.Spec{Kind: content.Zero}, 0.99, 1},
		{content.Spec{Compress: 60, Refill: true}, 0.56, 0.62}, {content.Spec{Refill: true}, -1, 0.01},
	} {
		dir := t.TempDir()
		s := diskSession(t, dir)
		st := stream4K(t, engine.Write, 4, sparse(t, s, "f", 1<<20)).at(dist.Sequential{})
		st.Data, st.Passes = &c.spec, 1
		play(t, s, &Phase{Jobs: oneStream(st)})
		data, err := os.ReadFile(filepath.Join(dir, "f"))
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		w, _ := flate.NewWriter(&out, 6)
		_, _ = w.Write(data)
		_ = w.Close()
		if got := 1 - float64(out.Len())/float64(len(data)); got < c.least || got > c.most {
			t.Errorf("%s: %.2f compress away, want %.2f to %.2f", &c.spec, got, c.least, c.most)
		}
	}
}

// mostRuns bounds how long the test takes.
const mostRuns = 20

// Whatever a phase does to a file, no block is called wrong that is right.
func TestNoFalseAlarmOnDisk(t *testing.T) {
	runs := 0
	rapid.Check(t, func(rt *rapid.T) {
		if runs++; runs > mostRuns {
			return // files take their time
		}
		dir, err := os.MkdirTemp(t.TempDir(), "")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir)
		s := diskSession(t, dir)
		f := sparse(t, s, "f", 256<<10)
		st := drawStream(rt, f)
		threads := rapid.IntRange(1, 2).Draw(rt, "threads")
		phase := &Phase{Threads: threads, Jobs: append(oneStream(st), Job{Name: "c", Clients: crewOf(2, func(c *cli) {
			off := int64(c.Rand.Uint64n(60)) * 4096
			_, err := c.do(Request{Code: engine.Write, File: f, Off: off, Len: 8192})
			c.must(err)
			_, err = c.do(Request{Code: engine.Read, File: f, Off: off, Len: 16384})
			c.must(err)
		})}), Iterations: 20}
		if r, err := s.Run(t.Context(), phase.defaults()); err != nil {
			rt.Fatalf("%+v: %v, %+v", st.Verify, err, r)
		}
		r, err := s.Run(t.Context(), (&Phase{Threads: threads, Jobs: readBack(st)}).defaults())
		if err != nil {
			rt.Fatal(err)
		}
		known := verified(t, r, "back").Checked
		if v := verified(t, r, "back"); v.Mismatches > 0 {
			rt.Fatalf("read back: %+v", v)
		}
		if err := s.EndVerification(); err != nil {
			rt.Fatal(err)
		}
		later := diskSession(t, dir)
		st.Files = []*engine.File{sparse(t, later, "f", 256<<10)}
		r, err = later.Run(t.Context(), (&Phase{Jobs: readBack(st)}).defaults())
		if err != nil {
			rt.Fatal(err)
		}
		if v := verified(t, r, "back"); v.Mismatches > 0 || v.Checked != known {
			rt.Fatalf("later: %+v", v)
		}
		if err := later.EndVerification(); err != nil {
			rt.Fatal(err)
		}
	})
}

func drawStream(t *rapid.T, f *engine.File) *Stream {
	block, err := dist.ParseSizes(rapid.SampledFrom([]string{"4k", "1k", "16k", "4k/50:16k/50", "512-4k"}).Draw(t, "block"), 0)
	if err != nil {
		t.Fatal(err)
	}
	at := []dist.Pattern{dist.Uniform{}, dist.Sequential{}, dist.Zipf{Theta: 1.2}, dist.Runs{Of: dist.Uniform{}, Length: 3}}
	a := Access{At: at[rapid.IntRange(0, len(at)-1).Draw(t, "at")], Block: block, Size: 256 << 10} // appends reach further
	return &Stream{
		Mix:   dist.Mix{{Op: engine.Read, Weight: 1}, {Op: engine.Write, Weight: 3}, {Op: engine.Trim, Weight: 0.1}, {Op: engine.Append, Weight: 0.1}},
		Files: []*engine.File{f}, Read: a, Write: a,
		Depth: rapid.SampledFrom([]int{1, 4, 16}).Draw(t, "depth"),
		Ops:   100, DSync: rapid.IntRange(0, 9).Draw(t, "dsync") == 0,
		Syncs: rapid.SampledFrom([][]SyncEvery{nil, {{Code: engine.Fdatasync, Writes: 50}}}).Draw(t, "syncs"),
		Data:  &content.Spec{Refill: rapid.Bool().Draw(t, "refill")},
		Verify: &Verify{
			Method:  rapid.SampledFrom([]verify.Method{verify.CRC32C, verify.XXHash, verify.MD5, verify.Header}).Draw(t, "method"),
			Backlog: rapid.SampledFrom([]int64{0, 1, 20}).Draw(t, "backlog"),
			Fatal:   true,
		},
	}
}

// A file that lies is caught while the phase runs, by streams and by clients, and the block is kept.
func TestLiesAreCaught(t *testing.T) {
	lie := func(t *testing.T, dir string) {
		f, err := os.OpenFile(filepath.Join(dir, "f"), os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		b := make([]byte, 1)
		for off := int64(4000); off < 1<<20; off += 4096 {
			if _, err := f.ReadAt(b, off); err != nil {
				t.Fatal(err)
			}
			b[0] ^= 8
			if _, err := f.WriteAt(b, off); err != nil {
				t.Fatal(err)
			}
		}
	}
	dir := t.TempDir()
	s := diskSession(t, dir)
	f := sparse(t, s, "f", 1<<20)
	st := stream4K(t, engine.Write, 8, f).at(dist.Sequential{})
	st.Passes, st.Verify = 1, &Verify{Fatal: true, Dump: true}
	play(t, s, &Phase{Jobs: oneStream(st)})
	lie(t, dir)

	for name, jobs := range map[string][]Job{
		"stream":  {{Name: "s", Stream: stream4K(t, engine.Read, 1, f).at(dist.Sequential{})}},
		"clients": oneCrew(1, func(c *cli) { _, err := c.do(read(f, 0)); c.must(err) }),
	} {
		r, err := s.Run(t.Context(), (&Phase{Ops: 10, Jobs: jobs}).defaults())
		var failure *verify.Failure
		if !errors.As(err, &failure) || failure.First.Kind != verify.Flipped || failure.First.Offset != 0 || failure.First.At != 4000 {
			t.Errorf("%s: %v", name, err)
		}
		if v := r.Jobs[0].Verify; r.End != "error" || v == nil || v.Mismatches != 1 || len(v.First) != 1 {
			t.Errorf("%s: ended by %s, %+v", name, r.End, v)
		}
	}
	if _, err := s.Do(read(f, 4096)); err == nil || !strings.Contains(err.Error(), "verification failed: flipped bit") {
		t.Errorf("at the top level: %v", err)
	}
	r, err := s.Run(t.Context(), (&Phase{Jobs: readBack(st)}).defaults())
	if err != nil {
		t.Fatal(err)
	}
	if v := verified(t, r, "back"); v.Checked != 256 || v.Mismatches != 256 || len(v.First) != 8 {
		t.Errorf("all of it: %d of %d, %d shown", v.Mismatches, v.Checked, len(v.First))
	}
	want, err1 := os.ReadFile(filepath.Join(dir, "f.4096.expected"))
	have, err2 := os.ReadFile(filepath.Join(dir, "f.4096.found"))
	if err := errors.Join(err1, err2); err != nil || len(want) != 4096 || len(have) != 4096 || want[4000]^have[4000] != 8 {
		t.Errorf("blocks of %d and %d bytes are kept: %v", len(want), len(have), err)
	}
	if err := s.EndVerification(); err != nil {
		t.Fatal(err)
	}
}

// The backlog is read back after so many writes, and what is left of it at the end.
func TestBacklog(t *testing.T) {
	each(t, func(t *testing.T, threads int) {
		s := diskSession(t, t.TempDir())
		st := stream4K(t, engine.Write, 8, sparse(t, s, "f", 1<<20)).at(dist.Permute{})
		st.Passes, st.Verify = 1, &Verify{Fatal: true, Backlog: 50}
		r := play(t, s, &Phase{Threads: threads, Jobs: oneStream(st)})
		if v := verified(t, r, "s"); v.Checked != 256 || count(t, r, "s", "read") != 256 || count(t, r, "s", "write") != 256 {
			t.Errorf("%+v, %d reads of %d writes", v, count(t, r, "s", "read"), count(t, r, "s", "write"))
		}
		if err := s.EndVerification(); err != nil {
			t.Fatal(err)
		}
	})
}

// A batch of the backlog is read back at a time, the oldest first, and at the end all that is left.
func TestBacklogInBatches(t *testing.T) {
	for _, c := range []struct {
		backlog, batch int64
		want           string
	}{
		{4, 2, "wwwwrrwwrrwwrrwwrrrr"},
		{2, 3, "wwrrwrwwrrwrwwrrwrwr"},
	} {
		s := diskSession(t, t.TempDir())
		st := stream4K(t, engine.Write, 1, sparse(t, s, "f", 1<<20)).at(dist.Sequential{})
		st.Ops, st.Verify = 10, &Verify{Fatal: true, Backlog: c.backlog, Batch: c.batch}
		var a tape
		r := play(t, s, &Phase{Wrap: a.wrap, Jobs: oneStream(st)})
		got, next := "", map[engine.OpCode]int64{}
		for _, e := range a.events {
			if e.done {
				continue
			}
			got += e.op.Code.String()[:1]
			if e.op.Off != next[e.op.Code] {
				t.Errorf("%s at %d, want %d", e.op.Code, e.op.Off, next[e.op.Code])
			}
			next[e.op.Code] += 4096
		}
		if got != c.want || verified(t, r, "s").Checked != 10 {
			t.Errorf("backlog %d, batch %d: %s, want %s", c.backlog, c.batch, got, c.want)
		}
		if err := s.EndVerification(); err != nil {
			t.Fatal(err)
		}
	}
}

// Where there is no storage, the work is done and nothing is judged.
func TestVerifyWithoutStorage(t *testing.T) {
	for _, s := range []*Session{nullSession(t), simSession(t, steady)} {
		st := stream4K(t, engine.Write, 4, s.testFile(t, "f", 1<<20))
		st.Ops, st.Verify = 100, &Verify{Fatal: true, Backlog: 10}
		r := play(t, s, &Phase{Jobs: oneStream(st)})
		if v := verified(t, r, "s"); v.Checked != 0 || v.Unknown == 0 {
			t.Errorf("%+v", v)
		}
	}
}

func TestVerifyRefused(t *testing.T) {
	s := diskSession(t, t.TempDir())
	f := sparse(t, s, "f", 1<<20)
	known := sparse(t, s, "known", 1<<20)
	if err := s.Verify(known, &Verify{Interval: 4096}); err != nil {
		t.Fatal(err)
	}
	for want, change := range map[string]func(st *Stream){
		"is verified by crc32c already": func(st *Stream) { st.Files[0], st.Verify.Method = known, verify.MD5 },
		"what is written to it is random, not zero": func(st *Stream) {
			st.Files[0], st.Verify, st.Data = known, nil, &content.Spec{Kind: content.Zero}
		},
		"interval = 3kB":               func(st *Stream) { st.Verify.Interval = 3000 },
		"interval = 64B":               func(st *Stream) { st.Write.Block = sizes(t, 64) },
		"needs data that is a pattern": func(st *Stream) { st.Verify.Method = verify.Pattern },
		"so that none repeats":         func(st *Stream) { st.Data = &content.Spec{Dedupe: 10} },
		"has a state of its own":       func(st *Stream) { st.Verify.State = "x"; st.Files = append(st.Files, sparse(t, s, "g", 1<<20)) },
	} {
		st := stream4K(t, engine.Write, 1, f)
		st.Ops, st.Verify = 1, &Verify{}
		change(st)
		if _, err := s.Run(t.Context(), (&Phase{Jobs: oneStream(st)}).defaults()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// One write of 4 KiB by a stream without storage under it, and one read.
func BenchmarkVerified(b *testing.B) {
	for name, at := range map[string]dist.Pattern{"sequential": dist.Sequential{}, "random": dist.Uniform{}} {
		for _, op := range []engine.OpCode{engine.Write, engine.Read} {
			b.Run(name+"/"+op.String(), func(b *testing.B) {
				s := nullSession(b)
				st := stream4K(b, op, 32, s.testFile(b, "f", 1<<30)).at(at)
				st.Verify = &Verify{Fatal: true}
				b.ReportAllocs()
				play(b, s, &Phase{Ops: int64(b.N), Jobs: oneStream(st)})
			})
		}
	}
}
