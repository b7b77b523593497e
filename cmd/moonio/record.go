package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"

	"moonio/engine"
	"moonio/engine/run"
	"moonio/engine/trace"
	"moonio/engine/trace/record"
)

// recording is where a run's operations are written down.
type recording struct {
	*record.Recorder
	file *traceFile
	log  *trace.Log
}

// checkRecord refuses a place where the record cannot go. Nothing is made there yet.
func checkRecord(path string) error {
	switch _, err := os.Lstat(path); {
	case path == "":
		return nil
	case path == "-":
		return usage("--record -: standard output is the result's; name a file")
	case err == nil:
		return usage("--record %s: the file is there already, and is not overwritten: name another, or remove it", path)
	case !errors.Is(err, os.ErrNotExist):
		return usage("--record %s: %w", path, err)
	}
	if err := newFileIn(path); err != nil {
		return usage("--record %s: %w", path, err)
	}
	return nil
}

// startRecord begins to record the run, if it is to be.
func (r *running) startRecord() error {
	path := r.flags.record
	if path == "" {
		return nil
	}
	log := &trace.Log{}
	f, err := newTraceFile(r.program, path, formatFor(path, r.flags.recordFormat), log)
	if err != nil {
		return fmt.Errorf("--record %s: %w", path, err)
	}
	r.record = &recording{record.New(f, log), f, log}
	return nil
}

// tap puts an engine under record.
func (c *recording) tap(e engine.Engine, slots int, jobs []string) (run.Tap, error) {
	return c.Engine(e, slots, jobs)
}

// dropRecord removes what there is of a record of a run that has not taken place.
func (r *running) dropRecord(why error) error {
	c := r.record
	if c == nil {
		return nil
	}
	r.record = nil
	if err := c.file.finish(errors.Join(why, c.Recorder.Close())); !errors.Is(err, why) {
		return err
	}
	return nil
}

// endRecord completes the record. What a run that failed did until then is worth keeping; a
// record that could not be written whole is not.
func (r *running) endRecord() error {
	c := r.record
	if c == nil {
		return nil
	}
	r.record = nil
	if err := c.file.finish(c.Recorder.Close()); err != nil {
		return fmt.Errorf("--record %s: %w", c.file.path, err)
	}
	for _, note := range c.log.Notes {
		r.note("%s", note)
	}
	for _, reason := range slices.Sorted(maps.Keys(c.log.Skipped)) {
		r.note("not recorded: %d × %s", c.log.Skipped[reason], reason)
	}
	r.note("%d operations recorded in %s: `moonio trace info` says what they are", c.Records(), c.file.path)
	return nil
}
