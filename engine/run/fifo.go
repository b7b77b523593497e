package run

// fifo is a queue in which adding and taking cost the same however long it is. The
// zero value is empty.
type fifo[T any] struct {
	items []T // from head on
	head  int
}

func (q *fifo[T]) len() int { return len(q.items) - q.head }

func (q *fifo[T]) push(v T) {
	if q.head > len(q.items)/2 {
		n := copy(q.items, q.items[q.head:])
		clear(q.items[n:])
		q.items, q.head = q.items[:n], 0
	}
	q.items = append(q.items, v)
}

// first is the oldest, which there must be.
func (q *fifo[T]) first() *T { return &q.items[q.head] }

// pop takes the oldest out, which there must be.
func (q *fifo[T]) pop() T {
	v := q.items[q.head]
	var none T
	q.items[q.head] = none
	if q.head++; q.head == len(q.items) {
		q.items, q.head = q.items[:0], 0
	}
	return v
}
