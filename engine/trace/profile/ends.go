package profile

// ends is a heap of times, the earliest first.
type ends []int64

func (e *ends) push(t int64) {
	h := append(*e, t)
	i := len(h) - 1
	for i > 0 {
		up := (i - 1) / 2
		if h[up] <= t {
			break
		}
		h[i] = h[up]
		i = up
	}
	h[i] = t
	*e = h
}

// pop removes the earliest.
func (e *ends) pop() {
	h := *e
	n := len(h) - 1
	t, i := h[n], 0
	for {
		down := 2*i + 1
		if down >= n {
			break
		}
		if down+1 < n && h[down+1] < h[down] {
			down++
		}
		if t <= h[down] {
			break
		}
		h[i] = h[down]
		i = down
	}
	h[i] = t
	*e = h[:n]
}
