package verify

import (
	"bytes"
	"sync"
)

// images are blocks to compare with.
var images = sync.Pool{New: func() any { return new([]byte) }}

// patterned says whether a block without a header is the pattern.
func (f *File) patterned(b []byte, unit int64) bool {
	p := images.Get().(*[]byte)
	defer images.Put(p)
	if len(*p) < len(b) {
		*p = make([]byte, len(b))
	}
	want := (*p)[:len(b)]
	f.source.Make(want, unit*f.Interval, 0)
	return bytes.Equal(b, want)
}
