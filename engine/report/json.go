package report

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"reflect"
)

// WriteJSON writes the result as JSON, complete: lists and maps that are nil
// come out empty, and a float that is no number comes out 0, so that a short
// run is read like any other. It sets all of this, and Schema, in r too.
func WriteJSON(w io.Writer, r *Result) error {
	r.Schema = Schema
	tidy(reflect.ValueOf(r))
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	if err := e.Encode(r); err != nil {
		return fmt.Errorf("result as JSON: %w", err)
	}
	return nil
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
