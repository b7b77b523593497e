package workdir

import (
	"maps"
	"math"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"moonio/engine/internal/inode"
)

// owner is the first line of a mark: whose it is.
type owner struct {
	Format  int       `json:"moonio"`
	Run     string    `json:"run"`
	Script  string    `json:"script"`
	Version string    `json:"version"`
	PID     int       `json:"pid"`
	Start   uint64    `json:"start"` // of the process, in clock ticks since the boot
	place             // where the process runs
	Started time.Time `json:"started"`
	Locked  bool      `json:"locked"` // the mark is locked for as long as the run lives
	Keep    bool      `json:"keep"`   // the files are to stay
	Share   bool      `json:"share,omitempty"`
	Made    bool      `json:"made"` // the directory is the run's own too
	Dir     identity  `json:"dir"`  // the directory's, so that a copy is not taken for it
}

// The entries of a mark.
const (
	doMake  = "make"  // the run may make this name, and with it all that will be beneath it
	doSee   = "see"   // the run has made it, and this is its identity
	doMove  = "move"  // another file of the run's may come to have the name
	doSpare = "spare" // a file that was there before, and that --overwrite named
	doReuse = "reuse" // a file that an earlier run kept
	doKeep  = "keep"  // the run has ended, and this stays
	doEnd   = "end"   // all that stays has been said
)

// entry is a line of a mark after the first.
type entry struct {
	Do   string `json:"do"`
	Name string `json:"name,omitempty"`
	identity
}

// claims is what a mark's lines come to.
type claims struct {
	owner
	names  map[string]bool     // by name that the run makes; true once it was moved
	seen   map[string]bool     // names at which something that the run made was seen
	made   map[identity]bool   // what was seen there
	spared map[identity]entry  // what was there before, under whatever name it is now
	kept   map[string]identity // what stays
	ended  bool

	born, last int64 // the mark's birth (0: not known) and the owner's last sign of life, ns since 1970
}

func newClaims(o owner) claims {
	return claims{
		owner:  o,
		names:  map[string]bool{},
		seen:   map[string]bool{},
		made:   map[identity]bool{},
		spared: map[identity]entry{},
		kept:   map[string]identity{},
		last:   math.MaxInt64,
	}
}

func (c *claims) apply(e entry) {
	switch e.Do {
	case doMake:
		c.names[e.Name] = false
	case doSee:
		c.seen[e.Name] = true
		c.made[e.identity] = true
	case doMove:
		c.names[e.Name] = true
	case doSpare, doReuse:
		c.spared[e.identity] = e
	case doKeep:
		c.kept[e.Name] = e.identity
	case doEnd:
		c.ended = true
	}
}

// covers says whether the clean name, or a directory above it, is the run's.
func (c *claims) covers(name string) bool {
	for i := len(name); i > 0; i-- {
		if i < len(name) && name[i] != '/' {
			continue
		}
		if _, ok := c.names[name[:i]]; ok {
			return true
		}
	}
	return false
}

// claimed returns the names to look for, those beneath a directory before it.
func (c *claims) claimed() []string {
	var names []string
	if c.ended {
		names = slices.Sorted(maps.Keys(c.kept))
	} else {
		names = slices.Sorted(maps.Keys(c.names))
	}
	slices.Reverse(names)
	return names
}

// belonging says to whom a file belongs.
type belonging int

const (
	theirs belonging = iota // not the run's
	ours                    // the run made it
	spared                  // the user let the run overwrite it
	reused                  // an earlier run kept it
)

// slack is how long after its last sign of life a run may have made files.
// It is some signs' worth, because a busy machine delays them.
const slack = int64(4 * lifeSign)

// judge says to whom the file at a name belongs, and why it is theirs.
func (c *claims) judge(name string, n node) (b belonging, why string) {
	before, wasThere := c.spared[n.identity]
	switch {
	case !n.regular() && !n.dir():
		return theirs, "it is a " + n.kind() + ", and moonio makes none"
	case c.ended:
		return c.judgeKept(name, n)
	case wasThere && before.Do == doReuse:
		return reused, ""
	case wasThere:
		return spared, ""
	case !c.covers(name):
		return theirs, "the run did not make it"
	case c.made[n.identity]:
		return ours, ""
	case c.seen[name] && !c.names[name]:
		return theirs, "it has taken the place of what the run made"
	case n.Born != 0 && n.Born < c.born:
		return theirs, "it is older than the run"
	case n.Born != 0 && n.Born > c.latest(), n.Born == 0 && n.changed > c.latest():
		return theirs, "it came after the run"
	}
	return ours, ""
}

func (c *claims) judgeKept(name string, n node) (belonging, string) {
	switch id, ok := c.kept[name]; {
	case !ok:
		return theirs, "the run did not make it"
	case id != n.identity:
		return theirs, "it has taken the place of what the run kept"
	}
	return ours, ""
}

// latest is when the run can have made something at the latest.
func (c *claims) latest() int64 {
	if c.last > math.MaxInt64-slack {
		return math.MaxInt64
	}
	return c.last + slack
}

// sameDir says whether the directory is the one that the mark was made in. Not
// every file system keeps a directory's inode number.
func (o *owner) sameDir(dir identity) bool {
	if o.Dir.Born != 0 && dir.Born != 0 {
		return o.Dir.Born == dir.Born
	}
	return o.Dir.Ino == dir.Ino
}

// times takes the mark's birth and the last sign of life from its file.
func (c *claims) times(fd int) error {
	st, err := inode.Of(fd)
	if err != nil {
		return err
	}
	c.last = st.Mtime.Sec*1e9 + int64(st.Mtime.Nsec)
	if st.Mask&unix.STATX_BTIME != 0 {
		c.born = st.Btime.Sec*1e9 + int64(st.Btime.Nsec)
	}
	return nil
}
