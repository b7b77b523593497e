package verify

import "testing"

// The check values are those of the catalogues: CRC-16/ARC and CRC-7/MMC.
func TestShortChecksums(t *testing.T) {
	b := []byte("123456789")
	if c := crc16(b); c != 0xbb3d {
		t.Errorf("crc16 is %#x", c)
	}
	if c := crc7(b); c != 0x75 {
		t.Errorf("crc7 is %#x", c)
	}
}
