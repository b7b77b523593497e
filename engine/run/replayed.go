package run

import (
	"moonio/engine"
	"moonio/engine/hist"
	"moonio/engine/replay"
	"moonio/engine/report"
)

// describeReplay notes what became of a replay's records.
func (p *phase) describeReplay(job int, r *Replay, j *report.Job) error {
	p.describeFiles(r.Files, (*engine.File).Size, &j.Conditions)
	j.Conditions.Pattern = "replay"
	c := &report.Replay{
		Trace: r.Describe, Timing: r.Timing.String(), Speed: r.Speed,
		Records: r.Records, Bytes: r.Bytes,
		CapturedIOPS: r.Captured.IOPS, CapturedDepth: r.Captured.Depth, CapturedMostDepth: r.Captured.MostDepth,
	}
	j.Replay = c
	if !p.closed.Load() {
		return nil // left in the middle: the workers' own figures are still theirs
	}
	late := hist.New()
	for _, w := range p.workers {
		for _, y := range w.players {
			if y.job == job {
				late.Merge(y.late)
				y.addTo(c)
			}
		}
	}
	for _, n := range c.Dropped {
		c.DroppedRecords += n
	}
	c.NotReached = c.Records - c.Issued - c.DroppedRecords
	c.NotReachedBytes = max(c.Bytes-c.IssuedBytes-c.DroppedBytes, 0) // all of which end at what an int64 holds
	c.ReplayedIOPS = report.PerSecond(c.Issued, j.DurationNS)
	c.ReplayedDepth = meanDepth(j)
	var err error
	j.Lateness, err = report.NewLatency(late)
	return err
}

func (y *player) addTo(c *report.Replay) {
	n := &y.counts
	c.Issued += n.records
	c.IssuedBytes += n.bytes
	c.Split += n.parted
	c.Expanded += n.grown
	c.ExtraBytes += n.extra
	c.Flushes += n.flushes
	c.Late += n.late
	c.SlipNS = max(c.SlipNS, n.slip)
	c.ReplayedMostDepth += n.most
	c.DroppedBytes += n.dropBytes
	drops := []map[string]int64{n.drops}
	if y.feed != nil {
		drops = append(drops, y.feed.src.Drops)
		c.DroppedBytes = replay.Sum(c.DroppedBytes, y.feed.src.DropBytes)
	}
	for _, m := range drops {
		for why, k := range m {
			if c.Dropped == nil {
				c.Dropped = map[string]int64{}
			}
			c.Dropped[why] += k
		}
	}
}

// meanDepth is how many operations were in flight on average: Little's law.
func meanDepth(j *report.Job) float64 {
	var sum float64
	for _, op := range j.Ops {
		if op.Service != nil {
			sum += op.Service.MeanNS * float64(op.Count)
		}
	}
	if j.DurationNS <= 0 {
		return 0
	}
	return sum / float64(j.DurationNS)
}
