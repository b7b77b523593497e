package report

import (
	"bytes"
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"moonio/engine/hist"
)

func encode(t *testing.T, r *Result) string {
	t.Helper()
	var b bytes.Buffer
	if err := WriteJSON(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// blankHDR takes the histograms out, whose compressed bytes may change with the
// compiler, after a look that they hold what stands beside them.
func blankHDR(t *testing.T, r *Result) {
	t.Helper()
	for _, p := range r.Phases {
		for _, j := range p.Jobs {
			for _, o := range j.Ops {
				for _, l := range []*Latency{o.Service, o.Response} {
					if l == nil {
						continue
					}
					h, err := hist.Decode(l.HDR)
					if err != nil {
						t.Fatal(err)
					}
					if h.Count() != o.Count || h.Percentile(50) != l.P50NS {
						t.Errorf("the histogram has %d samples and a median of %d, want %d and %d", h.Count(), h.Percentile(50), o.Count, l.P50NS)
					}
					l.HDR = "…"
				}
			}
		}
	}
}

func TestJSONGoldens(t *testing.T) {
	for name, r := range map[string]*Result{"wal": wal(t), "broken": broken(), "empty": {}} {
		Diagnose(r)
		blankHDR(t, r)
		golden(t, name+".json", encode(t, r))
	}
}

// A long series is written in small pieces, and as the rest would be.
func TestJSONOfALongSeries(t *testing.T) {
	r := mixed(t)
	j := r.Phases[0].Jobs[0]
	for n := range 5000 {
		j.Intervals = append(j.Intervals, Interval{TNS: int64(n), Ops: map[string]IntervalOp{"read": {IOPS: float64(n) / 3, P99NS: 1}}})
	}
	r.Script.Params = map[string]any{"p": "\n     \"intervals\": []"}
	var got pieces
	if err := WriteJSON(&got, r); err != nil {
		t.Fatal(err)
	}
	want, err := indented("", r)
	if err != nil {
		t.Fatal(err)
	}
	if got.all.String() != string(want) {
		t.Error(cmp.Diff(string(want), got.all.String()))
	}
	if got.largest > 64<<10 { // a histogram is in one
		t.Errorf("a piece had %d bytes", got.largest)
	}
}

// pieces is what is written, and how many bytes of it at a time.
type pieces struct {
	all     bytes.Buffer
	largest int
}

func (p *pieces) Write(b []byte) (int, error) {
	p.largest = max(p.largest, len(b))
	return p.all.Write(b)
}

func TestJSONIsTheSameEveryTime(t *testing.T) {
	first := encode(t, mixed(t))
	for range 5 {
		if got := encode(t, mixed(t)); got != first {
			t.Fatalf("the same result gave other bytes:\n%s", cmp.Diff(first, got))
		}
	}
}

func TestJSONReadsBack(t *testing.T) {
	want := mixed(t)
	Diagnose(want)
	var got Result
	if err := json.Unmarshal([]byte(encode(t, want)), &got); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, &got, cmpopts.EquateEmpty()); d != "" {
		t.Errorf("read back (-want +got):\n%s", d)
	}
}

func TestWarningNeedsACode(t *testing.T) {
	var w Warning
	if err := json.Unmarshal([]byte(`"no colon"`), &w); err == nil || !strings.Contains(err.Error(), `"no colon"`) {
		t.Errorf("error %v, want one that quotes the text", err)
	}
}

// fill puts something into every field beneath v: f into floats, one element
// into every list and map, a value behind every pointer.
func fill(v reflect.Value, f float64) {
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), f)
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Field(i).CanSet() {
				fill(v.Field(i), f)
			}
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0), f)
	case reflect.Map:
		e := reflect.New(v.Type().Elem()).Elem()
		fill(e, f)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(reflect.ValueOf("key"), e)
	case reflect.Float64:
		v.SetFloat(f)
	case reflect.Interface:
		v.Set(reflect.ValueOf(f))
	}
}

// Whatever field a figure that is none gets into, it does not get into JSON.
func TestJSONIsFinite(t *testing.T) {
	for _, f := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		var got, want Result
		fill(reflect.ValueOf(&got).Elem(), f)
		fill(reflect.ValueOf(&want).Elem(), 0)
		if d := cmp.Diff(encode(t, &want), encode(t, &got)); d != "" {
			t.Errorf("%v where 0 should be:\n%s", f, d)
		}
	}
}

func TestLatencyOfNothing(t *testing.T) {
	for name, h := range map[string]*hist.Histogram{"no histogram": nil, "an empty one": hist.New()} {
		if l, err := NewLatency(h); l != nil || err != nil {
			t.Errorf("%s: %+v (%v), want none", name, l, err)
		}
	}
}

func TestLatencyIsOrdered(t *testing.T) {
	for _, h := range []*hist.Histogram{around(1, us), around(7, 3), around(5000, 70*us), around(100000, 11*ms)} {
		l, err := NewLatency(h)
		if err != nil {
			t.Fatal(err)
		}
		row := []int64{l.MinNS, l.P50NS, l.P90NS, l.P95NS, l.P99NS, l.P999NS, l.P9999NS, l.MaxNS}
		for i := range row[1:] {
			if row[i+1] < row[i] {
				t.Errorf("extremes and percentiles fall: %d", row)
			}
		}
		if l.MeanNS < float64(l.MinNS) || l.MeanNS > float64(l.MaxNS) {
			t.Errorf("mean %g outside [%d, %d]", l.MeanNS, l.MinNS, l.MaxNS)
		}
	}
}

func TestRates(t *testing.T) {
	o := Op{Count: 300, Bytes: 300 * 4096}
	o.SetRates(2 * sec)
	if o.IOPS != 150 || o.Bandwidth != 150*4096 {
		t.Errorf("%g IOPS and %g bytes/s, want 150 and %d", o.IOPS, o.Bandwidth, 150*4096)
	}
	o.SetRates(0)
	if o.IOPS != 0 || o.Bandwidth != 0 {
		t.Errorf("over no time: %g IOPS and %g bytes/s, want 0", o.IOPS, o.Bandwidth)
	}
}

func TestEmptyIntervals(t *testing.T) {
	row := func(t, d int64) Interval {
		return Interval{TNS: t, DurationNS: d, Ops: map[string]IntervalOp{"read": {}, "fsync": {}}}
	}
	for name, c := range map[string]struct {
		start, duration, step int64
		want                  []Interval
	}{
		"whole":       {0, 30, 10, []Interval{row(0, 10), row(10, 10), row(20, 10)}},
		"a rest":      {0, 25, 10, []Interval{row(0, 10), row(10, 10), row(20, 5)}},
		"a later job": {20, 15, 10, []Interval{row(20, 10), row(30, 5)}},
		"between":     {15, 10, 10, []Interval{row(10, 10), row(20, 5)}},
		"short":       {0, 3, 10, []Interval{row(0, 3)}},
		"no time":     {5, 0, 10, nil},
		"no step":     {0, 10, 0, nil},
	} {
		j := &Job{StartNS: c.start, DurationNS: c.duration, Ops: map[string]*Op{"read": {}, "fsync": {}}}
		if d := cmp.Diff(c.want, j.EmptyIntervals(c.step)); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
}
