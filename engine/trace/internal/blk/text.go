package blk

import (
	"bytes"
	"math"

	"moonio/engine/trace/internal/scan"
)

// ParseSectors takes "S", "S + N", "S / S2" or "S + N <- (MAJ,MIN) S", as blkparse and the kernel's trace
// points print them, and gives what follows. from is the device above, of a remapped I/O. ok is false
// where there are not both numbers, as with a flush that has no place.
func (e *Event) ParseSectors(b []byte) (rest []byte, from uint32, ok bool) {
	word, rest := scan.Field(b)
	sector, ok := parseSector(word)
	if !ok {
		return b, 0, false
	}
	e.Sector = sector
	sign, after := scan.Field(rest)
	word, after = scan.Field(after)
	n, ok := parseSector(word)
	switch {
	case !ok:
		return rest, 0, false
	case string(sign) == "+" && n <= math.MaxUint32/SectorSize:
		e.Bytes = uint32(n) * SectorSize
	case string(sign) == "/":
		e.Split, e.Bytes = n, SectorSize // it has data, of a length that is not said
	default:
		return rest, 0, false
	}
	if arrow, above := scan.Field(after); string(arrow) == "<-" {
		word, _ := scan.Field(above)
		from, _ = ParseDevice(bytes.Trim(word, "()"))
	}
	return after, from, true
}

// ParseDevice takes "MAJ,MIN".
func ParseDevice(b []byte) (uint32, bool) {
	at := bytes.IndexByte(b, ',')
	if at < 0 {
		return 0, false
	}
	major, ok1 := scan.Uint(b[:at])
	minor, ok2 := scan.Uint(b[at+1:])
	if !ok1 || !ok2 || major >= 1<<12 || minor >= 1<<20 {
		return 0, false
	}
	return deviceNumber(uint32(major), uint32(minor)), true
}

// parseSector takes a sector. A flush may have the largest of all.
func parseSector(b []byte) (uint64, bool) {
	if string(b) == "18446744073709551615" {
		return noSector, true
	}
	n, ok := scan.Uint(b)
	return uint64(n), ok
}
