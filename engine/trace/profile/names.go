package profile

import (
	"cmp"
	"slices"

	"moonio/engine/trace"
)

// listed is how many files, and streams, a result has.
const listed = 32

// parties lists the busiest files and streams.
func (p *Profile) parties(r *Result, log *trace.Log) {
	touched, heat := p.touched(), p.places.sample.ofFiles(len(p.files.list))
	r.Files, r.MoreFiles = p.files.top(&log.Files, func(id int, f *party, out *Party) {
		out.End = f.end
		if id >= len(touched) || f.kinds == nil {
			return
		}
		out.Footprint = touched[id][2] * blockSize
		out.Kinds = f.summary()
		out.Read, out.Write = p.area(f, touched[id], heat[id], reading), p.area(f, touched[id], heat[id], writing)
	})
	r.Streams, r.MoreStreams = p.streams.top(&log.Streams, func(int, *party, *Party) {})
}

// area is where in a file there was reading, or writing; nil if there was none.
func (p *Profile) area(f *party, touched extent, heat [2][]int64, dir int) *Area {
	if touched[dir] == 0 {
		return nil
	}
	h := hotness{rate: p.places.sample.rate(), counts: heat[dir]}
	// How often all blocks were accessed is what those say that are followed.
	for _, c := range h.counts {
		h.accesses += float64(c) / h.rate
	}
	return &Area{Footprint: touched[dir] * blockSize, Accesses: f.blocks[dir], Theta: h.theta()}
}

// touched is which blocks of each file were touched.
func (p *Profile) touched() []extent {
	if all := &p.places.all; all.sketch == nil {
		return all.ofFiles(len(p.files.list))
	}
	list := make([]extent, len(p.files.list))
	s := &p.places.sample
	for i := range s.table {
		b := &s.table[i]
		if b.empty() || int(b.file) >= len(list) {
			continue
		}
		list[b.file][2] += 1 << s.halvings
		for dir, n := range b.counts {
			if n > 0 {
				list[b.file][dir] += 1 << s.halvings
			}
		}
	}
	return list
}

// top lists the busiest, and says how many are not listed.
func (p *parties) top(names *trace.Names, more func(int, *party, *Party)) ([]Party, int64) {
	var ids []int
	for id := range p.list {
		if p.list[id].all() > 0 {
			ids = append(ids, id)
		}
	}
	slices.SortStableFunc(ids, func(a, b int) int {
		x, y := &p.list[a], &p.list[b]
		return cmp.Or(cmp.Compare(y.transfers(), x.transfers()), cmp.Compare(y.all(), x.all()))
	})
	list := []Party{}
	for _, id := range ids[:min(len(ids), listed)] {
		f := &p.list[id]
		out := f.public()
		if id < names.Len() {
			out.Name = names.Name(trace.ID(id))
		}
		more(id, f, &out)
		list = append(list, out)
	}
	rest := int64(len(ids) - len(list))
	if p.rest != nil {
		rest += int64(max(0, names.Len()-maxParties))
	}
	return list, rest
}

func (p *party) transfers() int64 { return p.ios[reading] + p.ios[writing] }

func (p *party) all() int64 { return p.transfers() + p.flushes + p.other }

func (p *party) public() Party {
	n := p.transfers()
	return Party{IOs: n, Bytes: p.bytes[reading] + p.bytes[writing], ReadShare: share(p.ios[reading], n), Flushes: p.flushes, Other: p.other}
}

// summary lists the kinds of a file's I/Os.
func (p *party) summary() []Kind {
	if p.kinds == nil {
		return nil
	}
	var list []Kind
	for dir, op := range []string{"read", "write", "trim"} {
		for follows := range 2 {
			for aligned := range 2 {
				k := &p.kinds.of[dir][follows][aligned]
				if k.ios == 0 {
					continue
				}
				out := Kind{Op: op, Sequential: follows == 1, Aligned4K: aligned == 1, IOs: k.ios, Bytes: k.bytes, Align: lowest(k.bits)}
				out.Sizes, out.OtherSizes = k.size.top(topSizes)
				list = append(list, out)
			}
		}
	}
	return list
}
