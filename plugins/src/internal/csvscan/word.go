package csvscan

import "encoding/binary"

// equal is bytes.Equal for two texts of equal length, of eight bytes or more.
func equal(a, b []byte) bool {
	last := len(a) - 8
	for at := 0; at < last; at += 8 {
		if binary.LittleEndian.Uint64(a[at:]) != binary.LittleEndian.Uint64(b[at:]) {
			return false
		}
	}
	return binary.LittleEndian.Uint64(a[last:]) == binary.LittleEndian.Uint64(b[last:])
}
