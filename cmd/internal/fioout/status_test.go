package fioout

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"moonio/cmd/internal/fiojob"
	"moonio/engine"
	"moonio/engine/run"
)

func TestHeader(t *testing.T) {
	var jobs []fiojob.Reported
	command, err := fiojob.Parse([]string{
		"--ioengine=libaio", "--iodepth=16", "--name=a", "--rw=readwrite:4k", "--bs=4k,128k", "--numjobs=3",
		"--name=b", "--stonewall", "--thread", "--rw=randread", "--bssplit=4k/50:64k/:512/10",
		"--name=c", "--bsrange=1k-8k",
	}, fiojob.Sources{})
	if err != nil {
		t.Fatal(err)
	}
	for _, j := range command.Jobs {
		jobs = append(jobs, fiojob.Reported{Job: j})
	}
	var b bytes.Buffer
	if err := Header(&b, jobs); err != nil {
		t.Fatal(err)
	}
	want := `a: (g=0): rw=rw, bs=(R) 4096B-4096B, (W) 128KiB-128KiB, (T) 128KiB-128KiB, ioengine=libaio, iodepth=16
...
b: (g=1): rw=randread, bs=(R) 512B-64.0KiB, (W) 512B-64.0KiB, (T) 512B-64.0KiB, ioengine=libaio, iodepth=16
c: (g=1): rw=read, bs=(R) 1024B-8192B, (W) 1024B-8192B, (T) 1024B-8192B, ioengine=libaio, iodepth=16
fio-3.33
Starting 1 thread and 4 processes
`
	if b.String() != want {
		t.Errorf("got\n%swant\n%s", b.String(), want)
	}
}

// report ties jobs to phases, "name@phase".
func tied(list []string, opts ...string) (jobs []fiojob.Reported) {
	for i, s := range list {
		name, phase, _ := strings.Cut(s, "@")
		j := jobOf(name, 0, opts...)
		j.Stage = i
		jobs = append(jobs, fiojob.Reported{Job: j, Phase: phase, Name: name})
	}
	return jobs
}

func TestStatusLine(t *testing.T) {
	jobs := tied([]string{"a@1", "b@1", "c@1", "d@2"}, "rw", "randrw", "runtime", "20")
	clock := time.Unix(0, 0)
	var b bytes.Buffer
	s := NewStatus(&b, jobs, time.Second, func() time.Time { return clock })
	g := run.Progress{Phase: "1", Share: 0.25, Left: 30 * time.Second, Jobs: []run.JobProgress{
		{Name: "a", Begun: true, Over: true}, {Name: "b", Begun: true}, {Name: "c", Begun: true},
	}}
	g.Ops[engine.Read] = run.OpRate{IOPS: 12_345, Bandwidth: 12_345 * 4096}
	g.Ops[engine.Append] = run.OpRate{IOPS: 10, Bandwidth: 40960}
	g.Ops[engine.Fsync] = run.OpRate{IOPS: 10}
	clock = clock.Add(10 * time.Second)
	s.Show(g)
	want := "Jobs: 2 (f=2): [_(1),m(2),P(1)][16.7%][r=48.2MiB/s,w=40.0KiB/s][r=12.3k,w=10 IOPS][eta 00m:50s]\r"
	if b.String() != want {
		t.Errorf("got  %q\nwant %q", b.String(), want)
	}
	b.Reset()
	clock = clock.Add(900 * time.Millisecond)
	s.Show(g)
	if b.Len() > 0 {
		t.Errorf("%q too soon after another", b.String())
	}
	clock = clock.Add(time.Second)
	s.Show(run.Progress{Phase: "2", Warmup: true, Share: -1, Jobs: []run.JobProgress{{Name: "d", Begun: true}}})
	if got, want := strings.TrimRight(b.String(), " \r"), "Jobs: 1 (f=1): [_(3),/(1)][-.-%][eta --]"; got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if n := b.Len(); n != len("Jobs: 2 (f=2): [_(1),m(2),P(1)][16.7%][r=48.2MiB/s,w=40.0KiB/s][r=12.3k,w=10 IOPS][eta 00m:50s]\r") {
		t.Errorf("%d columns are drawn over, want all of the line before", n)
	}
	s.Clear()
	var none *Status
	none.Show(g)
	none.Clear()
}

func TestLetters(t *testing.T) {
	for rw, want := range map[string]string{"read": "R", "randread": "r", "write": "W", "randwrite": "w", "rw": "M", "randrw": "m", "trim": "D", "randtrim": "d"} {
		j := jobOf("j", 0, "rw", rw)
		if got := letter(fiojob.ValuesOf(&j), false); got != want {
			t.Errorf("%s: %s, want %s", rw, got, want)
		}
	}
}

func TestClockText(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "00m:00s", 61500 * time.Millisecond: "01m:02s", 3*time.Hour + 5*time.Second: "03h:00m:05s", 50 * time.Hour: "02d:02h:00m:00s",
	} {
		if got := clockText(d); got != want {
			t.Errorf("%v: %s, want %s", d, got, want)
		}
	}
}

func TestShort(t *testing.T) {
	for _, c := range []struct {
		n    uint64
		two  bool
		want string
	}{
		{0, true, "0B"}, {9999, true, "9999B"}, {10000, true, "9.77KiB"}, {1 << 20, true, "1024KiB"}, {10 << 20, true, "10.0MiB"},
		{12345678, false, "12.3MB"}, {999_999, false, "1000kB"}, {99_999, false, "100.0kB"}, {1 << 62, true, "4096PiB"},
	} {
		if got := short(c.n, 4, c.two, "B"); got != c.want {
			t.Errorf("%d: %s, want %s", c.n, got, c.want)
		}
	}
}
