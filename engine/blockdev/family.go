package blockdev

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// system is what the kernel shows in /sys and /proc.
type system struct {
	root string
	rdev func(path string) (number, bool)
}

func newSystem(root string) *system { return &system{root: root, rdev: rdev} }

func (s *system) path(parts ...string) string {
	return filepath.Join(append([]string{s.root}, parts...)...)
}

// line is a small file's text without the end of its line, "" if there is none.
func line(path ...string) string {
	b, _ := os.ReadFile(filepath.Join(path...))
	return strings.TrimRight(string(b), "\n")
}

// block is a block device as /sys shows it.
type block struct {
	no    number
	dir   string // in /sys
	name  string
	how   string // its relation to the device in question; "" is itself
	over  bool   // it is set up over another, so that its being there is a use
	parts bool   // its partitions are of interest
}

// at reads the device with a directory in /sys.
func (s *system) at(dir string) (block, error) {
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return block{}, err
	}
	b := block{dir: dir, name: strings.ReplaceAll(filepath.Base(dir), "!", "/")}
	if _, err := fmt.Sscanf(line(dir, "dev"), "%d:%d", &b.no.major, &b.no.minor); err != nil {
		return block{}, fmt.Errorf("device number in %s: %w", dir, err)
	}
	if mapped := line(dir, "dm/name"); mapped != "" {
		b.name += " (" + mapped + ")"
	}
	return b, nil
}

func (s *system) find(no number) (block, error) {
	return s.at(s.path("sys/dev/block", no.String()))
}

func isPartition(dir string) bool { return line(dir, "partition") != "" }

// family finds the devices whose use is a use of the device: itself, its
// partitions, the disk that it is a partition of, and what is set up over any of them.
// The disk's other partitions are not among them.
func (s *system) family(no number) ([]block, error) {
	self, err := s.find(no)
	if err != nil {
		return nil, err
	}
	self.parts = true
	all := []block{self}
	if isPartition(self.dir) {
		disk, err := s.at(filepath.Dir(self.dir))
		if err != nil {
			return nil, err
		}
		disk.how = "the disk it is on"
		all = append(all, disk)
	}
	for i := 0; i < len(all); i++ {
		next, err := s.above(all[i])
		if err != nil {
			return nil, err
		}
		for _, b := range next {
			if !slices.ContainsFunc(all, func(have block) bool { return have.no == b.no }) {
				all = append(all, b)
			}
		}
	}
	return all, nil
}

// above finds what is on a device: partitions, and devices set up over it.
func (s *system) above(b block) ([]block, error) {
	parts := []string{}
	if b.parts {
		entries, err := os.ReadDir(b.dir)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			if dir := filepath.Join(b.dir, e.Name()); e.IsDir() && isPartition(dir) {
				parts = append(parts, dir)
			}
		}
	}
	all, err := s.gather(parts, block{how: "a partition of " + b.name, parts: true})
	if err != nil {
		return nil, err
	}
	holders, err := filepath.Glob(filepath.Join(b.dir, "holders/*"))
	if err != nil {
		return nil, err
	}
	over, err := s.gather(append(holders, s.loops(b.no)...), block{how: "set up over " + b.name, parts: true, over: true})
	return append(all, over...), err
}

// gather reads devices that are all related as like is.
func (s *system) gather(dirs []string, like block) ([]block, error) {
	var all []block
	for _, dir := range dirs {
		b, err := s.at(dir)
		if err != nil {
			return nil, err
		}
		b.how, b.over, b.parts = like.how, like.over, like.parts
		all = append(all, b)
	}
	return all, nil
}

// loops finds the loop devices over a device. The kernel doesn't count them among
// its holders.
func (s *system) loops(no number) []string {
	var dirs []string
	// The pattern is a good one.
	files, _ := filepath.Glob(s.path("sys/block/loop*/loop/backing_file"))
	for _, f := range files {
		if back, ok := s.rdev(line(f)); ok && back == no {
			dirs = append(dirs, filepath.Dir(filepath.Dir(f)))
		}
	}
	return dirs
}

// measures are a device's bytes, and those of its logical block.
func (s *system) measures(no number) (size int64, block int, err error) {
	dir := s.path("sys/dev/block", no.String())
	if _, err := fmt.Sscan(line(dir, "size"), &size); err != nil {
		return 0, 0, fmt.Errorf("%s: %w", filepath.Join(dir, "size"), err)
	}
	if size == 0 {
		return 0, 0, errNoSize
	}
	b, err := s.find(no)
	if err != nil {
		return 0, 0, err
	}
	disk := b.dir
	if isPartition(disk) {
		disk = filepath.Dir(disk)
	}
	if _, err := fmt.Sscan(line(disk, "queue/logical_block_size"), &block); err != nil {
		return 0, 0, fmt.Errorf("logical block in %s: %w", disk, err)
	}
	return size * sector, block, nil
}

// sector is what the kernel counts sizes in, whatever the device's block.
const sector = 512

// readOnly says whether the kernel treats a device as one that can't be written.
func (s *system) readOnly(no number) bool {
	return line(s.path("sys/dev/block", no.String(), "ro")) == "1"
}
