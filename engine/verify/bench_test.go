package verify

import "testing"

func TestChecksAllocateNothing(t *testing.T) {
	for _, c := range methods() {
		d, _ := written(t, c, 8)
		b := make([]byte, 2*unit)
		d.Prime(b)
		var tally Tally
		n := testing.AllocsPerRun(100, func() {
			if err := d.Write(b, unit); err != nil {
				t.Fatal(err)
			}
			d.Wrote(unit, 2*unit, 2*unit, false)
			d.Read(b, unit, d.Reading(unit, 2*unit), &tally)
		})
		if n > 0 && !raced || tally.Mismatches > 0 || tally.Checked == 0 {
			t.Errorf("%s: %v allocations; %+v", c, n, tally)
		}
	}
}

// One write, or one read that is checked, of 4 KiB.
func Benchmark(b *testing.B) {
	for _, c := range methods() {
		f := fileOf(b, c)
		buf := make([]byte, unit)
		f.Prime(buf)
		b.Run(c.String()+"/write", func(b *testing.B) {
			b.ReportAllocs()
			off := int64(0)
			for b.Loop() {
				if err := f.Write(buf, off); err != nil {
					b.Fatal(err)
				}
				f.Wrote(off, unit, unit, false)
				off = (off + unit) % (1 << 28)
			}
		})
		b.Run(c.String()+"/read", func(b *testing.B) {
			b.ReportAllocs()
			if err := f.Write(buf, 0); err != nil {
				b.Fatal(err)
			}
			f.Wrote(0, unit, unit, false)
			var tally Tally
			for b.Loop() {
				f.Read(buf, 0, f.Reading(0, unit), &tally)
			}
			if tally.Mismatches > 0 {
				b.Fatal(tally.First[0].Error())
			}
		})
	}
}
