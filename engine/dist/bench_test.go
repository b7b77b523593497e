package dist

import (
	"testing"

	"moonio/engine"
)

var (
	sink64  int64
	sinkU64 uint64
	sinkF   float64
)

// everyPattern is one of each kind, with arguments that fit a region of a GiB.
var everyPattern = []Pattern{
	Uniform{}, Sequential{}, Sequential{Gap: 4096}, Strided{Stride: 1 << 20}, Reverse{}, Permute{},
	Zipf{Theta: 1.1}, Zipf{1.1, At(0.5)}, Zipf{Theta: 0.8}, Zipf{Theta: 1}, Pareto{H: 0.2}, Pareto{0.9, At(0)}, Normal{Dev: 10}, Normal{20, At(1)},
	Zoned{{60, 10, 0}, {30, 20, 0}, {8, 30, 0}, {2, 40, 0}}, Zoned{{50, 0, 1 << 20}}, Hotspot{90, 10},
	Either{30, Sequential{}, Zipf{Theta: 1}}, ZoneStrided{1 << 16, 1 << 20, 1 << 20, Uniform{}}, Gaussian{10, 0.5},
	Runs{Of: Uniform{}, Length: 8}, Runs{Of: Zipf{Theta: 1.2}, Length: 4, Same: true},
}

func BenchmarkPattern(b *testing.B) {
	for _, p := range everyPattern {
		b.Run(p.String(), func(b *testing.B) {
			s, err := p.Compile(Region{Size: 1 << 30, Unit: 4096}, 1)
			if err != nil {
				b.Fatal(err)
			}
			r := NewRand(1)
			b.ReportAllocs()
			for b.Loop() {
				sink64 = s.Next(r, 4096)
			}
		})
	}
}

func BenchmarkChoices(b *testing.B) {
	r := NewRand(1)
	mix, err := Mix{{engine.Read, 70}, {engine.Write, 30}}.Compile()
	if err != nil {
		b.Fatal(err)
	}
	fixed, _ := ParseSizes("4k", 0)
	table, err := ParseSizes("4k/60:64k/30:1m/10", 0)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("mix", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			sink64 = int64(mix.Next(r))
		}
	})
	b.Run("size", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			sink64 = fixed.Next(r)
		}
	})
	b.Run("sizes", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			sink64 = table.Next(r)
		}
	})
}

func BenchmarkRand(b *testing.B) {
	r := NewRand(1)
	b.Run("Uint64", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			sinkU64 = r.Uint64()
		}
	})
	b.Run("Uint64n", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			sinkU64 = r.Uint64n(262144)
		}
	})
	b.Run("Float64", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			sinkF = r.Float64()
		}
	})
	b.Run("ExpFloat64", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			sinkF = r.ExpFloat64()
		}
	})
	b.Run("NormFloat64", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			sinkF = r.NormFloat64()
		}
	})
}
