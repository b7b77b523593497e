// Package heap keeps the first of a changing set of values at hand, without an interface
// call or an allocation for each.
package heap

// Heap is a set of values that know which comes before which. The zero value is empty;
// the first is at index 0.
type Heap[T interface{ Before(T) bool }] []T

// Push adds a value.
func (h *Heap[T]) Push(v T) {
	*h = append(*h, v)
	h.Up(len(*h) - 1)
}

// Pop takes the first out, which there must be.
func (h *Heap[T]) Pop() T {
	a := *h
	first, last := a[0], len(a)-1
	a[0] = a[last]
	var none T
	a[last] = none
	*h = a[:last]
	h.Down(0)
	return first
}

// Up puts the value at i in its place after it has come to be earlier.
func (h Heap[T]) Up(i int) {
	for i > 0 {
		up := (i - 1) / 2
		if !h[i].Before(h[up]) {
			return
		}
		h[i], h[up] = h[up], h[i]
		i = up
	}
}

// Down puts the value at i in its place after it has come to be later.
func (h Heap[T]) Down(i int) {
	for {
		down := 2*i + 1
		if down >= len(h) {
			return
		}
		if down+1 < len(h) && h[down+1].Before(h[down]) {
			down++
		}
		if !h[down].Before(h[i]) {
			return
		}
		h[i], h[down] = h[down], h[i]
		i = down
	}
}
