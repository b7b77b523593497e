package enginetest

import (
	"slices"
	"testing"

	"golang.org/x/sys/unix"

	"moonio/engine"
)

// named performs an operation on a name.
func (r *rig) named(code engine.OpCode, m *engine.Meta) int64 {
	r.t.Helper()
	return r.do(engine.Op{Code: code, Meta: m})
}

// made opens a file through the engine.
func (r *rig) made(code engine.OpCode, path string, flags int) *engine.File {
	r.t.Helper()
	f := r.file(path, -1)
	res := r.do(engine.Op{Code: code, File: f, Meta: &engine.Meta{Path: path, Flags: flags, Perm: 0o644}})
	if res < 0 {
		r.t.Fatalf("%v of %s: %s", code, path, text(res))
	}
	f.FD = int(res)
	return f
}

func testNames(t *testing.T, target Target) {
	r := newRig(t, target, slots)
	r.want("mkdir", r.named(engine.Mkdir, &engine.Meta{Path: "d", Perm: 0o755}), 0)
	f := r.made(engine.Create, "d/f", unix.O_RDWR|unix.O_CREAT|unix.O_EXCL)
	r.want("write", r.do(engine.Op{Code: engine.Write, File: f, Buf: r.buf(1234, 1)}), 1234)

	m := engine.Meta{Path: "d/f"}
	r.want("stat", r.named(engine.Stat, &m), 0)
	if m.Size != 1234 || m.Dir {
		t.Errorf("stat of a file: size %d, directory %v", m.Size, m.Dir)
	}
	m = engine.Meta{Path: "d"}
	r.want("stat", r.named(engine.Stat, &m), 0)
	if !m.Dir {
		t.Error("stat of a directory: it is none")
	}

	r.want("rename", r.named(engine.Rename, &engine.Meta{Path: "d/f", Path2: "g"}), 0)
	r.want("stat by the old name", r.named(engine.Stat, &engine.Meta{Path: "d/f"}), errno(unix.ENOENT))
	again := r.made(engine.Open, "g", unix.O_RDONLY)
	r.want("read by the new name", r.do(engine.Op{Code: engine.Read, File: again, Buf: r.buf(4096, 0)}), 1234)
	r.want("close", r.do(engine.Op{Code: engine.Close, File: again}), 0)

	m = engine.Meta{Path: "."}
	r.want("list", r.named(engine.List, &m), 0)
	if !slices.Equal(m.Names, []string{"d", "g"}) {
		t.Errorf("list: %q", m.Names)
	}
	m = engine.Meta{Path: "d"}
	r.want("list", r.named(engine.List, &m), 0)
	if len(m.Names) != 0 {
		t.Errorf("list of an empty directory: %q", m.Names)
	}

	r.want("unlink", r.named(engine.Unlink, &engine.Meta{Path: "g"}), 0)
	r.want("read of an unlinked file", r.do(engine.Op{Code: engine.Read, File: f, Buf: r.buf(4096, 0)}), 1234)
	r.want("stat of it", r.named(engine.Stat, &engine.Meta{Path: "g"}), errno(unix.ENOENT))
	r.want("close", r.do(engine.Op{Code: engine.Close, File: f}), 0)

	// A directory keeps its files when it gets another name, and the old name can be used again.
	r.want("mkdir", r.named(engine.Mkdir, &engine.Meta{Path: "d/sub", Perm: 0o755}), 0)
	r.want("close", r.do(engine.Op{Code: engine.Close, File: r.made(engine.Create, "d/sub/f", unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL)}), 0)
	r.want("rename", r.named(engine.Rename, &engine.Meta{Path: "d", Path2: "e"}), 0)
	r.want("mkdir", r.named(engine.Mkdir, &engine.Meta{Path: "d", Perm: 0o755}), 0)
	r.want("stat in the new directory", r.named(engine.Stat, &engine.Meta{Path: "d/sub/f"}), errno(unix.ENOENT))
	r.want("stat in the old one", r.named(engine.Stat, &engine.Meta{Path: "e/sub/f"}), 0)
}

func testNameErrors(t *testing.T, target Target) {
	r := newRig(t, target, slots)
	r.sized("f", 100, 1)
	for _, d := range []string{"d", "full"} {
		r.want("mkdir", r.named(engine.Mkdir, &engine.Meta{Path: d, Perm: 0o755}), 0)
	}
	r.sized("full/x", 1, 1)
	const create = unix.O_RDWR | unix.O_CREAT | unix.O_EXCL
	for _, c := range []struct {
		code engine.OpCode
		meta engine.Meta
		want unix.Errno
	}{
		{engine.Open, engine.Meta{Path: "none"}, unix.ENOENT},
		{engine.Open, engine.Meta{Path: ""}, unix.ENOENT},
		{engine.Open, engine.Meta{Path: "d", Flags: unix.O_RDWR}, unix.EISDIR},
		{engine.Open, engine.Meta{Path: "f/x"}, unix.ENOTDIR},
		{engine.Open, engine.Meta{Path: "f", Flags: unix.O_DIRECTORY}, unix.ENOTDIR},
		{engine.Open, engine.Meta{Path: "../f"}, unix.EXDEV},
		{engine.Open, engine.Meta{Path: "/etc/passwd"}, unix.EXDEV},
		{engine.Create, engine.Meta{Path: "f", Flags: create, Perm: 0o644}, unix.EEXIST},
		{engine.Create, engine.Meta{Path: "d", Flags: create, Perm: 0o644}, unix.EEXIST},
		{engine.Create, engine.Meta{Path: "none/f", Flags: create, Perm: 0o644}, unix.ENOENT},
		{engine.Mkdir, engine.Meta{Path: "d", Perm: 0o755}, unix.EEXIST},
		{engine.Mkdir, engine.Meta{Path: "none/d", Perm: 0o755}, unix.ENOENT},
		{engine.Unlink, engine.Meta{Path: "none"}, unix.ENOENT},
		{engine.Unlink, engine.Meta{Path: "d"}, unix.EISDIR},
		{engine.Unlink, engine.Meta{Path: "d/../f"}, unix.EXDEV},
		{engine.Rename, engine.Meta{Path: "none", Path2: "g"}, unix.ENOENT},
		{engine.Rename, engine.Meta{Path: "f", Path2: "d"}, unix.EISDIR},
		{engine.Rename, engine.Meta{Path: "d", Path2: "f"}, unix.ENOTDIR},
		{engine.Rename, engine.Meta{Path: "d", Path2: "full"}, unix.ENOTEMPTY},
		{engine.Rename, engine.Meta{Path: "d", Path2: "d/x"}, unix.EINVAL},
		{engine.Rename, engine.Meta{Path: "f", Path2: "../f"}, unix.EXDEV},
		{engine.Stat, engine.Meta{Path: "none"}, unix.ENOENT},
		{engine.Stat, engine.Meta{Path: "f/x"}, unix.ENOTDIR},
		{engine.List, engine.Meta{Path: "none"}, unix.ENOENT},
		{engine.List, engine.Meta{Path: "f"}, unix.ENOTDIR},
	} {
		r.want(c.code.String()+" "+c.meta.Path+" "+c.meta.Path2, r.named(c.code, &c.meta), errno(c.want))
	}
	m := engine.Meta{Path: "."}
	r.want("list", r.named(engine.List, &m), 0)
	if !slices.Equal(m.Names, []string{"d", "f", "full"}) {
		t.Errorf("after nothing but errors: %q", m.Names)
	}
}
