package hist

import "math/bits"

// Buckets are HdrHistogram's: the first 2048 are one value wide, and every
// further 1024 are twice as wide as those before, so that a bucket is never
// wider than a 1024th of the values in it.
const (
	halfBits   = 10
	half       = 1 << halfBits
	topBits    = 42                                      // bits of Highest
	numBuckets = (topBits-halfBits-1)<<halfBits + 2*half // up to the last one of topBits bits
)

// bucketOf is the index of the bucket that holds v, which is not negative.
// What is above the range goes where Highest goes.
func bucketOf(v int64) int {
	u := uint64(min(v, Highest))
	shift := max(bits.Len64(u)-halfBits-1, 0)
	return shift<<halfBits + int(u>>shift)
}

// lowest is the smallest value of bucket i, and width how many values it holds.
func lowest(i int) (v, width int64) {
	shift := max(i>>halfBits-1, 0)
	return int64(i-shift<<halfBits) << shift, 1 << shift
}

// highest is the largest value of bucket i.
func highest(i int) int64 {
	v, width := lowest(i)
	return v + width - 1
}

// middle is the value that stands for all of bucket i.
func middle(i int) int64 {
	v, width := lowest(i)
	return v + width/2
}
