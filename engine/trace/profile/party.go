package profile

import "moonio/engine/trace"

// party is what is counted of one file, or of one stream.
type party struct {
	ios, bytes [2]int64
	blocks     [2]int64 // that I/Os touched, each as often as it was
	flushes    int64
	other      int64
	end        int64    // of a file: how far it is known to reach
	size       int64    // where appends go
	ends       [2]int64 // of a file: where the last I/O of each direction ended
	kinds      *kinds
}

// kinds tells a file's I/Os, and its trims, apart by direction, by whether they continue another, and by
// alignment to 4 KiB.
type kinds struct {
	of      [3][2][2]kind
	trims   int64
	trimmed int64 // where the last trim ended
}

type kind struct {
	ios, bytes int64
	bits       int64 // of all offsets and lengths, or-ed: its lowest is what all are aligned to
	size       sizes
}

func (p *party) add(dir int, n int64) {
	p.ios[dir]++
	p.bytes[dir] += n
}

// continues says whether an I/O begins where the last one of the file and the direction ended, whoever
// issued it, and notes its own end.
func (p *party) continues(dir int, off, end int64) bool {
	yes := p.ios[dir] > 0 && off == p.ends[dir]
	p.ends[dir] = end
	return yes
}

func (p *party) shape(dir int, follows, aligned bool, bits, n int64) {
	if p.kinds == nil {
		return
	}
	k := &p.kinds.of[dir][index(follows)][index(aligned)]
	k.ios++
	k.bytes += n
	k.bits |= bits
	k.size.upTo(n, kindSizes)
}

// kindSizes is how many sizes of a kind are told apart: only the most frequent matter.
const kindSizes = 256

// trim counts a trim of a file.
func (p *party) trim(off, n int64) {
	if p.kinds == nil {
		return
	}
	follows := p.kinds.trims > 0 && off == p.kinds.trimmed
	p.kinds.trims++
	p.kinds.trimmed = off + n
	p.shape(trimming, follows, (off|n)%4096 == 0, off|n, n)
}

func index(b bool) int {
	if b {
		return 1
	}
	return 0
}

// parties are files or streams by their number. Those that come after so many share one.
type parties struct {
	list []party
	rest *party
	told int // how many have their kinds told apart
}

const (
	maxParties = 1 << 16 // that are told apart
	maxKinds   = 1 << 10 // files whose I/Os are told apart by kind: the first, and as many that turn out to be busy
	busy       = 1 << 9  // I/Os
)

// tell begins to tell a file's kinds apart, if there is room. It is called before each I/O: the file that matters may be
// used last.
func (p *parties) tell(f *party) {
	if f.kinds == nil && f != p.rest && (p.told < maxKinds || p.told < 2*maxKinds && f.transfers() >= busy) {
		f.kinds = new(kinds)
		p.told++
	}
}

func (p *parties) of(id trace.ID) *party {
	if int(id) < len(p.list) {
		return &p.list[id]
	}
	if id >= maxParties {
		if p.rest == nil {
			p.rest = &party{}
		}
		return p.rest
	}
	for len(p.list) <= int(id) {
		p.list = append(p.list, party{})
	}
	return &p.list[id]
}
