package run

import "moonio/engine"

// Tap is an engine that wants to know for which job it works, such as one that records
// what is done.
type Tap interface {
	engine.Engine
	// Job says which of the phase's jobs the next operation in a slot belongs to, and to which
	// of its clients, counted from 1; 0: it is not of clients.
	Job(slot, job, client uint32)
}

// listen puts the session's tap around the worker's engine, outside of everything else.
func (w *Worker) listen() error {
	if w.p.s.Tap == nil {
		return nil
	}
	var jobs []string
	for i := range w.p.plan.Jobs {
		jobs = append(jobs, w.p.plan.Jobs[i].Name)
	}
	tap, err := w.p.s.Tap(w.eng, w.limit, jobs)
	if err != nil {
		return err
	}
	w.tap, w.eng = tap, tap
	return nil
}

// tell tells the tap whose operations are about to be submitted.
func (w *Worker) tell(batch []uint32) {
	for _, i := range batch {
		client := 0
		if t := w.slots[i].task; t != nil {
			client = t.ID + 1
		}
		w.tap.Job(i, uint32(w.slots[i].job), uint32(client))
	}
}
