package report

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"reflect"
)

// WriteJSON writes the result as JSON, complete: lists and maps that are nil
// come out empty, and a float that is no number comes out 0, so that a short
// run is read like any other. It sets all of this, and Schema, in r too.
//
// Series are written interval by interval: of a long run they are nearly all that there is.
func WriteJSON(w io.Writer, r *Result) error {
	r.Schema = Schema
	b := bufio.NewWriter(w)
	err := writeFrame(b, r)
	if err == nil {
		err = b.Flush()
	}
	if err != nil {
		return fmt.Errorf("result as JSON: %w", err)
	}
	return nil
}

// emptySeries is the line of a job that has no intervals. No text in JSON has line breaks, and so
// no text is such a line.
var emptySeries = []byte(`"intervals": []`)

// writeFrame writes the result with each job's series in its place.
func writeFrame(w *bufio.Writer, r *Result) error {
	series := takeSeries(r)
	defer giveSeries(r, series)
	tidy(reflect.ValueOf(r))
	frame, err := indented("", r)
	if err != nil {
		return err
	}
	for line := range bytes.Lines(frame) {
		at := bytes.Index(line, emptySeries)
		if at < 0 || len(bytes.TrimLeft(line[:at], " ")) > 0 {
			if _, err := w.Write(line); err != nil {
				return err
			}
			continue
		}
		if err := writeSeries(w, line[:at], series[0], line[at+len(emptySeries):]); err != nil {
			return err
		}
		series = series[1:]
	}
	return nil
}

// writeSeries writes a job's intervals behind an indentation, and then what follows.
func writeSeries(w *bufio.Writer, indent []byte, list []Interval, rest []byte) error {
	fmt.Fprintf(w, `%s"intervals": [`, indent)
	for i := range list {
		tidy(reflect.ValueOf(&list[i]))
		text, err := indented(string(indent)+" ", &list[i])
		if err != nil {
			return err
		}
		if i > 0 {
			w.WriteByte(',')
		}
		fmt.Fprintf(w, "\n%s %s", indent, bytes.TrimRight(text, "\n"))
	}
	if len(list) > 0 {
		fmt.Fprintf(w, "\n%s", indent)
	}
	_, err := fmt.Fprintf(w, "]%s", rest) // it is the first error, if there was one
	return err
}

func indented(prefix string, v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent(prefix, " ")
	err := e.Encode(v)
	return b.Bytes(), err
}

// takeSeries takes the series out of a result's jobs.
func takeSeries(r *Result) (series [][]Interval) {
	for _, p := range r.Phases {
		for _, j := range p.Jobs {
			series = append(series, j.Intervals)
			j.Intervals = nil
		}
	}
	return series
}

// giveSeries puts them back.
func giveSeries(r *Result, series [][]Interval) {
	for _, p := range r.Phases {
		for _, j := range p.Jobs {
			if len(series[0]) > 0 {
				j.Intervals = series[0]
			}
			series = series[1:]
		}
	}
}

// tidy makes what v points to fit for JSON.
func tidy(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			tidy(v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Field(i); f.CanSet() {
				tidy(f)
			}
		}
	case reflect.Slice:
		if v.IsNil() {
			v.Set(reflect.MakeSlice(v.Type(), 0, 0))
		}
		for i := range v.Len() {
			tidy(v.Index(i))
		}
	case reflect.Map:
		tidyMap(v)
	case reflect.Float64:
		if f := v.Float(); math.IsNaN(f) || math.IsInf(f, 0) {
			v.SetFloat(0)
		}
	case reflect.Interface:
		// A value behind an interface, such as a parameter's, is replaced as a whole.
		if f, ok := v.Interface().(float64); ok && (math.IsNaN(f) || math.IsInf(f, 0)) {
			v.Set(reflect.ValueOf(0.0))
		}
	}
}

func tidyMap(v reflect.Value) {
	if v.IsNil() {
		v.Set(reflect.MakeMap(v.Type()))
	}
	for _, k := range v.MapKeys() {
		e := reflect.New(v.Type().Elem()).Elem()
		e.Set(v.MapIndex(k))
		tidy(e)
		v.SetMapIndex(k, e)
	}
}
