package workdir

import (
	"fmt"
	"slices"
	"time"
)

// claim makes a name the run's, if it may be. What exists is found out by
// looking; another run's claim, by reading its mark. The caller holds mu.
func (g *Guard) claim(name, verb string, create bool) (fresh bool, err error) {
	if name == "." {
		return false, g.refuse(name, verb, "it is the run's directory")
	}
	n, err := g.t.look(name)
	switch {
	case absent(err) && !create:
		return false, nil
	case absent(err):
		return g.claimAbsent(name, verb)
	case err != nil:
		return false, g.refuse(name, verb, err.Error())
	}
	return false, g.claimExisting(name, verb, n)
}

// claimAbsent makes a name the run's at which there is nothing. It is not fresh if another
// run, with which it shares what they make, is making it too.
func (g *Guard) claimAbsent(name, verb string) (fresh bool, err error) {
	if err := g.begin(); err != nil {
		return false, err
	}
	others, err := g.others()
	if err != nil {
		return false, err
	}
	if m := otherOwner(others, name, g.owner.Share); m != nil {
		return false, g.refuse(name, verb, m.whyNot())
	}
	if err := g.make(name); err != nil || !g.owner.Share {
		return true, err
	}
	// Of two runs that look only now, when both have said what they make, one sees the other.
	if others, err = g.others(); err != nil {
		return false, err
	}
	if !slices.ContainsFunc(others, func(m *found) bool { return m.state == Live && m.covers(name) }) {
		return true, nil
	}
	g.await(name)
	return false, nil
}

// Shared asks again for a name at which a file has come to stand since WillCreate said that there
// was nothing: it may be that of a run with which this one shares what they make, and which was
// faster. The error says why not.
func (g *Guard) Shared(name string) error {
	g, name, err := g.at(name)
	if err != nil || g == nil {
		return err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	n, err := g.t.look(name)
	if err != nil {
		return g.refuse(name, "written", err.Error())
	}
	return g.claimExisting(name, "written", n)
}

// patience is how long a run leaves it to another to make a file that both want.
const patience = 200 * time.Millisecond

// await lets another run make the name first: it may insist that there is nothing yet.
func (g *Guard) await(name string) {
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if _, err := g.t.look(name); err == nil {
			return
		}
	}
}

func (g *Guard) claimExisting(name, verb string, n node) error {
	others, err := g.others()
	if err != nil {
		return err
	}
	if m := otherOwner(others, name, g.owner.Share); m != nil {
		return g.refuse(name, verb, m.whyNot())
	}
	first, ok := g.permission(others, name, n)
	if !ok {
		return g.refuse(name, verb, g.foreign(name, n))
	}
	if err := g.begin(); err != nil {
		return err
	}
	return g.make(name, first...)
}

// permission finds out why an existing file may be changed, and what must be
// recorded with its name so that it is not removed at the end. Only regular
// files pass: a directory would cover what is beneath it, whoever made that.
func (g *Guard) permission(others []*found, name string, n node) (first []entry, ok bool) {
	if !n.regular() {
		return nil, false
	}
	for _, m := range others {
		if m.state != Kept && m.state != Killed && !(g.owner.Share && m.shares()) {
			continue
		}
		switch b, _ := m.judge(name, n); {
		case b == reused, b == ours && (m.ended || m.Keep):
			return []entry{{Do: doReuse, Name: name, identity: n.identity}}, true
		case b == ours:
			return []entry{{Do: doSee, Name: name, identity: n.identity}}, true
		}
	}
	if g.overwrite[name] {
		return []entry{{Do: doSpare, Name: name, identity: n.identity}}, true
	}
	return nil, false
}

func (g *Guard) foreign(name string, n node) string {
	if !n.regular() {
		return "it is a " + n.kind() + " that this run did not make" + advice(n)
	}
	return fmt.Sprintf("it exists and moonio did not make it; allow it with --overwrite %s, or use another --dir", name)
}

// shares says whether the run, if it is at work, lets others that share change what it makes.
func (m *found) shares() bool { return m.state == Live && m.Share }

// otherOwner finds the run, alive for all that is known, that has a name: for itself, if the
// one that asks shares what it makes.
func otherOwner(others []*found, name string, share bool) *found {
	for _, m := range others {
		if (m.state == Live || m.state == Elsewhere) && m.covers(name) && !(share && m.shares()) {
			return m
		}
	}
	return nil
}

func (m *found) whyNot() string {
	if m.state == Live {
		return "it belongs to " + m.who() + ", which is at work; wait for it, or use another --dir"
	}
	return "it belongs to " + m.who() + " on host " + m.Host + ", of which nothing is known here; use another --dir"
}

// others reads the other runs' marks. The caller holds mu.
func (g *Guard) others() ([]*found, error) {
	own := ""
	if m := g.mark.Load(); m != nil {
		own = m.file
	}
	all, err := findMarks(g.t, g.w, own, g.known)
	if err != nil {
		return nil, fmt.Errorf("reading other runs' marks in %s: %w", g.t.path, err)
	}
	clear(g.known)
	for _, m := range all {
		g.known[m.file] = m
	}
	return all, nil
}

// begin makes the run's mark if there is none yet. The caller holds mu.
func (g *Guard) begin() error {
	if g.mark.Load() != nil {
		return nil
	}
	m, err := newMark(g.t, g.owner)
	if err != nil {
		return err
	}
	g.mark.Store(m)
	g.signs.Go(g.live)
	return nil
}

// make records a name of the run's. The caller holds mu.
func (g *Guard) make(name string, first ...entry) error {
	if err := g.mark.Load().record(append(first, entry{Do: doMake, Name: name})...); err != nil {
		return err
	}
	if len(g.unseen) < mostUnseen {
		g.unseen = append(g.unseen, name)
	}
	return nil
}
