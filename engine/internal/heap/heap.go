// Package heap keeps the first of a changing set of values at hand, without an interface
// call or an allocation for each.
package heap

// Heap is a set of values that know which comes before which. The zero value is empty;
// the first is at index 0.
type Heap[T interface{ Before(T) bool }] []T

// Push adds a value.
func (h *Heap[T]) Push(v T) {
	a := append(*h, v)
	*h = a
	for i := len(a) - 1; i > 0; {
		up := (i - 1) / 2
		if !a[i].Before(a[up]) {
			return
		}
		a[i], a[up] = a[up], a[i]
		i = up
	}
}

// Pop takes the first out, which there must be.
func (h *Heap[T]) Pop() T {
	a := *h
	first, last := a[0], len(a)-1
	a[0] = a[last]
	var none T
	a[last] = none
	a = a[:last]
	*h = a
	for i := 0; ; {
		down := 2*i + 1
		if down >= last {
			return first
		}
		if down+1 < last && a[down+1].Before(a[down]) {
			down++
		}
		if !a[down].Before(a[i]) {
			return first
		}
		a[i], a[down] = a[down], a[i]
		i = down
	}
}
