package run

import (
	"fmt"
)

// Check says why a phase cannot be played as it is planned, as far as that shows without storage: its
// options, and whether its operations fit into files of their sizes. The error wraps ErrPlan.
func (p *Phase) Check() error {
	err := p.validate()
	for i := 0; err == nil && i < len(p.Jobs); i++ {
		j := &p.Jobs[i]
		if j.Stream == nil {
			continue
		}
		if err = j.Stream.fits(); err != nil {
			err = fmt.Errorf("job %q: %w", j.Name, err)
		}
	}
	if err != nil {
		return fmt.Errorf("%w %q: %w", ErrPlan, p.Name, err)
	}
	return nil
}

// fits says why the stream's operations do not fit into its files.
func (s *Stream) fits() error {
	if _, err := s.Mix.Compile(); err != nil {
		return err
	}
	if _, err := s.Order.compile(len(s.Files), 0); err != nil {
		return err
	}
	for _, f := range s.Files {
		if s.Verify != nil {
			if _, err := s.verification(f); err != nil {
				return err
			}
		}
		if s.only() {
			continue
		}
		for _, y := range []struct {
			access *Access
			used   bool
		}{{&s.Read, s.does(false)}, {&s.Write, s.does(true)}} {
			if _, err := s.sampler(y.access, f, 0, y.used, true); err != nil {
				return err
			}
		}
	}
	return nil
}
