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

// Values that change move to where they belong.
func TestChange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var h Heap[number]
		for _, v := range rapid.SliceOfN(rapid.IntRange(0, 99), 1, 50).Draw(t, "values") {
			h.Push(number(v))
		}
		i, v := rapid.IntRange(0, len(h)-1).Draw(t, "i"), number(rapid.IntRange(0, 99).Draw(t, "v"))
		if earlier := v < h[i]; earlier {
			h[i] = v
			h.Up(i)
		} else {
			h[i] = v
			h.Down(i)
		}
		last := h.Pop()
		for len(h) > 0 {
			next := h.Pop()
			if next < last {
				t.Fatalf("%v after %v", next, last)
			}
			last = next
		}
	})
}
