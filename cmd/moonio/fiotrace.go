package main

import (
	"context"
	"errors"
	"io"
	"os"

	"moonio/cmd/internal/fiolua"
	"moonio/engine"
	"moonio/engine/replay"
	"moonio/engine/trace"
	"moonio/engine/trace/format"
)

// readStart reads the beginning of a file.
func readStart(path string, most int) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, int64(most)))
}

// readTrace finds what a trace does to its files, with each offset where place puts it.
func readTrace(path string, place func(offset int64) int64) (*fiolua.Captured, error) {
	st, err := os.Stat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, errors.New("there is no such file")
	case err != nil:
		return nil, err
	case !st.Mode().IsRegular():
		return nil, errors.New("a trace is read more than once, and that is no file: pipe it into `moonio replay -`")
	}
	t, err := format.Open([]string{path}, &trace.Options{})
	if err != nil {
		return nil, err
	}
	if err := t.Playable(); err != nil {
		t.Close()
		return nil, err
	}
	r := &relocated{Trace: t, place: place}
	survey, err := replay.Look(context.Background(), r.open, &replay.Options{})
	if err != nil {
		return nil, err
	}
	c := &fiolua.Captured{Named: namesPaths[t.Formats[0].Name], Longest: survey.Longest}
	for i, f := range survey.Files {
		c.Files = append(c.Files, fiolua.CapturedFile{Name: f.Name, End: f.End, Reads: r.reads[trace.ID(i)], Writes: r.changes[trace.ID(i)]})
	}
	return c, nil
}

// namesPaths are the formats whose files have the names of paths.
var namesPaths = map[string]bool{"iolog": true, ownFormat: true}

// relocated is a trace whose offsets are moved, and that notes what its files are used for.
type relocated struct {
	*format.Trace
	place          func(offset int64) int64
	reads, changes map[trace.ID]bool
}

func (p *relocated) open() (*replay.Trace, error) {
	p.reads, p.changes = map[trace.ID]bool{}, map[trace.ID]bool{}
	return &replay.Trace{Reader: p, Log: p.Log, Close: p.Close}, nil
}

func (p *relocated) Read(r *trace.Record) error {
	if err := p.Trace.Read(r); err != nil {
		return err
	}
	if r.Offset != trace.AtEnd {
		r.Offset = p.place(r.Offset)
	}
	if r.Op == engine.Read {
		p.reads[r.File] = true
	} else if r.Op.Writes() {
		p.changes[r.File] = true
	}
	return nil
}
