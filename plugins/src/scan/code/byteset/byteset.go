// Package byteset finds the next byte of a set.
package byteset

import "math/bits"

// Set is a set of bytes: 1 for each member. Eight bytes are looked up and joined to a mask
// without a branch, because in Wasm a loop over single bytes takes twice as long.
type Set [256]uint8

// Of returns the set of the bytes of a string.
func Of(members string) *Set {
	s := new(Set)
	for i := range len(members) {
		s[members[i]] = 1
	}
	return s
}

// Has reports whether c is a member.
func (s *Set) Has(c byte) bool { return s[c] != 0 }

// Next returns the offset of the first member at or after an offset of b, or at least
// len(b) if there is none.
func (s *Set) Next(b []byte, at int) int {
	for ; at+8 <= len(b); at += 8 {
		c := (*[8]byte)(b[at:])
		found := uint64(s[c[0]]) | uint64(s[c[1]])<<1 | uint64(s[c[2]])<<2 | uint64(s[c[3]])<<3 |
			uint64(s[c[4]])<<4 | uint64(s[c[5]])<<5 | uint64(s[c[6]])<<6 | uint64(s[c[7]])<<7
		if found != 0 {
			return at + bits.TrailingZeros64(found)
		}
	}
	for at < len(b) && s[b[at]] == 0 {
		at++
	}
	return at
}
