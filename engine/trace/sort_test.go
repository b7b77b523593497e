package trace

import (
	"io"
	"math/rand/v2"
	"slices"
	"testing"
)

type listed struct{ records []Record }

func (l *listed) Read(r *Record) error {
	if len(l.records) == 0 {
		return io.EOF
	}
	*r = l.records[0]
	l.records = l.records[1:]
	return nil
}

func TestSorterIsStableWithinItsSize(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var in []Record
		for i := range 300 {
			in = append(in, Record{Time: int64(i/3*10) + rng.Int64N(40), Offset: int64(i)})
		}
		want := slices.Clone(in)
		slices.SortStableFunc(want, func(a, b Record) int { return int(a.Time - b.Time) })
		s := NewSorter(&listed{records: in}, 30)
		for i, w := range want {
			var got Record
			if err := s.Read(&got); err != nil || got != w {
				t.Fatalf("record %d is %+v, not %+v (%v)", i, got, w, err)
			}
		}
		if err := s.Read(&Record{}); err != io.EOF {
			t.Fatal(err)
		}
	}
}

func TestSorterGivesWhatIsTooLate(t *testing.T) {
	s := NewSorter(&listed{records: []Record{{Time: 5}, {Time: 6}, {Time: 7}, {Time: 1}}}, 2)
	var got []int64
	for {
		var r Record
		if s.Read(&r) != nil {
			break
		}
		got = append(got, r.Time)
	}
	if !slices.Equal(got, []int64{5, 6, 1, 7}) {
		t.Error(got)
	}
}

// saw goes back by 1000 after each 1000 records, for ever.
type saw struct{ n int64 }

func (s *saw) Read(r *Record) error {
	s.n++
	r.Time = s.n % 1000
	return nil
}

type ordered struct{ n int64 }

func (o *ordered) Read(r *Record) error {
	o.n++
	r.Time = o.n
	return nil
}

func BenchmarkSorter(b *testing.B) {
	for name, r := range map[string]Reader{"ordered": &ordered{}, "saw": &saw{}} {
		b.Run(name, func(b *testing.B) {
			s := NewSorter(r, 4096)
			var rec Record
			b.ReportAllocs()
			for range b.N {
				s.Read(&rec)
			}
		})
	}
}
