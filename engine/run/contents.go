package run

import (
	"moonio/engine"
	"moonio/engine/content"
	"moonio/engine/dist"
)

// filler is what a stream's writes carry on one worker, if it is not the default.
type filler struct {
	source *content.Source
	keys   *content.Keys
}

// newFiller prepares the contents that a stream describes; nil for the default.
func (w *Worker) newFiller(job int, s *Stream) (*filler, error) {
	if s.Data == nil || s.Data.Plain() {
		return nil, nil
	}
	src, err := content.New(*s.Data, dist.Derive(w.p.s.Seed, 0xda7a), s.maxBlock(), 0)
	if err != nil {
		return nil, err
	}
	return &filler{src, src.Keys(dist.Derive(w.p.seed, uint64(job), uint64(w.index), 0xf111))}, nil
}

// prepare gives the write in a slot its data, and begins what is checked of an operation. It is
// called when all else of the operation is set.
func (w *Worker) prepare(i uint32) {
	op, s := &w.ops[i], &w.slots[i]
	if s.check != nil {
		if err := s.begin(op); err != nil {
			w.p.fail(err)
		}
		return
	}
	switch {
	case op.Code != engine.Write && op.Code != engine.Append:
		if op.Code == engine.Read {
			s.primed = false
		}
	case s.stream == nil || s.stream.filler == nil:
		w.mark(op.Buf)
	default:
		f := s.stream.filler
		if !s.primed {
			f.source.Prime(op.Buf[:cap(op.Buf)])
			s.primed = true
		}
		f.source.Fill(op.Buf, op.Off, f.keys.Next())
	}
}
