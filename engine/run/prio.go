package run

import (
	"fmt"
	"slices"

	"moonio/engine"
	"moonio/engine/hist"
	"moonio/engine/place"
	"moonio/engine/report"
)

// PrioShare gives a share of a stream's operations an I/O priority of their own.
type PrioShare struct {
	Percent float64 // of the operations that the share is of
	Prio    place.Prio
	Op      engine.OpCode // it is of operations of that kind; Nop: of all
	Block   int64         // and of so many bytes; 0: of any
}

// of says whether the share is of such operations.
func (s *PrioShare) of(code engine.OpCode, n int64) bool {
	return (s.Op == engine.Nop || s.Op == code) && (s.Block == 0 || s.Block == n)
}

// rounding is how far a sum of per cents may be off for being one of binary fractions.
const rounding = 1e-9

func (s *Stream) validatePrios() error {
	for _, share := range s.Prios {
		if !(share.Percent >= 0 && share.Percent <= 100) {
			return fmt.Errorf("ioprio_share: %v per cent of the operations: from 0 to 100 are possible", share.Percent)
		}
		for _, op := range []engine.OpCode{engine.Read, engine.Write} {
			if sum := s.shared(op, share.Block); sum > 100+rounding {
				return fmt.Errorf("ioprio_share: the shares of the same operations come to %v per cent, and the most is 100", sum)
			}
		}
	}
	return nil
}

// shared is how many per cent of such operations have a priority of their own.
func (s *Stream) shared(code engine.OpCode, n int64) (percent float64) {
	for i := range s.Prios {
		if s.Prios[i].of(code, n) {
			percent += s.Prios[i].Percent
		}
	}
	return percent
}

// prios are the priorities that the stream gives, each once.
func (s *Stream) prios() (list []place.Prio) {
	for _, share := range s.Prios {
		if !slices.Contains(list, share.Prio) {
			list = append(list, share.Prio)
		}
	}
	return list
}

// checkPrio refuses priorities that the engine has no use for.
func (s *stream) checkPrio(w *Worker) error {
	info := &w.group.info
	if len(s.spec.Prios) == 0 || info.Prio || info.Memory {
		return nil
	}
	err := fmt.Errorf("ioprio_share: engine %s gives operations no priorities of their own: use io_uring or libaio, or ioprio for whole threads", info.Name)
	if w.group.threads.Engine != "" && w.p.s.Fixed == "" {
		return misfit{err}
	}
	return err
}

// prioritize gives an operation a priority of its own, if it is its turn.
func (s *stream) prioritize(op *engine.Op, n int64) {
	at := s.rand.Float64() * 100
	for i := range s.spec.Prios {
		if share := &s.spec.Prios[i]; share.of(op.Code, n) {
			if at < share.Percent {
				op.Prio = uint16(share.Prio)
				return
			}
			at -= share.Percent
		}
	}
}

// rank is what was seen of the operations of one priority. It has both histograms from the beginning: a frame
// that another was added to goes back to the workers, who record in what it has.
type rank struct{ service, completion *hist.Histogram }

func newRank() rank { return rank{hist.New(), hist.New()} }

// ranked records a stream's operation by its priority: the first of a cell's ranks is of those that have
// none of their own, and the others are in the order of prios.
func (w *Worker) ranked(s *slot, op *engine.Op) {
	c := w.rec.frame.cell(int(s.job), key(op.Code))
	prios := s.stream.prios
	for len(c.ranks) <= len(prios) {
		c.ranks = append(c.ranks, newRank())
	}
	r := &c.ranks[1+slices.Index(prios, place.Prio(op.Prio))]
	r.service.Record(w.now - s.submitted)
	if w.detail != nil {
		r.completion.Record(w.now - s.taken)
	}
}

// addRanks merges those of another cell.
func (c *cell) addRanks(o *cell) {
	for i := range o.ranks {
		if i == len(c.ranks) {
			c.ranks = append(c.ranks, newRank())
		}
		c.ranks[i].service = mergeHist(c.ranks[i].service, o.ranks[i].service)
		c.ranks[i].completion = mergeHist(c.ranks[i].completion, o.ranks[i].completion)
	}
}

// priorities are a cell's ranks for the report.
func (p *phase) priorities(job int, c *cell) (list []report.Priority, err error) {
	if len(c.ranks) == 0 {
		return nil, nil
	}
	names := []string{"none"}
	if own := p.groupOf(job).threads.Place.Prio; own != 0 {
		names[0] = own.String()
	}
	for _, prio := range p.plan.Jobs[job].Stream.prios() {
		names = append(names, prio.String())
	}
	for i, r := range c.ranks {
		if r.service.Count() == 0 {
			continue
		}
		one := report.Priority{IOPrio: names[i]}
		if one.Service, err = report.NewLatency(r.service); err != nil {
			return nil, err
		}
		if one.Completion, err = report.NewLatency(r.completion); err != nil {
			return nil, err
		}
		list = append(list, one)
	}
	return list, nil
}
