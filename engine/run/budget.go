package run

import "sync/atomic"

// budget is how much of something may still begin. The zero value has no limit.
// Any goroutine may use it.
type budget struct {
	limited bool
	left    atomic.Int64
}

func (b *budget) limit(n int64) {
	if n > 0 {
		b.limited = true
		b.left.Store(n)
	}
}

// take says whether n more may begin; what is not measured is free. The last one
// may go past the limit.
func (b *budget) take(n int64, measured bool) bool {
	if !b.limited || !measured {
		return true
	}
	return b.left.Add(-n) > -n
}

// spent says that nothing more may begin.
func (b *budget) spent() bool { return b.limited && b.left.Load() <= 0 }
