package run

import (
	"errors"
	"fmt"
	"path"
	"sync"
	"syscall"
	"time"

	"moonio/engine"
	"moonio/engine/content"
	"moonio/engine/dist"
	"moonio/engine/units"
	"moonio/engine/verify"
)

// Verify says how what is written to files is verified.
type Verify struct {
	Method   verify.Method
	Interval int64         // bytes of a block that has a header; 0: what all of a stream's writes are multiples of
	Data     *content.Spec // behind the headers; nil: random
	Backlog  int64         // read back what was written after so many writes; 0: do not
	Batch    int64         // how many of them at a time; 0: all
	Only     bool          // read back what is known to have been written, and do nothing else
	Passes   int64         // with Only, and where nothing is known: how often every block was written
	Fatal    bool          // the first mismatch ends the phase
	Dump     bool          // keep what mismatches in files
	State    string        // name of the file that outlives the run; "": the verified file's, and .verify

	whole int64 // what writes are multiples of, for one who only reads and finds no state
}

// persistEvery is how often what is known is written to the storage.
const persistEvery = time.Second

// check is a file's verification as one job sees it.
type check struct {
	*verify.File
	fatal, dump bool
}

// checks are the verified files of a session.
type checks struct {
	mu    sync.Mutex
	files map[*engine.Node]*check
	state map[string]bool // names of the states that are open
}

// Verify begins to verify all that is done to a file from then on.
func (s *Session) Verify(f *engine.File, v *Verify) error {
	_, err := s.verify(f, v)
	return err
}

// verify finds or begins the verification of a file.
func (s *Session) verify(f *engine.File, v *Verify) (*check, error) {
	s.checks.mu.Lock()
	defer s.checks.mu.Unlock()
	if c := s.checks.files[f.Node]; c != nil {
		if v.Interval != c.Interval && (!v.Only || v.Interval != 0) {
			return nil, fmt.Errorf("verify: %q is verified in blocks of %s already, and not of %s: give interval = %d",
				f.Name, units.FormatSize(c.Interval), units.FormatSize(v.Interval), c.Interval)
		}
		if v.Method != c.Method && !v.Only {
			return nil, fmt.Errorf("verify: %q is verified by %s already, and not by %s", f.Name, c.Method, v.Method)
		}
		return &check{c.File, v.Fatal, v.Dump}, nil
	}
	file, err := s.newCheck(f, v)
	if err != nil {
		return nil, err
	}
	c := &check{file, v.Fatal, v.Dump}
	if !file.Foreign { // what is written later must become known
		if s.checks.files == nil {
			s.checks.files = map[*engine.Node]*check{}
		}
		s.checks.files[f.Node] = c
	}
	return c, nil
}

func (s *Session) newCheck(f *engine.File, v *Verify) (*verify.File, error) {
	c := verify.Config{Name: f.Name, Method: v.Method, Interval: v.Interval, Seed: s.Seed, Whose: s.whose}
	if v.Data != nil {
		c.Data = *v.Data
	}
	err := c.Check()
	if err != nil {
		return nil, err
	}
	if c.State, err = s.openState(f, v); err != nil {
		return nil, err
	}
	if c.Interval = v.Interval; c.Interval == 0 {
		c.Interval = v.whole
	}
	c.Blind = s.FS.Memory()
	if c.State == nil && v.Only {
		c.Foreign, c.Expect = true, uint32(v.Passes)
	}
	file, err := verify.New(c)
	if err != nil {
		delete(s.checks.state, stateName(f, v))
	}
	return file, err
}

// whose names the verified file in whose blocks that seed is.
func (s *Session) whose(seed uint64) string {
	s.checks.mu.Lock()
	defer s.checks.mu.Unlock()
	for _, c := range s.checks.files {
		if c.Own(seed) {
			return c.Name
		}
	}
	return ""
}

// openState opens what is known of a file from earlier runs; nil if nothing can be kept or, for
// one who only reads, if nothing was.
func (s *Session) openState(f *engine.File, v *Verify) (*verify.State, error) {
	if s.State == nil || s.FS.Memory() {
		return nil, nil
	}
	name := stateName(f, v)
	if s.checks.state[name] {
		return nil, fmt.Errorf("verify: what is known of another file, or of one that was removed or renamed, is kept in %q: name another with state", name)
	}
	fd, err := s.State(name, !v.Only)
	switch {
	case v.Only && errors.Is(err, syscall.ENOENT):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("state of verification %q: %w", name, err)
	}
	if size, err := s.FS.Size(fd); v.Only && (size == 0 || err != nil) {
		return nil, errors.Join(err, s.FS.Close(fd)) // it holds nothing
	}
	id, err := verify.Identify(f.FD)
	if err != nil {
		return nil, errors.Join(err, s.FS.Close(fd))
	}
	if v.Only && v.Interval == 0 {
		if v.Interval, err = verify.Interval(fd); err != nil {
			return nil, errors.Join(fmt.Errorf("state of verification %q: %w", name, err), s.FS.Close(fd))
		}
	}
	st, err := verify.OpenState(verify.Open{
		FD: fd, Name: name, Method: v.Method, Interval: v.Interval, Seed: s.Seed, File: id, Adopt: v.Only,
		Restart: !v.Only && s.emptied(f), Persist: persistEvery,
	})
	if err == nil {
		if s.checks.state == nil {
			s.checks.state = map[string]bool{}
		}
		s.checks.state[name] = true
	}
	return st, err
}

// stateName is where what is known of a file is kept.
func stateName(f *engine.File, v *Verify) string {
	if v.State != "" {
		return v.State
	}
	return besides(f.Name, "verify")
}

// besides names a file of the run's that belongs to another, which may be a device.
func besides(name, what string) string {
	if path.IsAbs(name) {
		name = path.Base(name)
	}
	return name + "." + what
}

// EndVerification closes what is known of verified files. No phase may be running. It must be left
// out where operations may still be in flight: then the next run takes this one for dead.
func (s *Session) EndVerification() error {
	s.checks.mu.Lock()
	defer s.checks.mu.Unlock()
	var errs []error
	for _, c := range s.checks.files {
		errs = append(errs, c.Close())
	}
	s.checks.files, s.checks.state = nil, nil
	return errors.Join(errs...)
}

// checkOf is how a file is verified that no job says anything of; nil if it is not.
func (s *Session) checkOf(f *engine.File) *check {
	if f == nil {
		return nil
	}
	s.checks.mu.Lock()
	defer s.checks.mu.Unlock()
	return s.checks.files[f.Node]
}

// verified are the files that clients' operations are to be checked on.
func (s *Session) verified() map[*engine.Node]*check {
	s.checks.mu.Lock()
	defer s.checks.mu.Unlock()
	if len(s.checks.files) == 0 {
		return nil
	}
	m := make(map[*engine.Node]*check, len(s.checks.files))
	for n, c := range s.checks.files {
		m[n] = c
	}
	return m
}

// shareChecks makes all jobs take part in the verification of the files that they have in common.
func (p *phase) shareChecks() error {
	p.checks = p.s.verified()
	for i, c := range p.courses {
		for n := 0; c != nil && n < len(c.targets); n++ {
			t := c.targets[n]
			if t.check == nil {
				t.check = p.checks[t.file.Node]
			}
			if err := t.carries(c.spec); err != nil {
				return fmt.Errorf("job %q: %w", p.plan.Jobs[i].Name, err)
			}
		}
	}
	return nil
}

// carries refuses a stream that wants to write other data to a verified file than belongs there.
func (t *target) carries(s *Stream) error {
	if t.check == nil || s.Data == nil || s.only() || s.Data.String() == t.check.Data.String() {
		return nil
	}
	return fmt.Errorf("data: %q is verified, and what is written to it is %s, not %s: it is the same for all who write there",
		t.file.Name, &t.check.Data, s.Data)
}

// verifyTarget sets up the verification of one of a stream's files, if there is one.
func (p *phase) verifyTarget(s *Stream, t *target) error {
	if s.Verify == nil {
		return nil
	}
	v, err := s.verification(t.file)
	if err != nil {
		return err
	}
	if t.check, err = p.s.verify(t.file, &v); err != nil {
		return err
	}
	if v.Only {
		t.backEnd = s.Write.Offset + s.Write.Size
		if s.Write.Size == 0 {
			t.backEnd = t.file.Size()
		}
		t.backAt = s.Write.Offset
		t.backBlock = max(t.check.Interval, s.maxBlock()/t.check.Interval*t.check.Interval)
		return t.fits(s)
	}
	return nil
}

// verification is how the stream verifies one of its files, as far as that follows from what it writes there.
func (s *Stream) verification(f *engine.File) (v Verify, err error) {
	v = *s.Verify
	if v.Data == nil {
		v.Data = s.Data
	}
	if v.State != "" && len(s.Files) > 1 {
		return v, fmt.Errorf("verify: state = %q: each of the %d files has a state of its own; leave it out", v.State, len(s.Files))
	}
	err = s.interval(&v, f)
	return v, err
}

// fits refuses to read back by blocks that the stream's buffers do not hold.
func (t *target) fits(s *Stream) error {
	if t.backBlock > s.maxBlock() {
		return fmt.Errorf("verify: %q is verified in blocks of %s: give block = %d, or more", t.file.Name, units.FormatSize(t.backBlock), t.backBlock)
	}
	if t.file.Direct {
		return t.file.Align.Check(t.backAt, t.check.Interval)
	}
	return nil
}

// interval finds how large the blocks are of which each has a header, or checks what was wanted:
// writes must be made of whole blocks.
func (s *Stream) interval(v *Verify, f *engine.File) error {
	unit := s.Write.Align
	if unit == 0 {
		unit = s.Write.Block.Min()
	}
	whole := dist.GCD(dist.GCD(s.Write.Block.Step(), unit), s.Write.Offset)
	if s.has(engine.Append) {
		whole = dist.GCD(whole, f.Tail())
	}
	switch {
	case v.Only:
		v.whole = whole
		return nil
	case v.Interval == 0:
		v.Interval = whole
	case whole%v.Interval != 0:
		return fmt.Errorf("verify: interval = %s: writes are of multiples of %s, and so must be made of whole intervals", units.FormatSize(v.Interval), units.FormatSize(whole))
	}
	if err := verify.CheckInterval(v.Interval); err != nil {
		return fmt.Errorf("verify: %w", err)
	}
	return nil
}
