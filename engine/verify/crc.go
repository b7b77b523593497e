package verify

// These two checksums are short: of two blocks that differ one of 128 has the same crc7.

// crc16Table is for the polynomial 0x8005, the least significant bit first; crc7Table for 0x09, the
// most significant one first, in the upper seven bits.
var crc16Table, crc7Table = crcTables()

func crcTables() (t16 [256]uint16, t7 [256]uint8) {
	for i := range 256 {
		c, d := uint16(i), uint8(i)
		for range 8 {
			c = c>>1 ^ 0xa001*(c&1)
			d = d<<1 ^ 0x12*(d>>7)
		}
		t16[i], t7[i] = c, d
	}
	return t16, t7
}

func crc16(b []byte) (c uint16) {
	for _, x := range b {
		c = c>>8 ^ crc16Table[byte(c)^x]
	}
	return c
}

func crc7(b []byte) (c uint8) {
	for _, x := range b {
		c = crc7Table[c^x]
	}
	return c >> 1
}
