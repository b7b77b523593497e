package run

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"moonio/engine"
	"moonio/engine/dist"
)

func (p *Phase) validate() error {
	switch {
	case len(p.Jobs) == 0:
		return errors.New("the phase has no jobs")
	case p.Threads < 1 || p.Threads > MaxThreads:
		return fmt.Errorf("threads = %d: from 1 to %d are possible", p.Threads, MaxThreads)
	case len(p.Jobs) == p.owners() && (p.Engine != "" || !p.Place.IsZero()):
		return errors.New("every job has threads of its own: give engine, cpus, numa, nice and ioprio to the jobs")
	case p.Interval < MinInterval:
		return fmt.Errorf("interval = %v: the shortest is %v", p.Interval, MinInterval)
	case p.Warmup < 0 || p.Duration < 0 || p.Ops < 0 || p.Bytes < 0 || p.Iterations < 0:
		return errors.New("a limit is negative")
	}
	if err := p.Steady.validate(); err != nil {
		return err
	}
	names := map[string]bool{}
	for i := range p.Jobs {
		j := &p.Jobs[i]
		if names[j.Name] {
			return fmt.Errorf("two jobs are named %q: results are found by name", j.Name)
		}
		names[j.Name] = true
		if err := j.validate(p); err != nil {
			return fmt.Errorf("job %q: %w", j.Name, err)
		}
	}
	if err := cmp.Or(p.checkThreads(), p.checkRoom()); err != nil {
		return err
	}
	return cmp.Or(p.validateTurns(), p.validateEnds(), p.checkEnds())
}

// owners is how many of the jobs have threads of their own.
func (p *Phase) owners() int {
	n := 0
	for i := range p.Jobs {
		if p.Jobs[i].Own != nil {
			n++
		}
	}
	return n
}

// checkThreads refuses more threads than there can be. A job's own must all have something
// to do.
func (p *Phase) checkThreads() error {
	all := 0
	if p.owners() < len(p.Jobs) {
		all = p.Threads
	}
	for i := range p.Jobs {
		j := &p.Jobs[i]
		if j.Own == nil {
			continue
		}
		n := j.Own.Count
		if all += n; n < 1 || all > MaxThreads {
			return fmt.Errorf("job %q: threads = %d: a phase can have from 1 to %d, those of all its jobs together", j.Name, n, MaxThreads)
		}
		if at := j.atOnce(); at < n {
			return fmt.Errorf("job %q: threads = %d, and it does only %d things at once: give it a depth or clients of at least its threads", j.Name, n, at)
		}
	}
	return nil
}

// checkRoom refuses what this machine has no memory for: a slip in a number would
// otherwise take the machine down, and not only the run.
func (p *Phase) checkRoom() error {
	flights, buffers := 0, 0.0
	for i := range p.Jobs {
		j := &p.Jobs[i]
		n := j.atOnce()
		if flights += n; flights > MaxInFlight || n > MaxInFlight {
			return fmt.Errorf("job %q: too many operations at once: %d; the depths and clients of a phase's jobs can come to %d together", j.Name, n, MaxInFlight)
		}
		if s := j.Stream; s != nil && !s.paced() {
			buffers += float64(n) * float64(s.largestTransfer())
		}
	}
	if memory := memorySize(); memory > 0 && buffers > memory/2 {
		return fmt.Errorf("depth times block size is %.1f GiB of buffers, more than half of the machine's memory of %.1f GiB: lower one of them", buffers/(1<<30), memory/(1<<30))
	}
	return nil
}

// atOnce is how many operations a job can have in flight, its clients' queues aside.
func (j *Job) atOnce() int {
	switch {
	case j.Stream != nil:
		return j.Stream.Depth
	case j.Replay != nil:
		return j.Replay.Depth
	}
	return j.Clients.Count
}

// largestTransfer is the most bytes that one of the stream's operations needs a buffer for.
func (s *Stream) largestTransfer() int64 {
	var most int64
	for _, share := range s.Mix {
		switch share.Op {
		case engine.Read:
			most = max(most, s.Read.Block.Max())
		case engine.Write, engine.Append:
			most = max(most, s.Write.Block.Max())
		}
	}
	return most
}

// memorySize is the machine's memory in bytes; 0 if the kernel does not say.
func memorySize() float64 {
	var info unix.Sysinfo_t
	if unix.Sysinfo(&info) != nil {
		return 0
	}
	return float64(info.Totalram) * float64(info.Unit)
}

// checkEnds refuses a phase that could only be interrupted.
func (p *Phase) checkEnds() error {
	if p.Duration > 0 || p.Ops > 0 || p.Bytes > 0 && p.transfers() {
		return nil
	}
	var endless []string
	turns := false
	for i := range p.Jobs {
		j := &p.Jobs[i]
		turns = turns || j.Clients != nil
		if j.EndsPhase && !j.endless() {
			return nil
		}
		if j.endless() && !p.endedBy(j.Name) {
			endless = append(endless, fmt.Sprintf("%q", j.Name))
		}
	}
	if len(endless) == 0 || p.Iterations > 0 && turns {
		return nil
	}
	if p.Bytes > 0 {
		return fmt.Errorf("nothing would end the phase: bytes = %d counts bytes read and written, and none of its jobs moves any", p.Bytes)
	}
	return fmt.Errorf("nothing would end the phase: give it duration, ops, bytes or iterations, or each of its jobs an end (endless: %s)", strings.Join(endless, ", "))
}

// transfers says whether any of the jobs may read or write data: of clients and replays that is not known.
func (p *Phase) transfers() bool {
	return slices.ContainsFunc(p.Jobs, func(j Job) bool { return j.Stream == nil || j.Stream.transfers() })
}

func (j *Job) endless() bool {
	s := j.Stream
	if j.Clients != nil {
		return j.Duration == 0 && j.Clients.Turns == 0
	}
	return j.Duration == 0 && j.Replay == nil && (s == nil || s.Ops == 0 && s.Bytes == 0 && s.Passes == 0 && !s.only() && !s.UntilFull)
}

func (j *Job) validate(p *Phase) error {
	switch {
	case howMany(j.Stream != nil, j.Clients != nil, j.Replay != nil) != 1:
		return errors.New("a job is either a stream, clients or a replay")
	case j.Start < 0 || j.Duration < 0:
		return errors.New("its start or duration is negative")
	case p.Duration > 0 && j.Start >= p.Duration:
		return fmt.Errorf("start = %v is not before the phase's end at %v", j.Start, p.Duration)
	case j.Stream != nil:
		return j.Stream.validate()
	case j.Replay != nil:
		return j.Replay.validate()
	case j.Clients.Rate != nil && j.Clients.Rate.Bytes:
		return fmt.Errorf("rate = %s: it is of turns, and they have no bytes: give it in turns, as in \"100/s\"", j.Clients.Rate)
	case j.Clients.Turns < 0:
		return fmt.Errorf("%d turns: there cannot be less than none", j.Clients.Turns)
	case j.Clients.Count < 1:
		return fmt.Errorf("%d clients: at least 1 is needed", j.Clients.Count)
	}
	return nil
}

func (s *Stream) validate() error {
	switch {
	case s.Depth < 1:
		return fmt.Errorf("depth = %d: at least 1 is needed", s.Depth)
	case len(s.Files) == 0:
		return errors.New("no file")
	case s.Ops < 0 || s.Bytes < 0 || s.Passes < 0 || s.Batch < 0 || s.Forget < 0:
		return errors.New("a limit is negative")
	case s.Bytes > 0 && !s.transfers():
		return fmt.Errorf("bytes = %d: it counts bytes read and written, and the stream moves none (op = %s)", s.Bytes, s.Mix)
	case s.Forget > 0 && !s.transfers():
		return fmt.Errorf("invalidate_every = %d: it counts bytes read and written, and the stream moves none (op = %s)", s.Forget, s.Mix)
	case s.UntilFull && (s.Verify != nil || !s.has(engine.Write) && !s.has(engine.Append)):
		return fmt.Errorf("until_full: it is for a stream that writes and verifies nothing, and this is of %s", s.Mix)
	case s.Passes > 0 && !s.does(false) && !s.does(true):
		return fmt.Errorf("passes = %d: %s visits no places in turn", s.Passes, s.Mix)
	}
	for _, share := range s.Mix {
		if err := s.validateOp(share.Op); err != nil {
			return err
		}
	}
	return cmp.Or(s.validateSyncs(), s.validateFlow(), s.validateThink(), s.validateRates(), s.validatePrios())
}

// transfers says whether any of the stream's operations reads or writes data: only that counts towards a
// limit in bytes.
func (s *Stream) transfers() bool {
	return s.TrimWrite || slices.ContainsFunc(s.Mix, func(m dist.Share) bool { return m.Op.Transfers() })
}

func (s *Stream) validateSyncs() error {
	writes := s.has(engine.Write) || s.has(engine.Append) || s.TrimWrite
	for _, e := range s.Syncs {
		switch {
		case e.Writes < 1 || !syncs(e.Code):
			return fmt.Errorf("%s after every %d writes: a sync is fsync, fdatasync or sync_range, and comes after 1 write at least", e.Code, e.Writes)
		case !writes:
			return fmt.Errorf("%s = %d: it counts writes, and the stream makes none (op = %s)", e.Code, e.Writes, s.Mix)
		}
	}
	switch {
	case s.SyncEnd != engine.Nop && s.SyncEnd != engine.Fsync && s.SyncEnd != engine.Fdatasync:
		return fmt.Errorf("sync_at_end = %q: it is fsync or fdatasync", s.SyncEnd)
	case s.TrimWrite && !s.has(engine.Trim):
		return errors.New("a write that follows trims needs some")
	}
	return nil
}

// validateFlow checks how operations go to the engine and come back.
func (s *Stream) validateFlow() error {
	switch {
	case s.Run < 0 || s.Most < 0 || s.Submit < 0 || s.Low < 0 || s.MaxLatency < 0:
		return errors.New("a limit is negative")
	case s.Low >= s.Depth && s.Low > 0:
		return fmt.Errorf("depth_low = %d: it is below the depth, which is %d", s.Low, s.Depth)
	case s.Submit > s.Depth:
		return fmt.Errorf("submit_batch = %d: it is at most the depth, which is %d", s.Submit, s.Depth)
	case s.Most > 0 && s.Most < s.Batch:
		return fmt.Errorf("batch_max = %d: it is at least batch, which is %d", s.Most, s.Batch)
	case s.Order.Sequential && !s.does(true) && !s.does(false) && !s.has(engine.Append):
		return fmt.Errorf("file_order = \"sequential\": %s moves no data, and nothing tells when a file has had its turn", s.Mix)
	}
	return nil
}

func (s *Stream) validateThink() error {
	t := s.Think
	switch {
	case t == nil:
		return nil
	case t.Every < 0 || t.After < 0 || t.Spin < 0:
		return errors.New("think: a number is negative")
	case (t.Every == 0) == (t.After == 0):
		return errors.New("think_every: it is a number of operations, or a time at work")
	}
	if err := t.Time.Check(); err != nil {
		return fmt.Errorf("think = %s: %w", t.Time, err)
	}
	return nil
}

func (s *Stream) validateOp(c engine.OpCode) error {
	block := s.Write.Block
	switch {
	case c == engine.Read:
		block = s.Read.Block
	case c == engine.Fsync || c == engine.Fdatasync:
		return nil
	case c != engine.SyncRange && c != engine.Write && c != engine.Append && c != engine.Trim:
		return fmt.Errorf("a stream cannot be made of %s", c)
	}
	switch {
	case block.IsZero():
		return fmt.Errorf("%s: no block size", c)
	case block.Max() > maxTransfer:
		return fmt.Errorf("%s of %d bytes: one operation can transfer at most %d MiB", c, block.Max(), maxTransfer>>20)
	}
	return nil
}

func syncs(c engine.OpCode) bool {
	return c == engine.Fsync || c == engine.Fdatasync || c == engine.SyncRange
}

// howMany is how many of the conditions hold.
func howMany(conditions ...bool) (n int) {
	for _, c := range conditions {
		if c {
			n++
		}
	}
	return n
}
