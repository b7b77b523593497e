package workdir

import (
	"errors"
	"fmt"
	"slices"
)

// sweep visits everything that a mark claims, does something to what is the
// run's own, and leaves the rest.
type sweep struct {
	t      *tree
	c      *claims
	others []*found // other runs' marks; what one that may be alive has is left to it
	// do gets files, and directories after what is in them. Nil only counts.
	do    func(name string, n node, empty bool) error
	share bool // what runs that share have too is done all the same

	nodes int   // files and directories that were done
	files int   // of which are files
	bytes int64 // what they take up
	left  []string
	moved []entry // what an earlier run kept, and now has another name
	errs  []error
}

// removing makes the sweep remove what it visits.
func (s *sweep) removing() *sweep {
	s.do = func(name string, _ node, empty bool) error {
		if !empty {
			return nil
		}
		return ignoreAbsent(s.t.root.Remove(name))
	}
	return s
}

// keeping makes the sweep write into the list what it visits.
func (s *sweep) keeping(stays *[]entry) *sweep {
	s.share = s.c.Share
	s.do = func(name string, n node, _ bool) error {
		*stays = append(*stays, entry{Do: doKeep, Name: name, identity: n.identity})
		return nil
	}
	return s
}

func (s *sweep) run() *sweep {
	for _, name := range s.c.claimed() {
		s.visit(name)
	}
	return s
}

// visit returns whether nothing is at name any more, or would be.
func (s *sweep) visit(name string) (gone bool) {
	n, err := s.t.look(name)
	switch {
	case absent(err):
		return true
	case errors.Is(err, errLinked):
		s.leave(name, err.Error())
		return false
	case err != nil:
		s.errs = append(s.errs, fmt.Errorf("looking at %s: %w", name, err))
		return false
	}
	if !s.mine(name, n) {
		return false
	}
	empty := true
	if n.dir() {
		empty = s.visitDir(name)
	}
	return s.finish(name, n, empty)
}

// mine says whether the sweep may do its work on a file, and notes why not.
func (s *sweep) mine(name string, n node) bool {
	whose, why := s.c.judge(name, n)
	switch whose {
	case ours:
		return s.unclaimed(name, n)
	case theirs:
		s.leave(name, why)
	case reused:
		if s.c.spared[n.identity].Name != name {
			s.moved = append(s.moved, entry{Do: doKeep, Name: name, identity: n.identity})
		}
	case spared:
		if was := s.c.spared[n.identity].Name; was != name {
			s.leave(name, "it is your "+was+", renamed")
		}
	}
	return false
}

// unclaimed says whether nothing speaks against an own file.
func (s *sweep) unclaimed(name string, n node) bool {
	if m := otherOwner(s.others, name, s.share); m != nil {
		s.leave(name, m.whyNot())
		return false
	}
	if n.dir() && n.dev != s.t.self.dev {
		s.leave(name, "another file system is mounted on it")
		return false
	}
	return true
}

func (s *sweep) visitDir(name string) (empty bool) {
	names, err := s.t.list(name)
	if err != nil {
		s.errs = append(s.errs, fmt.Errorf("listing %s: %w", name, err))
		return false
	}
	empty = true
	for _, child := range names {
		empty = s.visit(child) && empty
	}
	return empty
}

func (s *sweep) finish(name string, n node, empty bool) bool {
	if s.do != nil {
		if err := s.do(name, n, empty); err != nil {
			s.errs = append(s.errs, err)
			return false
		}
	}
	s.nodes++
	if n.regular() {
		s.files++
	}
	s.bytes += n.bytes
	return empty
}

// leave notes once that a file stays.
func (s *sweep) leave(name, why string) {
	if note := name + " stays: " + why; !slices.Contains(s.left, note) {
		s.left = append(s.left, note)
	}
}
