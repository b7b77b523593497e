package sim

// queue is the requests that wait for a server, in order of arrival. Its
// capacity is a power of two and only grows.
type queue struct {
	ring []request
	head int
	n    int
}

func (q *queue) at(i int) *request { return &q.ring[(q.head+i)&(len(q.ring)-1)] }

func (q *queue) push(r *request) {
	if q.n == len(q.ring) {
		q.grow()
	}
	q.n++
	*q.at(q.n - 1) = *r
}

func (q *queue) grow() {
	ring := make([]request, max(64, 2*len(q.ring)))
	for i := range q.n {
		ring[i] = *q.at(i)
	}
	q.ring, q.head = ring, 0
}

// take removes the i-th request. What is before it moves up, so it is for
// small i.
func (q *queue) take(i int) request {
	r := *q.at(i)
	for ; i > 0; i-- {
		*q.at(i) = *q.at(i - 1)
	}
	q.head = (q.head + 1) & (len(q.ring) - 1)
	q.n--
	return r
}

// find is the position of a tag's request, or -1.
func (q *queue) find(t tag) int {
	for i := range q.n {
		if q.at(i).tag == t {
			return i
		}
	}
	return -1
}
