package heap

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

type number int

func (a number) Before(b number) bool { return a < b }

func TestOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOf(rapid.Int()).Draw(t, "values")
		var h Heap[number]
		for _, v := range values {
			h.Push(number(v))
		}
		var got []int
		for len(h) > 0 {
			got = append(got, int(h.Pop()))
		}
		slices.Sort(values)
		if !slices.Equal(got, values) {
			t.Fatalf("%v, want %v", got, values)
		}
	})
}
