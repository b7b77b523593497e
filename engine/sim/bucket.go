package sim

import "time"

// bucket takes amounts and leaks at a constant rate. A write cache is one that
// holds bytes, a bandwidth cap one with no room, burst credits one whose room is
// the credits.
//
// The level is kept as the time at which the bucket will be empty. The zero
// value leaks at once.
type bucket struct {
	each  float64 // ns for one to leak
	room  int64   // ns that a full bucket takes to empty
	empty int64
}

func newBucket(perSecond, room int64) bucket {
	if perSecond == 0 {
		return bucket{}
	}
	each := float64(time.Second) / float64(perSecond)
	return bucket{each: each, room: int64(min(each*float64(room), longest))}
}

// add puts n in and says when that fits: now, or later.
func (b *bucket) add(now, n int64) int64 {
	b.empty = max(b.empty, now) + b.time(n)
	return max(now, b.empty-b.room)
}

// time is what n takes to leak.
func (b *bucket) time(n int64) int64 { return int64(float64(n)*b.each + 0.5) }
