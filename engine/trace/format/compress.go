package format

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz"

	"moonio/engine/trace"
)

// headSize is how much of an input a format may look at, and the size of its buffer.
const headSize = 64 << 10

// maxWindow bounds the memory that a compressed file may ask of its reader. It is what the
// zstd program allows without being asked, and twice what xz -9 needs.
const maxWindow = 128 << 20

// maxLayers bounds how often something compressed is compressed again.
const maxLayers = 4

// decompressors tell their format by its first bytes.
var decompressors = []struct {
	magic string
	open  func(r *bufio.Reader) (io.Reader, func(), error)
}{
	{"\x1f\x8b", func(r *bufio.Reader) (io.Reader, func(), error) {
		z, err := gzip.NewReader(r)
		return z, nil, err
	}},
	{"\x28\xb5\x2f\xfd", openZstd},
	{"BZh", func(r *bufio.Reader) (io.Reader, func(), error) { return bzip2.NewReader(r), nil, nil }},
	{"\xfd7zXZ\x00", openXZ},
}

// decompress peels off what an input is compressed with. The function that it returns
// frees the decompressors.
func decompress(raw io.Reader) (in *bufio.Reader, compressed bool, free func(), err error) {
	in = bufio.NewReaderSize(raw, headSize)
	var frees []func()
	free = func() {
		for i := len(frees) - 1; i >= 0; i-- {
			frees[i]()
		}
	}
	for range maxLayers {
		r, f, err := peel(in)
		if err != nil {
			free()
			return nil, false, nil, fmt.Errorf("decompression: %w", err)
		}
		if r == nil {
			passMark(in)
			return in, compressed, free, nil
		}
		if f != nil {
			frees = append(frees, f)
		}
		in, compressed = bufio.NewReaderSize(&cut{r}, headSize), true
	}
	free()
	return nil, false, nil, fmt.Errorf("decompression: it is compressed more than %d times over", maxLayers-1)
}

// passMark passes over the mark of UTF-8 that programs of Windows put before a text.
func passMark(in *bufio.Reader) {
	const mark = "\xef\xbb\xbf"
	if head, _ := in.Peek(64); bytes.HasPrefix(head, []byte(mark)) && bytes.IndexByte(head, 0) < 0 {
		in.Discard(len(mark))
	}
}

// peel opens one layer of compression, or returns nil if there is none.
func peel(in *bufio.Reader) (io.Reader, func(), error) {
	head, _ := in.Peek(8)
	if isSkippable(head) {
		return openZstd(in)
	}
	for _, d := range decompressors {
		if bytes.HasPrefix(head, []byte(d.magic)) {
			return d.open(in)
		}
	}
	return nil, nil, nil
}

func openZstd(r *bufio.Reader) (io.Reader, func(), error) {
	z, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow), zstd.WithDecoderLowmem(true))
	if err != nil {
		return nil, nil, err
	}
	return z, z.Close, nil
}

// isSkippable says whether a file begins with a frame that zstd passes over, as pzstd writes them.
func isSkippable(head []byte) bool {
	return len(head) >= 4 && head[0]&0xf0 == 0x50 && string(head[1:4]) == "\x2a\x4d\x18"
}

// cut says of a compressed input that ends early, or is damaged, what is wrong with it: either way what came before can
// be used.
type cut struct{ r io.Reader }

func (c *cut) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	if err == io.ErrUnexpectedEOF {
		err = fmt.Errorf("decompression: %w", trace.ErrTruncated)
	} else if err != nil && err != io.EOF {
		err = fmt.Errorf("decompression: %w: %w", err, trace.ErrTruncated)
	}
	return n, err
}

// openXZ reads xz, and refuses a dictionary that would fill the memory, and filters: both are in the
// first block's header, after the stream's header of 12 bytes.
func openXZ(r *bufio.Reader) (io.Reader, func(), error) {
	head, _ := r.Peek(12 + 1024)
	if size := xzDictionary(head); size > maxWindow {
		return nil, nil, fmt.Errorf("its dictionary of %d MiB is larger than %d MiB", size>>20, maxWindow>>20)
	}
	if len(head) >= 14 && head[12] != 0 && head[13]&3 > 0 { // how many filters there are but one
		return nil, nil, errFilters
	}
	z, err := xz.NewReader(r)
	return z, nil, err
}

var errFilters = errors.New("xz used filters besides LZMA2, which only xz can undo: pipe it in, as in xz -dc FILE | moonio trace info -")

// xzDictionary is the dictionary's size in bytes that the head of an xz file asks for; 0 if it
// cannot be seen, which xz itself then complains of.
func xzDictionary(head []byte) int64 {
	const lzma2 = "\x21\x01" // the filter's number, and the size of its properties
	if len(head) < 14 {
		return 0
	}
	end := min(12+4*(int(head[12])+1), len(head))
	at := bytes.Index(head[13:end], []byte(lzma2))
	if at < 0 || 13+at+2 >= end {
		return 0
	}
	bits := int64(head[13+at+2] & 63)
	return (2 | bits&1) << (bits/2 + 11)
}
