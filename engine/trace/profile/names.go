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
	touched := p.touched()
	r.Files, r.MoreFiles = p.files.top(&log.Files, func(id int, f *party, out *Party) {
		out.End = f.end
		if id < len(touched) {
			out.Footprint = touched[id] * blockSize
		}
		out.Theta = p.theta(trace.ID(id), f)
		out.Kinds = f.summary()
	})
	r.Streams, r.MoreStreams = p.streams.top(&log.Streams, func(int, *party, *Party) {})
}

// touched is how many blocks of each file were touched.
func (p *Profile) touched() []int64 {
	if all := &p.places.all; all.sketch == nil {
		return all.ofFiles(len(p.files.list))
	}
	list := make([]int64, len(p.files.list))
	s := &p.places.sample
	for i := range s.table {
		if b := &s.table[i]; b.count > 0 && int(b.file) < len(list) {
			list[b.file] += 1 << s.halvings
		}
	}
	return list
}

// theta is the exponent that fits a file's blocks. How often all of them were accessed is
// what those say that are followed.
func (p *Profile) theta(id trace.ID, f *party) float64 {
	if f.kinds == nil {
		return 0
	}
	s := &p.places.sample
	h := hotness{counts: s.counts(func(of trace.ID) bool { return of == id }), rate: s.rate()}
	for _, c := range h.counts {
		h.accesses += float64(c) / h.rate
	}
	return h.theta()
}

// top lists the busiest, and says how many are not listed.
func (p *parties) top(names *trace.Names, more func(int, *party, *Party)) ([]Party, int64) {
	var ids []int
	for id := range p.list {
		if p.list[id].all() > 0 {
			ids = append(ids, id)
		}
	}
	slices.SortStableFunc(ids, func(a, b int) int { return cmp.Compare(p.list[b].all(), p.list[a].all()) })
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

func (p *party) all() int64 { return p.ios[reading] + p.ios[writing] + p.flushes + p.other }

func (p *party) public() Party {
	n := p.ios[reading] + p.ios[writing]
	return Party{IOs: n, Bytes: p.bytes[reading] + p.bytes[writing], ReadShare: share(p.ios[reading], n), Flushes: p.flushes, Other: p.other}
}

// summary lists the kinds of a file's I/Os.
func (p *party) summary() []Kind {
	if p.kinds == nil {
		return nil
	}
	var list []Kind
	for dir, op := range []string{"read", "write"} {
		for follows := range 2 {
			for aligned := range 2 {
				k := &p.kinds[dir][follows][aligned]
				if k.ios == 0 {
					continue
				}
				out := Kind{Op: op, Sequential: follows == 1, Aligned4K: aligned == 1, IOs: k.ios, Align: lowest(k.bits)}
				out.Sizes, out.OtherSizes = k.size.top(topSizes)
				list = append(list, out)
			}
		}
	}
	return list
}
