package verify

import (
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha3"
	"crypto/sha512"
	"encoding/binary"
	"hash/crc32"
	"hash/crc64"

	"github.com/cespare/xxhash/v2"
)

// A header is little-endian: the magic number, a checksum of all that follows in the
// header, and the fields that begin at these places.
const (
	atCheck      = 8
	atGeneration = 12
	atOffset     = 16
	atSequence   = 24
	atSeed       = 32
	atLength     = 40
	atMethod     = 44
	atSum        = 48
)

const magic = uint64(0x3179667265766f6d) // "moverfy1"

// header is what a block says of itself.
type header struct {
	generation uint32
	offset     int64
	sequence   uint64
	seed       uint64
	length     uint32
	method     Method
}

var (
	castagnoli = crc32.MakeTable(crc32.Castagnoli)
	ecma       = crc64.MakeTable(crc64.ECMA)
)

var sumSizes = [numMethods]int{CRC32C: 4, CRC32: 4, CRC64: 8, XXHash: 8, MD5: md5.Size, SHA1: sha1.Size, SHA256: sha256.Size, SHA512: sha512.Size,
	CRC16: 2, CRC7: 1, SHA3x224: 28, SHA3x256: 32, SHA3x384: 48, SHA3x512: 64}

// headerSize is how many bytes stand in front of a block's data.
func (m Method) headerSize() int {
	if m == Pattern {
		return 0
	}
	return atSum + (sumSizes[m]+7)&^7
}

// sum puts the checksum of b into to.
func (m Method) sum(to, b []byte) {
	switch m {
	case CRC32C:
		binary.LittleEndian.PutUint32(to, crc32.Checksum(b, castagnoli))
	case CRC32:
		binary.LittleEndian.PutUint32(to, crc32.ChecksumIEEE(b))
	case CRC64:
		binary.LittleEndian.PutUint64(to, crc64.Checksum(b, ecma))
	case XXHash:
		binary.LittleEndian.PutUint64(to, xxhash.Sum64(b))
	case MD5:
		s := md5.Sum(b)
		copy(to, s[:])
	case SHA1:
		s := sha1.Sum(b)
		copy(to, s[:])
	case SHA256:
		s := sha256.Sum256(b)
		copy(to, s[:])
	case SHA512:
		s := sha512.Sum512(b)
		copy(to, s[:])
	default:
		m.rarer(to, b)
	}
}

// rarer is sum for the methods that few use.
func (m Method) rarer(to, b []byte) {
	switch m {
	case CRC16:
		binary.LittleEndian.PutUint16(to, crc16(b))
	case CRC7:
		to[0] = crc7(b)
	case SHA3x224:
		s := sha3.Sum224(b)
		copy(to, s[:])
	case SHA3x256:
		s := sha3.Sum256(b)
		copy(to, s[:])
	case SHA3x384:
		s := sha3.Sum384(b)
		copy(to, s[:])
	case SHA3x512:
		s := sha3.Sum512(b)
		copy(to, s[:])
	}
}

// matches says whether the checksum in a block's header is that of its data.
func (m Method) matches(block []byte) bool {
	n := m.headerSize()
	switch m {
	case Header, Pattern:
		return true
	case CRC32C:
		return binary.LittleEndian.Uint32(block[atSum:]) == crc32.Checksum(block[n:], castagnoli)
	}
	var sum [sha512.Size]byte
	m.sum(sum[:], block[n:])
	return string(sum[:n-atSum]) == string(block[atSum:n])
}

// sum puts the checksum of a block's data in front of it.
func (h *header) sum(block []byte) {
	if n := h.method.headerSize(); n > atSum {
		binary.LittleEndian.PutUint64(block[n-8:], 0) // what the checksum leaves of its last word
		h.method.sum(block[atSum:n], block[n:])
	}
}

// put writes the header of a block whose checksum is there.
func (h *header) put(block []byte) {
	n := h.method.headerSize()
	binary.LittleEndian.PutUint64(block, magic)
	binary.LittleEndian.PutUint32(block[atGeneration:], h.generation)
	binary.LittleEndian.PutUint64(block[atOffset:], uint64(h.offset))
	binary.LittleEndian.PutUint64(block[atSequence:], h.sequence)
	binary.LittleEndian.PutUint64(block[atSeed:], h.seed)
	binary.LittleEndian.PutUint32(block[atLength:], h.length)
	binary.LittleEndian.PutUint32(block[atMethod:], uint32(h.method))
	binary.LittleEndian.PutUint32(block[atCheck:], crc32.Checksum(block[atGeneration:n], castagnoli))
}

// parse reads a header, and says whether it is a whole one.
func parse(block []byte) (h header, ok bool) {
	h = header{
		generation: binary.LittleEndian.Uint32(block[atGeneration:]),
		offset:     int64(binary.LittleEndian.Uint64(block[atOffset:])),
		sequence:   binary.LittleEndian.Uint64(block[atSequence:]),
		seed:       binary.LittleEndian.Uint64(block[atSeed:]),
		length:     binary.LittleEndian.Uint32(block[atLength:]),
	}
	m := binary.LittleEndian.Uint32(block[atMethod:])
	if binary.LittleEndian.Uint64(block) != magic || m >= uint32(numMethods) || Method(m) == Pattern {
		return h, false
	}
	h.method = Method(m)
	n := h.method.headerSize()
	return h, n <= len(block) && binary.LittleEndian.Uint32(block[atCheck:]) == crc32.Checksum(block[atGeneration:n], castagnoli)
}
