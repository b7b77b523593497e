package engine

import (
	"fmt"
	"math/bits"
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

// Arena hands out page-aligned buffers outside Go's heap. A buffer comes filled
// with data that does not compress and keeps what was last put there.
// Buffers that are given back are handed out again. The first chunk can be
// registered with the kernel. One goroutine owns an arena.
type Arena struct {
	chunks [][]byte
	rest   []byte                  // what is left of the newest chunk
	free   [bits.UintSize][][]byte // by log2 of capacity
	fill   func([]byte)
}

var pageSize = os.Getpagesize()

const chunkSize = 4 << 20

// NewArena maps a first chunk that holds first bytes (rounded up to pages; 0 is
// allowed). fill puts data into fresh memory; nil leaves it zero.
func NewArena(first int, fill func([]byte)) (*Arena, error) {
	a := &Arena{fill: fill}
	if first > 0 {
		if err := a.grow(first); err != nil {
			return nil, err
		}
	}
	return a, nil
}

func (a *Arena) grow(n int) error {
	n = (n + pageSize - 1) &^ (pageSize - 1)
	m, err := unix.Mmap(-1, 0, n, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
	if err != nil {
		return fmt.Errorf("mapping %d bytes of buffers: %w", n, err)
	}
	a.chunks = append(a.chunks, m)
	a.rest = m
	return nil
}

// First is the first chunk, for an engine to register; nil if there is none.
func (a *Arena) First() []byte {
	if a == nil || len(a.chunks) == 0 {
		return nil
	}
	return a.chunks[0]
}

func class(n int) int { return bits.Len(uint(max(n, pageSize) - 1)) }

// Get returns a buffer of n bytes.
func (a *Arena) Get(n int) ([]byte, error) {
	c := class(n)
	if l := a.free[c]; len(l) > 0 {
		b := l[len(l)-1]
		a.free[c] = l[:len(l)-1]
		return b[:n], nil
	}
	// Capacities are powers of two so that a buffer can serve any request of its class.
	size := 1 << c
	if len(a.rest) < size {
		if err := a.grow(max(size, chunkSize)); err != nil {
			return nil, err
		}
	}
	b := a.rest[:size:size]
	a.rest = a.rest[size:]
	if a.fill != nil {
		a.fill(b)
	}
	return b[:n], nil
}

// Put gives a buffer back.
func (a *Arena) Put(b []byte) {
	b = b[:cap(b)]
	if len(b) == 0 {
		return
	}
	c := class(len(b))
	a.free[c] = append(a.free[c], b)
}

// Close unmaps everything. No operation may be in flight.
func (a *Arena) Close() error {
	var first error
	for _, c := range a.chunks {
		if err := unix.Munmap(c); err != nil && first == nil {
			first = fmt.Errorf("unmapping buffers: %w", err)
		}
	}
	*a = Arena{fill: a.fill}
	return first
}

// FileIDs hands out file IDs: small, dense, and reused after a file is closed.
type FileIDs struct {
	mu   sync.Mutex
	next uint32
	free []uint32
}

// Take returns an unused ID.
func (p *FileIDs) Take() uint32 {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := len(p.free); n > 0 {
		id := p.free[n-1]
		p.free = p.free[:n-1]
		return id
	}
	p.next++
	return p.next - 1
}

// Release gives an ID back.
func (p *FileIDs) Release(id uint32) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.free = append(p.free, id)
}
