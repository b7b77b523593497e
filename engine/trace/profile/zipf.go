package profile

import "math"

// hotness is how accesses are spread over blocks, from the counts of those that are followed.
type hotness struct {
	counts   []int64 // the hottest first
	rate     float64 // share of the blocks that is followed
	accesses float64 // to all blocks
}

// share is how much of the accesses goes to the hottest part of the blocks. What goes to
// the others is known best, since no few of them matter: the hottest get what is left.
func (h *hotness) share(part float64) float64 {
	if h.accesses == 0 {
		return 0
	}
	at := part * float64(len(h.counts))
	k := int(at)
	cold := 0.0
	for _, c := range h.counts[k:] {
		cold += float64(c)
	}
	if k < len(h.counts) {
		cold -= (at - float64(k)) * float64(h.counts[k])
	}
	return min(1, max(0, 1-cold/h.rate/h.accesses))
}

// theta is the most likely exponent, were the k-th hottest block accessed in proportion
// to 1/k^theta: the one that gives the accesses' ranks the mean logarithm that they have.
func (h *hotness) theta() float64 {
	n := float64(len(h.counts)) / h.rate
	if n < 2 || h.accesses == 0 {
		return 0
	}
	sum := 0.0
	for i, c := range h.counts {
		sum += float64(c) * math.Log((float64(i)+0.5)/h.rate+0.5)
	}
	mean := sum / h.rate / h.accesses
	low, high := 0.0, 8.0
	for range 50 {
		if mid := (low + high) / 2; meanLogRank(mid, n) > mean {
			low = mid
		} else {
			high = mid
		}
	}
	if low < 1e-6 {
		return 0 // no more uneven than chance would have it
	}
	return low
}

// meanLogRank is the mean logarithm of the ranks that a Zipf distribution over n draws.
func meanLogRank(theta, n float64) float64 {
	const few = 512 // summed one by one; an integral stands for the others
	weight, logs := 0.0, 0.0
	end := min(n, few)
	for k := 1.0; k <= end; k++ {
		w := math.Pow(k, -theta)
		weight += w
		logs += w * math.Log(k)
	}
	if n > few {
		w, l := tail(theta, few+0.5, n+0.5)
		weight += w
		logs += l
	}
	return logs / weight
}

// tail is the integrals of x^-theta and of x^-theta ln x from a to b.
func tail(theta, a, b float64) (weight, logs float64) {
	e := 1 - theta
	if math.Abs(e) < 1e-6 {
		la, lb := math.Log(a), math.Log(b)
		return lb - la, (lb*lb - la*la) / 2
	}
	at := func(x float64) (float64, float64) {
		p := math.Pow(x, e) / e
		return p, p*math.Log(x) - p/e
	}
	wa, la := at(a)
	wb, lb := at(b)
	return wb - wa, lb - la
}
