package report

import (
	"fmt"
	"strings"

	"moonio/engine/hist"
)

// NewLatency summarises a histogram; nil if it is empty or nil.
func NewLatency(h *hist.Histogram) (*Latency, error) {
	if h == nil || h.Count() == 0 {
		return nil, nil
	}
	hdr, err := h.Encode()
	if err != nil {
		return nil, err
	}
	return &Latency{
		MinNS: h.Min(), MeanNS: h.Mean(), MaxNS: h.Max(), StdDevNS: h.StdDev(),
		P50NS: h.Percentile(50), P90NS: h.Percentile(90), P95NS: h.Percentile(95), P99NS: h.Percentile(99),
		P999NS: h.Percentile(99.9), P9999NS: h.Percentile(99.99),
		HDR: hdr,
	}, nil
}

// Histogram is the distribution that was summarised, with its exact extremes and mean.
func (l *Latency) Histogram() (*hist.Histogram, error) {
	h, err := hist.Decode(l.HDR)
	if err != nil {
		return nil, err
	}
	h.Refine(l.MinNS, l.MaxNS, l.MeanNS)
	return h, nil
}

// SetLatency fills the operation's latencies from its histograms, of which
// response may be nil.
func (o *Op) SetLatency(service, response *hist.Histogram) (err error) {
	if o.Service, err = NewLatency(service); err != nil {
		return fmt.Errorf("service times: %w", err)
	}
	if o.Response, err = NewLatency(response); err != nil {
		return fmt.Errorf("response times: %w", err)
	}
	return nil
}

// SetParts fills the parts of the service time from their histograms, both of which may be nil.
func (o *Op) SetParts(submission, completion *hist.Histogram) (err error) {
	if o.Submission, err = NewLatency(submission); err != nil {
		return fmt.Errorf("submission times: %w", err)
	}
	if o.Completion, err = NewLatency(completion); err != nil {
		return fmt.Errorf("completion times: %w", err)
	}
	return nil
}

// SetRates fills IOPS and Bandwidth from Count and Bytes over ns nanoseconds.
// With no time they are 0.
func (o *Op) SetRates(ns int64) {
	o.IOPS, o.Bandwidth = PerSecond(o.Count, ns), PerSecond(o.Bytes, ns)
}

// PerSecond is n per second over ns nanoseconds, 0 over no time.
func PerSecond(n, ns int64) float64 {
	if ns <= 0 {
		return 0
	}
	return float64(n) * 1e9 / float64(ns)
}

// MarshalText gives the warning as one line.
func (w Warning) MarshalText() ([]byte, error) { return []byte(w.Code + ": " + w.Text), nil }

// UnmarshalText reads what MarshalText gave.
func (w *Warning) UnmarshalText(b []byte) error {
	code, text, ok := strings.Cut(string(b), ": ")
	if !ok {
		return fmt.Errorf("warning %q: not of the form \"code: text\"", b)
	}
	w.Code, w.Text = code, text
	return nil
}

// EmptyIntervals is the job's series with nothing in it yet: a row for every
// step of the phase's time, of which row 0 is number StartNS/step, that the job
// was measured in, and in each row all of the job's operations.
func (j *Job) EmptyIntervals(step int64) []Interval {
	end := j.StartNS + j.DurationNS
	if step <= 0 || j.DurationNS <= 0 {
		return nil
	}
	var rows []Interval
	for t := j.StartNS / step * step; t < end; t += step {
		row := Interval{TNS: t, DurationNS: min(step, end-t), Ops: make(map[string]IntervalOp, len(j.Ops))}
		for name := range j.Ops {
			row.Ops[name] = IntervalOp{}
		}
		rows = append(rows, row)
	}
	return rows
}
