// Package verify tells whether storage gives back what was written to it.
//
// A verified [File] is divided into blocks of one size, its interval. Every write
// of a block gives it the next generation, and puts a header in front of it that says
// what it is: offset, sequence, seed, generation, length, and a checksum of the
// rest. What a block must hold is kept in a table of 16 bytes a block, in memory or in
// a state file that outlives the program; its content follows from seed, offset and
// generation, so that whatever is found instead can be explained: a flipped bit, another
// block, an older generation, parts of two. See [Mismatch].
//
// Writes of one block may overlap in time. Its content is then one of several
// generations, and each of them is right. What is read while it is written is not judged.
//
// After a crash, what had completed must be there if only the program died, and what
// had been synced if the machine did. What was in flight may be old or new, by whole sectors.
//
// A File is safe for concurrent use; it allocates nothing until it finds a mismatch.
package verify

import (
	"fmt"
	"strings"

	"moonio/engine/suggest"
	"moonio/engine/units"
)

// Method says what a block is checked by.
type Method uint8

// The methods, by their numbers in a block's header. Header checks the header alone; Pattern has no header, and compares
// every byte with the pattern.
const (
	CRC32C Method = iota
	CRC32
	CRC64
	XXHash
	MD5
	SHA1
	SHA256
	SHA512
	Pattern
	Header
	CRC16
	CRC7
	SHA3x224
	SHA3x256
	SHA3x384
	SHA3x512
	numMethods
)

var methodNames = [numMethods]string{"crc32c", "crc32", "crc64", "xxhash", "md5", "sha1", "sha256", "sha512", "pattern", "header",
	"crc16", "crc7", "sha3-224", "sha3-256", "sha3-384", "sha3-512"}

// String is the method as a script names it.
func (m Method) String() string {
	if m < numMethods {
		return methodNames[m]
	}
	return fmt.Sprintf("method(%d)", uint8(m))
}

// ParseMethod reads a method's name.
func ParseMethod(name string) (Method, error) {
	for m, n := range methodNames {
		if n == name {
			return Method(m), nil
		}
	}
	return 0, fmt.Errorf("%q is not one of %s%s", name, strings.Join(methodNames[:], ", "), suggest.Hint(name, methodNames[:]))
}

// sector is what storage writes whole or not at all.
const sector = 512

// The smallest block that can be verified, and the largest, which bounds the memory that an explanation takes.
const (
	leastInterval = 128
	maxInterval   = 64 << 20
)

// CheckInterval says why blocks of n bytes can't be verified.
func CheckInterval(n int64) error {
	if n < leastInterval || n > maxInterval {
		return fmt.Errorf("interval = %s: from %s to %s are possible", units.FormatSize(n), units.FormatSize(leastInterval), units.FormatSize(maxInterval))
	}
	return nil
}
