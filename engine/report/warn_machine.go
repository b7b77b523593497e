package report

import (
	"cmp"
	"fmt"

	"moonio/engine"
	"moonio/engine/environ"
	"moonio/engine/units"
)

const (
	othersBytes  = 1 << 20 // per second: the least foreign traffic worth a word
	othersOps    = 50      // per second: likewise
	othersShare  = 0.05    // of our own bytes: likewise
	busyShare    = 0.9     // of a worker's time outside Wait: the tool is the limit
	cpuShare     = 0.95    // of the processors' time
	cpuHelped    = 1.02    // of the threads' time: others have helped
	reapShare    = 0.1     // of the service time
	linkShare    = 0.99    // of the possible bandwidth
	idlePatience = 1e9     // ns of looking before counting small numbers per second
)

func noDisk(r *Result) []string {
	s := r.Environment.Storage
	if r.EngineInfo.Memory || !s.InMemory() {
		return nil
	}
	return []string{fmt.Sprintf("%s is %s, which keeps its files in memory: no disk was measured. Give --dir a directory on the storage in question.", s.Mount, s.FSType)}
}

func (r *Result) device() *environ.Device {
	if r.EngineInfo.Memory || r.Environment.Storage == nil {
		return nil
	}
	return r.Environment.Storage.Device
}

func systemDisk(r *Result) []string {
	d := r.device()
	if d == nil || !d.System {
		return nil
	}
	return []string{fmt.Sprintf("%s carries the running system too: its own I/O is in the latencies, and it waited for ours. For figures that hold, measure on another disk.", d.Name)}
}

func slowLink(r *Result) []string {
	d := r.device()
	if d == nil || d.Link == nil || d.Link.MaxGTs() == 0 || d.Link.MaxWidth == 0 {
		return nil
	}
	l := d.Link
	share := l.GTs() * float64(l.Width) / (l.MaxGTs() * float64(l.MaxWidth))
	if share > linkShare {
		return nil
	}
	return []string{fmt.Sprintf("%s is linked at %s ×%d where %s ×%d is possible: %.0f %% of the bandwidth. Look at the slot, the riser and the power settings.",
		d.Name, l.Speed, l.Width, l.MaxSpeed, l.MaxWidth, 100*share)}
}

func busyBefore(r *Result) []string {
	t := r.Idle
	if t == nil || t.DurationNS <= 0 {
		return nil
	}
	bytes := PerSecond(t.ReadBytes+t.WriteBytes, t.DurationNS)
	ops := PerSecond(t.Reads+t.Writes, max(t.DurationNS, idlePatience))
	if bytes < othersBytes && ops < othersOps {
		return nil
	}
	return []string{fmt.Sprintf("%s was busy before the run began: %.0f reads and %.0f writes a second, %s together, over %s. Find who does it with iotop or pidstat -d, and measure when it is quiet.",
		t.Device, PerSecond(t.Reads, t.DurationNS), PerSecond(t.Writes, t.DurationNS), units.ApproxBandwidth(bytes), approx(t.DurationNS))}
}

// otherTraffic compares what the device moved with what the jobs did. It can
// tell only when all of them bypass the page cache, and for writes only when
// nothing made the file system write on its own account.
func otherTraffic(_ *Result, p *Phase) []string {
	t := p.Device
	if t == nil || t.DurationNS <= 0 {
		return nil
	}
	var read, written int64
	quiet := true // no journal, no metadata
	for _, j := range p.Jobs {
		if j.Conditions.IO != "direct" {
			return nil
		}
		j.io(func(name string, o *Op) {
			switch name {
			case engine.Read.String():
				read += o.Bytes
			case engine.Write.String():
				written += o.Bytes
			default:
				quiet = false
			}
		})
		quiet = quiet && (j.Conditions.Sync == "" || written == 0)
	}
	texts := foreign(nil, t, "read", t.ReadBytes, read)
	if quiet {
		texts = foreign(texts, t, "wrote", t.WriteBytes, written)
	}
	return texts
}

func foreign(texts []string, t *Traffic, verb string, all, own int64) []string {
	others := all - own
	if PerSecond(others, t.DurationNS) < othersBytes || float64(others) < othersShare*float64(own) {
		return texts
	}
	return append(texts, fmt.Sprintf("%s %s %s for others while this was measured, beside %s for us. Find who does it with iotop or pidstat -d, and measure when it is quiet.",
		t.Device, verb, size(others), size(own)))
}

// shortest is the shortest phase, in nanoseconds, that says something of the load: in a
// shorter one its beginning weighs too much.
const shortest = 100_000_000

func toolLimit(r *Result, p *Phase) []string {
	if r.EngineInfo.Memory || p.DurationNS < shortest || p.Load.BusyShare < busyShare {
		return nil
	}
	return []string{fmt.Sprintf("the busiest worker was at work %.0f %% of its time and hardly waited for storage: the figures are the tool's pace more than the device's. Give the phase more threads (it has %d).",
		100*p.Load.BusyShare, p.Threads)}
}

func cpuLimit(r *Result, p *Phase) []string {
	cpu := p.CPU.UserNS + p.CPU.SystemNS
	if r.EngineInfo.Memory || cpu == 0 || p.DurationNS < shortest {
		return nil
	}
	// Helpers, an engine's or the kernel's, may use every processor there is. Where more is used than the
	// threads could, some have been at work.
	has := cmp.Or(r.Environment.CPUs, p.Threads)
	used := float64(cpu) / float64(p.DurationNS)
	if r.Engine != "pool" && r.Engine != "mmap" && used < cpuHelped*float64(p.Threads) {
		has = min(has, p.Threads)
	}
	if used < cpuShare*float64(has) {
		return nil
	}
	whose, more := threads(p.Threads)+" could", "the phase more threads, or the machine more processors"
	if has == r.Environment.CPUs {
		whose, more = "there are", "the machine more processors"
	}
	return []string{fmt.Sprintf("%.2f processors were used of the %d that %s: processor time was the limit, %.0f %% of it in the kernel. Give %s.",
		used, has, whose, 100*float64(p.CPU.SystemNS)/float64(cpu), more)}
}

func threads(n int) string {
	if n == 1 {
		return "1 thread"
	}
	return fmt.Sprintf("%d threads", n)
}

func lateReaping(r *Result, p *Phase) []string {
	least := 0.0
	for _, j := range p.Jobs {
		j.io(func(_ string, o *Op) {
			if o.Service != nil && (least == 0 || o.Service.MeanNS < least) {
				least = o.Service.MeanNS
			}
		})
	}
	if r.EngineInfo.Memory || least == 0 || p.Load.ReapMeanNS < reapShare*least {
		return nil
	}
	return []string{fmt.Sprintf("completions lay ready for %s on average (%s at most) before a worker took them, in service times from %s: latencies are too high by that. Give the phase more threads, or the clients less to do.",
		approx(p.Load.ReapMeanNS), approx(p.Load.ReapMaxNS), approx(least))}
}
