package backend

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"moonio/engine"
	"moonio/engine/enginetest"
	"moonio/engine/osfs"
)

func TestParse(t *testing.T) {
	for spec, want := range map[string]Choice{
		"":                            {Name: "auto"},
		"auto":                        {Name: "auto"},
		"io_uring":                    {Name: "io_uring"},
		"pool":                        {Name: "pool"},
		" pool:threads = 64 ":         {Name: "pool", Options: map[string]string{"threads": "64"}},
		"pool:threads=64":             {Name: "pool", Options: map[string]string{"threads": "64"}},
		"libaio":                      {Name: "libaio"},
		"psync":                       {Name: "psync"},
		"pvsync2:uncached, nowait=0":  {Name: "pvsync2", Options: map[string]string{"uncached": "1", "nowait": "0"}},
		"null":                        {Name: "null"},
		"sim":                         {Name: "sim"},
		"sim:hdd,fsync=12ms":          {Name: "sim"},
		"sim:parallelism=4,read=80us": {Name: "sim"},
	} {
		got, err := Parse(spec)
		if err != nil || got.Name != want.Name || !maps.Equal(got.Options, want.Options) {
			t.Errorf("Parse(%q) = %+v, %v", spec, got, err)
		}
	}
	c, err := Parse("sim:sata-ssd,parallelism=2")
	if err != nil || c.Device.Profile != "sata-ssd" || c.Device.Parallelism != 2 {
		t.Errorf("device %v, %v", c.Device, err)
	}
}

func TestParseErrors(t *testing.T) {
	for spec, want := range map[string]string{
		"iouring":                   `unknown engine "iouring": use auto, io_uring, giouring, libaio, pool, psync, sync, pvsync2, mmap, null, sim (did you mean "io_uring"?)`,
		"posixaio":                  `unknown engine "posixaio": use auto, io_uring`,
		":threads=1":                `unknown engine "": use auto`,
		"pool:thread=4":             `engine pool: unknown option "thread": use threads (did you mean "threads"?)`,
		"pool:threads=0":            `pool: threads=0: want a number from 1 to 8192`,
		"pool:threads":              `engine pool: option "threads": write it as threads=N`,
		"pool:threads=1,threads=2":  `engine pool: option threads is given twice`,
		"pvsync2:uncached=2":        `pvsync2: uncached=2: want 1 or 0`,
		"null:x=1":                  `engine null has no options, and "null:x=1" gives it some`,
		"sim:nvm":                   `(did you mean "nvme"?)`,
		"sim:hdd,parallellism=deep": `(did you mean "parallelism"?)`,
	} {
		if _, err := Parse(spec); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Parse(%q): %v, want %s", spec, err, want)
		}
	}
}

func open(t *testing.T, spec string) (*Backend, error) {
	t.Helper()
	c, err := Parse(spec)
	if err != nil {
		t.Fatal(err)
	}
	var files engine.FS
	if !c.Memory() {
		files = enginetest.Dir(t)
	}
	return Open(c, files, 1)
}

func TestOpen(t *testing.T) {
	for _, spec := range []string{"auto", "pool", "pool:threads=2", "null", "sim", "sim:hdd"} {
		b, err := open(t, spec)
		if err != nil {
			t.Errorf("%s: %v", spec, err)
			continue
		}
		if b.Name() == Auto || (b.Why() != "") != (spec == Auto) {
			t.Errorf("%s is %s because %q", spec, b.Name(), b.Why())
		}
		e, err := b.Engine(engine.Config{Slots: 4})
		if err != nil {
			t.Errorf("%s: %v", spec, err)
			continue
		}
		info := e.Info()
		if info.Name != b.Name() || info.Virtual != b.Virtual() || info.Memory != b.FS().Memory() {
			t.Errorf("%s: backend %q, virtual %v, memory %v, engine %+v", spec, b.Name(), b.Virtual(), b.FS().Memory(), info)
		}
		if err := e.Close(); err != nil {
			t.Errorf("%s: %v", spec, err)
		}
	}
}

func TestBeside(t *testing.T) {
	b, err := open(t, "pool")
	if err != nil {
		t.Fatal(err)
	}
	x, err := b.Beside("pvsync2:nowait")
	if err != nil {
		t.Fatal(err)
	}
	info, err := x.Info()
	if err != nil || x.FS() != b.FS() || x.Name() != "pvsync2" || info.Depth != 1 || !slices.Equal(info.Features, []string{"nowait"}) {
		t.Errorf("%+v, %v", info, err)
	}
	e, err := x.Engine(engine.Config{Slots: 1, Plain: true})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if got := e.Info().Features; got != nil {
		t.Errorf("a plain engine has %q", got)
	}
	null, err := open(t, "null")
	if err != nil {
		t.Fatal(err)
	}
	if same, err := null.Beside("null"); same != null || err != nil {
		t.Errorf("null beside null: %v", err)
	}
	for _, c := range []struct {
		b          *Backend
		spec, want string
	}{
		{b, "sim:hdd", "engine sim:hdd can't be had beside pool, whose files are on storage"},
		{null, "psync", "engine psync can't be had beside null, whose files are in memory"},
		{b, "pool:threads=x", "pool: threads=x: want a number from 1 to 8192"},
	} {
		if _, err := c.b.Beside(c.spec); err == nil || err.Error() != c.want {
			t.Errorf("error %v, want %s", err, c.want)
		}
	}
}

// The workers of a run see the same files.
func TestWorkersShareFiles(t *testing.T) {
	b, err := open(t, "null")
	if err != nil {
		t.Fatal(err)
	}
	var engines []engine.Engine
	for range 2 {
		e, err := b.Engine(engine.Config{Slots: 1})
		if err != nil {
			t.Fatal(err)
		}
		defer e.Close()
		engines = append(engines, e)
	}
	do := func(e engine.Engine, op engine.Op) int64 {
		out := make([]engine.Completion, 1)
		if err := e.Submit([]engine.Op{op}, []uint32{0}); err != nil {
			t.Fatal(err)
		}
		if n, err := e.Wait(out, 1, engine.NoDeadline); n != 1 || err != nil {
			t.Fatal(n, err)
		}
		return out[0].Res
	}
	if res := do(engines[0], engine.Op{Code: engine.Mkdir, Meta: &engine.Meta{Path: "d"}}); res != 0 {
		t.Fatal(res)
	}
	m := &engine.Meta{Path: "d"}
	if res := do(engines[1], engine.Op{Code: engine.Stat, Meta: m}); res != 0 || !m.Dir {
		t.Errorf("what one worker made, another does not see: %d, %+v", res, m)
	}
}

func TestProbe(t *testing.T) {
	all := Probe()
	var names []string
	for _, s := range all {
		names = append(names, s.Name)
		if s.About == "" || s.Available == (s.Why != "") || s.Available && s.Depth == "" {
			t.Errorf("status %+v", s)
		}
		c, err := Parse(s.Name)
		if err != nil {
			t.Error(err)
			continue
		}
		fs, err := osfs.Open(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Open(c, fs, 1); (err == nil) != s.Available {
			t.Errorf("%s: available %v, and opening it gives %v", s.Name, s.Available, err)
		}
		if err := fs.Shutdown(); err != nil {
			t.Error(err)
		}
	}
	if !slices.Equal(append([]string{Auto}, names...), Names()) {
		t.Errorf("engines %q, names %q", names, Names())
	}
}
