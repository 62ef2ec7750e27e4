package keyword

import (
	"iter"
	"strconv"
	"strings"
)

// eachString iterates over the strings in a JSON text at any depth, each cut to
// maxValue bytes, without keys. The text may be truncated anywhere.
func eachString(json []byte) iter.Seq[string] {
	return func(yield func(string) bool) {
		for at := 0; at < len(json); at++ {
			if json[at] != '"' {
				continue
			}
			end := stringEnd(json, at+1)
			if !isKey(json, end+1) && !yield(Unescape(json[at+1:min(end, at+1+maxValue)])) {
				return
			}
			at = end
		}
	}
}

// stringEnd returns the offset of the quote that ends the string at an offset, or the
// end of the text.
func stringEnd(json []byte, at int) int {
	for ; at < len(json) && json[at] != '"'; at++ {
		if json[at] == '\\' {
			at++
		}
	}
	return min(at, len(json))
}

func isKey(json []byte, at int) bool {
	for at < len(json) && (json[at] == ' ' || json[at] == '\n' || json[at] == '\t' || json[at] == '\r') {
		at++
	}
	return at < len(json) && json[at] == ':'
}

// Unescape decodes the inside of a JSON string literal that may be truncated
// anywhere. Escapes of characters other than letters may become a blank.
func Unescape(literal []byte) string {
	var b strings.Builder
	for i := 0; i < len(literal); i++ {
		if literal[i] != '\\' {
			b.WriteByte(literal[i])
			continue
		}
		i++
		if i+5 <= len(literal) && literal[i] == 'u' {
			if r, err := strconv.ParseUint(string(literal[i+1:i+5]), 16, 16); err == nil {
				b.WriteRune(rune(r)) // half of a pair becomes U+FFFD
				i += 4
				continue
			}
		}
		b.WriteByte(' ')
	}
	return strings.ToValidUTF8(b.String(), " ")
}
