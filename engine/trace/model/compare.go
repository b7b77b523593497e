package model

import (
	"fmt"
	"io"
	"math"
	"strings"
	"unicode/utf8"

	"moonio/engine/trace/profile"
	"moonio/engine/units"
)

// Row is a figure of the trace beside the model's.
type Row struct {
	Name         string
	Trace, Model float64
	show         func(float64) string
	kind         kind
}

// kind is which part of a model a figure is a matter of.
type kind int

const (
	other  kind = iota
	place       // what Fit can mend
	rhythm      // how I/Os arrive
)

// Difference is the model's deviation in per cent of the trace's figure; not a number where that is 0 and the model's is not.
func (r Row) Difference() float64 {
	switch {
	case r.Trace == r.Model:
		return 0
	case r.Trace == 0:
		return math.NaN()
	}
	return (r.Model/r.Trace - 1) * 100
}

// Compare sets a trace and what a model of it did side by side.
func Compare(trace, model *profile.Result) []Row {
	count := func(x float64) string { return fmt.Sprintf("%.0f", x) }
	share := func(x float64) string { return fmt.Sprintf("%.1f %%", x*100) }
	figure := units.Figure
	span := func(x float64) string { return units.Span(int64(x)) }
	rows := []struct {
		name string
		of   func(r *profile.Result) float64
		show func(float64) string
		kind kind
	}{
		{"I/Os", func(r *profile.Result) float64 { return float64(r.IOs) }, count, rhythm},
		{"span", func(r *profile.Result) float64 { return float64(r.SpanNS) }, span, other},
		{"bytes", func(r *profile.Result) float64 { return float64(r.Bytes) }, units.ApproxSize, place},
		{"read share", func(r *profile.Result) float64 { return r.ReadShare }, share, other},
		{"mean read", func(r *profile.Result) float64 { return r.Read.Mean }, units.ApproxSize, place},
		{"mean write", func(r *profile.Result) float64 { return r.Write.Mean }, units.ApproxSize, place},
		{"not on 4 KiB", func(r *profile.Result) float64 { return r.Unaligned4K }, share, place},
		{"sequential", func(r *profile.Result) float64 { return r.Continuing }, share, place},
		{"touched", func(r *profile.Result) float64 { return float64(r.Footprint) }, units.ApproxSize, place},
		{"hottest 20 %", func(r *profile.Result) float64 { return r.Space.Hot20 }, share, place},
		{"Zipf θ", func(r *profile.Result) float64 { return r.Space.Zipf }, figure, place},
		{"peak 1 s / mean", func(r *profile.Result) float64 { return r.PeakToMean1s }, figure, rhythm},
		{"gaps' variation", func(r *profile.Result) float64 { return r.CV }, figure, rhythm},
		{"dispersion 1 s", func(r *profile.Result) float64 { return r.Arrival.Dispersion1s }, figure, rhythm},
		{"flushes", func(r *profile.Result) float64 { return float64(r.Flush.Count) }, count, other},
		{"trims", func(r *profile.Result) float64 { return float64(r.Trim.Count) }, count, other},
		{"trimmed", func(r *profile.Result) float64 { return float64(r.Trim.Bytes) }, units.ApproxSize, other},
	}
	var list []Row
	for _, r := range rows {
		list = append(list, Row{Name: r.name, Trace: r.of(trace), Model: r.of(model), show: r.show, kind: r.kind})
	}
	return list
}

// Places says how far a model is off in what Fit can mend, and Rhythm how far in how I/Os arrive: 0 is no difference.
func Places(rows []Row) float64 { return distance(rows, place) }

// Rhythm is described at Places.
func Rhythm(rows []Row) float64 { return distance(rows, rhythm) }

func distance(rows []Row, k kind) float64 {
	sum := 0.0
	for _, r := range rows {
		if d := r.Difference(); r.kind == k && !math.IsNaN(d) {
			sum += math.Min(math.Abs(d), 100)
		}
	}
	return sum
}

// WriteComparison writes the rows as a table.
func WriteComparison(w io.Writer, rows []Row) error {
	var b strings.Builder
	line := func(a, b2, c, d string) string {
		pad := strings.Repeat(" ", max(0, 18-utf8.RuneCountInString(a)))
		return strings.TrimRight(fmt.Sprintf("  %s%s%14s%14s%12s", a, pad, b2, c, d), " ") + "\n"
	}
	b.WriteString(line("", "trace", "model", "difference"))
	for _, r := range rows {
		if r.Trace == 0 && r.Model == 0 {
			continue
		}
		diff := "-"
		if d := r.Difference(); !math.IsNaN(d) {
			diff = fmt.Sprintf("%+.1f %%", d)
		}
		b.WriteString(line(r.Name, r.show(r.Trace), r.show(r.Model), diff))
	}
	_, err := io.WriteString(w, b.String())
	return err
}
