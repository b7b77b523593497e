package replay

import (
	"io"

	"moonio/engine/trace"
)

// window reads the records of a trace that are to be played. Their times count from its
// start, never go back, and have no idle time longer than allowed.
type window struct {
	trace trace.Reader
	o     *Options
	begun bool
	first int64 // time of the trace's first record
	last  int64 // of the latest record, uncut
	cut   int64 // idle time that was taken out
	out   int64 // time of the latest record that was returned
	open  bool  // a record was returned
}

// read gives the next record; io.EOF after the last.
func (w *window) read(r *trace.Record) error {
	for {
		if err := w.trace.Read(r); err != nil {
			return err
		}
		if !w.begun {
			w.begun, w.first, w.last = true, r.Time, r.Time
		}
		t := max(r.Time-w.first, 0)
		switch {
		case t < int64(w.o.From):
			w.last = max(w.last, r.Time)
			continue
		case w.o.To > 0 && t >= int64(w.o.To):
			return io.EOF
		}
		w.place(r)
		return nil
	}
}

// place moves a record to its time in the window.
func (w *window) place(r *trace.Record) {
	if !w.open {
		w.open = true
		w.cut = max(r.Time-w.first, 0) // the window begins at its first record
		w.last = max(w.last, r.Time)
	}
	r.Time = max(r.Time, w.last)
	if gap := int64(w.o.MaxGap); gap > 0 && r.Time-w.last > gap {
		w.cut += r.Time - w.last - gap
	}
	w.last = r.Time
	w.out = r.Time - w.first - w.cut
	r.Time = w.out
}
