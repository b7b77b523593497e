package workdir

import (
	"errors"
	"fmt"
	"strings"
)

// part is one of several directories that a run works in.
type part struct {
	prefix string // its name beneath the run's directory, with a slash at its end; empty for that itself
	dir    *Dir
}

// Gather takes several directories beneath one, for files that lie apart. Names are relative
// to root, which itself is left alone: each directory has a mark and rules of its own,
// as if it had been taken by Use. What lies in none of them is refused. The directories are
// given by their names beneath root ("." for root itself), and exist.
func Gather(root string, dirs []string, cfg Config) (*Dir, error) {
	t, err := openTree(root)
	if err != nil {
		return nil, fmt.Errorf("directory %s: %w", root, err)
	}
	d := &Dir{t: t, keep: cfg.Keep, guard: &Guard{t: t, owner: newOwner(here(), newRun(), cfg)}}
	for _, name := range dirs {
		p := part{prefix: name + "/"}
		if name == "." {
			p.prefix = ""
		}
		c := cfg
		c.Overwrite = nil
		for _, file := range cfg.Overwrite {
			if rest, ok := strings.CutPrefix(file, p.prefix); ok && deepest(dirs, file) == name {
				c.Overwrite = append(c.Overwrite, rest)
			}
		}
		if p.dir, err = Use(joined(root, name), c); err != nil {
			return nil, errors.Join(err, d.closeParts())
		}
		d.guard.parts = append(d.guard.parts, p)
	}
	return d, nil
}

func joined(root, name string) string {
	if name == "." {
		return root
	}
	return strings.TrimSuffix(root, "/") + "/" + name
}

// deepest is the one of these directories that a name lies in; of those within one another,
// the innermost.
func deepest(dirs []string, name string) string {
	best := ""
	for _, d := range dirs {
		if (d == "." || strings.HasPrefix(name, d+"/")) && len(d) >= len(best) && (best == "" || d != ".") {
			best = d
		}
	}
	return best
}

// closeParts closes the directories that were gathered.
func (d *Dir) closeParts() error {
	defer d.t.close()
	var errs []error
	for _, p := range d.guard.parts {
		_, err := p.dir.Close()
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// at finds who guards a name, and what it is called there.
func (g *Guard) at(name string) (*Guard, string, error) {
	name, err := g.CheckName(name)
	if err != nil || g == nil || g.parts == nil {
		return g, name, err
	}
	best := part{}
	for _, p := range g.parts {
		if strings.HasPrefix(name, p.prefix) && len(p.prefix) >= len(best.prefix) {
			best = p
		}
	}
	if best.dir == nil {
		return g, name, g.refuse(name, "reached", "it lies in none of the run's directories")
	}
	return best.dir.guard, name[len(best.prefix):], nil
}
