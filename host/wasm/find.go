package wasm

import "bytes"

// index is bytes.Index, which looks for the first byte of a needle and then at what
// follows. Of "\n#" in Markdown that is a stop at each line, and takes twice as long as
// to look for the byte that texts hold least, from which the rest is told as well.
func index(data, needle []byte) int {
	rare := rarest(needle)
	if rare == 0 {
		return bytes.Index(data, needle)
	}
	at := 0 // where the needle may begin
	for stops := 0; stops <= 8+at>>6; stops++ {
		if at+len(needle) > len(data) {
			return -1
		}
		next := bytes.IndexByte(data[at+rare:], needle[rare])
		if next < 0 || at+next+len(needle) > len(data) {
			return -1
		}
		at += next
		if bytes.Equal(data[at:at+len(needle)], needle) {
			return at
		}
		at++
	}
	rest := bytes.Index(data[at:], needle) // the byte is not rare here
	if rest < 0 {
		return -1
	}
	return at + rest
}

// rarest gives the place in a needle of the byte that texts hold least, by its kind;
// of those the first.
func rarest(needle []byte) int {
	rare := 0
	for i := 1; i < len(needle) && i < needleHead; i++ {
		if frequency(needle[i]) < frequency(needle[rare]) {
			rare = i
		}
	}
	return rare
}

// needleHead is how much of a needle is looked at: its choice is to cost nothing.
const needleHead = 32

// frequency is an order of bytes by how often text of any type has them.
func frequency(c byte) int {
	switch {
	case 'a' <= c && c <= 'z', c == ' ', c == '\n', c >= 0x80:
		return 3
	case '0' <= c && c <= '9', c == ',', c == '.', c == '"', c == ':', c == '-':
		return 2
	case 'A' <= c && c <= 'Z', c == '\t', c == '\r', c == '\\':
		return 1
	}
	return 0
}
